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
from torch import Tensor

from skparaphrase.nn._compositions import Composition
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
    negative_pool: str
    mask_identical: bool
    optimizer: str
    learning_rate: float
    batch_size: int
    clip_norm: float | None
    vectors_penalty: float
    composition_penalty: float
    word_dropout: float
    scramble: float


class Trainer:
    """Trains word vectors and a composition on pairs of texts.

    Parameters
    ----------
    composition : Composition

    table : WordTable

    options : TrainingOptions

    random_state : RandomState
        All randomness comes from here.
    """

    def __init__(
        self,
        composition: Composition,
        table: WordTable,
        options: TrainingOptions,
        random_state: RandomState,
    ) -> None:
        self.composition = composition
        device = table.weight.device
        composition.anchors = {
            name: anchor.to(device) for name, anchor in composition.anchors.items()
        }
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
            for batch in batch_slices(len(order), self.options.batch_size):
                chosen = order[batch]
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
        if options.scramble:
            batch = _scrambled(batch, options.scramble, self.random_state)
        leaf, rows, ids = self.table.leaf(batch.ids)
        loss = self._loss(leaf, ids, batch.offsets, numbers)
        loss.backward()
        with torch.no_grad():
            gradient = leaf.grad
            assert gradient is not None
            if options.vectors_penalty:
                self.table.add_penalty_(gradient, leaf, rows, options.vectors_penalty)
            self._update("vectors", self.table.weight, gradient, leaf, rows)
            self.table.write(leaf, rows)
            for name, parameter in self.composition.named_parameters():
                self._update_composition(name, parameter)
        return loss.detach()

    def _loss(
        self,
        leaf: Tensor,
        ids: Tensor,
        offsets: NDArray[np.int64],
        numbers: NDArray[np.integer],
    ) -> Tensor:
        options = self.options
        if options.loss == "infonce":
            return infonce_loss(
                self._embed(leaf, ids, offsets),
                numbers,
                temperature=options.temperature,
                mask_identical=options.mask_identical,
            )
        if not options.word_dropout:
            unit = unit_vectors(self.composition(leaf, ids, offsets))
            chosen, found = self._choose(unit.detach(), numbers)
            return margin_loss(unit, chosen, found, options.margin)
        # Chosen without dropout, and embedded once more with masks of their own.
        with torch.no_grad():
            unit = unit_vectors(self.composition(leaf, ids, offsets))
            chosen, found = self._choose(unit, numbers)
        again = TokenBatch(np.arange(len(ids), dtype=np.int32), offsets).take(
            np.concatenate([np.arange(len(chosen)), chosen.cpu().numpy()])
        )
        ids = ids[torch.from_numpy(again.ids).to(ids.device)]
        unit = self._embed(leaf, ids, again.offsets)
        new = torch.arange(len(chosen), 2 * len(chosen), device=unit.device)
        return margin_loss(unit, new, found, options.margin)

    def _embed(self, leaf: Tensor, ids: Tensor, offsets: NDArray[np.int64]) -> Tensor:
        """Unit vectors, with dropout on every number of every token's vector."""
        rate = self.options.word_dropout
        if rate:
            generator = torch.Generator(leaf.device)
            generator.manual_seed(
                int(self.random_state.randint(np.iinfo(np.int32).max))
            )
            leaf = leaf.index_select(0, ids)
            kept = torch.rand(leaf.shape, generator=generator, device=leaf.device)
            leaf = leaf * (kept >= rate) / (1 - rate)
            ids = torch.arange(len(ids), device=ids.device)
        return unit_vectors(self.composition(leaf, ids, offsets))

    def _choose(
        self, unit: Tensor, numbers: NDArray[np.integer]
    ) -> tuple[Tensor, Tensor]:
        return choose_negatives(
            unit,
            numbers,
            how=self.options.negatives,
            pool=self.options.negative_pool,
            mask_identical=self.options.mask_identical,
            random_state=self.random_state,
        )

    def _update_composition(self, name: str, parameter: Tensor) -> None:
        gradient = parameter.grad
        assert gradient is not None
        penalty = self.options.composition_penalty
        if penalty:
            gradient.add_(parameter, alpha=penalty)
            anchor = self.composition.anchors.get(name)
            if anchor is not None:
                gradient.sub_(anchor, alpha=penalty)
        self._update(name, parameter, gradient, parameter)
        parameter.grad = None

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


def batch_slices(n_pairs: int, batch_size: int) -> list[slice]:
    """Where batches begin and end; a last single pair, without negatives, joins in."""
    n_batches = max(n_pairs // batch_size + (n_pairs % batch_size > 1), 1)
    ends = [*range(batch_size, n_batches * batch_size, batch_size), n_pairs]
    return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _scrambled(
    batch: TokenBatch, probability: float, random_state: RandomState
) -> TokenBatch:
    """Both texts of some pairs in a random order of their tokens."""
    chosen = np.repeat(random_state.random_sample(len(batch) // 2) < probability, 2)
    texts = np.repeat(np.arange(len(batch)), batch.lengths)
    keys = np.where(chosen[texts], random_state.random_sample(len(texts)), 0.0)
    order = np.lexsort((keys, texts))  # stable: equal keys keep their order
    return TokenBatch(batch.ids[order], batch.offsets)


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
