"""Convolutions over the words or characters of a text."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.nn._compositions import (
    ACTIVATIONS,
    Composition,
    Dense,
    Layer,
    pool,
    uniform,
)
from skparaphrase.nn._transfer import to_device
from skparaphrase.text._batch import ragged_positions


class Filters(Layer):
    """Filters of one width: weights of shape (width, dim_in, n_filters) and biases.

    Drawn from U(-r, r) with r = sqrt(6 / ((n_filters + dim_in) width)) as in Lasagne.
    """

    def __init__(self, dim_in: int, n_filters: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.weight = nn.Parameter(
            torch.empty(width, dim_in, n_filters, dtype=torch.float32)
        )
        self.bias = nn.Parameter(torch.empty(n_filters, dtype=torch.float32))

    def reset(self, random_state: RandomState) -> None:
        """Draw the weights."""
        width, dim_in, n_filters = self.weight.shape
        limit = (6 / ((n_filters + dim_in) * width)) ** 0.5
        with torch.no_grad():
            self.weight.copy_(uniform(random_state, self.weight.shape, limit))
            self.bias.zero_()

    def forward(self, table: Tensor, windows: "Windows") -> Tensor:
        """Responses of shape (n_windows, n_filters), without bias.

        Each row of the table meets each column of the filters once, however many
        windows it stands in; a window then adds up `width` rows of that.
        """
        products = (table @ self.weight).flatten(0, 1)  # (width * n_rows, n_filters)
        rows = windows.ids + len(table) * windows.columns
        responses = pool(products, rows, windows.offsets, "sum")
        return responses


class Windows:
    """The tokens that each window of a width holds; pads are left out.

    Parameters
    ----------
    ids : Tensor of shape (n_tokens,)
        Tokens of the texts, end to end.
    offsets : ndarray of shape (n_texts + 1,)
    width : int
    n_windows : ndarray of shape (n_texts,)
        Windows of each text. Window `i` begins at token `i` and may reach beyond the
        last one.

    Attributes
    ----------
    ids, columns : Tensor of shape (n_windowed_tokens,)
        Token, and its place in the window.
    offsets : ndarray of shape (n_windows + 1,)
    by_text : ndarray of shape (n_texts + 1,)
        Where the windows of each text begin.
    """

    def __init__(
        self,
        ids: Tensor,
        offsets: NDArray[np.int64],
        width: int,
        n_windows: NDArray[np.int64],
    ) -> None:
        lengths = np.diff(offsets)
        first, self.by_text = ragged_positions(np.zeros_like(n_windows), n_windows)
        sizes = np.clip(np.repeat(lengths, n_windows) - first, 0, width)
        starts = np.repeat(offsets[:-1], n_windows) + first
        tokens, self.offsets = ragged_positions(starts, sizes)
        columns, _ = ragged_positions(np.zeros_like(sizes), sizes)
        self.ids = ids[to_device(tokens, ids.device)]
        self.columns = to_device(columns, ids.device)


class Convolution(Composition):
    """Convolutional sentence encoder: filters of several widths, summed over a text.

    Jiao et al. (2018), section 3. Every text is padded with zeros on its right, so
    that a window begins at each word.

    Parameters
    ----------
    dim_in : int
    widths : sequence of int
    n_filters : int
        Of each width.
    activation : {"linear", "tanh", "relu"}
    padding : {"text", "batch"}, default="text"
        "batch" is the released code: texts are padded to the longest of the batch, and
        all full windows count, those that hold nothing but padding as well. Texts are
        then composed 100 at a time, as its evaluation does.
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
        self.activation = activation
        self.padding = padding
        if padding == "batch":
            self.batch_size = 100
        self.widest = max(widths)
        self.filters = nn.ModuleList(
            Filters(dim_in, n_filters, width) for width in widths
        )

    def _compose(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> Tensor:
        if self.activation == "linear" and self.padding == "text":
            return self._linear(table, ids, offsets)
        activation = ACTIVATIONS[self.activation]
        lengths = np.diff(offsets)
        summed = []
        for filters in self.filters:
            assert isinstance(filters, Filters)
            n_windows = lengths
            if self.padding == "batch":
                longest = max(lengths.max(initial=0), self.widest)
                n_windows = np.full_like(lengths, longest - filters.width + 1)
            windows = Windows(ids, offsets, filters.width, n_windows)
            responses = activation(filters(table, windows) + filters.bias)
            every = torch.arange(len(responses), device=ids.device)
            summed.append(pool(responses, every, windows.by_text, "sum"))
        return torch.cat(summed, dim=1)

    def _linear(self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]) -> Tensor:
        """The same without windows: column j of a filter meets all words but j.

        The sum over windows of W_j x_{i+j} is W_j times the sum of the words from the
        (j + 1)-th on.
        """
        lengths = np.diff(offsets)
        n_words = to_device(lengths, table.device).to(table.dtype)[:, None]
        rest = [pool(table, ids, offsets, "sum")]
        for j in range(self.widest - 1):
            there = (lengths > j).astype(np.int64)
            words, ends = ragged_positions(offsets[:-1] + j, there)
            place = to_device(words, ids.device)
            rest.append(rest[-1] - pool(table, ids[place], ends, "sum"))
        return torch.cat(
            [
                torch.cat(rest[: filters.width], dim=1) @ filters.weight.flatten(0, 1)
                + n_words * filters.bias
                for filters in self.filters
                if isinstance(filters, Filters)
            ],
            dim=1,
        )


class CharacterConvolution(Composition):
    """Filters over characters, their maxima over a text, and a dense layer.

    The charCNN of Wieting et al. (2016, Charagram), after Kim (2014) and Kim et al.
    (2016). Windows that would reach into padding are left out; a text shorter than a
    filter is padded with zeros to the filter's width.

    Parameters
    ----------
    dim_in : int
    filters : sequence of (n_filters, width)
    dim : int
    conv_activation : {"relu", "tanh", "linear"}
    activation : {"tanh", "linear", "relu"}
        Of the dense layer.
    """

    def __init__(
        self,
        dim_in: int,
        filters: Sequence[tuple[int, int]],
        dim: int,
        *,
        conv_activation: str,
        activation: str,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.conv_activation = conv_activation
        self.filters = nn.ModuleList(Filters(dim_in, n, width) for n, width in filters)
        self.layer = Dense(sum(n for n, _ in filters), dim, activation)

    def _compose(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> Tensor:
        lengths = np.diff(offsets)
        maxima = []
        for filters in self.filters:
            assert isinstance(filters, Filters)
            n_windows = np.maximum(lengths - filters.width + 1, 1)
            windows = Windows(ids, offsets, filters.width, n_windows)
            responses = filters(table, windows)
            every = torch.arange(len(responses), device=ids.device)
            starts = to_device(windows.by_text[:-1], ids.device)
            highest = F.embedding_bag(every, responses, starts, mode="max")
            # The activations rise, so that the highest response is found before them.
            maxima.append(ACTIVATIONS[self.conv_activation](highest + filters.bias))
        vectors: Tensor = self.layer(torch.cat(maxima, dim=1))
        return vectors
