"""Pairwise word interaction in the obvious implementation, one pair at a time."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.networks._convolutions import WIDTHS

LIMIT, DIM, DIM_IN, N_CHANNELS, N_CLASSES = 32, 250, 300, 13, 5


class PerPair(nn.Module):
    """The network for one pair, as an obvious implementation of the paper's code."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(DIM_IN, DIM)
        widths = (N_CHANNELS, *WIDTHS[LIMIT])
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, width, 3, padding=1) for before, width in pairwise(widths)
        )
        self.hidden = nn.Linear(widths[-1], widths[-1])
        self.output = nn.Linear(widths[-1], N_CLASSES)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        cube = self.cube(self.states(first), self.states(second))
        grid = (cube * self.focus(cube, len(first), len(second)))[None]
        for convolution in self.convolutions:
            grid = F.max_pool2d(F.relu(convolution(grid)), 2)
        return self.output(F.relu(self.hidden(grid.flatten(1))))

    def states(self, words: Tensor) -> tuple[Tensor, Tensor]:
        forwards, _ = self.lstm(words)
        backwards, _ = self.lstm(words.flip(0))
        return forwards, backwards.flip(0)

    def cube(
        self, first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]
    ) -> Tensor:
        channels = []
        for a, b in zip(self.views(*first), self.views(*second), strict=True):
            channels.append(F.cosine_similarity(a[:, None], b[None], dim=2))
            channels.append(-(a[:, None] - b[None]).norm(dim=2))
            channels.append(a @ b.T)
        channels.append(torch.ones_like(channels[0]))
        cube = channels[0].new_zeros(N_CHANNELS, LIMIT, LIMIT)
        corner = torch.stack(channels)[:, :LIMIT, :LIMIT]
        cube[:, : corner.shape[1], : corner.shape[2]] = corner
        return cube

    def views(self, forwards: Tensor, backwards: Tensor) -> list[Tensor]:
        both = torch.cat([forwards, backwards], dim=1)
        return [forwards, backwards, forwards + backwards, both]

    def focus(self, cube: Tensor, n_rows: int, n_columns: int) -> Tensor:
        mask = torch.full((LIMIT, LIMIT), 0.1)
        for channel in (9, 10):
            order = cube[channel].detach().flatten().sort(descending=True).indices
            rows, columns = set(), set()
            for cell in order.tolist():
                row, column = divmod(cell, LIMIT)
                if row >= n_rows or column >= n_columns:
                    continue
                if row not in rows and column not in columns:
                    mask[row, column] = 1
                    rows.add(row)
                    columns.add(column)
        return mask.to(cube.device)
