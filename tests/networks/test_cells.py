"""The order of packed tokens, and states after every token, against plain loops."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import equations
import nets
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from torch.autograd import gradcheck

from skparaphrase.networks._cells import Packing, read_tokens, run_lstm, run_simple

CPU = torch.device("cpu")
DIM_IN, DIM = 4, 3


@given(st.lists(st.integers(0, 5), max_size=8), st.booleans())
def test_packing(lengths, reverse):
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    packing = Packing(offsets, CPU, reverse=reverse)
    texts = [list(range(start, stop)) for start, stop in pairwise(offsets)]
    if reverse:
        texts = [text[::-1] for text in texts]
    by_length = sorted(texts, key=len, reverse=True)  # stable
    steps = [
        [text[t] for text in by_length if len(text) > t]
        for t in range(max(lengths, default=0))
    ]
    packed = packing.tokens.tolist()
    assert packed == [i for step in steps for i in step]
    assert [packed[a:b] for a, b in pairwise(packing.starts)] == steps
    before = {text[t]: text[t - 1] for text in texts for t in range(1, len(text))}
    later = packed[len(packed) - len(packing.previous) :]
    assert [packed[row] for row in packing.previous] == [before[i] for i in later]

    values = torch.arange(1, 1 + sum(lengths))[:, None]
    assert_array_equal(packing.unpack(values[packing.tokens]), values)
    last = packing.last(values[packing.tokens]).ravel().tolist()
    assert last == [text[-1] + 1 if text else 0 for text in texts]


def slow_simple(x, w_x, w_h, b, f):
    return equations.rnn_states(x, {"W_x": w_x, "W_h": w_h, "b": b}, f)


def slow_lstm(x, w_x, w_h, b, w_c=()):
    """Blocks are stacked by gate; there are peepholes of i, f and o."""
    p, n_gates = {}, len(b) // DIM
    for name, blocks in (("W_x", w_x), ("W_h", w_h), ("b_", b)):
        for gate, block in zip("ifco", np.split(blocks, n_gates), strict=False):
            p[name + gate] = block
    p |= {f"W_c{gate}": peephole for gate, peephole in zip("ifo", w_c, strict=False)}
    return equations.lstm_states(x, p)


SHAPES = [(DIM, DIM_IN), (DIM, DIM), (DIM,)]


def lstm_shapes(n_gates, *peepholes):
    shapes = [(n_gates * DIM, *rest) for _, *rest in SHAPES]
    return [*shapes, (n_gates - 1, *peepholes)] if peepholes else shapes


def lstm(table, rows, packing, w_x, w_h, b, w_c=None):
    return run_lstm(table, rows, w_x, w_h, b, w_c, packing)


CELLS = {
    **{
        f: (
            SHAPES,
            lambda table, rows, packing, *p, f=f: run_simple(
                table, rows, *p, packing, f
            ),
            lambda x, *p, f=f: slow_simple(x, *p, f),
        )
        for f in equations.F
    },
    **{
        f"lstm, {n} gates, {name}": (lstm_shapes(n, *shape), lstm, slow_lstm)
        for n in (3, 4)
        for name, shape in {"none": (), "diagonal": [DIM], "full": [DIM] * 2}.items()
    },
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n_rows", [3, 40])  # fewer rows than tokens, and more
@pytest.mark.parametrize("name", CELLS)
def test_states_of_all_tokens(name, n_rows, reverse):
    shapes, run, slow = CELLS[name]
    rng = np.random.default_rng(0)
    p = [torch.from_numpy(0.6 * rng.normal(size=shape)) for shape in shapes]
    table, ids, offsets = nets.make_batch([3, 0, 1, 4, 4, 2], n_rows)

    def states(table, *p):
        return read_tokens(
            lambda *batch: run(*batch, *p), table, ids, offsets, reverse=reverse
        )

    found = states(table, *p)
    for start, stop in pairwise(offsets):
        x = table[ids[start:stop]].numpy()
        expected = slow(x[::-1] if reverse else x, *(w.numpy() for w in p))
        expected = np.reshape(expected[::-1] if reverse else expected, (-1, DIM))
        assert_allclose(found[start:stop], expected, atol=1e-12)
    assert gradcheck(states, [w.requires_grad_() for w in (table, *p)])
    frozen = torch.autograd.grad(states(table.detach(), *p).pow(3).sum(), p)
    whole = torch.autograd.grad(states(table, *p).pow(3).sum(), p)
    for one, other in zip(frozen, whole, strict=True):
        assert_array_equal(one, other)
