"""Training on texts, or pairs of texts, that have a score or a class."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase.nn._compositions import Composition
from skparaphrase.nn._distributed import joined_processes
from skparaphrase.nn._heads import Head, cross_entropy_loss, divergence_loss
from skparaphrase.nn._loop import Loop, LoopOptions, even_slices
from skparaphrase.nn._table import WordTable
from skparaphrase.nn._transfer import to_device
from skparaphrase.text import TokenBatch

LOSSES = {"divergence": divergence_loss, "cross_entropy": cross_entropy_loss}


@dataclass(frozen=True, kw_only=True)
class SupervisedOptions(LoopOptions):
    """Settings of supervised training; the estimators document them."""

    loss: str
    composition_penalty: float
    head_penalty: float


class SupervisedTrainer(Loop):
    """Trains word vectors, a composition and a head.

    Parameters
    ----------
    composition : Composition

    head : Head

    table : WordTable

    options : SupervisedOptions

    random_state : RandomState

    prior : dict of str to Tensor, default=None
        What the penalty pulls the composition's parameters to, instead of what the
        composition says.
    """

    options: SupervisedOptions

    def __init__(
        self,
        composition: Composition,
        head: Head,
        table: WordTable,
        options: SupervisedOptions,
        random_state: RandomState,
        prior: Mapping[str, Tensor] | None = None,
    ) -> None:
        module = nn.ModuleDict({"composition": composition, "head": head})
        super().__init__(module, table, options, random_state)
        self.composition = composition
        self.head = head
        if composition.batch_size is None:  # else texts see each other
            self.processes = joined_processes()
        device = table.weight.device
        anchors = composition.anchors if prior is None else prior
        self._anchors = {
            f"composition.{name}": anchor.to(device) for name, anchor in anchors.items()
        }

    def epochs(
        self,
        texts: TokenBatch,
        numbers: NDArray[np.integer],
        targets: NDArray[np.float32],
        weights: NDArray[np.float32] | None,
        *,
        n_epochs: int,
    ) -> Iterator[float]:
        """Train, and yield the mean loss of an example after every epoch.

        Parameters
        ----------
        texts : TokenBatch
            Distinct texts.

        numbers : ndarray of shape (n_examples, n_texts)
            Numbers of texts, one or two of an example.

        targets : ndarray of shape (n_examples, n_outputs)

        weights : ndarray of shape (n_examples,) or None
            Their mean should be 1.

        n_epochs : int

        Yields
        ------
        loss : float
            Without penalties.
        """
        device = self.table.weight.device
        all_targets = torch.from_numpy(targets).to(device)
        all_weights = None if weights is None else torch.from_numpy(weights).to(device)

        def step(chosen: NDArray[np.intp]) -> Tensor:
            rows = to_device(chosen, device)
            return self.step(
                texts.take(numbers[chosen].ravel()),
                all_targets[rows],
                None if all_weights is None else all_weights[rows],
            )

        self._check_alike(
            texts=(texts.ids, texts.offsets),
            examples=numbers,
            targets=(targets, weights),
            settings=(self.options, n_epochs),
        )
        yield from self._epochs(
            len(numbers), step, n_epochs=n_epochs, slices=even_slices
        )

    @torch.enable_grad()
    def step(
        self, batch: TokenBatch, targets: Tensor, weights: Tensor | None = None
    ) -> Tensor:
        """Update on one batch and return its loss.

        Parameters
        ----------
        batch : TokenBatch
            The texts of the examples, one after the other.
        targets : Tensor of shape (n_examples, n_outputs)
        weights : Tensor of shape (n_examples,), default=None

        Returns
        -------
        loss : Tensor of shape ()
            Without penalties.
        """
        leaf, rows, ids = self.table.leaf(batch.ids)

        def compute(ids: Tensor, offsets: NDArray[np.int64]) -> Tensor:
            logits: Tensor = self.head(self.composition(leaf, ids, offsets))
            return logits

        logits = self._spread(compute, [ids], batch.offsets, self.head.n_texts)
        loss = LOSSES[self.options.loss](logits, targets, weights)
        return self._descend(loss, leaf, rows)

    def _penalty(self, name: str) -> tuple[float, Tensor | None]:
        if name.startswith("head."):
            return self.options.head_penalty, None
        return self.options.composition_penalty, self._anchors.get(name)
