"""Training on pairs of texts that mean the same."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor

from skparaphrase.nn._compositions import Composition
from skparaphrase.nn._loop import Loop, LoopOptions
from skparaphrase.nn._losses import infonce_loss, margin_loss, unit_vectors
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._table import WordTable
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
        device = table.weight.device
        composition.anchors = {
            name: anchor.to(device) for name, anchor in composition.anchors.items()
        }

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

        def step(chosen: NDArray[np.intp]) -> Tensor:
            numbers = pairs[chosen].ravel()
            return self.step(texts.take(numbers), numbers)

        return self._epochs(
            len(pairs),
            step,
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
        options = self.options
        if options.scramble:
            batch = _scrambled(
                batch, options.scramble, self.random_state, self._together
            )
        leaf, rows, ids = self.table.leaf(batch.ids)
        loss = self._loss(leaf, ids, batch.offsets, numbers)
        return self._descend(loss, leaf, rows)

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


def batch_slices(n_pairs: int, batch_size: int) -> list[slice]:
    """Where batches begin and end; a last single pair, without negatives, joins in."""
    n_batches = max(n_pairs // batch_size + (n_pairs % batch_size > 1), 1)
    ends = [*range(batch_size, n_batches * batch_size, batch_size), n_pairs]
    return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _scrambled(
    batch: TokenBatch, probability: float, random_state: RandomState, together: int = 2
) -> TokenBatch:
    """The texts of some examples in a random order of their tokens."""
    drawn = random_state.random_sample(len(batch) // together)
    chosen = np.repeat(drawn < probability, together)
    texts = np.repeat(np.arange(len(batch)), batch.lengths)
    keys = np.where(chosen[texts], random_state.random_sample(len(texts)), 0.0)
    order = np.lexsort((keys, texts))  # stable: equal keys keep their order
    return TokenBatch(batch.ids[order], batch.offsets)
