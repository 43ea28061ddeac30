"""Recurrences over packed texts, with gradients of their own."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from skparaphrase.nn import _fused
from skparaphrase.nn._packing import Packing


def run_simple(
    table: Tensor,
    rows: Tensor,
    w_x: Tensor,
    w_h: Tensor,
    b: Tensor,
    packing: Packing,
    activation: str,
) -> Tensor:
    """States h_t = f(W_x x_t + W_h h_{t-1} + b), from h_0 = 0.

    Parameters
    ----------
    table : Tensor of shape (n_rows, dim_in)
    rows : Tensor of shape (n_tokens,), int64
        The row x of each packed token.
    w_x : Tensor of shape (dim, dim_in)
    w_h : Tensor of shape (dim, dim)
    b : Tensor of shape (dim,)
    packing : Packing
    activation : {"linear", "tanh", "relu"}
        f.

    Returns
    -------
    states : Tensor of shape (n_tokens, dim)
        Packed.
    """
    states: Tensor = _Simple.apply(table, w_x, w_h, b, rows, packing, activation)
    return states


def run_lstm(
    table: Tensor,
    rows: Tensor,
    w_x: Tensor,
    w_h: Tensor,
    b: Tensor,
    w_c: Tensor | None,
    packing: Packing,
) -> Tensor:
    r"""States of a long short-term memory with peepholes, from h_0 = c_0 = 0.

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
        The row x of each packed token.
    w_x : Tensor of shape (4 * dim, dim_in) or (3 * dim, dim_in)
        Rows for i, f, c and o; three blocks mean no output gate.
    w_h : Tensor of shape (4 * dim, dim) or (3 * dim, dim)
    b : Tensor of shape (4 * dim,) or (3 * dim,)
    w_c : Tensor of shape (3, dim) or (2, dim), (3, dim, dim) or (2, dim, dim), or None
        Peepholes of i, f and o: vectors (products by element), matrices, or none.
    packing : Packing

    Returns
    -------
    states : Tensor of shape (n_tokens, dim)
        h, packed.
    """
    states: Tensor = _LSTM.apply(table, w_x, w_h, b, w_c, rows, packing)
    return states


class _Simple(torch.autograd.Function):
    """One product for the inputs of all steps, and one for each weight's gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        w_x: Tensor,
        w_h: Tensor,
        b: Tensor,
        rows: Tensor,
        packing: Packing,
        activation: str,
    ) -> Tensor:
        h = _project(table, rows, w_x, b)
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
        ctx.save_for_backward(table, rows, w_x, w_h, h)
        ctx.packing, ctx.activation = packing, activation
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        table, rows, w_x, w_h, h = ctx.saved_tensors
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
        gradients = _gradients(ctx, inner, table, rows, w_x, h)
        return *gradients, None, None, None


class _LSTM(torch.autograd.Function):
    """As :class:`_Simple`; what no later step changes is computed for all at once."""

    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        w_x: Tensor,
        w_h: Tensor,
        b: Tensor,
        w_c: Tensor | None,
        rows: Tensor,
        packing: Packing,
    ) -> Tensor:
        gates = _project(table, rows, w_x, b)
        kernels = _fused.find_kernels(w_h, w_c)
        if kernels is None:
            c, tanh_c, h = _forward(gates, w_h, w_c, packing.starts)
        else:
            gates, c, tanh_c, h = _fused.forward(
                kernels, gates, w_h, w_c, packing.starts
            )
        ctx.save_for_backward(table, rows, w_x, w_h, w_c, gates, c, tanh_c, h)
        ctx.packing, ctx.kernels = packing, kernels
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        table, rows, w_x, w_h, w_c, gates, c, tanh_c, h = ctx.saved_tensors
        packing: Packing = ctx.packing
        dim = w_h.shape[1]
        has_output = len(w_h) == 4 * dim
        diagonal = w_c is not None and w_c.dim() == 2
        first = packing.starts[1] if len(rows) else 0
        c_before = c.index_select(0, packing.previous)
        # What the gradient of c, and for o that of h, is multiplied by.
        i, f, g = (gates[:, n * dim : (n + 1) * dim] for n in range(3))
        slopes = torch.empty_like(gates)
        sigmoids = gates[:, : 2 * dim]
        torch.addcmul(sigmoids, sigmoids, sigmoids, value=-1, out=slopes[:, : 2 * dim])
        one = c.new_ones(())
        torch.addcmul(one, g, g, value=-1, out=slopes[:, 2 * dim : 3 * dim])
        slopes[:, :dim] *= g
        slopes[first:, dim : 2 * dim] *= c_before
        slopes[:first, dim : 2 * dim] = 0
        slopes[:, 2 * dim : 3 * dim] *= i
        to_cell = torch.addcmul(one, tanh_c, tanh_c, value=-1)
        if has_output:
            o, slope_o = gates[:, 3 * dim :], slopes[:, 3 * dim :]
            to_cell *= o
            torch.addcmul(o, o, o, value=-1, out=slope_o)
            slope_o *= tanh_c
            if diagonal:
                to_cell.addcmul_(slope_o, w_c[2])
        carry = f.clone()
        if diagonal:
            carry.addcmul_(slopes[:, :dim], w_c[0])
            carry.addcmul_(slopes[:, dim : 2 * dim], w_c[1])
        of_h = gradient.clone(memory_format=torch.contiguous_format)
        if ctx.kernels is None:
            _backward(slopes, to_cell, carry, of_h, w_h, w_c, packing.starts)
        else:
            slopes = _fused.backward(
                ctx.kernels,
                torch.cat([slopes, carry], dim=1),
                to_cell,
                of_h,
                w_h,
                packing.starts,
            )
        gradients = _gradients(ctx, slopes, table, rows, w_x, h)
        of_w_c = None
        if w_c is not None:
            inner = [slopes[first:, :dim], slopes[first:, dim : 2 * dim]]
            cells = [c_before, c_before]
            if has_output:
                inner.append(slopes[:, 3 * dim :])
                cells.append(c)
            products = zip(inner, cells, strict=True)
            if diagonal:
                of_w_c = torch.stack([(a * b).sum(dim=0) for a, b in products])
            else:
                of_w_c = torch.stack([a.T @ b for a, b in products])
        return *gradients, of_w_c, None, None


def _forward(
    gates: Tensor, w_h: Tensor, w_c: Tensor | None, starts: list[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """All steps of a memory; W_x x + b in `gates` become what they let through.

    Returns
    -------
    c, tanh_c, h : Tensor of shape (n_tokens, dim)
    """
    dim = w_h.shape[1]
    c, tanh_c = gates.new_empty(2, len(gates), dim)
    has_output = len(w_h) == 4 * dim
    h = torch.empty_like(c) if has_output else tanh_c
    full = None if w_c is None or w_c.dim() == 2 else w_c.flatten(0, 1)
    begin = 0
    for start, stop in pairwise(starts):
        now, c_now = gates[start:stop], c[start:stop]
        i, f = now[:, :dim], now[:, dim : 2 * dim]
        c_before = c[begin : begin + stop - start]
        if start:
            now.addmm_(h[begin : begin + stop - start], w_h.T)
            if full is not None:
                now[:, : 2 * dim].addmm_(c_before, full[: 2 * dim].T)
            elif w_c is not None:
                i.addcmul_(c_before, w_c[0])
                f.addcmul_(c_before, w_c[1])
        now[:, : 2 * dim].sigmoid_()
        torch.mul(i, now[:, 2 * dim : 3 * dim].tanh_(), out=c_now)
        if start:
            c_now.addcmul_(f, c_before)
        torch.tanh(c_now, out=tanh_c[start:stop])
        if has_output:
            o = now[:, 3 * dim :]
            if full is not None:
                o.addmm_(c_now, full[2 * dim :].T)
            elif w_c is not None:
                o.addcmul_(c_now, w_c[2])
            torch.mul(o.sigmoid_(), tanh_c[start:stop], out=h[start:stop])
        begin = start
    return c, tanh_c, h


def _backward(
    slopes: Tensor,
    to_cell: Tensor,
    carry: Tensor,
    of_h: Tensor,
    w_h: Tensor,
    w_c: Tensor | None,
    starts: list[int],
) -> None:
    """The slopes become the gradients before the gates, from the last step on.

    Parameters
    ----------
    slopes : Tensor of shape (n_tokens, 4 * dim) or (n_tokens, 3 * dim)
        What the gradient of c, and for o that of h, is multiplied by.
    to_cell, carry : Tensor of shape (n_tokens, dim)
        What goes from h to c, and from c to that of the step before.
    of_h : Tensor of shape (n_tokens, dim)
        Gradient of the states; overwritten.
    """
    dim = w_h.shape[1]
    has_output = len(w_h) == 4 * dim
    full = None if w_c is None or w_c.dim() == 2 else w_c.flatten(0, 1)
    of_c = torch.zeros_like(of_h[: starts[1] if len(starts) > 1 else 0])
    after = None
    for start, stop in reversed(list(pairwise(starts))):
        now, of_h_now = slopes[start:stop], of_h[start:stop]
        of_c_now = of_c[: stop - start]
        if after is not None:
            of_h_now[: len(after)].addmm_(after, w_h)
        of_c_now.addcmul_(of_h_now, to_cell[start:stop])
        if has_output:
            now[:, 3 * dim :] *= of_h_now
            if full is not None:
                of_c_now.addmm_(now[:, 3 * dim :], full[2 * dim :])
        now[:, : 3 * dim].view(-1, 3, dim).mul_(of_c_now[:, None])
        of_c_now *= carry[start:stop]
        if full is not None:
            of_c_now.addmm_(now[:, : 2 * dim], full[: 2 * dim])
        after = now


def _project(table: Tensor, rows: Tensor, w_x: Tensor, b: Tensor) -> Tensor:
    """W_x x + b for each token; of rows that repeat, once."""
    if len(table) < len(rows):
        return torch.addmm(b, table, w_x.T).index_select(0, rows)
    return torch.addmm(b, table.index_select(0, rows), w_x.T)


def _gradients(
    ctx: Any, inner: Tensor, table: Tensor, rows: Tensor, w_x: Tensor, h: Tensor
) -> tuple[Tensor | None, Tensor, Tensor, Tensor]:
    """Gradients of table, W_x, W_h and b from those of W_x x + W_h h + b."""
    packing: Packing = ctx.packing
    before = h.index_select(0, packing.previous)
    of_w_h = inner[len(inner) - len(before) :].T @ before
    of_b = inner.sum(dim=0)
    of_table = None
    if len(table) < len(rows):
        summed = _sum_by_row(inner, rows, len(table))
        of_w_x = summed.T @ table
        if ctx.needs_input_grad[0]:
            of_table = summed @ w_x
    else:
        of_w_x = inner.T @ table.index_select(0, rows)
        if ctx.needs_input_grad[0]:
            of_table = _sum_by_row(inner @ w_x, rows, len(table))
    return of_table, of_w_x, of_w_h, of_b


def _sum_by_row(values: Tensor, rows: Tensor, n_rows: int) -> Tensor:
    return values.new_zeros(n_rows, values.shape[1]).index_add_(0, rows, values)
