"""Convolutions over the grid of two sentences' words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise
from typing import cast

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import skip_init

from skparaphrase.nn._compositions import normal, uniform
from skparaphrase.nn._transfer import to_device

# Table 1 of He & Lin (2016); 64 is in their code.
WIDTHS = {
    32: (128, 164, 192, 192, 128),
    48: (128, 164, 192, 192, 128),
    64: (128, 164, 192, 192, 256, 128),
}
_LAYOUT = torch.channels_last  # the quickest on a CPU
_FIVE = np.array([0, 1, 1, 1, 2])  # edge, interior three times, edge
_SIX = np.array([0, 1, 2, 2, 3, 4])


class GridNetwork(nn.Module):
    r"""The deep ConvNet of He & Lin (2016), section 3.4, on their similarity cube.

    Blocks of a convolution of 3 x 3, ReLU, and the maximum over 2 x 2 cells, until one
    cell is left (for a limit of 48 the last maximum is over 3 x 3); then a layer with
    ReLU and the output layer. Convolutions are drawn from N(0, 2 / (9 * width)), with
    biases of zero, the layers from U(-r, r) with r = 1 / sqrt(128).

    Parameters
    ----------
    n_channels : int
    limit : {32, 48, 64}
        Words of a sentence that the grid has room for.
    n_outputs : int

    Notes
    -----
    Beyond the ends of two sentences the grid is zero, and what a block makes of that
    is the same for all pairs, but for its edge the same in all cells. So only the
    corner of the grid that the words reach is computed, one cell more in each
    direction with each block, and set into a background that is computed once, in a
    grid of 5 x 5. The result is that of the whole grid.
    """

    def __init__(self, n_channels: int, limit: int, n_outputs: int) -> None:
        super().__init__()
        self.limit = limit
        widths = (n_channels, *WIDTHS[limit])
        # Nothing is drawn yet: that would touch torch's global random state.
        self.convolutions = nn.ModuleList(
            skip_init(nn.Conv2d, before, width, 3, padding=1, dtype=torch.float32)
            for before, width in pairwise(widths)
        )
        self.hidden, self.output = (
            skip_init(nn.Linear, widths[-1], n, dtype=torch.float32)
            for n in (widths[-1], n_outputs)
        )

        for layer in self._layers():
            layer.weight = nn.Parameter(layer.weight.contiguous(memory_format=_LAYOUT))

    def _layers(self) -> list[nn.Conv2d]:
        return cast(list[nn.Conv2d], list(self.convolutions))

    def reset(self, random_state: RandomState) -> None:
        """Draw all weights."""
        with torch.no_grad():
            for layer in self._layers():
                scale = (2 / (9 * layer.out_channels)) ** 0.5
                layer.weight.copy_(normal(random_state, layer.weight.shape, scale))
                assert layer.bias is not None
                layer.bias.zero_()
            for dense in (self.hidden, self.output):
                limit = dense.in_features**-0.5
                dense.weight.copy_(uniform(random_state, dense.weight.shape, limit))
                dense.bias.copy_(uniform(random_state, dense.bias.shape, limit))

    def backgrounds(self) -> list[Tensor]:
        """What each convolution reads far from all words.

        Returns
        -------
        backgrounds : list of Tensor of shape (1, width, 3, 3)
            The cells of first edge, interior and last edge, in both directions.
        """
        first, *others = self._layers()
        blank = first.weight.new_zeros(1, first.in_channels, 3, 3)
        found = [blank]
        five, six = (to_device(places, blank.device) for places in (_FIVE, _SIX))
        for layer in [first, *others[:-1]]:
            blank = layer(blank[..., five, :][..., five]).relu()
            blank = F.max_pool2d(blank[..., six, :][..., six], 2)
            found.append(blank)
        return found

    def forward(self, cube: Tensor, backgrounds: list[Tensor]) -> Tensor:
        """Scores before the softmax.

        Parameters
        ----------
        cube : Tensor of shape (n_pairs, n_channels, length1, length2)
            The corner of the grid that is not zero; at most `limit` long and wide.
        backgrounds : list of Tensor
            From :meth:`backgrounds`.

        Returns
        -------
        logits : Tensor of shape (n_pairs, n_outputs)
        """
        grid = cube.contiguous(memory_format=_LAYOUT)
        size = self.limit
        for i, layer in enumerate(self._layers()):
            pool = 3 if size == 3 else 2
            if grid.shape[2:] != (size, size):
                grid = _set_in(grid, backgrounds[i], size, pool)
                grid = F.conv2d(grid, layer.weight, layer.bias)
            else:
                grid = layer(grid)
            grid = F.max_pool2d(grid.relu(), pool)
            size //= pool
        logits: Tensor = self.output(self.hidden(grid.flatten(1)).relu())
        return logits


def _set_in(grid: Tensor, background: Tensor, size: int, pool: int) -> Tensor:
    """The grid with so much around it that a convolution needs no padding.

    The rows and columns that the convolution of 3 x 3 then gives are all that differ
    from the background, and a multiple of `pool`, or `size`.
    """
    height, width = grid.shape[2:]
    rows, columns = (
        to_device(_around(min(size, -(-(n + 1) // pool) * pool), size), grid.device)
        for n in (height, width)
    )
    framed = F.pad(background, (1, 1, 1, 1))  # with the zeros beyond the edges
    canvas = framed[:, :, rows][..., columns].expand(len(grid), -1, -1, -1)
    canvas = canvas.clone(memory_format=_LAYOUT)
    canvas[:, :, 1 : height + 1, 1 : width + 1] = grid
    return canvas


def _around(n: int, size: int) -> NDArray[np.int64]:
    """Rows of a framed background for positions -1 to n, in a grid of `size`."""
    frame = {-1: 0, 0: 1, size - 1: 3, size: 4}  # 2: interior
    return np.array([frame.get(position, 2) for position in range(-1, n + 1)])
