"""Recurrent cells over the texts of a batch, with hand-written gradients."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from skparaphrase.networks._table import Ints, to_device

_LARGE = 2.0**32  # limit of values in states, whose squared length fits in float32


class Packing:
    """Order of a batch's tokens by time step: all first tokens, all second tokens, etc.

    Texts are sorted by decreasing length, so the unfinished texts are the first rows of
    every step. There is no padding, and texts do not affect one another.

    Parameters
    ----------
    offsets : ndarray of shape (n_texts + 1,), int64
        Start of each text in the tokens, followed by the number of tokens.
    device : torch.device
        Device of the tensors.
    reverse : bool, default=False
        If True, texts are read from the last token to the first.

    Attributes
    ----------
    starts : list of int
        First packed row of each step, followed by the number of rows.
    tokens : Tensor of shape (n_tokens,), int64
        Token of each packed row.
    previous : Tensor of shape (n_tokens - starts[1],), int64
        For each row from the second step on, the row of its text one step before.
    """

    def __init__(
        self, offsets: Ints, device: torch.device, *, reverse: bool = False
    ) -> None:
        lengths = np.diff(offsets)
        order = np.argsort(-lengths, kind="stable")
        sizes = np.bincount(lengths)[::-1].cumsum()[::-1][1:]  # texts at each step
        starts = np.append(0, sizes.cumsum())
        step, rows = np.repeat(np.arange(len(sizes)), sizes), np.arange(starts[-1])
        text = order[rows - starts[step]]
        tokens = offsets[text + 1] - 1 - step if reverse else offsets[text] + step
        previous = rows[starts[:2][-1] :] - np.repeat(sizes[:-1], sizes[1:])
        final = np.zeros_like(lengths)
        final[text] = rows  # the last assignment to a text counts
        filled = np.flatnonzero(lengths)
        self.n_texts = len(lengths)
        self.starts: list[int] = starts.tolist()
        self.tokens, self.previous, self._filled, self._final = (
            to_device(part, device)
            for part in (tokens, previous, filled, final[filled])
        )

    def unpack(self, packed: Tensor) -> Tensor:
        """Packed rows in the order of the tokens."""
        return torch.empty_like(packed).index_copy(0, self.tokens, packed)

    def last(self, packed: Tensor) -> Tensor:
        """Row of each text's last step, (n_texts, dim); zero if there are no tokens."""
        zeros = packed.new_zeros(self.n_texts, packed.shape[1])
        return zeros.index_copy(0, self._filled, packed.index_select(0, self._final))


def read_tokens(
    cell: Callable[[Tensor, Tensor, Packing], Tensor],
    table: Tensor,
    ids: Tensor,
    offsets: Ints,
    *,
    reverse: bool = False,
) -> Tensor:
    """States of a cell after every token, (n_tokens, dim) in the order of the tokens.

    `cell` gets `table`, the row of each packed token and the packing, and returns
    packed states; the others are as in :meth:`Composition.forward`.
    """
    packing = Packing(offsets, table.device, reverse=reverse)
    return packing.unpack(cell(table, ids[packing.tokens], packing))


def run_simple(
    table: Tensor,
    rows: Tensor,
    w_x: Tensor,
    w_h: Tensor,
    b: Tensor,
    packing: Packing,
    activation: str,
) -> Tensor:
    """Packed states h_t = f(W_x x_t + W_h h_{t-1} + b), h_0 = 0; see `run_lstm`.

    Without gradients, the states of a text that exceed `_LARGE` are scaled down by
    powers of 2, which preserves their direction with a linear f or ReLU.
    """
    inputs = _project(table, rows, w_x, b)
    states: Tensor = _Simple.apply(inputs, w_h, packing, activation)
    if activation == "tanh" or states.requires_grad or not _are_large(states):
        return states
    return _scaled_states(_project(table, rows, w_x, b), w_h, packing, activation)


def _are_large(states: Tensor) -> bool:
    """Whether a number is larger than `_LARGE`, or NaN."""
    if not states.numel():
        return False
    low, high = states.aminmax()
    return not (low >= -_LARGE and high <= _LARGE)


def _scaled_states(h: Tensor, w_h: Tensor, packing: Packing, activation: str) -> Tensor:
    """Like `_Simple` for a linear f or ReLU, but scales growing states down."""
    scale = h.new_ones(packing.n_texts, 1)
    before = h[:0]
    for start, stop in pairwise(packing.starts):
        now = h[start:stop]
        now *= scale[: len(now)]
        if start:
            now.addmm_(before[: len(now)], w_h.T)
        if activation == "relu":
            now.relu_()
        large = now.abs().amax(dim=1, keepdim=True) > _LARGE
        factor = torch.where(large, 1 / _LARGE, 1.0)
        now *= factor
        scale[: len(now)] *= factor
        before = now
    return h


def run_lstm(
    table: Tensor,
    rows: Tensor,
    w_x: Tensor,
    w_h: Tensor,
    b: Tensor,
    w_c: Tensor | None,
    packing: Packing,
) -> Tensor:
    r"""States of a long short-term memory with peepholes, with h_0 = c_0 = 0.

    .. math::

        i_t &= \sigma(W_{xi} x_t + W_{hi} h_{t-1} + w_{ci} c_{t-1} + b_i) \\
        f_t &= \sigma(W_{xf} x_t + W_{hf} h_{t-1} + w_{cf} c_{t-1} + b_f) \\
        c_t &= f_t \odot c_{t-1} + i_t \odot \tanh(W_{xc} x_t + W_{hc} h_{t-1} + b_c) \\
        o_t &= \sigma(W_{xo} x_t + W_{ho} h_{t-1} + w_{co} c_t + b_o) \\
        h_t &= o_t \odot \tanh(c_t)

    Without an output gate, h_t = tanh(c_t).

    Parameters
    ----------
    table : Tensor of shape (n_rows, dim_in)
    rows : Tensor of shape (n_tokens,), int64
        Row of each packed token, whose vector is x.
    w_x, w_h, b : Tensor with 4 * dim or 3 * dim rows
        Blocks for i, f, c and, if there is an output gate, o.
    w_c : Tensor of shape (n_gates - 1, dim) or (n_gates - 1, dim, dim), or None
        Peepholes of i, f and o: vectors (elementwise products), matrices, or none.
    packing : Packing

    Returns
    -------
    states : Tensor of shape (n_tokens, dim)
        h, packed.
    """
    states: Tensor = _LSTM.apply(_project(table, rows, w_x, b), w_h, w_c, packing)
    return states


def _project(table: Tensor, rows: Tensor, w_x: Tensor, b: Tensor) -> Tensor:
    """W_x x + b for each token; repeated rows are projected once."""
    if len(table) < len(rows):
        return torch.addmm(b, table, w_x.T).index_select(0, rows)
    return torch.addmm(b, table.index_select(0, rows), w_x.T)


class _Simple(torch.autograd.Function):
    """Steps of a simple recurrence; `inputs` are overwritten with the states.

    With torch's gradients, `fit` of RNNEncoder takes 1.8 times as long.
    """

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, w_h: Tensor, packing: Packing, activation: str
    ) -> Tensor:
        h = inputs
        before = None
        for start, stop in pairwise(packing.starts):
            now = h[start:stop]
            if before is not None:
                now.addmm_(before[: len(now)], w_h.T)
            if activation == "tanh":
                now.tanh_()
            elif activation == "relu":
                now.relu_()
            before = now
        ctx.mark_dirty(inputs)
        ctx.save_for_backward(w_h, h)
        ctx.packing, ctx.activation = packing, activation
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        w_h, h = ctx.saved_tensors
        slope = None
        if ctx.activation == "tanh":
            slope = torch.addcmul(h.new_ones(()), h, h, value=-1)
        elif ctx.activation == "relu":
            slope = (h > 0).to(h.dtype)
        inner = gradient.clone(memory_format=torch.contiguous_format)
        after = None
        for start, stop in reversed(list(pairwise(ctx.packing.starts))):
            now = inner[start:stop]
            if after is not None:
                now[: len(after)].addmm_(after, w_h)
            if slope is not None:
                now.mul_(slope[start:stop])
            after = now
        return inner, _of_w_h(inner, h, ctx.packing), None, None


class _LSTM(torch.autograd.Function):
    """Steps of a long short-term memory; `inputs` are overwritten.

    Terms that do not depend on other steps are computed for all steps at once. With
    torch's gradients, `fit` of LSTMEncoder takes 1.6 times as long; torch.nn.LSTM has
    no peepholes.
    """

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, w_h: Tensor, w_c: Tensor | None, packing: Packing
    ) -> Tensor:
        gates = inputs  # not needed by a backward pass
        dim = w_h.shape[1]
        c, tanh_c = gates.new_empty(2, len(gates), dim)
        h = torch.empty_like(c) if len(w_h) == 4 * dim else tanh_c
        begin = 0  # of the previous step
        for start, stop in pairwise(packing.starts):
            now, c_now = gates[start:stop], c[start:stop]
            i, f, g, *output = now.split(dim, dim=1)
            before = slice(begin, begin + stop - start)
            if start:
                now.addmm_(h[before], w_h.T)
                if w_c is not None:
                    _add_product(i, c[before], w_c[0])
                    _add_product(f, c[before], w_c[1])
            now[:, : 2 * dim].sigmoid_()
            torch.mul(i, g.tanh_(), out=c_now)
            if start:
                c_now.addcmul_(f, c[before])
            torch.tanh(c_now, out=tanh_c[start:stop])
            for o in output:
                if w_c is not None:
                    _add_product(o, c_now, w_c[2])
                torch.mul(o.sigmoid_(), tanh_c[start:stop], out=h[start:stop])
            begin = start
        ctx.save_for_backward(w_h, w_c, gates, c, tanh_c, h)
        ctx.packing = packing
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        w_h, w_c, gates, c, tanh_c, h = ctx.saved_tensors
        dim = w_h.shape[1]
        c_before = c.index_select(0, ctx.packing.previous)
        first = len(c) - len(c_before)
        # Slopes of the gates, which are multiplied by the gradient of c (o: of h) to
        # become the gradients of the inputs.
        slopes = torch.addcmul(gates, gates, gates, value=-1)
        i, f, g, *output = gates.split(dim, dim=1)
        slope_i, slope_f, slope_g, *slope_output = slopes.split(dim, dim=1)
        one = c.new_ones(())
        slope_i *= g
        slope_f[first:] *= c_before
        slope_f[:first] = 0
        torch.addcmul(one, g, g, value=-1, out=slope_g)
        slope_g *= i
        # Slopes from h to c, and from c to the c of the previous step.
        to_cell = torch.addcmul(one, tanh_c, tanh_c, value=-1)
        carry = f.clone()
        peepholes = [(slope_i[first:], c_before), (slope_f[first:], c_before)]
        for o, slope_o in zip(output, slope_output, strict=True):
            to_cell *= o
            slope_o *= tanh_c
            peepholes.append((slope_o, c))
        diagonal = w_c is not None and w_c.dim() == 2
        if diagonal:
            carry.addcmul_(slope_i, w_c[0]).addcmul_(slope_f, w_c[1])
            for slope_o in slope_output:
                to_cell.addcmul_(slope_o, w_c[2])

        full = w_c is not None and not diagonal
        of_h = gradient.clone(memory_format=torch.contiguous_format)
        of_c = torch.zeros_like(of_h[:first])
        after = None
        for start, stop in reversed(list(pairwise(ctx.packing.starts))):
            now, of_h_now = slopes[start:stop], of_h[start:stop]
            of_c_now = of_c[: stop - start]
            if after is not None:
                of_h_now[: len(after)].addmm_(after, w_h)
            of_c_now.addcmul_(of_h_now, to_cell[start:stop])
            if output:
                now[:, 3 * dim :] *= of_h_now
                if full:
                    of_c_now.addmm_(now[:, 3 * dim :], w_c[2])
            now[:, : 3 * dim].view(-1, 3, dim).mul_(of_c_now[:, None])
            of_c_now *= carry[start:stop]
            if full:
                of_c_now.addmm_(now[:, : 2 * dim], w_c[:2].flatten(0, 1))
            after = now

        of_w_c = None
        if w_c is not None:
            of_w_c = torch.stack(
                [(a * b).sum(dim=0) if diagonal else a.T @ b for a, b in peepholes]
            )
        return slopes, _of_w_h(slopes, h, ctx.packing), of_w_c, None


def _add_product(out: Tensor, c: Tensor, weight: Tensor) -> None:
    """Add a peephole's vector times c, or its matrix times c."""
    if weight.dim() == 1:
        out.addcmul_(c, weight)
    else:
        out.addmm_(c, weight.T)


def _of_w_h(inner: Tensor, h: Tensor, packing: Packing) -> Tensor:
    """Gradient of W_h, given the gradient of W_h h + W_x x + b."""
    before = h.index_select(0, packing.previous)
    return inner[len(inner) - len(before) :].T @ before
