"""The one training loop."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase.nn._losses import infonce_loss, margin_loss, unit_vectors
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._optimizers import OPTIMIZERS, clip_norm_
from skparaphrase.nn._table import WordTable
from skparaphrase.text import TokenBatch


@dataclass(frozen=True)
class TrainingOptions:
    """Settings of the loop; the encoders document them."""

    loss: str
    margin: float
    temperature: float
    negatives: str
    mask_identical: bool
    optimizer: str
    learning_rate: float
    batch_size: int
    clip_norm: float | None
    vectors_penalty: float
    composition_penalty: float


class Trainer:
    """Trains word vectors and a composition on pairs of texts.

    Parameters
    ----------
    composition : nn.Module
        Maps (table, ids, offsets) to vectors of shape (n_texts, dim).

    table : WordTable

    options : TrainingOptions

    random_state : RandomState
        All randomness comes from here.
    """

    def __init__(
        self,
        composition: nn.Module,
        table: WordTable,
        options: TrainingOptions,
        random_state: RandomState,
    ) -> None:
        self.composition = composition
        self.table = table
        self.options = options
        self.random_state = random_state
        self.optimizer = OPTIMIZERS[options.optimizer](options.learning_rate)

    def epochs(
        self,
        texts: TokenBatch,
        pairs: NDArray[np.integer],
        *,
        n_epochs: int,
        ordered_first_epoch: bool = False,
    ) -> Iterator[float]:
        """Train, and yield the mean loss of a pair after every epoch.

        Parameters
        ----------
        texts : TokenBatch
            Distinct texts.

        pairs : ndarray of shape (n_pairs, 2)
            Numbers of texts; at least two pairs.

        n_epochs : int

        ordered_first_epoch : bool, default=False
            Take the pairs as they come in the first epoch, and shuffle from the second.

        Yields
        ------
        loss : float
            Without penalties.
        """
        for epoch in range(n_epochs):
            if ordered_first_epoch and epoch == 0:
                order = np.arange(len(pairs))
            else:
                order = self.random_state.permutation(len(pairs))
            total = torch.zeros((), device=self.table.weight.device)
            for chosen in self._batches(order):
                numbers = pairs[chosen].ravel()
                total += self.step(texts.take(numbers), numbers) * len(chosen)
            yield total.item() / len(pairs)

    def step(self, batch: TokenBatch, numbers: NDArray[np.integer]) -> Tensor:
        """Update on one batch and return its loss.

        Parameters
        ----------
        batch : TokenBatch
            2B texts, those of pair `i` at `2i` and `2i + 1`.

        numbers : ndarray of shape (2B,)
            Equal numbers mean equal strings.
        """
        options = self.options
        leaf, rows, ids = self.table.leaf(batch.ids)
        offsets = torch.from_numpy(batch.offsets[:-1]).to(leaf.device)
        unit = unit_vectors(self.composition(leaf, ids, offsets))
        loss = self._loss(unit, numbers)
        loss.backward()
        with torch.no_grad():
            gradient = leaf.grad
            assert gradient is not None
            if options.vectors_penalty:
                self.table.add_penalty_(gradient, leaf, rows, options.vectors_penalty)
            self._update("vectors", self.table.weight, gradient, leaf, rows)
            self.table.write(leaf, rows)
            for name, parameter in self.composition.named_parameters():
                assert parameter.grad is not None
                gradient = parameter.grad
                gradient.add_(parameter, alpha=options.composition_penalty)
                self._update(name, parameter, gradient, parameter)
                parameter.grad = None
        return loss.detach()

    def _loss(self, unit: Tensor, numbers: NDArray[np.integer]) -> Tensor:
        options = self.options
        if options.loss == "infonce":
            return infonce_loss(
                unit,
                numbers,
                temperature=options.temperature,
                mask_identical=options.mask_identical,
            )
        chosen, found = choose_negatives(
            unit.detach(),
            numbers,
            how=options.negatives,
            mask_identical=options.mask_identical,
            random_state=self.random_state,
        )
        return margin_loss(unit, chosen, found, options.margin)

    def _update(
        self,
        name: str,
        parameter: Tensor,
        gradient: Tensor,
        values: Tensor,
        rows: Tensor | None = None,
    ) -> None:
        if self.options.clip_norm is not None:
            clip_norm_(gradient, self.options.clip_norm)
        self.optimizer.step(name, parameter, gradient, values, rows)

    def _batches(self, order: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """Slices of `order`; a last single pair has no negatives and joins the rest."""
        size = self.options.batch_size
        n_batches = max(len(order) // size + (len(order) % size > 1), 1)
        for i in range(n_batches):
            stop = None if i == n_batches - 1 else (i + 1) * size
            yield order[i * size : stop]


@contextmanager
def few_threads() -> Iterator[None]:
    """Let torch use half of its threads, and two at most, inside the block.

    The tensors of a step are small. More threads gain nothing, and where other
    processes want the same processors, threads that wait for each other at every
    operation cost a hundredfold.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(min(max(before // 2, 1), 2))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def resolve_device(device: str) -> torch.device:
    """The device that a name stands for; "auto" is CUDA where there is one."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but torch finds no CUDA device here.")
    try:
        return torch.device(device)
    except RuntimeError:
        raise ValueError(
            f"device must be 'auto', 'cpu', 'cuda' or another name that torch knows; "
            f"got {device!r}."
        ) from None
