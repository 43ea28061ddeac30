"""Word by word interaction of two sentences, and its training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.nn._context import Context
from skparaphrase.nn._cube import (
    N_CHANNELS,
    focus_mask,
    focus_weights,
    similarity_cube,
)
from skparaphrase.nn._grid import GridNetwork
from skparaphrase.nn._heads import divergence_loss
from skparaphrase.nn._loop import Loop, LoopOptions, even_slices
from skparaphrase.nn._transfer import to_device
from skparaphrase.text import TokenBatch

# Pairs of like lengths that share a corner of the grid. A GPU has room for more.
_GROUP = {"cpu": 8, "cuda": 64}


class Interaction(nn.Module):
    """The pairwise word interaction model (PWIM) of He & Lin (2016).

    Parameters
    ----------
    dim_in : int
        Of word vectors.
    dim : int
        Of the states of one direction.
    n_outputs : int
    limit : {32, 48, 64}
        Words of a sentence, from its beginning, that are compared. The memories read
        the whole sentence.
    context : bool, default=True
        False compares word vectors instead of states.
    share_directions : bool, default=True
    focus : {"matching", "dropout", "none"}, default="matching"
        What weakens or drops cells of the cube: the focus layer; chance, in training;
        nothing.
    dropout : float, default=0.3
        Share of the cube's values that chance drops.
    """

    def __init__(
        self,
        dim_in: int,
        dim: int,
        n_outputs: int,
        *,
        limit: int,
        context: bool = True,
        share_directions: bool = True,
        focus: str = "matching",
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        self.limit = limit
        self.focus = focus
        self.dropout = dropout
        self.context = (
            Context(dim_in, dim, share_directions=share_directions) if context else None
        )
        self.grid = GridNetwork(N_CHANNELS, limit, n_outputs)

    def reset(self, random_state: RandomState) -> None:
        """Draw all parameters."""
        if self.context is not None:
            self.context.reset(random_state)
        self.grid.reset(random_state)

    def states(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> tuple[Tensor, Tensor]:
        """Forward and backward states of all tokens, (n_tokens, dim) each."""
        if self.context is None:
            vectors = table[ids]
            return vectors, vectors
        forwards, backwards = self.context(table, ids, offsets)
        return forwards, backwards

    def cube(
        self,
        states: tuple[Tensor, Tensor],
        offsets: NDArray[np.int64],
        pairs: NDArray[np.integer],
    ) -> Tensor:
        """Similarities of the words of pairs, before the focus.

        Parameters
        ----------
        states : tuple of Tensor of shape (n_tokens, dim)
        offsets : ndarray of shape (n_texts + 1,)
        pairs : ndarray of shape (n_pairs, 2)
            Numbers of texts.

        Returns
        -------
        cube : Tensor of shape (n_pairs, 13, length1, length2), float64
            As long and wide as the longest of these sentences, and at most `limit`.
        """
        device = states[0].device
        sides, reals = [], []
        for texts in pairs.T:
            lengths = np.minimum(offsets[texts + 1] - offsets[texts], self.limit)
            positions = np.arange(lengths.max(initial=0))
            real = positions < lengths[:, None]
            tokens = to_device(
                np.where(real, offsets[texts][:, None] + positions, 0), device
            )
            sides.append((states[0][tokens], states[1][tokens]))
            reals.append(to_device(real, device))
        cells = reals[0][:, :, None] & reals[1][:, None, :]
        return similarity_cube(sides[0], sides[1], cells)

    def focused(self, cube: Tensor, random_state: RandomState | None) -> Tensor:
        """The cube as the convolutions get it, in single precision."""
        if self.focus == "matching":
            cube = cube * focus_weights(focus_mask(cube))[:, None]
        elif self.focus == "dropout" and random_state is not None:
            kept = random_state.random_sample(tuple(cube.shape)) >= self.dropout
            scale = kept / (1 - self.dropout)
            cube = cube * to_device(scale, cube.device)
        return cube.float()

    def forward(
        self,
        table: Tensor,
        ids: Tensor,
        offsets: NDArray[np.int64],
        pairs: NDArray[np.integer],
        random_state: RandomState | None = None,
    ) -> Tensor:
        """Scores before the softmax.

        Parameters
        ----------
        table : Tensor of shape (n_rows, dim_in)
        ids : Tensor of shape (n_tokens,), int64
        offsets : ndarray of shape (n_texts + 1,)
        pairs : ndarray of shape (n_pairs, 2)
            Numbers of texts.
        random_state : RandomState, default=None
            Draws what is dropped; None drops nothing.

        Returns
        -------
        logits : Tensor of shape (n_pairs, n_outputs)
        """
        states = self.states(table, ids, offsets)
        backgrounds = self.grid.backgrounds()
        lengths = np.diff(offsets)[pairs].max(axis=1)
        order = np.argsort(lengths, kind="stable")
        size = _GROUP.get(table.device.type, 64)
        groups = np.array_split(order, max(round(len(order) / size), 1))
        logits = [
            self.grid(
                self.focused(self.cube(states, offsets, pairs[group]), random_state),
                backgrounds,
            )
            for group in groups
        ]
        back = to_device(np.argsort(order), table.device)
        return torch.cat(logits)[back]


def hinge_loss(logits: Tensor, targets: Tensor, weights: Tensor | None) -> Tensor:
    r"""Margin of 1 between the log-probabilities of two classes.

    :math:`\frac{1}{2} \max(0, 1 - \log \hat p_y + \log \hat p_{1 - y})`: the loss of
    He & Lin (2016) for ranking, with the half of their code.

    Parameters
    ----------
    logits : Tensor of shape (n_examples, 2)
    targets : Tensor of shape (n_examples, 2)
        One at the class, zero at the other.
    weights : Tensor of shape (n_examples,) or None

    Returns
    -------
    loss : Tensor, a scalar
        The sum over examples of weight times loss, by the number of examples.
    """
    signs = targets[:, 1] - targets[:, 0]
    losses = F.relu(1 - signs * (logits[:, 1] - logits[:, 0])) / 2
    return losses.mean() if weights is None else (losses * weights).mean()


LOSSES = {"divergence": divergence_loss, "hinge": hinge_loss}


@dataclass(frozen=True, kw_only=True)
class InteractionOptions(LoopOptions):
    """Settings of the training; the estimators document them."""

    loss: str
    decay: bool = False  # of the learning rate, from step to step, to zero
    forget: bool = False  # what the optimiser remembers, after every epoch


class InteractionTrainer(Loop):
    """Trains the pairwise word interaction model.

    Parameters
    ----------
    module : Interaction

    table : WordTable

    options : InteractionOptions

    random_state : RandomState
    """

    module: Interaction
    options: InteractionOptions

    def epochs(
        self,
        texts: TokenBatch,
        pairs: NDArray[np.integer],
        targets: NDArray[np.float32],
        weights: NDArray[np.float32] | None,
        *,
        n_epochs: int,
    ) -> Iterator[float]:
        """Train, and yield the mean loss of a pair after every epoch.

        Parameters
        ----------
        texts : TokenBatch
            Distinct texts.

        pairs : ndarray of shape (n_pairs, 2)
            Numbers of texts.

        targets : ndarray of shape (n_pairs, n_outputs)

        weights : ndarray of shape (n_pairs,) or None
            Their mean should be 1.

        n_epochs : int

        Yields
        ------
        loss : float
        """
        device = self.table.weight.device
        all_targets = torch.from_numpy(targets).to(device)
        all_weights = None if weights is None else torch.from_numpy(weights).to(device)

        per_epoch = len(even_slices(len(pairs), self.options.batch_size))
        n_steps = n_epochs * per_epoch
        done = count(self.first_epoch * per_epoch)

        def step(chosen: NDArray[np.intp]) -> Tensor:
            if self.options.decay:
                left = 1 - next(done) / n_steps
                self.optimizer.learning_rate = self.options.learning_rate * left
            rows = to_device(chosen, device)
            distinct, numbers = np.unique(pairs[chosen], return_inverse=True)
            return self.step(
                texts.take(distinct),
                numbers.reshape(-1, 2),
                all_targets[rows],
                None if all_weights is None else all_weights[rows],
            )

        for loss in self._epochs(
            len(pairs), step, n_epochs=n_epochs, slices=even_slices
        ):
            if self.options.forget:
                self.optimizer.state.clear()
            yield loss

    @torch.enable_grad()
    def step(
        self,
        batch: TokenBatch,
        pairs: NDArray[np.integer],
        targets: Tensor,
        weights: Tensor | None = None,
    ) -> Tensor:
        """Update on one batch and return its loss.

        Parameters
        ----------
        batch : TokenBatch
            Texts.
        pairs : ndarray of shape (n_pairs, 2)
            Numbers of texts in `batch`.
        targets : Tensor of shape (n_pairs, n_outputs)
        weights : Tensor of shape (n_pairs,), default=None

        Returns
        -------
        loss : Tensor of shape ()
            Without penalties.
        """
        leaf, rows, ids = self.table.leaf(batch.ids)
        logits = self.module(leaf, ids, batch.offsets, pairs, self.random_state)
        loss = LOSSES[self.options.loss](logits, targets, weights)
        return self._descend(loss, leaf, rows)

    def _penalty(self, name: str) -> tuple[float, Tensor | None]:
        return 0.0, None
