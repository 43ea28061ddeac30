"""Training on pairs of texts that mean the same."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor

from skparaphrase.nn._compositions import Composition, Pooled, turn_ahead
from skparaphrase.nn._distributed import joined_processes
from skparaphrase.nn._loop import Loop, LoopOptions
from skparaphrase.nn._losses import infonce_loss, margin_loss, unit_vectors
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._table import UsedRows, WordTable
from skparaphrase.nn._transfer import to_device
from skparaphrase.text import TokenBatch


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(LoopOptions):
    """Settings of training on paraphrases; the encoders document them."""

    loss: str
    margin: float
    temperature: float
    negatives: str
    negative_pool: str
    mask_identical: bool
    composition_penalty: float
    word_dropout: float
    scramble: float


class Examples(Protocol):
    """Numbers of the texts of each example: an array, or what gives rows of one."""

    def __len__(self) -> int: ...

    def __getitem__(self, examples: NDArray[np.intp], /) -> NDArray[np.intp]: ...


@dataclass(frozen=True)
class Batch:
    """What a step needs to know besides the parameters.

    Attributes
    ----------
    used : UsedRows
    offsets : ndarray of shape (n_texts + 1,)
        Where the tokens of each text begin.
    numbers : ndarray of shape (n_texts,)
        Equal numbers mean equal strings.
    """

    used: UsedRows
    offsets: NDArray[np.int64]
    numbers: NDArray[np.integer]


class Trainer(Loop):
    """Trains word vectors and a composition on pairs of texts.

    Parameters
    ----------
    composition : Composition

    table : WordTable

    options : TrainingOptions

    random_state : RandomState
        All randomness comes from here.
    """

    options: TrainingOptions

    _together = 2  # texts of an example, which are scrambled or left alone together

    def __init__(
        self,
        composition: Composition,
        table: WordTable,
        options: TrainingOptions,
        random_state: RandomState,
    ) -> None:
        super().__init__(composition, table, options, random_state)
        self.composition = composition
        if composition.batch_size is None:  # else texts see each other
            self.processes = joined_processes()
        device = table.weight.device
        composition.anchors = {
            name: anchor.to(device) for name, anchor in composition.anchors.items()
        }

    def epochs(
        self,
        texts: TokenBatch,
        pairs: Examples,
        *,
        n_epochs: int,
        ordered_first_epoch: bool = False,
        identities: NDArray[np.integer] | None = None,
    ) -> Iterator[float]:
        """Train, and yield the mean loss of a pair after every epoch.

        Parameters
        ----------
        texts : TokenBatch
            Distinct texts, or any with `identities`; arrays may be memory-mapped.

        pairs : ndarray of shape (n_pairs, 2), or what gives its rows
            Numbers of texts; at least two pairs.

        n_epochs : int

        ordered_first_epoch : bool, default=False
            Take the pairs as they come in the first epoch, and shuffle from the second.

        identities : ndarray of shape (n_texts,), default=None
            Equal where strings are; None where all texts differ.

        Yields
        ------
        loss : float
            Without penalties.
        """

        def make(chosen: NDArray[np.intp]) -> Batch:
            numbers = pairs[chosen].ravel()
            batch = texts.take(numbers)
            return self._batch(
                batch, numbers if identities is None else identities[numbers]
            )

        if self.processes is not None:
            some = np.linspace(0, len(pairs) - 1, min(len(pairs), 1 << 16))
            self._check_alike(
                texts=(texts.ids, texts.offsets),
                examples=(len(pairs), pairs[some.astype(np.intp)]),
                settings=(self.options, n_epochs, ordered_first_epoch),
            )
        yield from self._epochs(
            len(pairs),
            self._step,
            make=make,
            n_epochs=n_epochs,
            slices=batch_slices,
            ordered_first_epoch=ordered_first_epoch,
        )

    def step(self, batch: TokenBatch, numbers: NDArray[np.integer]) -> Tensor:
        """Update on one batch and return its loss.

        Parameters
        ----------
        batch : TokenBatch
            2B texts, those of pair `i` at `2i` and `2i + 1`.

        numbers : ndarray of shape (2B,)
            Equal numbers mean equal strings.

        Returns
        -------
        loss : Tensor of shape ()
            Without penalties.
        """
        return self._step(self._batch(batch, numbers))

    def _batch(self, texts: TokenBatch, numbers: NDArray[np.integer]) -> Batch:
        options = self.options
        used = self.table.used(texts.ids, with_initial=options.vectors_penalty > 0)
        changed = options.scramble or options.word_dropout or self.processes is not None
        if isinstance(self.composition, Pooled) and not changed:
            n_rows = len(self.table.weight if used.rows is None else used.rows)
            turn_ahead(used.local, texts.offsets, n_rows)
        return Batch(used, texts.offsets, numbers)

    @torch.enable_grad()
    def _step(self, batch: Batch) -> Tensor:
        ids, offsets = batch.used.local, batch.offsets
        if self.options.scramble:
            order = _scrambled(
                offsets, self.options.scramble, self.random_state, self._together
            )
            ids = ids[to_device(order, ids.device)]
        leaf = self.table.take(batch.used.rows)
        loss = self._loss(leaf, ids, offsets, batch.numbers)
        return self._descend(loss, leaf, batch.used.rows, batch.used.initial)

    def _penalty(self, name: str) -> tuple[float, Tensor | None]:
        return self.options.composition_penalty, self.composition.anchors.get(name)

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
            unit = self._unit(leaf, ids, offsets)
            chosen, found = self._choose(unit.detach(), numbers)
            return margin_loss(unit, chosen, found, options.margin)
        # Chosen without dropout, and embedded once more with masks of their own.
        with torch.no_grad():
            unit = self._unit(leaf, ids, offsets)
            chosen, found = self._choose(unit, numbers)
        again = TokenBatch(np.arange(len(ids), dtype=np.int32), offsets).take(
            np.concatenate([np.arange(len(chosen)), chosen.cpu().numpy()])
        )
        ids = ids[to_device(again.ids, ids.device)]
        unit = self._embed(leaf, ids, again.offsets)
        new = torch.arange(len(chosen), 2 * len(chosen), device=unit.device)
        return margin_loss(unit, new, found, options.margin)

    def _embed(self, leaf: Tensor, ids: Tensor, offsets: NDArray[np.int64]) -> Tensor:
        """Unit vectors, with dropout on every number of every token's vector."""
        rate = self.options.word_dropout
        if not rate:
            return self._unit(leaf, ids, offsets)
        generator = torch.Generator(leaf.device)
        generator.manual_seed(int(self.random_state.randint(np.iinfo(np.int32).max)))
        drawn = torch.rand(
            (len(ids), leaf.shape[1]),
            generator=generator,
            device=leaf.device,
            dtype=leaf.dtype,
        )

        def compute(ids: Tensor, drawn: Tensor, offsets: NDArray[np.int64]) -> Tensor:
            rows = leaf.index_select(0, ids) * (drawn >= rate) / (1 - rate)
            every = torch.arange(len(ids), device=ids.device)
            return unit_vectors(self.composition(rows, every, offsets))

        return self._spread(compute, [ids, drawn], offsets)

    def _unit(self, leaf: Tensor, ids: Tensor, offsets: NDArray[np.int64]) -> Tensor:
        """Unit vectors of texts."""

        def compute(ids: Tensor, offsets: NDArray[np.int64]) -> Tensor:
            return unit_vectors(self.composition(leaf, ids, offsets))

        return self._spread(compute, [ids], offsets)

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


def batch_slices(n_pairs: int, batch_size: int) -> list[slice]:
    """Where batches begin and end; a last single pair, without negatives, joins in."""
    n_batches = max(n_pairs // batch_size + (n_pairs % batch_size > 1), 1)
    ends = [*range(batch_size, n_batches * batch_size, batch_size), n_pairs]
    return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _scrambled(
    offsets: NDArray[np.int64],
    probability: float,
    random_state: RandomState,
    together: int = 2,
) -> NDArray[np.intp]:
    """An order of the tokens: random inside the texts of some examples."""
    lengths = np.diff(offsets)
    drawn = random_state.random_sample(len(lengths) // together)
    chosen = np.repeat(drawn < probability, together)
    texts = np.repeat(np.arange(len(lengths)), lengths)
    keys = np.where(chosen[texts], random_state.random_sample(len(texts)), 0.0)
    return np.lexsort((keys, texts))  # stable: equal keys keep their order
