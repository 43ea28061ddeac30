"""Recurrent networks that read a text and return their last state."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor, nn

from skparaphrase.networks._cells import Packing, run_lstm, run_simple
from skparaphrase.networks._compositions import (
    Composition,
    Layer,
    new_parameter,
    normal_,
    uniform_,
)
from skparaphrase.networks._table import Ints, to_device


class _LastState(Composition):
    """Base class of compositions that return the state after the last token."""

    def states(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """Return the packed states after every token, of shape (n_tokens, dim).

        `rows` contains the row of each packed token, `ids[packing.tokens]`; the packing
        determines the direction in which texts are read.
        """
        raise NotImplementedError

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Return the last states."""
        packing = Packing(offsets, table.device)
        return packing.last(self.states(table, ids[packing.tokens], packing))


class Recurrent(_LastState):
    r"""Simple recurrent network: :math:`h_t = f(W_x x_t + W_h h_{t-1} + b)`.

    RNN of Wieting et al. (2016), section 3; h_0 = 0, and the last state is the text
    vector. Weights are drawn from U(-0.01, 0.01) as in Lasagne; b starts at zero.

    Parameters
    ----------
    dim_in, dim : int
    activation : {"tanh", "relu", "linear"}, default="tanh"
    """

    def __init__(self, dim_in: int, dim: int, *, activation: str = "tanh") -> None:
        super().__init__()
        self.dim = dim
        self.activation = activation
        self.W_x = new_parameter(dim, dim_in)
        self.W_h = new_parameter(dim, dim)
        self.b = new_parameter(dim)

    def reset(self, random_state: RandomState) -> None:
        """Draw W_x, then W_h."""
        for weight in (self.W_x, self.W_h):
            uniform_(weight, random_state, 0.01)
        nn.init.zeros_(self.b)

    def states(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """Return the states after every token."""
        return run_simple(
            table, rows, self.W_x, self.W_h, self.b, packing, self.activation
        )


class IdentityRecurrent(Recurrent):
    """The iRNN of Wieting et al. (2016), section 3.

    A recurrent network whose weights start as identity matrices, and are regularised
    towards them; b starts at zero. The last state is divided by the number of tokens,
    so the initial text vector of a linear one is the mean of the word vectors.
    """

    def __init__(self, dim_in: int, dim: int, *, activation: str = "linear") -> None:
        super().__init__(dim_in, dim, activation=activation)
        for name, size in (("W_x", dim_in), ("W_h", dim)):
            self.anchors[name] = torch.eye(dim, size, dtype=torch.float32)

    def reset(self, random_state: RandomState) -> None:
        """Set the matrices to the identity, and the bias to zero."""
        for weight in (self.W_x, self.W_h):
            nn.init.eye_(weight)
        nn.init.zeros_(self.b)

    def compose(self, table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
        """Return the last states, divided by the numbers of tokens."""
        last = super().compose(table, ids, offsets)
        n_tokens = to_device(np.maximum(np.diff(offsets), 1), last.device)
        return last / n_tokens.to(last.dtype)[:, None]


class LSTM(_LastState, Layer):
    """Long short-term memory with peepholes; its last state is the text vector.

    LSTM of Wieting et al. (2016), section 3, after Gers et al. (2003); see `run_lstm`
    in ``networks/_cells.py`` for its equations. Weights and peepholes are drawn from
    N(0, 0.01), and biases start at zero, as in Lasagne.

    Parameters
    ----------
    dim_in, dim : int
    output_gate : bool, default=True
        If False, there is no output gate and h = tanh(c).
    peepholes : {"diagonal", "full"} or None, default="diagonal"
        Weights from the cells to the gates: one weight per cell, as in the released
        code; a matrix, as in the paper; or none.

    Attributes
    ----------
    W_xi, W_xf, W_xc, W_xo : Parameter of shape (dim, dim_in)
    W_hi, W_hf, W_hc, W_ho : Parameter of shape (dim, dim)
    W_ci, W_cf, W_co : Parameter of shape (dim,) or (dim, dim)
    b_i, b_f, b_c, b_o : Parameter of shape (dim,)
    """

    def __init__(
        self,
        dim_in: int,
        dim: int,
        *,
        output_gate: bool = True,
        peepholes: str | None = "diagonal",
    ) -> None:
        super().__init__()
        self.dim = dim
        gates = "ifco" if output_gate else "ifc"
        # Each gate has its own tensors because the papers clip gradients by tensor.
        self._blocks = {"W_x": gates, "W_h": gates, "b_": gates}
        shapes = {"W_x": (dim, dim_in), "W_h": (dim, dim), "b_": (dim,)}
        if peepholes is not None:
            self._blocks["W_c"] = gates.replace("c", "")
            shapes["W_c"] = (dim,) if peepholes == "diagonal" else (dim, dim)
        for kind, shape in shapes.items():
            for gate in self._blocks[kind]:
                setattr(self, kind + gate, new_parameter(*shape))

    def reset(self, random_state: RandomState) -> None:
        """Draw the weights, then the peepholes."""
        for name, parameter in self.named_parameters():
            if name.startswith("b_"):
                nn.init.zeros_(parameter)
            else:
                normal_(parameter, random_state, 0.1)

    def states(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """Return the states after every token."""
        parts: dict[str, list[Tensor]] = {
            kind: [self.get_parameter(kind + gate) for gate in gates]
            for kind, gates in self._blocks.items()
        }
        w_x, w_h, b = (torch.cat(parts[kind]) for kind in ("W_x", "W_h", "b_"))
        w_c = torch.stack(parts["W_c"]) if "W_c" in parts else None
        return run_lstm(table, rows, w_x, w_h, b, w_c, packing)
