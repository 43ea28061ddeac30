"""Training on texts, pairs of texts or words that have a score or a class."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase.networks import (
    Composition,
    Head,
    Interaction,
    Ints,
    Sentences,
    Tagger,
    UsedRows,
    cross_entropy_losses,
    divergence_losses,
    hinge_losses,
    tagging_loss,
    to_device,
)
from skparaphrase.text import TokenBatch
from skparaphrase.training._trainer import BaseTrainer

LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "divergence": divergence_losses,
    "cross_entropy": cross_entropy_losses,
    "hinge": hinge_losses,
}


class Examples(NamedTuple):
    """Texts of examples and what is to be learnt.

    Parameters
    ----------
    texts : TokenBatch
        Distinct texts.
    indices : ndarray of shape (n_examples, n_texts)
        Indices of the one or two texts of an example.
    targets : ndarray of shape (n_examples, n_outputs)
    weights : ndarray of shape (n_examples,) or None
        Their mean should be 1.
    """

    texts: TokenBatch
    indices: Ints
    targets: NDArray[np.float32]
    weights: NDArray[np.float32] | None = None


class ExamplesTrainer(BaseTrainer):
    """Base of trainers whose examples have targets and weights.

    Parameters
    ----------
    *parts : module, table, settings, optimizer, random_state
        See :class:`BaseTrainer`.
    loss : {"divergence", "cross_entropy", "hinge"}
    examples : Examples
    anchors : mapping of str to Tensor, default=None
        See :class:`BaseTrainer`.
    """

    def __init__(
        self,
        *parts: Any,
        loss: str,
        examples: Examples,
        anchors: Mapping[str, Tensor] | None = None,
    ) -> None:
        super().__init__(*parts, n_examples=len(examples.indices), anchors=anchors)
        self.losses = LOSSES[loss]
        self.examples = examples
        self.targets = torch.from_numpy(examples.targets).to(self.device)
        self.weights = None
        if examples.weights is not None:
            self.weights = torch.from_numpy(examples.weights).to(self.device)

    def constant_loss(self) -> float:
        """The loss if every output were the mean target."""
        weights = 1.0 if self.weights is None else self.weights[:, None]
        mean = (self.targets * weights).mean(dim=0, keepdim=True)
        logits = mean.clamp_min(1e-9).log().expand_as(self.targets)
        return float(self.mean_loss(logits, np.arange(self.n_examples)))

    def logits(self, *texts: Any) -> Tensor:
        """The logits of examples; texts as for a composition, then those of pairs."""
        raise NotImplementedError

    def forward(self, batch: Any) -> tuple[Tensor, Tensor, UsedRows]:
        """The mean loss of a batch, the leaf that it depends on, and its rows."""
        texts, *pairs, chosen = batch
        used = self.table.used(texts.ids)
        leaf = self.table.leaf(used)
        logits = self.logits(leaf, used.local, texts.offsets, *pairs)
        return self.mean_loss(logits, chosen), leaf, used

    def mean_loss(self, logits: Tensor, chosen: Ints) -> Tensor:
        """The weighted mean loss of some examples."""
        rows = to_device(chosen, logits.device)
        losses = self.losses(logits, self.targets[rows])
        return (losses if self.weights is None else losses * self.weights[rows]).mean()


class HeadTrainer(ExamplesTrainer):
    """Trains word vectors, a composition and a head.

    Parameters
    ----------
    composition : Composition
    head : Head
    *parts : table, settings, optimizer, random_state
        See :class:`BaseTrainer`.
    loss, examples
        See :class:`ExamplesTrainer`.
    prior : dict of str to ndarray, default=None
        Where the penalty pulls the composition's parameters; by default, where the
        composition says.
    """

    def __init__(
        self,
        composition: Composition,
        head: Head,
        *parts: Any,
        loss: str,
        examples: Examples,
        prior: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        module = nn.ModuleDict({"composition": composition, "head": head})
        anchors = composition.anchors
        if prior is not None:
            anchors = {name: torch.tensor(array) for name, array in prior.items()}
        anchors = {f"composition.{name}": to for name, to in anchors.items()}
        super().__init__(module, *parts, loss=loss, examples=examples, anchors=anchors)
        self.encode = lambda *texts: head(composition(*texts))
        self.texts_per_row = head.n_texts
        self.is_shareable = composition.batch_size is None

    def make(self, chosen: Ints) -> tuple[TokenBatch, Ints]:
        """The texts of some examples, one after the other, and their indices."""
        return self.examples.texts.take(self.examples.indices[chosen].ravel()), chosen

    def logits(self, *texts: Any) -> Tensor:
        """The logits of examples."""
        return self.encode(*texts)

    def penalty(self, name: str) -> float:
        """Lambda of a parameter."""
        if name.startswith("head."):
            return float(self.optimizer.head_penalty)
        return float(self.optimizer.composition_penalty)


class InteractionTrainer(ExamplesTrainer):
    """Trains the interaction model, without penalties on its parameters."""

    module: Interaction

    def make(self, chosen: Ints) -> tuple[TokenBatch, Ints, Ints]:
        """Distinct texts of some pairs, their indices, and those of the pairs."""
        distinct, indices = np.unique(
            self.examples.indices[chosen], return_inverse=True
        )
        return self.examples.texts.take(distinct), indices.reshape(-1, 2), chosen

    def logits(self, *texts: Any) -> Tensor:
        """The logits of pairs, with dropout."""
        logits: Tensor = self.module(*texts, self.random_state)
        return logits


class TaggerTrainer(BaseTrainer):
    """Trains a table of n-grams, characters or words, and a tagger on top of it.

    Parameters
    ----------
    tagger : Tagger
    *parts : table, settings, optimizer, random_state
        See :class:`BaseTrainer`.
    sentences : Sentences
        Each contains a word.
    tags : ndarray of shape (n_tokens,)
    """

    module: Tagger

    def __init__(
        self, tagger: Tagger, *parts: Any, sentences: Sentences, tags: Ints
    ) -> None:
        composition = tagger.composition
        anchors = {f"composition.{k}": to for k, to in composition.anchors.items()}
        super().__init__(tagger, *parts, n_examples=len(sentences), anchors=anchors)
        self.sentences = sentences
        self.tags = TokenBatch(tags.astype(np.int32), sentences.sentences.offsets)
        self.per_sentence = len(tags) / max(len(sentences), 1)

    def make(self, chosen: Ints) -> tuple[Sentences, TokenBatch]:
        """Some sentences and their tags."""
        return self.sentences.take(chosen), self.tags.take(chosen)

    def step(self, batch: tuple[Sentences, TokenBatch]) -> Tensor:
        """Update on a batch, and return its loss without penalties.

        Scaled so that the mean over all sentences is the mean over all tokens.
        """
        tags = batch[1]
        scale = len(tags.ids) / len(tags) / self.per_sentence
        return super().step(batch) * scale

    def forward(
        self, batch: tuple[Sentences, TokenBatch]
    ) -> tuple[Tensor, Tensor, UsedRows]:
        """The mean loss of a token, the leaf that it depends on, and its rows."""
        part, tags = batch
        used = self.table.used(part.words.ids)
        leaf = self.table.leaf(used)
        vectors = self.module.word_vectors(
            leaf, used.local, part.words.offsets, part.capitals
        )
        logits = self.module(vectors, part.sentences, self.random_state)
        targets = to_device(tags.ids.astype(np.int64), logits.device)
        return tagging_loss(logits, targets), leaf, used

    def penalty(self, name: str) -> float:
        """Lambda of a parameter."""
        if name.startswith("composition."):
            return float(self.optimizer.composition_penalty)
        return float(self.optimizer.head_penalty)
