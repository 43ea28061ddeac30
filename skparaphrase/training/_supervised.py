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
    Ints,
    Sentences,
    UsedRows,
    binary_cross_entropy_losses,
    cross_entropy_losses,
    divergence_losses,
    hinge_losses,
    tagging_losses,
    to_device,
)
from skparaphrase.text import TokenBatch
from skparaphrase.training._trainer import BaseTrainer

TARGET_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "divergence": divergence_losses,
    "cross_entropy": cross_entropy_losses,
    "binary_cross_entropy": binary_cross_entropy_losses,
    "hinge": hinge_losses,
    "tags": tagging_losses,
}


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
        What the network takes besides vectors, ids and offsets; a random state follows.
    """

    tokens: TokenBatch
    rows: Ints
    n_examples: int
    arguments: tuple[Any, ...] = ()


class TargetTexts(NamedTuple):
    """Texts of examples and what is to be learnt.

    Parameters
    ----------
    texts : TokenBatch
        Distinct texts.
    indices : ndarray of shape (n_examples, n_texts)
        Indices of the one or two texts of an example.
    targets : ndarray of shape (n_examples, n_outputs)
    weights : ndarray of shape (n_examples,) or None
        Their mean should be 1. Of shape (n_examples, n_outputs) if each output of
        "binary_cross_entropy" has its own.
    interact : bool, default=False
        Whether the network reads distinct texts, and which of them are compared;
        otherwise, it reads those of the examples one after the other.
    """

    texts: TokenBatch
    indices: Ints
    targets: NDArray[np.float32]
    weights: NDArray[np.float32] | None = None
    interact: bool = False

    @property
    def n_examples(self) -> int:
        """The number of examples."""
        return len(self.indices)

    def take(self, chosen: Ints) -> Batch:
        """Make a batch of the examples with these indices."""
        if not self.interact:
            texts = self.texts.take(self.indices[chosen].ravel())
            return Batch(texts, chosen, len(chosen))
        distinct, pairs = np.unique(self.indices[chosen], return_inverse=True)
        texts, arguments = self.texts.take(distinct), (pairs.reshape(-1, 2),)
        return Batch(texts, chosen, len(chosen), arguments)


class TaggedSentences(NamedTuple):
    """Sentences that contain a word each, and the tags of all words, end to end."""

    sentences: Sentences
    targets: NDArray[np.int64]
    weights: None = None

    @property
    def n_examples(self) -> int:
        """The number of sentences."""
        return len(self.sentences)

    def take(self, chosen: Ints) -> Batch:
        """Make a batch of the sentences with these indices."""
        part = self.sentences.take(chosen)
        offsets = self.sentences.sentences.offsets
        positions = np.arange(len(self.targets), dtype=np.int32)
        rows = TokenBatch(positions, offsets).take(chosen).ids.astype(np.int64)
        return Batch(part.words, rows, len(chosen), (part.capitals, part.sentences))


class ExamplesTrainer(BaseTrainer):
    """Trains word vectors and a network on examples that have targets.

    Parameters
    ----------
    module : Module
        Returns logits, given vectors, ids, offsets and the arguments of a batch. The
        penalty of parameters named "composition.*" is lambda_c, and that of others
        lambda_s.
    *parts : table, steps
        See :class:`BaseTrainer`.
    loss : {"divergence", "cross_entropy", "binary_cross_entropy", "hinge", "tags"}
    examples : TargetTexts or TaggedSentences
    anchors : mapping of str to Tensor, default=None
        Where penalties pull parameters of the composition; by default, where it says.
    """

    def __init__(
        self,
        module: nn.Module,
        *parts: Any,
        loss: str,
        examples: TargetTexts | TaggedSentences,
        anchors: Mapping[str, Tensor] | None = None,
    ) -> None:
        composition = getattr(module, "composition", None)
        if anchors is None and isinstance(composition, Composition):
            anchors = composition.anchors
        anchors = {f"composition.{name}": to for name, to in (anchors or {}).items()}
        n_examples = examples.n_examples
        super().__init__(module, *parts, n_examples=n_examples, anchors=anchors)
        self.compose = module
        self.examples = examples
        self.losses = TARGET_LOSSES[loss]
        self.targets = torch.from_numpy(examples.targets).to(self.device)
        self.weights: Tensor | None = None
        if examples.weights is not None:
            self.weights = torch.from_numpy(examples.weights).to(self.device)

    def make(self, chosen: Ints) -> Batch:
        """Make a batch of the examples with these indices."""
        return self.examples.take(chosen)

    def constant_loss(self) -> float:
        """The loss if every output were the mean target; unknown for tags."""
        if self.targets.ndim == 1:
            return super().constant_loss()
        weights = torch.ones_like(self.targets)
        if self.weights is not None:
            weights = weights * self.weights.reshape(len(weights), -1)
        mean = (self.targets * weights).sum(dim=0) / weights.sum(dim=0)
        is_binary = self.losses is binary_cross_entropy_losses
        logits = mean.logit(1e-6) if is_binary else mean.clamp_min(1e-9).log()
        logits = logits.expand_as(self.targets)
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
        texts = leaf, used.local, batch.tokens.offsets
        if batch.arguments:
            texts = *texts, *batch.arguments, self.random_state
        logits = self.compose(*texts)
        return self.mean_loss(logits, batch.rows), leaf, used

    def mean_loss(self, logits: Tensor, rows: Ints) -> Tensor:
        """The weighted mean loss of some outputs, given the rows of their targets."""
        chosen = to_device(rows, logits.device)
        losses = self.losses(logits, self.targets[chosen])
        if self.weights is not None:
            weights = self.weights[chosen]
            if weights.ndim < losses.ndim:
                weights = weights[:, None]
            losses = losses * weights
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
    examples: TargetTexts,
    prior: Mapping[str, NDArray[np.float32]] | None = None,
) -> ExamplesTrainer:
    """A trainer of word vectors, a composition and a head.

    `prior` has the values that the penalty pulls the composition's parameters to; by
    default, these are what the composition says.
    """
    module = nn.ModuleDict({"composition": composition, "head": head})
    anchors = None
    if prior is not None:
        anchors = {name: torch.tensor(array) for name, array in prior.items()}
    trainer = ExamplesTrainer(
        module, *parts, loss=loss, examples=examples, anchors=anchors
    )
    trainer.compose = lambda *texts: head(composition(*texts))
    trainer.texts_per_row = head.n_texts
    trainer.is_shareable = composition.batch_size is None
    return trainer
