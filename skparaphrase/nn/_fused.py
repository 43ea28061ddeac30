"""A step of a long short-term memory in one kernel, on CUDA."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor
from torch.cuda import jiterator

# Numbers of one unit at one step; the products with matrices are done before. They are
# compiled by what comes with torch and its driver: nobody needs a compiler.
FORWARD = """
template <typename T> void lstm_forward(
    T i, T f, T g, T o, T c_before, T w_i, T w_f, T w_o,
    T& i_now, T& f_now, T& g_now, T& o_now, T& c_now, T& tanh_c, T& h) {
  i_now = T(1) / (T(1) + ::exp(-(i + w_i * c_before)));
  f_now = T(1) / (T(1) + ::exp(-(f + w_f * c_before)));
  g_now = ::tanh(g);
  c_now = f_now * c_before + i_now * g_now;
  o_now = T(1) / (T(1) + ::exp(-(o + w_o * c_now)));
  tanh_c = ::tanh(c_now);
  h = o_now * tanh_c;
}
"""
FORWARD_WITHOUT_OUTPUT = """
template <typename T> void lstm_forward_without_output(
    T i, T f, T g, T c_before, T w_i, T w_f,
    T& i_now, T& f_now, T& g_now, T& c_now, T& h) {
  i_now = T(1) / (T(1) + ::exp(-(i + w_i * c_before)));
  f_now = T(1) / (T(1) + ::exp(-(f + w_f * c_before)));
  g_now = ::tanh(g);
  c_now = f_now * c_before + i_now * g_now;
  h = ::tanh(c_now);
}
"""
BACKWARD = """
template <typename T> T lstm_backward(
    T slope, T of_h, T of_c, T to_cell, T is_output) {
  return slope * (is_output != T(0) ? of_h : of_c + of_h * to_cell);
}
"""


class Kernels(NamedTuple):
    """What the code above does, on tensors that broadcast."""

    forward: Callable[..., tuple[Tensor, ...]]
    backward: Callable[..., Tensor]


def find_kernels(w_h: Tensor, w_c: Tensor | None) -> Kernels | None:
    """Kernels for such a memory; None where there are none.

    They know peepholes that are vectors, or no peepholes.

    Parameters
    ----------
    w_h, w_c : Tensor
        As in :func:`skparaphrase.nn._cells.run_lstm`.
    """
    if w_h.device.type != "cuda" or (w_c is not None and w_c.dim() != 2):
        return None
    return _compiled(w_h.device, w_h.dtype, len(w_h) // w_h.shape[1])


@cache
def _compiled(device: torch.device, dtype: torch.dtype, n_gates: int) -> Kernels | None:
    code = FORWARD if n_gates == 4 else FORWARD_WITHOUT_OUTPUT
    one = torch.ones(1, device=device, dtype=dtype)
    try:
        kernels = Kernels(
            jiterator._create_multi_output_jit_fn(code, num_outputs=2 * n_gates - 1),
            jiterator._create_jit_fn(BACKWARD),
        )
        kernels.forward(*[one] * (2 * n_gates))
        kernels.backward(*[one] * 5)
    except Exception:  # a platform without its parts; the plain steps do the same
        return None
    return kernels


def forward(
    kernels: Kernels, gates: Tensor, w_h: Tensor, w_c: Tensor | None, starts: list[int]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """All steps.

    Parameters
    ----------
    kernels : Kernels
    gates : Tensor of shape (n_tokens, n_gates * dim)
        W_x x + b, packed; overwritten.
    w_h : Tensor of shape (n_gates * dim, dim)
    w_c : Tensor of shape (n_gates - 1, dim) or None
    starts : list of int
        Of :class:`skparaphrase.nn._packing.Packing`.

    Returns
    -------
    gates : Tensor of shape (n_tokens, n_gates * dim)
        Activated.
    c, tanh_c, h : Tensor of shape (n_tokens, dim)
    """
    dim = w_h.shape[1]
    n_gates = len(w_h) // dim
    peepholes = gates.new_zeros(n_gates - 1, 1) if w_c is None else w_c
    c = gates.new_zeros(1, 1)  # c_0 of every text
    h = None
    steps = []
    for start, stop in pairwise(starts):
        now = gates[start:stop]
        if h is not None:
            now.addmm_(h[: len(now)], w_h.T)
            c = c[: len(now)]
        steps.append(kernels.forward(*now.split(dim, dim=1), c, *peepholes))
        c, h = steps[-1][n_gates], steps[-1][-1]
    if not steps:
        empty = gates.new_empty(0, dim)
        return gates, empty, empty, empty
    found = [torch.cat(parts) for parts in zip(*steps, strict=True)]
    # Without an output gate h is tanh(c), and not there twice.
    c, tanh_c, h = found[n_gates], found[n_gates + 1], found[-1]
    return torch.cat(found[:n_gates], dim=1), c, tanh_c, h


def backward(
    kernels: Kernels, slopes: Tensor, to_cell: Tensor, of_h: Tensor, w_h: Tensor,
    starts: list[int],
) -> Tensor:  # fmt: skip
    """Gradients before the gates, from the last step on.

    Parameters
    ----------
    kernels : Kernels
    slopes : Tensor of shape (n_tokens, (n_gates + 1) * dim)
        What the gradient of c, and for o that of h, is multiplied by: for the gates,
        and for the c of the step before.
    to_cell : Tensor of shape (n_tokens, dim)
        What goes from h to c.
    of_h : Tensor of shape (n_tokens, dim)
        Gradient of the states; overwritten.
    w_h : Tensor of shape (n_gates * dim, dim)
    starts : list of int

    Returns
    -------
    gradients : Tensor of shape (n_tokens, n_gates * dim)
    """
    dim = w_h.shape[1]
    n_gates = len(w_h) // dim
    is_output = of_h.new_zeros(n_gates + 1, 1)
    if n_gates == 4:
        is_output[3] = 1
    of_c = of_h.new_zeros(0, dim)
    after = of_h.new_zeros(0, n_gates * dim)
    steps = []
    for start, stop in reversed(list(pairwise(starts))):
        now = of_h[start:stop]
        n_ended = len(now) - len(after)
        now[: len(after)].addmm_(after, w_h)
        if n_ended:  # texts whose last step this is
            of_c = torch.cat([of_c, of_c.new_zeros(n_ended, dim)])
        found = kernels.backward(
            slopes[start:stop].view(-1, n_gates + 1, dim),
            now[:, None],
            of_c[:, None],
            to_cell[start:stop, None],
            is_output,
        )
        after = found[:, :n_gates].flatten(1)
        of_c = found[:, n_gates]
        steps.append(after)
    return torch.cat(steps[::-1]) if steps else slopes[:, : n_gates * dim]
