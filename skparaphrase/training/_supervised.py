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
    tagging_losses,
    to_device,
)
from skparaphrase.text import TokenBatch
from skparaphrase.training._trainer import BaseTrainer

LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "divergence": divergence_losses,
    "cross_entropy": cross_entropy_losses,
    "hinge": hinge_losses,
    "tags": tagging_losses,
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


class Batch(NamedTuple):
    """The examples of a step.

    Parameters
    ----------
    tokens : TokenBatch
        The texts, or words, that are embedded.
    rows : ndarray of int of shape (n_rows,)
        Which target belongs to each row of the network's output.
    n_examples : int
    arguments : tuple, default=()
        What the network takes besides vectors, ids and offsets.
    """

    tokens: TokenBatch
    rows: Ints
    n_examples: int
    arguments: tuple[Any, ...] = ()


class ExamplesTrainer(BaseTrainer):
    """Trains word vectors and a network on examples that have targets.

    Parameters
    ----------
    module : Module
        The penalty of parameters named "composition.*" is lambda_c, and that of others
        lambda_s.
    *parts : table, steps
        See :class:`BaseTrainer`.
    encode : callable
        Returns logits, given vectors, ids, offsets and the arguments of a batch.
    make : callable
        Returns the :class:`Batch` of some examples, given their indices.
    n_examples : int
    loss : {"divergence", "cross_entropy", "hinge", "tags"}
    targets : ndarray of shape (n_targets, n_outputs), or of int of shape (n_targets,)
    weights : ndarray of shape (n_targets,), default=None
    anchors : mapping of str to Tensor, default=None
        See :class:`BaseTrainer`.
    """

    examples: Examples | None = None  # which processes compare

    def __init__(
        self,
        module: nn.Module,
        *parts: Any,
        encode: Callable[..., Tensor],
        make: Callable[[Ints], Batch],
        n_examples: int,
        loss: str,
        targets: NDArray[Any],
        weights: NDArray[np.float32] | None = None,
        anchors: Mapping[str, Tensor] | None = None,
    ) -> None:
        super().__init__(module, *parts, n_examples=n_examples, anchors=anchors)
        self.encode = encode
        self._make = make
        self.losses = LOSSES[loss]
        self.targets = torch.from_numpy(targets).to(self.device)
        self.weights: Tensor | None = None
        if weights is not None:
            self.weights = torch.from_numpy(weights).to(self.device)

    def make(self, chosen: Ints) -> Batch:
        """Make a batch of the examples with these indices."""
        return self._make(chosen)

    def constant_loss(self) -> float:
        """The loss if every output were the mean target; unknown for tags."""
        if self.targets.ndim == 1:
            return super().constant_loss()
        weights = 1.0 if self.weights is None else self.weights[:, None]
        mean = (self.targets * weights).mean(dim=0, keepdim=True)
        logits = mean.clamp_min(1e-9).log().expand_as(self.targets)
        return float(self.mean_loss(logits, np.arange(self.n_examples)))

    def step(self, batch: Batch) -> Tensor:
        """Update on a batch, and return its loss without penalties.

        Scaled so that the mean over all examples is the mean over all targets.
        """
        per_example = len(self.targets) / self.n_examples
        return super().step(batch) * (len(batch.rows) / batch.n_examples / per_example)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, UsedRows]:
        """The mean loss of a batch, the leaf that it depends on, and its rows."""
        used = self.table.used(batch.tokens.ids)
        leaf = self.table.leaf(used)
        offsets = batch.tokens.offsets
        logits = self.encode(leaf, used.local, offsets, *batch.arguments)
        return self.mean_loss(logits, batch.rows), leaf, used

    def mean_loss(self, logits: Tensor, rows: Ints) -> Tensor:
        """The weighted mean loss of some outputs, given the rows of their targets."""
        chosen = to_device(rows, logits.device)
        losses = self.losses(logits, self.targets[chosen])
        if self.weights is not None:
            losses = losses * self.weights[chosen]
        return losses.mean()

    def penalty(self, name: str) -> float:
        """Lambda of a parameter."""
        if name.startswith("composition."):
            return float(self.optimizer.composition_penalty)
        return float(self.optimizer.head_penalty)


def head_trainer(
    composition: Composition,
    head: Head,
    *parts: Any,
    loss: str,
    examples: Examples,
    prior: Mapping[str, NDArray[np.float32]] | None = None,
) -> ExamplesTrainer:
    """A trainer of word vectors, a composition and a head.

    `prior` has the values that the penalty pulls the composition's parameters to; by
    default, these are what the composition says.
    """
    texts, indices, targets, weights = examples
    anchors = composition.anchors
    if prior is not None:
        anchors = {name: torch.tensor(array) for name, array in prior.items()}

    def make(chosen: Ints) -> Batch:
        # The texts of the examples, one after the other.
        return Batch(texts.take(indices[chosen].ravel()), chosen, len(chosen))

    trainer = ExamplesTrainer(
        nn.ModuleDict({"composition": composition, "head": head}),
        *parts,
        encode=lambda *texts: head(composition(*texts)),
        make=make,
        n_examples=len(indices),
        loss=loss,
        targets=targets,
        weights=weights,
        anchors={f"composition.{name}": to for name, to in anchors.items()},
    )
    trainer.examples = examples
    trainer.texts_per_row = head.n_texts
    trainer.is_shareable = composition.batch_size is None
    return trainer


def interaction_trainer(
    network: Interaction, *parts: Any, loss: str, examples: Examples
) -> ExamplesTrainer:
    """A trainer of word vectors and the network that compares words of pairs."""
    texts, indices, targets, weights = examples

    def make(chosen: Ints) -> Batch:
        distinct, pairs = np.unique(indices[chosen], return_inverse=True)
        arguments = (pairs.reshape(-1, 2),)
        return Batch(texts.take(distinct), chosen, len(chosen), arguments)

    trainer = ExamplesTrainer(
        network,
        *parts,
        encode=lambda *texts: network(*texts, trainer.random_state),
        make=make,
        n_examples=len(indices),
        loss=loss,
        targets=targets,
        weights=weights,
    )
    return trainer


def tagger_trainer(
    tagger: Tagger, *parts: Any, sentences: Sentences, tags: Ints
) -> ExamplesTrainer:
    """A trainer of a table of n-grams, characters or words, and a tagger on top of it.

    Each sentence contains a word; `tags` are those of all words, end to end.
    """
    offsets = sentences.sentences.offsets
    positions = TokenBatch(np.arange(len(tags), dtype=np.int32), offsets)

    def make(chosen: Ints) -> Batch:
        part, rows = sentences.take(chosen), positions.take(chosen).ids
        arguments = part.capitals, part.sentences
        return Batch(part.words, rows.astype(np.int64), len(chosen), arguments)

    def encode(
        leaf: Tensor,
        ids: Tensor,
        offsets: Ints,
        capitals: NDArray[np.float32],
        words: TokenBatch,
    ) -> Tensor:
        vectors = tagger.word_vectors(leaf, ids, offsets, capitals)
        logits: Tensor = tagger(vectors, words, trainer.random_state)
        return logits

    anchors = tagger.composition.anchors.items()
    trainer = ExamplesTrainer(
        tagger,
        *parts,
        encode=encode,
        make=make,
        n_examples=len(sentences),
        loss="tags",
        targets=tags.astype(np.int64),
        anchors={f"composition.{name}": to for name, to in anchors},
    )
    return trainer
