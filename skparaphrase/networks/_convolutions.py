"""Convolutions over the words or characters of a text, and over pairs of words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import skip_init

from skparaphrase.networks._compositions import (
    ACTIVATIONS,
    Composition,
    Dense,
    Layer,
    new_parameter,
    normal_,
    uniform_,
)
from skparaphrase.networks._table import Ints, pool, to_device
from skparaphrase.text._lookup import ragged_positions

# Channels of the blocks by the maximum length of a sentence, from table 1 of He & Lin
# (2016); 64 is from their code.
WIDTHS = {
    32: (128, 164, 192, 192, 128),
    48: (128, 164, 192, 192, 128),
    64: (128, 164, 192, 192, 256, 128),
}
_LAYOUT = torch.channels_last  # fastest on a CPU


class Filters(Layer):
    """Filters of one width: weights of shape (width, dim_in, n_filters) and biases.

    Drawn from U(-r, r) with r = sqrt(6 / ((n_filters + dim_in) width)) as in Lasagne.
    """

    def __init__(self, dim_in: int, n_filters: int, width: int) -> None:
        super().__init__()
        self.weight = new_parameter(width, dim_in, n_filters)
        self.bias = new_parameter(n_filters)

    def reset(self, random_state: RandomState) -> None:
        """Draw the weights."""
        width, dim_in, n_filters = self.weight.shape
        limit = (6 / ((n_filters + dim_in) * width)) ** 0.5
        uniform_(self.weight, random_state, limit)
        nn.init.zeros_(self.bias)

    def forward(
        self, table: Tensor, ids: Tensor, offsets: Ints, n_windows: Ints
    ) -> Tensor:
        """Return the responses to all windows, (n_windows.sum(), n_filters), no bias.

        Text `i` has `n_windows[i]` windows, one starting at each token; tokens beyond
        the end of the text count as zero. Each row of the table is multiplied by the
        filters once, and a window sums up to `width` of these products. With `conv1d`
        on padded texts, `fit` takes 8 times as long on words, and 20 times on
        characters.
        """
        width = len(self.weight)
        first, _ = ragged_positions(np.zeros_like(n_windows), n_windows)
        sizes = np.clip(np.repeat(np.diff(offsets), n_windows) - first, 0, width)
        starts = np.repeat(offsets[:-1], n_windows) + first
        tokens, window_offsets = ragged_positions(starts, sizes)
        columns, _ = ragged_positions(np.zeros_like(sizes), sizes)
        products = (table @ self.weight).flatten(0, 1)  # (width * n_rows, n_filters)
        rows = ids[to_device(tokens, ids.device)]
        rows = rows + len(table) * to_device(columns, ids.device)
        return pool(products, rows, window_offsets, "sum")


class Convolution(Composition):
    """Convolutional sentence encoder: filters of several widths, summed over a text.

    Jiao et al. (2018), section 3.

    Parameters
    ----------
    dim_in : int
    filters : sequence of (n_filters, width)
    activation : {"linear", "tanh", "relu"}
    padding : {"text", "valid", "batch"}, default="text"
        "text": every text is padded with zeros on the right until a window starts at
        each word. "valid": only texts that are shorter than a filter are padded, to one
        window. "batch" reproduces the released code: texts are padded to the longest
        text of the batch, and all full windows count, including windows of padding
        alone. Texts are then composed 100 at a time, as in its evaluation.
    """

    def __init__(
        self,
        dim_in: int,
        filters: Sequence[tuple[int, int]],
        *,
        activation: str,
        padding: str = "text",
    ) -> None:
        super().__init__()
        self.dim = sum(n_filters for n_filters, _ in filters)
        self.widths = [width for _, width in filters]
        self.activation = activation
        self.padding = padding
        if padding == "batch":
            self.batch_size = 100
        self.filters = nn.ModuleList(Filters(dim_in, *each) for each in filters)

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Sum the activated responses of each filter."""
        if self.activation == "linear" and self.padding == "text":
            return self._compose_linear(table, ids, offsets)
        lengths = np.diff(offsets)
        summed = []
        for width, filters in zip(self.widths, self.filters, strict=True):
            n_windows = lengths
            if self.padding == "valid":
                n_windows = np.maximum(lengths - width + 1, 1)
            elif self.padding == "batch":
                longest = max(lengths.max(initial=0), *self.widths)
                n_windows = np.full_like(lengths, longest - width + 1)
            responses = filters(table, ids, offsets, n_windows)
            responses = responses + filters.get_parameter("bias")
            activated = ACTIVATIONS[self.activation](responses)
            windows = torch.arange(len(activated), device=ids.device)
            by_text = np.append(0, np.cumsum(n_windows))
            summed.append(pool(activated, windows, by_text, "sum"))
        return torch.cat(summed, dim=1)

    def _compose_linear(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Sum linear responses without windows, which makes `fit` 2.5 times faster.

        The sum over windows of W_j x_{i+j} is W_j times the sum of all words but the
        first j.
        """
        lengths = np.diff(offsets)
        n_words = to_device(lengths, table.device).to(table.dtype)[:, None]
        rest = [pool(table, ids, offsets, "sum")]
        for j in range(max(self.widths) - 1):
            words, ends = ragged_positions(
                offsets[:-1] + j, (lengths > j).astype(np.int64)
            )
            word_ids = ids[to_device(words, ids.device)]
            rest.append(rest[-1] - pool(table, word_ids, ends, "sum"))
        summed = [
            torch.cat(rest[:width], dim=1)
            @ filters.get_parameter("weight").flatten(0, 1)
            + n_words * filters.get_parameter("bias")
            for width, filters in zip(self.widths, self.filters, strict=True)
        ]
        return torch.cat(summed, dim=1)


class CharacterConvolution(Composition):
    """Filters over characters, their maxima over a text, and an optional dense layer.

    charCNN of Wieting et al. (2016, Charagram), after Kim (2014) and Kim et al. (2016).
    Windows do not extend beyond the end of a text, except that a text shorter than a
    filter is padded with zeros to the filter's width.

    Parameters
    ----------
    dim_in : int
    filters : sequence of (n_filters, width)
    dim : int or None
        Number of units of the dense layer; None omits it.
    conv_activation : {"relu", "tanh", "linear"}
    activation : {"tanh", "linear", "relu"}
        Activation of the dense layer.
    dropout : float, default=0.0
        Share of the maxima that is dropped in training.
    """

    def __init__(
        self,
        dim_in: int,
        filters: Sequence[tuple[int, int]],
        dim: int | None,
        *,
        conv_activation: str,
        activation: str,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        n_filters = sum(n for n, _ in filters)
        self.dim = n_filters if dim is None else dim
        self.dropout = dropout
        self.widths = [width for _, width in filters]
        self.conv_activation = conv_activation
        self.filters = nn.ModuleList(Filters(dim_in, n, width) for n, width in filters)
        self.layer = None if dim is None else Dense(n_filters, dim, activation)

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Activate the largest response of each filter, then apply the layer."""
        lengths = np.diff(offsets)
        maxima = []
        for width, filters in zip(self.widths, self.filters, strict=True):
            n_windows = np.maximum(lengths - width + 1, 1)
            responses = filters(table, ids, offsets, n_windows)
            windows = torch.arange(len(responses), device=ids.device)
            starts = to_device(np.cumsum(n_windows) - n_windows, ids.device)
            largest = F.embedding_bag(windows, responses, starts, mode="max")
            # Activations increase, so the maximum can be taken before them.
            largest = largest + filters.get_parameter("bias")
            maxima.append(ACTIVATIONS[self.conv_activation](largest))
        vectors = torch.cat(maxima, dim=1)
        if self.generator is not None:
            drawn = torch.empty_like(vectors).uniform_(generator=self.generator)
            vectors = vectors * (drawn >= self.dropout) / (1 - self.dropout)
        return vectors if self.layer is None else self.layer(vectors)


class GridNetwork(Layer):
    r"""ConvNet of He & Lin (2016), section 7, on their similarity cube.

    Blocks of a 3 x 3 convolution, ReLU and 2 x 2 max-pooling, until one cell is left
    (with 48 words, the last pooling is 3 x 3), then a layer with ReLU and the output
    layer. Convolutions are drawn from N(0, 2 / (9 * width)) with zero biases, the
    layers from U(-r, r) with r = 1 / sqrt(128).

    Parameters
    ----------
    n_channels : int
    max_words : {32, 48, 64}
        Size of the grid: the maximum number of words of a sentence.
    n_outputs : int

    Notes
    -----
    Beyond the ends of both sentences, the grid is zero, and the values that a block
    computes there are the same for all pairs and, except at the edges, in all cells.
    Therefore, only the corner of the grid that depends on the words is computed. It
    grows by one cell in each direction with each block, and is inserted into a
    background that is computed once on a 5 x 5 grid. The result is equal to computing
    the whole grid, with which `fit` and `predict` would be 1.3 times slower on
    sentences of 11 words.
    """

    def __init__(self, n_channels: int, max_words: int, n_outputs: int) -> None:
        super().__init__()
        self.max_words = max_words
        widths = (n_channels, *WIDTHS[max_words])
        # Uninitialised: drawing would use torch's global random state.
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
        """Draw all parameters."""
        for layer in self._layers():
            normal_(layer.weight, random_state, (2 / (9 * layer.out_channels)) ** 0.5)
            nn.init.zeros_(cast(Tensor, layer.bias))
        for dense in (self.hidden, self.output):
            for values in (dense.weight, dense.bias):
                uniform_(values, random_state, dense.in_features**-0.5)

    def backgrounds(self) -> list[Tensor]:
        """Return the input of each convolution far from all words, (1, width, 3, 3).

        Its cells represent the first edge, the interior and the last edge.
        """
        layers = self._layers()
        blank = layers[0].weight.new_zeros(1, layers[0].in_channels, 3, 3)
        grids = [blank]
        for layer in layers[:-1]:
            grid = _take(blank, [0, 1, 1, 1, 2])  # edge, three of the interior, edge
            blank = F.max_pool2d(_take(layer(grid).relu(), [0, 1, 2, 2, 3, 4]), 2)
            grids.append(blank)
        return grids

    def forward(self, cube: Tensor, backgrounds: list[Tensor]) -> Tensor:
        """Return the logits, of shape (n_pairs, n_outputs).

        `cube`, of shape (n_pairs, n_channels, length1, length2), is the corner of the
        grid that is not zero; `backgrounds` is the result of :meth:`backgrounds`.
        """
        grid = cube.contiguous(memory_format=_LAYOUT)
        size = self.max_words
        for layer, background in zip(self._layers(), backgrounds, strict=True):
            pool = 3 if size == 3 else 2
            if grid.shape[2:] != (size, size):
                grid = _set_in(grid, background, size, pool)
                grid = F.conv2d(grid, layer.weight, layer.bias)
            else:
                grid = layer(grid)
            grid = F.max_pool2d(grid.relu(), pool)
            size //= pool
        logits: Tensor = self.output(self.hidden(grid.flatten(1)).relu())
        return logits


def _set_in(grid: Tensor, background: Tensor, size: int, pool: int) -> Tensor:
    """Surround the grid with background, so that a convolution needs no padding.

    The 3 x 3 convolution then gives all rows and columns that differ from the
    background; their numbers are multiples of `pool`, or `size`.
    """
    framed = F.pad(background, (1, 1, 1, 1))  # zeros beyond the edges
    frame = {-1: 0, 0: 1, size - 1: 3, size: 4}  # the interior is 2
    height, width = grid.shape[2:]
    rows, columns = (
        [frame.get(position, 2) for position in range(-1, min(size, end) + 1)]
        for end in (-(-(n + 1) // pool) * pool for n in (height, width))
    )
    canvas = _take(framed, rows, columns).expand(len(grid), -1, -1, -1)
    canvas = canvas.clone(memory_format=_LAYOUT)
    canvas[:, :, 1 : height + 1, 1 : width + 1] = grid
    return canvas


def _take(grid: Tensor, rows: list[int], columns: list[int] | None = None) -> Tensor:
    """Rows and columns of a grid; the same ones if `columns` is None."""
    chosen = [to_device(np.array(x), grid.device) for x in (rows, columns or rows)]
    return grid[:, :, chosen[0]][..., chosen[1]]
