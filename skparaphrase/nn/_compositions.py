"""From word vectors to a sentence vector: averages and layers on top of them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.nn._transfer import to_device

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "linear": lambda x: x,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
}


class Layer(nn.Module):
    """Base of the parts of a composition that draw parameters of their own."""

    def reset(self, random_state: RandomState) -> None:
        """Draw initial parameters."""
        raise NotImplementedError


class Composition(nn.Module):
    """Base of compositions: the vectors of a text's tokens become one vector.

    Attributes
    ----------
    dim : int
        Length of the composed vectors.

    anchors : dict of str to Tensor
        What the penalty pulls a parameter to; zero for parameters that are not there.

    batch_size : int or None
        Texts that must be composed together, since they see each other. None: each
        text is by itself.
    """

    dim: int
    batch_size: int | None = None

    def __init__(self) -> None:
        super().__init__()
        self.anchors: dict[str, Tensor] = {}

    def reset(self, random_state: RandomState) -> None:
        """Draw initial parameters, the same on every device, layer by layer."""
        for module in self.modules():
            if isinstance(module, Layer):
                module.reset(random_state)

    def forward(self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]) -> Tensor:
        """Compose a batch.

        Parameters
        ----------
        table : Tensor of shape (n_rows, dim_in)
        ids : Tensor of shape (n_tokens,)
            Rows of `table`.
        offsets : ndarray of shape (n_texts + 1,)
            Where each text begins in `ids`, and at last the number of tokens.

        Returns
        -------
        vectors : Tensor of shape (n_texts, dim)
            Zero for texts without tokens.
        """
        vectors = self._compose(table, ids, offsets)
        empty = offsets[1:] == offsets[:-1]
        if empty.any():
            blank = to_device(empty, vectors.device)
            vectors = vectors.masked_fill(blank[:, None], 0)
        return vectors

    def _compose(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> Tensor:
        raise NotImplementedError


class Dense(Layer):
    """An affine layer and an activation, drawn as Lasagne draws it.

    Weights come from U(-r, r) with r = sqrt(6 / (dim_in + dim)) (Glorot), or from
    N(0, std^2); biases are zero.
    """

    def __init__(
        self, dim_in: int, dim: int, activation: str, std: float | None = None
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(dim_in, dim, dtype=torch.float32))
        self.bias = nn.Parameter(torch.empty(dim, dtype=torch.float32))
        self.activation = activation
        self.std = std

    def reset(self, random_state: RandomState) -> None:
        """Draw the weights."""
        shape = self.weight.shape
        if self.std is None:
            drawn = uniform(random_state, shape, (6 / sum(shape)) ** 0.5)
        else:
            drawn = normal(random_state, shape, self.std)
        with torch.no_grad():
            self.weight.copy_(drawn)
            self.bias.zero_()

    def forward(self, x: Tensor) -> Tensor:
        """Rows of length dim_in become rows of length dim."""
        return ACTIVATIONS[self.activation](torch.addmm(self.bias, x, self.weight))


class Pooled(Composition):
    """Base of compositions that look at a mean or sum of the vectors alone.

    Attributes
    ----------
    pooling : {"mean", "sum"}
    """

    pooling = "mean"

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList()

    def from_pooled(self, pooled: Tensor) -> Tensor:
        """Vectors from means or sums, of shape (n_texts, dim_in)."""
        for layer in self.layers:
            pooled = layer(pooled)
        return pooled

    def _compose(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> Tensor:
        return self.from_pooled(pool(table, ids, offsets, self.pooling))


class Average(Pooled):
    """Mean of the word vectors: the paragram-phrase of Wieting et al. (2016).

    Parameters
    ----------
    dim : int
        Length of the word vectors.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim


class DeepAverage(Pooled):
    """Dense layers on the mean of the word vectors.

    One linear layer is the projection model of Wieting et al. (2016),
    others their DAN, the deep averaging network of Iyyer et al. (2015).

    Parameters
    ----------
    dim_in : int
    dim : int
        Of every layer.
    n_layers : int
    activation : {"linear", "tanh", "relu"}
    first_std : float, default=None
        The first layer is drawn from N(0, first_std^2) instead of Glorot's range.
    """

    def __init__(
        self,
        dim_in: int,
        dim: int,
        *,
        n_layers: int = 1,
        activation: str = "linear",
        first_std: float | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim
        for i in range(n_layers):
            std = first_std if i == 0 else None
            self.layers.append(Dense(dim if i else dim_in, dim, activation, std))


class Charagram(Pooled):
    r"""Sum of character n-gram vectors through an activation.

    The Charagram of Wieting et al. (2016):
    :math:`h(b + \sum_i \mathbb{I}[x_i \in V] W^{x_i})`. As in their code there is one
    more feature, present in every text, besides the bias.

    Parameters
    ----------
    n_ngrams : int
        Size of the vocabulary; it sets the range that the constant is drawn from.
    dim : int
    activation : {"tanh", "linear", "relu"}
    n_layers : int, default=1
        Further layers are dense, of size `dim` (their two-layer variant).
    """

    pooling = "sum"

    def __init__(
        self, n_ngrams: int, dim: int, *, activation: str, n_layers: int = 1
    ) -> None:
        super().__init__()
        self.dim = dim
        self.activation = activation
        self.range = charagram_range(n_ngrams, dim)
        self.constant = nn.Parameter(torch.empty(dim, dtype=torch.float32))
        self.bias = nn.Parameter(torch.empty(dim, dtype=torch.float32))
        for _ in range(n_layers - 1):
            self.layers.append(Dense(dim, dim, activation))

    def reset(self, random_state: RandomState) -> None:
        """Draw the constant, then further layers."""
        with torch.no_grad():
            self.constant.copy_(uniform(random_state, (self.dim,), self.range))
            self.bias.zero_()
        super().reset(random_state)

    def from_pooled(self, pooled: Tensor) -> Tensor:
        """Vectors from sums of n-gram vectors."""
        return super().from_pooled(
            ACTIVATIONS[self.activation](pooled + (self.constant + self.bias))
        )


def charagram_range(n_ngrams: int, dim: int) -> float:
    """Half width of the uniform range of n-gram vectors (Glorot)."""
    return float((6 / (n_ngrams + 1 + dim)) ** 0.5)


def uniform(random_state: RandomState, shape: Sequence[int], limit: float) -> Tensor:
    """Draws from U(-limit, limit), float32."""
    drawn = random_state.uniform(-limit, limit, size=tuple(shape))
    return torch.from_numpy(drawn.astype(np.float32))


def normal(random_state: RandomState, shape: Sequence[int], std: float) -> Tensor:
    """Draws from N(0, std^2), float32."""
    drawn = random_state.normal(0, std, size=tuple(shape))
    return torch.from_numpy(drawn.astype(np.float32))


def pool(
    table: Tensor, ids: Tensor, offsets: NDArray[np.int64], pooling: str
) -> Tensor:
    """Means or sums of rows.

    Parameters
    ----------
    table : Tensor of shape (n_rows, dim)
    ids : Tensor of shape (n_tokens,)
    offsets : ndarray of shape (n_bags + 1,)
    pooling : {"mean", "sum"}

    Returns
    -------
    pooled : Tensor of shape (n_bags, dim)
        Zero for empty bags.
    """
    starts = to_device(offsets[:-1], table.device)
    if table.device.type != "cpu":
        return F.embedding_bag(ids, table, starts, mode=pooling)
    made_for, turned = getattr(ids, "turned", (None, None))
    if made_for is not offsets:
        turned = None
    pooled: Tensor = _Pool.apply(table, ids, starts, pooling, turned)
    return pooled


def turn_ahead(ids: Tensor, offsets: NDArray[np.int64], n_rows: int) -> None:
    """Make what the backward pass of :func:`pool` needs, and keep it with `ids`."""
    if ids.device.type == "cpu":
        turned = _turned(ids.numpy(), np.diff(offsets), n_rows)
        ids.turned = offsets, turned  # type: ignore[attr-defined]


def _turned(
    ids: NDArray[np.int64], lengths: NDArray[np.int64], n_rows: int
) -> tuple[Tensor, Tensor]:
    """For each row the bags that hold it, end to end, and where each row's begin."""
    bags = np.repeat(np.arange(len(lengths)), lengths)
    # 16-bit integers are sorted by radix, in a fraction of the time.
    small = ids.astype(np.uint16) if n_rows <= 1 << 16 else ids
    by_row = np.argsort(small, kind="stable")
    counts = np.bincount(ids, minlength=n_rows)
    return torch.from_numpy(bags[by_row]), torch.from_numpy(np.cumsum(counts) - counts)


class _Pool(torch.autograd.Function):
    """`embedding_bag`, with an embedding bag of the transposed batch as its gradient.

    For the few thousand tokens of a batch on a CPU that takes a third of the time of
    torch's own gradient.
    """

    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        ids: Tensor,
        starts: Tensor,
        pooling: str,
        turned: tuple[Tensor, Tensor] | None,
    ) -> Tensor:
        lengths = np.diff(starts.numpy(), append=len(ids))
        pooled = F.embedding_bag(ids, table, starts, mode="sum")
        ctx.divisors = None
        if pooling == "mean":  # torch's own takes half as long again
            divisors = torch.from_numpy(np.maximum(lengths, 1)[:, None])
            ctx.divisors = divisors.to(table.dtype)
            pooled /= ctx.divisors
        ctx.parts = ids.numpy(), lengths, len(table)
        ctx.turned = turned
        return pooled

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None, None]:
        bags, starts = ctx.turned or _turned(*ctx.parts)
        if ctx.divisors is not None:
            gradient = gradient / ctx.divisors
        of_table = F.embedding_bag(bags, gradient.contiguous(), starts, mode="sum")
        return of_table, None, None, None, None
