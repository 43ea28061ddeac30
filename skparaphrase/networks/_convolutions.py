"""Convolutions over the words or characters of a text."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.networks._compositions import (
    ACTIVATIONS,
    Composition,
    Dense,
    Layer,
    new_parameter,
    pool,
    uniform_,
)
from skparaphrase.networks._table import Ints, to_device
from skparaphrase.text._batch import ragged_positions


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
        on padded texts, `fit` takes 8 times as long on words, and 20 on characters.
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
    widths : sequence of int
    n_filters : int
        Number of filters of each width.
    activation : {"linear", "tanh", "relu"}
    padding : {"text", "valid", "batch"}, default="text"
        "text": every text is padded with zeros on its right, so that a window starts at
        each word. "valid": only if it is shorter than a filter, to one window. "batch"
        reproduces the released code: texts are padded to the longest text of the batch,
        and all full windows count, even those of padding alone. Texts are then composed
        100 at a time, as in its evaluation.
    """

    def __init__(
        self,
        dim_in: int,
        widths: Sequence[int],
        n_filters: int,
        *,
        activation: str,
        padding: str = "text",
    ) -> None:
        super().__init__()
        self.dim = n_filters * len(widths)
        self.widths = list(widths)
        self.activation = activation
        self.padding = padding
        if padding == "batch":
            self.batch_size = 100
        self.filters = nn.ModuleList(Filters(dim_in, n_filters, w) for w in widths)

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
    """Filters over characters, their maxima over a text, and possibly a dense layer.

    charCNN of Wieting et al. (2016, Charagram), after Kim (2014) and Kim et al. (2016).
    Windows do not extend beyond the end of a text, except that a text shorter than a
    filter is padded with zeros to the filter's width.

    Parameters
    ----------
    dim_in : int
    filters : sequence of (n_filters, width)
    dim : int or None
        Units of the dense layer; None leaves it out.
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
