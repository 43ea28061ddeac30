"""Recurrent networks that read a text and give their last state."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase.nn._cells import run_lstm, run_simple
from skparaphrase.nn._compositions import Composition, normal, uniform
from skparaphrase.nn._packing import Packing
from skparaphrase.nn._transfer import to_device


class _LastState(Composition):
    """Base: the state after the last token."""

    def states(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """States after every token.

        Parameters
        ----------
        table : Tensor of shape (n_rows, dim_in)
        rows : Tensor of shape (n_tokens,), int64
            Row of each packed token: `ids[packing.tokens]`, or `packing.tokens` where
            the table has a row for each token.
        packing : Packing
            It says in which direction texts are read.

        Returns
        -------
        states : Tensor of shape (n_tokens, dim)
            Packed; see :meth:`Packing.unpack` and :meth:`Packing.last`.
        """
        raise NotImplementedError

    def _compose(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> Tensor:
        packing = Packing(offsets, device=table.device)
        return packing.last(self.states(table, ids[packing.tokens], packing))


class Recurrent(_LastState):
    r"""Simple recurrent network: :math:`h_t = f(W_x x_t + W_h h_{t-1} + b)`.

    The RNN of Wieting et al. (2016), section 3.1; h_0 = 0, and the last state is the
    text's vector. Weights are drawn from U(-0.01, 0.01) as in Lasagne; b is zero.

    Parameters
    ----------
    dim_in : int
    dim : int
    activation : {"tanh", "relu", "linear"}, default="tanh"
        f.

    Attributes
    ----------
    W_x : Parameter of shape (dim, dim_in)
    W_h : Parameter of shape (dim, dim)
    b : Parameter of shape (dim,)
    """

    def __init__(self, dim_in: int, dim: int, *, activation: str = "tanh") -> None:
        super().__init__()
        self.dim = dim
        self.activation = activation
        self.W_x = nn.Parameter(torch.empty(dim, dim_in, dtype=torch.float32))
        self.W_h = nn.Parameter(torch.empty(dim, dim, dtype=torch.float32))
        self.b = nn.Parameter(torch.empty(dim, dtype=torch.float32))

    def reset(self, random_state: RandomState) -> None:
        """Draw W_x, then W_h."""
        with torch.no_grad():
            for weight in (self.W_x, self.W_h):
                weight.copy_(uniform(random_state, weight.shape, 0.01))
            self.b.zero_()

    def states(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """States after every token; see the base class."""
        return run_simple(
            table, rows, self.W_x, self.W_h, self.b, packing, self.activation
        )


class IdentityRecurrent(Recurrent):
    """The iRNN of Wieting et al. (2016), section 3.1.

    A linear recurrent network whose weights begin as identities, where the penalty
    also holds them; b begins as zero. The last state is divided by the number of
    tokens, and so at first is the mean of the vectors.

    Parameters
    ----------
    dim : int
        Of the word vectors and of the state.
    """

    def __init__(self, dim: int) -> None:
        super().__init__(dim, dim, activation="linear")
        self.anchors = {
            name: torch.eye(dim, dtype=torch.float32) for name in ("W_x", "W_h")
        }

    def reset(self, random_state: RandomState) -> None:
        """Set the weights to the identity; nothing is drawn."""
        nn.init.eye_(self.W_x)
        nn.init.eye_(self.W_h)
        nn.init.zeros_(self.b)

    def _compose(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> Tensor:
        last = super()._compose(table, ids, offsets)
        n_tokens = to_device(np.maximum(np.diff(offsets), 1), last.device)
        return last / n_tokens.to(last.dtype)[:, None]


class LSTM(_LastState):
    """Long short-term memory with peepholes; its last state is the text's vector.

    The LSTM of Wieting et al. (2016), section 3.1, after Gers et al. (2003); equations
    at `skparaphrase.nn._cells.run_lstm`. h_0 = c_0 = 0. Weights and peepholes
    are drawn from N(0, 0.01), all biases are zero, as in Lasagne.

    Parameters
    ----------
    dim_in : int
    dim : int
    output_gate : bool, default=True
        False leaves out o and its parameters: h = tanh(c).
    peepholes : {"diagonal", "full"} or None, default="diagonal"
        From the cells to the gates: one weight for each cell, as in the released code;
        a matrix, as the paper has it; or none.

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
        self._stacks = [[f"W_x{gate}" for gate in gates]]
        self._stacks += [[f"W_h{gate}" for gate in gates]]
        self._stacks += [[f"b_{gate}" for gate in gates]]
        self._peepholes = [f"W_c{gate}" for gate in gates if gate != "c"]
        shapes = [(dim, dim_in), (dim, dim), (dim,)]
        for names, shape in zip(self._stacks, shapes, strict=True):
            for name in names:
                setattr(
                    self, name, nn.Parameter(torch.empty(shape, dtype=torch.float32))
                )
        if peepholes is None:
            self._peepholes = []
        for name in self._peepholes:
            shape = (dim,) if peepholes == "diagonal" else (dim, dim)
            setattr(self, name, nn.Parameter(torch.empty(shape, dtype=torch.float32)))

    def reset(self, random_state: RandomState) -> None:
        """Draw the weights, then the peepholes."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name.startswith("b_"):
                    parameter.zero_()
                else:
                    parameter.copy_(normal(random_state, parameter.shape, 0.1))

    def states(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """States after every token; see the base class."""
        w_x, w_h, b = (
            torch.cat([self.get_parameter(name) for name in names])
            for names in self._stacks
        )
        w_c = None
        if self._peepholes:
            w_c = torch.stack([self.get_parameter(name) for name in self._peepholes])
        return run_lstm(table, rows, w_x, w_h, b, w_c, packing)
