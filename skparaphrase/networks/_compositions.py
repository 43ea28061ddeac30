"""Compositions of word vectors to a text vector: interface, averages, dense layers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase._threads import own_torch
from skparaphrase.networks._table import Ints, pool, to_device

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "linear": lambda x: x,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
}

M = TypeVar("M", bound=nn.Module)


def parameter_arrays(module: nn.Module) -> dict[str, NDArray[Any]]:
    """Copies of the parameters of a module, by name."""
    return {
        name: parameter.detach().cpu().numpy().copy()
        for name, parameter in module.named_parameters()
    }


@own_torch()
def with_parameters(
    build: Callable[[], M], arrays: Mapping[str, NDArray[Any]], owner: str
) -> M:
    """Build a module and set its parameters.

    Parameters
    ----------
    build : callable
        Returns the module.
    arrays : mapping of str to ndarray
    owner : str
        Owner of the arrays, for messages.

    Returns
    -------
    module : Module

    Raises
    ------
    ValueError
        If the arrays do not fit the module.
    """
    try:
        module = build()
        module.load_state_dict({k: torch.tensor(array) for k, array in arrays.items()})
    except RuntimeError as error:
        raise ValueError(
            f"{owner} does not have the parameters that the settings require. {error}"
        ) from error
    return module


class Network(nn.Module):
    """Base class of modules that are made of layers."""

    def reset(self, random_state: RandomState) -> None:
        """Draw the initial parameters layer by layer, equal on every device."""
        for module in self.modules():
            if isinstance(module, Layer):
                module.reset(random_state)


class Layer(nn.Module):
    """Base class of modules that draw parameters themselves."""

    def reset(self, random_state: RandomState) -> None:
        """Draw the initial parameters."""
        raise NotImplementedError


class Composition(Network):
    """Base class of encoder networks, which map the vectors of a text's tokens to one.

    A subclass sets `dim` in its constructor and implements :meth:`compose`. Layers
    (:class:`torch.nn.Linear`, for example) draw their parameters themselves. A subclass
    with other parameters extends `reset` to draw them.

    Attributes
    ----------
    dim : int
        Length of the text vectors.
    anchors : dict of str to Tensor
        Values towards which penalties pull the named parameters; zero for the others.
    batch_size : int or None
        Number of texts that must be composed together because they affect one another,
        or None if texts are independent.
    pooling : {"mean", "sum", "distinct"} or None
        The average or sum of the token vectors from which `from_pooled` computes text
        vectors. None if text vectors also depend on something else.
    start_pooling : {"mean", "distinct"}
        The average of token vectors that is close to the initial network.
    dropout : float
        Dropout rate of hidden values while the trainer sets a `generator`.
    generator : torch.Generator or None
    """

    dim: int
    batch_size: int | None = None
    pooling: str | None = None
    start_pooling: str = "mean"
    dropout: float = 0.0
    generator: torch.Generator | None = None

    def __init__(self) -> None:
        super().__init__()
        self.anchors: dict[str, Tensor] = {}

    def reset(self, random_state: RandomState) -> None:
        """Draw the initial parameters, including the parameters of torch's layers."""
        super().reset(random_state)
        for module in self.modules():
            reset: Any = getattr(module, "reset_parameters", None)
            if reset is not None:
                with torch.random.fork_rng(devices=[]):
                    torch.manual_seed(random_state.randint(2**31))
                    reset()

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Return the text vectors; rows of texts without tokens are ignored.

        Parameters and result are as in :meth:`forward`.
        """
        raise NotImplementedError

    def from_pooled(self, pooled: Tensor) -> Tensor:
        """Return text vectors for averages or sums of shape (n_texts, dim_in)."""
        raise NotImplementedError

    def forward(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Compose a batch of texts.

        Parameters
        ----------
        table : Tensor of shape (n_rows, dim_in)
            Vectors of tokens.
        ids : Tensor of shape (n_tokens,)
            Row of each token of the texts, which are stored end to end.
        offsets : ndarray of shape (n_texts + 1,)
            Start of each text in `ids`, followed by the number of tokens.

        Returns
        -------
        vectors : Tensor of shape (n_texts, dim)
            Zero for texts without tokens.
        """
        vectors = self.compose(table, ids, offsets)
        return mask_rows(vectors, offsets[1:] == offsets[:-1])


class Dense(Layer):
    """Affine layer with an activation, initialised as in Lasagne.

    Weights are drawn from U(-r, r) with r = sqrt(6 / (dim_in + dim)) (Glorot), or from
    N(0, std^2) if `std` is given. Biases start at zero.
    """

    def __init__(
        self, dim_in: int, dim: int, activation: str, std: float | None = None
    ) -> None:
        super().__init__()
        self.weight = new_parameter(dim_in, dim)
        self.bias = new_parameter(dim)
        self.activation = activation
        self.std = std

    def reset(self, random_state: RandomState) -> None:
        """Draw the weights."""
        if self.std is None:
            uniform_(self.weight, random_state, (6 / sum(self.weight.shape)) ** 0.5)
        else:
            normal_(self.weight, random_state, self.std)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Map rows of length `dim_in` to rows of length `dim`."""
        return ACTIVATIONS[self.activation](torch.addmm(self.bias, x, self.weight))


class Pooled(Composition):
    """Base class of compositions of an average or sum of token vectors."""

    pooling: str = "mean"

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim
        self.layers = nn.ModuleList()

    def from_pooled(self, pooled: Tensor) -> Tensor:
        """Return text vectors for averages or sums of shape (n_texts, dim_in)."""
        for layer in self.layers:
            pooled = layer(pooled)
        return pooled

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Pool, then apply the layers."""
        return self.from_pooled(pool(table, ids, offsets, self.pooling))


class Average(Pooled):
    """Average word vectors, as in paragram-phrase of Wieting et al. (2016).

    Parameters
    ----------
    dim : int
    pooling : {"mean", "distinct"}, default="mean"
    """

    def __init__(self, dim: int, pooling: str = "mean") -> None:
        super().__init__(dim)
        self.pooling = self.start_pooling = pooling


class DeepAverage(Pooled):
    """Apply dense layers to the mean of the word vectors.

    A single linear layer is the projection model of Wieting et al. (2016); other
    settings are their DAN, the deep averaging network of Iyyer et al. (2015).

    Parameters
    ----------
    dim_in : int
    dim : int
        Units of every layer.
    n_layers : int, default=1
    activation : {"linear", "tanh", "relu"}, default="linear"
    first_std : float, default=None
        If given, draw the first layer from N(0, first_std^2) instead of Glorot's range.
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
        super().__init__(dim)
        for i in range(n_layers):
            std = first_std if i == 0 else None
            self.layers.append(Dense(dim if i else dim_in, dim, activation, std))


class Residual(Composition):
    r"""Add a linear map of a composition's output to the average of distinct tokens.

    :math:`\sum_i w_i x_i + \frac{1}{m} g(x) P`, where P, of shape (m, dim_in), starts
    at zero, so the network starts as the average. Because of the division by m, a step
    of P changes text vectors about as much as a step of the token vectors, and one
    learning rate suits both. A composition that reads the mean of the tokens reads this
    average instead.

    Parameters
    ----------
    composition : Composition
        The map g, of `dim` m.
    dim_in : int
    """

    def __init__(self, composition: Composition, dim_in: int) -> None:
        super().__init__()
        self.dim = dim_in
        self.batch_size = composition.batch_size
        self.dropout = composition.dropout
        self.start_pooling = "distinct"
        if composition.pooling == "mean":
            self.pooling = "distinct"
        self.composition = composition
        self.projection = new_parameter(composition.dim, dim_in)
        for name, anchor in composition.anchors.items():
            self.anchors[f"composition.{name}"] = anchor

    def reset(self, random_state: RandomState) -> None:
        """Draw the parameters of the composition; set P to zero."""
        self.composition.reset(random_state)
        nn.init.zeros_(self.projection)

    def from_pooled(self, pooled: Tensor) -> Tensor:
        """Return text vectors for averages of shape (n_texts, dim_in)."""
        return self._add(pooled, self.composition.from_pooled(pooled))

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Add the mapped output to the averages."""
        average = pool(table, ids, offsets, "distinct")
        if self.pooling is not None:
            return self.from_pooled(average)
        self.composition.generator = self.generator
        return self._add(average, self.composition.compose(table, ids, offsets))

    def _add(self, average: Tensor, output: Tensor) -> Tensor:
        return torch.addmm(average, output, self.projection, alpha=1 / output.shape[1])


class Charagram(Pooled):
    r"""Apply an activation to the sum of character n-gram vectors.

    Charagram of Wieting et al. (2016):
    :math:`h(b + \sum_i \mathbb{I}[x_i \in V] W^{x_i})`. As in their code, every text
    has an additional constant feature, as well as the bias.

    Parameters
    ----------
    n_ngrams : int
        Size of the vocabulary; determines the initial range of the constant.
    dim : int
    activation : {"tanh", "linear", "relu"}
    n_layers : int, default=1
        Layers after the first are dense, of size `dim` (their two-layer variant).
    """

    pooling = "sum"

    def __init__(
        self, n_ngrams: int, dim: int, *, activation: str, n_layers: int = 1
    ) -> None:
        super().__init__(dim)
        self.activation = activation
        self.range = charagram_range(n_ngrams, dim)
        self.constant = new_parameter(dim)
        self.bias = new_parameter(dim)
        for _ in range(n_layers - 1):
            self.layers.append(Dense(dim, dim, activation))

    def reset(self, random_state: RandomState) -> None:
        """Draw the constant, then the dense layers."""
        uniform_(self.constant, random_state, self.range)
        nn.init.zeros_(self.bias)
        super().reset(random_state)

    def from_pooled(self, pooled: Tensor) -> Tensor:
        """Return text vectors for sums of n-gram vectors."""
        activated = ACTIVATIONS[self.activation](pooled + (self.constant + self.bias))
        return super().from_pooled(activated)


def charagram_range(n_ngrams: int, dim: int) -> float:
    """Half-width of the uniform range of n-gram vectors (Glorot)."""
    return float((6 / (n_ngrams + 1 + int(dim))) ** 0.5)


def new_parameter(*shape: int) -> nn.Parameter:
    """Uninitialised parameter in single precision; ignores torch's default dtype."""
    return nn.Parameter(torch.empty(shape, dtype=torch.float32))


@torch.no_grad()
def uniform_(values: Tensor, random_state: RandomState, limit: float) -> None:
    """Fill with draws from U(-limit, limit), rounded to float32."""
    drawn = random_state.uniform(-limit, limit, size=tuple(values.shape))
    values.copy_(torch.from_numpy(drawn.astype(np.float32)))


@torch.no_grad()
def normal_(values: Tensor, random_state: RandomState, std: float) -> None:
    """Fill with draws from N(0, std^2), rounded to float32."""
    drawn = random_state.normal(0, std, size=tuple(values.shape))
    values.copy_(torch.from_numpy(drawn.astype(np.float32)))


def mask_rows(vectors: Tensor, blank: NDArray[np.bool_]) -> Tensor:
    """Set the rows marked in `blank` to zero."""
    if not blank.any():
        return vectors
    return vectors.masked_fill(to_device(blank, vectors.device)[:, None], 0)
