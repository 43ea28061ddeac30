"""Stacked and bidirectional LSTMs: baselines in table 3 of He & Lin (2016)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn

from skparaphrase.encoders import LSTMEncoder
from skparaphrase.networks import Composition
from skparaphrase.networks._cells import Packing
from skparaphrase.networks._recurrent import LSTM
from skparaphrase.networks._table import Ints
from skparaphrase.vectors import WordVectors


class StackedLSTM(Composition):
    """Last states of stacked LSTMs, in one direction or in both.

    The baselines of Tai et al. (2015), as in their code: every layer reads the states
    of the layer below it in the same direction (unlike in torch.nn.LSTM, whose layers
    read both). The text vector contains the last states of all layers, the forward ones
    first.

    Parameters
    ----------
    dim_in, dim : int
        `dim` is the length of the states of one layer and direction.
    n_layers : int
    bidirectional : bool or "tied"
        "tied": the backward layers have the parameters of the forward ones.
    **params : dict
        Parameters of :class:`LSTM`.
    """

    def __init__(
        self,
        dim_in: int,
        dim: int,
        *,
        n_layers: int,
        bidirectional: bool | str,
        **params: Any,
    ) -> None:
        super().__init__()
        n_stacks = 2 if bidirectional is True else 1
        self.layers = nn.ModuleList(
            LSTM(dim if i else dim_in, dim, **params)
            for _ in range(n_stacks)
            for i in range(n_layers)
        )
        self.n_layers = n_layers
        self.bidirectional = bidirectional
        self.dim = dim * n_layers * (2 if bidirectional else 1)

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Return the last states of all layers."""
        found = []
        for reverse in (False, True) if self.bidirectional else (False,):
            packing = Packing(offsets, table.device, reverse=reverse)
            states, rows = table, ids[packing.tokens]
            # Layers of the second stack, if there is one.
            start = len(self.layers) - self.n_layers if reverse else 0
            for layer in self.layers[start : start + self.n_layers]:
                states = cast(LSTM, layer).states(states, rows, packing)
                rows = torch.arange(len(states), device=states.device)
                found.append(packing.last(states))
        return torch.cat(found, dim=1)


class StackedLSTMEncoder(LSTMEncoder):
    """Last states of all layers and directions; :func:`stacked` sets their numbers."""

    n_layers: ClassVar[int] = 1
    bidirectional: ClassVar[bool | str] = False

    def _composition(self, vectors: WordVectors) -> StackedLSTM:
        return StackedLSTM(
            vectors.dim,
            self.dim,
            n_layers=self.n_layers,
            bidirectional=self.bidirectional,
            output_gate=self.output_gate,
            peepholes=self.peepholes,
        )


def stacked(n_layers: int = 1, bidirectional: bool | str = False) -> type[LSTMEncoder]:
    """A class of encoders with a number of layers, in one direction or both."""
    if n_layers == 1 and not bidirectional:
        return LSTMEncoder
    attributes = {"n_layers": n_layers, "bidirectional": bidirectional}
    return type("StackedLSTMEncoder", (StackedLSTMEncoder,), attributes)
