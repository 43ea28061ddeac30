"""States, similarity cube and focus of word interaction against slow NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.nn import Interaction
from skparaphrase.nn._context import Context
from skparaphrase.nn._cube import focus_mask, focus_weights, similarity_cube

DIM_IN, DIM = 4, 3
LENGTHS = {
    "ragged": [3, 0, 1, 6, 6, 2, 0, 1],
    "ones": [1, 1],
    "single": [5],
    "all empty": [0, 0],
    "none": [],
}


def make_context(share_directions, seed=0):
    """In double precision, with weights large enough for every term to show."""
    context = Context(DIM_IN, DIM, share_directions=share_directions).double()
    enlarge(context, seed)
    return context


def enlarge(module, seed=0):
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.from_numpy(0.7 * rng.normal(size=parameter.shape)))


def make_batch(lengths, n_rows=9, seed=0):
    rng = np.random.default_rng(seed)
    table = torch.from_numpy(rng.normal(size=(n_rows, DIM_IN)))
    ids = torch.from_numpy(rng.integers(n_rows, size=sum(lengths)))
    return table, ids, np.append(0, np.cumsum(lengths)).astype(np.int64)


# States


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def slow_lstm(memory, vectors):
    """States of one text from left to right, gate by gate."""
    w_x, w_h, b_x, b_h = (
        np.split(tensor.detach().numpy(), 4)
        for tensor in (memory.W_x, memory.W_h, memory.b_x, memory.b_h)
    )
    h = c = np.zeros(DIM)
    states = []
    for x in vectors:
        i, f, g, o = (
            w_x[gate] @ x + b_x[gate] + w_h[gate] @ h + b_h[gate] for gate in range(4)
        )
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states).reshape(-1, DIM)


def slow_states(context, vectors):
    """Both directions of one text; the backward reader begins at its end."""
    other = context.forwards if context.backwards is None else context.backwards
    return slow_lstm(context.forwards, vectors), slow_lstm(other, vectors[::-1])[::-1]


@pytest.mark.parametrize("share_directions", [True, False])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_states_equal_a_loop_over_tokens(lengths, share_directions):
    context = make_context(share_directions)
    table, ids, offsets = make_batch(lengths)
    forwards, backwards = context(table, ids, offsets)
    vectors = np.split(table.numpy()[ids.numpy()], offsets[1:-1])
    expected = [slow_states(context, text) for text in vectors]
    for got, slow in zip(
        (forwards, backwards), zip(*expected, strict=True), strict=True
    ):
        assert got.shape == (sum(lengths), DIM)
        assert_allclose(got.detach().numpy(), np.concatenate(slow), rtol=1e-12)


@pytest.mark.parametrize("share_directions", [True, False])
def test_gradients_of_states_equal_those_of_torch(share_directions):
    context = make_context(share_directions)
    table, ids, offsets = make_batch([3, 5, 0, 1])
    table.requires_grad_()
    rng = np.random.default_rng(1)
    pulls = torch.from_numpy(rng.normal(size=(2, len(ids), DIM)))

    forwards, backwards = context(table, ids, offsets)
    loss = (forwards * pulls[0] + backwards * pulls[1]).sum()
    inputs = [table, *context.parameters()]
    got = torch.autograd.grad(loss, inputs)

    memories = [context.forwards, context.backwards or context.forwards]
    theirs = [torch.nn.LSTM(DIM_IN, DIM).double() for _ in memories]
    with torch.no_grad():
        for memory, lstm in zip(memories, theirs, strict=True):
            for ours, name in (
                (memory.W_x, "weight_ih_l0"), (memory.W_h, "weight_hh_l0"),
                (memory.b_x, "bias_ih_l0"), (memory.b_h, "bias_hh_l0"),
            ):  # fmt: skip
                getattr(lstm, name).copy_(ours)
    loss = torch.zeros(())
    for start, stop in pairwise(offsets):
        if start < stop:
            vectors = table[ids[start:stop]]
            there, back = theirs[0](vectors)[0], theirs[1](vectors.flip(0))[0].flip(0)
            loss = loss + (there * pulls[0, start:stop]).sum()
            loss = loss + (back * pulls[1, start:stop]).sum()
    weights = [[*lstm.parameters()] for lstm in theirs]
    of_table, *rest = torch.autograd.grad(loss, [table, *weights[0], *weights[1]])
    if share_directions:
        rest = [one + other for one, other in zip(rest[:4], rest[4:], strict=True)]
    for ours, expected in zip(got, [of_table, *rest], strict=True):
        assert_allclose(ours.numpy(), expected.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("share_directions", [True, False])
def test_draws_of_the_memories(share_directions):
    context = Context(100, 64, share_directions=share_directions)
    context.reset(np.random.RandomState(0))
    named = {name: p.detach().numpy() for name, p in context.named_parameters()}
    assert len(named) == (4 if share_directions else 8)
    for name, values in named.items():
        bound = 0.1 if name.endswith("x") else 0.125  # 1 / sqrt(100), 1 / sqrt(64)
        assert np.abs(values).max() <= bound
        assert_allclose([values.min(), values.max()], [-bound, bound], rtol=0.05)
        assert_allclose(values.std(), bound / 3**0.5, rtol=0.1)
    of_biases = [values for name, values in named.items() if ".b" in name]
    assert len({values.tobytes() for values in of_biases}) == len(of_biases)
    again = Context(100, 64, share_directions=share_directions)
    again.reset(np.random.RandomState(0))
    for name, parameter in again.named_parameters():
        assert_array_equal(parameter.detach().numpy(), named[name])


# Cube


def slow_cube(first, second, size):
    """Cell by cell; of each word a forward and a backward state."""
    cube = np.zeros((13, size, size))
    for i, (f1, b1) in enumerate(zip(*first, strict=True)):
        for j, (f2, b2) in enumerate(zip(*second, strict=True)):
            if i >= size or j >= size:
                continue
            cell = []
            for x, y in (
                (f1, f2),
                (b1, b2),
                (f1 + b1, f2 + b2),
                (np.append(f1, b1), np.append(f2, b2)),
            ):
                lengths = np.linalg.norm(x) * np.linalg.norm(y)
                cell.append(x @ y / lengths if lengths else 0)
                cell.append(-np.linalg.norm(x - y))
                cell.append(x @ y)
            cube[:, i, j] = [*cell, 1]
    return cube


def make_states(n_pairs, length, seed):
    rng = np.random.default_rng(seed)
    return tuple(torch.from_numpy(rng.normal(size=(n_pairs, length, 3))) for _ in "fb")


def real_cells(lengths1, lengths2, shape):
    rows = torch.arange(shape[0]) < torch.tensor(lengths1)[:, None]
    columns = torch.arange(shape[1]) < torch.tensor(lengths2)[:, None]
    return rows[:, :, None] & columns[:, None, :]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_cube_equals_a_loop_over_cells(dtype):
    lengths = [5, 3, 1, 0, 2], [4, 6, 6, 3, 0]
    first, second = make_states(5, 5, 0), make_states(5, 6, 1)
    for forwards, backwards in (first, second):  # a word of zeros
        forwards[0, 1] = backwards[0, 1] = 0
    first, second = (tuple(s.to(dtype) for s in side) for side in (first, second))
    cube = similarity_cube(first, second, real_cells(*lengths, (5, 6)))
    assert cube.shape == (5, 13, 5, 6)
    assert cube.dtype == torch.float64
    for n, (length1, length2) in enumerate(zip(*lengths, strict=True)):
        one = [s[n, :length1].double().numpy() for s in first]
        two = [s[n, :length2].double().numpy() for s in second]
        expected = slow_cube(one, two, 6)[:, :5]
        assert_allclose(cube[n].numpy(), expected, rtol=1e-9, atol=3e-8)
    assert_array_equal(cube[0, [0, 3, 6, 9, 2, 5, 8, 11], 1], 0)


def test_cube_of_the_same_sentence():
    side = make_states(2, 6, 0)
    cube = similarity_cube(side, side, torch.ones(2, 6, 6, dtype=torch.bool))
    diagonal = cube.diagonal(dim1=2, dim2=3).numpy()
    assert_allclose(diagonal[:, [0, 3, 6, 9]], 1, rtol=1e-12)
    assert_allclose(diagonal[:, [1, 4, 7, 10]], 0, atol=1e-7)
    assert_allclose(cube, cube.transpose(2, 3), rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("distance", [0.0, 1e-6, 4e-6, 1.0])
def test_slope_of_a_distance(distance):
    """(y - x) / (d + 1e-6), which is zero for equal words."""
    rng = np.random.default_rng(0)
    y, step = rng.normal(size=(2, 3))
    step *= distance / np.linalg.norm(step)
    f1, f2 = (torch.tensor(x).view(1, 1, 3) for x in (y + step, y))
    blank, cell = torch.zeros(1, 1, 3), torch.ones(1, 1, 1, dtype=torch.bool)
    f1.requires_grad_()
    for channel in (1, 7, 10):
        cube = similarity_cube((f1, blank.double()), (f2, blank.double()), cell)
        (slope,) = torch.autograd.grad(cube[0, channel, 0, 0], f1)
        expected = -step / (distance + 1e-6)
        assert_allclose(slope[0, 0], expected, rtol=2e-3, atol=1e-9)


@pytest.mark.parametrize("channel", range(12))
def test_slopes_of_the_cube(channel):
    first, second = make_states(1, 2, 0), make_states(1, 3, 1)
    real = torch.ones(1, 2, 3, dtype=torch.bool)
    inputs = [s.requires_grad_() for s in (*first, *second)]
    assert torch.autograd.gradcheck(
        lambda a, b, c, d: similarity_cube((a, b), (c, d), real)[:, channel], inputs
    )


@pytest.mark.parametrize("context", [True, False])
def test_whole_sentences_are_read_and_their_beginnings_compared(context):
    """The reader from the end begins behind the limit."""
    net = Interaction(DIM_IN, DIM, 2, limit=32, context=context).double()
    enlarge(net.context or net.grid)
    table, ids, offsets = make_batch([40, 3, 33, 32, 0])
    pairs = np.array([[0, 1], [1, 0], [0, 2], [3, 2], [4, 0], [1, 4], [1, 1]])
    states = net.states(table, ids, offsets)
    cube = net.cube(states, offsets, pairs).detach().numpy()
    assert cube.shape == (7, 13, 32, 32)
    texts = np.split(table.numpy()[ids.numpy()], offsets[1:-1])
    slow = [slow_states(net.context, x) if context else (x, x) for x in texts]
    for got, (one, two) in zip(cube, pairs, strict=True):
        assert_allclose(got, slow_cube(slow[one], slow[two], 32), rtol=1e-9, atol=1e-7)
    small = net.cube(states, offsets, np.array([[1, 1], [4, 1]]))
    assert small.shape == (2, 13, 3, 3)
    assert_allclose(small[0].detach().numpy(), cube[-1, :, :3, :3], atol=1e-7)


# Focus


def slow_focus(cube):
    """The greedy walk over the sorted cells of two planes."""
    size1, size2 = cube.shape[1:]
    picked = np.zeros((size1, size2), dtype=bool)
    for plane in (cube[9], cube[10]):
        cells = [(i, j) for i in range(size1) for j in range(size2)]
        rows, columns = set(), set()
        for i, j in sorted(cells, key=lambda cell: -plane[cell]):
            if cube[12, i, j] == 1 and i not in rows and j not in columns:
                picked[i, j] = True
                rows.add(i)
                columns.add(j)
    return picked


@st.composite
def cubes(draw):
    """Cubes of several pairs; few distinct values, so that many cells tie."""
    sizes = st.tuples(st.integers(0, 5), st.integers(0, 5))
    lengths = draw(st.lists(sizes, min_size=1, max_size=4))
    height, width = np.max(lengths, axis=0) + draw(sizes)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cube = rng.integers(-draw(st.integers(1, 40)), 3, (len(lengths), 13, height, width))
    cube[:, 12] = 0
    for pair, (length1, length2) in zip(cube, lengths, strict=True):
        pair[12, :length1, :length2] = 1
        pair *= pair[12]
    return cube.astype(float), lengths


@given(cubes())
def test_focus_equals_a_greedy_walk(drawn):
    cube, lengths = drawn
    picked = focus_mask(torch.from_numpy(cube)).numpy()
    assert picked.shape == (len(cube), *cube.shape[2:])
    for got, pair, (length1, length2) in zip(picked, cube, lengths, strict=True):
        assert_array_equal(got, slow_focus(pair))
        fewest = min(length1, length2)
        assert fewest <= got.sum() <= 2 * fewest
        assert not got[pair[12] == 0].any()


@pytest.mark.parametrize(("height", "width"), [(32, 32), (48, 9), (1, 48), (7, 1)])
def test_focus_on_values_that_do_not_tie(height, width):
    rng = np.random.default_rng(0)
    cube = rng.normal(size=(6, 13, height, width)).astype(np.float32).astype(float)
    cube[:, 12] = 1
    cube[3:, :, :, width // 2 :] = 0
    picked = focus_mask(torch.from_numpy(cube)).numpy()
    for got, pair in zip(picked, cube, strict=True):
        assert_array_equal(got, slow_focus(pair))


def test_focus_goes_on_to_the_end_of_the_list():
    """The best cells share a row: a walk of 2 n cells would leave words alone."""
    plane = np.full((4, 4), -9.0)
    plane[0] = [8, 7, 6, 5]
    plane[1] = [7.5, 6.5, 5.5, 4.5]
    cube = np.zeros((1, 13, 4, 4))
    cube[0, [9, 10]], cube[0, 12] = plane, 1
    cube[0, 9, 3, 2], cube[0, 10, 3, 3] = -8, -8
    picked = focus_mask(torch.from_numpy(cube))[0].numpy().astype(int)
    assert_array_equal(picked, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])


@pytest.mark.parametrize("context", [True, False])
def test_the_same_sentence_is_matched_along_the_diagonal(context):
    """Also where a word is repeated."""
    net = Interaction(DIM_IN, DIM, 2, limit=32, context=context).double()
    enlarge(net.context or net.grid)
    table, _, offsets = make_batch([7, 32, 1, 7])
    ids = np.random.default_rng(3).integers(9, size=offsets[-1])
    ids[-7:] = [1, 2, 1, 1, 3, 2, 1]
    states = net.states(table, torch.from_numpy(ids), offsets)
    picked = focus_mask(net.cube(states, offsets, np.repeat(range(4), 2).reshape(4, 2)))
    for got, length in zip(picked.numpy(), np.diff(offsets), strict=True):
        expected = np.diag(np.arange(32) < length)
        assert_array_equal(got, expected)


def test_what_is_repeated_is_matched_in_reading_order():
    """Rounding does not tell two occurrences of a word apart, in any batch."""
    rng = np.random.default_rng(0)
    table = torch.from_numpy(rng.normal(size=(6, 50)).astype(np.float32))
    net = Interaction(50, 50, 2, limit=32, context=False)
    lengths = rng.integers(3, 20, 40)
    offsets = np.append(0, lengths.cumsum())
    ids = torch.from_numpy(rng.integers(6, size=offsets[-1]))
    states, pairs = net.states(table, ids, offsets), np.arange(40).reshape(-1, 2)
    together = focus_mask(net.cube(states, offsets, pairs))
    products = (table.double() @ table.double().T).numpy()
    lengths = np.sqrt(np.diag(products))
    cosines = products / np.outer(lengths, lengths)
    distances = np.linalg.norm(table.numpy()[:, None] - table.numpy(), axis=2)
    for n, (one, two) in enumerate(pairs):
        words = np.ix_(*(ids[offsets[t] : offsets[t + 1]].numpy() for t in (one, two)))
        cube = np.zeros((13, *cosines[words].shape))
        cube[9], cube[10], cube[12] = cosines[words], -distances[words], 1
        expected = slow_focus(cube)
        height, width = expected.shape
        assert_array_equal(together[n, :height, :width].numpy(), expected)
        alone = focus_mask(net.cube(states, offsets, pairs[n : n + 1]))[0]
        assert_array_equal(alone.numpy(), expected)


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_focus_without_cells(n_pairs, height, width):
    if n_pairs and height and width:
        height = 0
    picked = focus_mask(torch.zeros(n_pairs, 13, height, width).double())
    assert picked.shape == (n_pairs, height, width)


def test_focus_weighs_all_channels():
    rng = np.random.default_rng(0)
    cube = rng.normal(size=(3, 13, 6, 4))
    cube[:, 12] = 1
    cube[1, :, 3:] = 0
    net = Interaction(DIM_IN, DIM, 2, limit=32)
    got = net.focused(torch.from_numpy(cube), np.random.RandomState(0))
    assert got.dtype == torch.float32
    for weighed, pair in zip(got.numpy(), cube, strict=True):
        expected = pair * np.where(slow_focus(pair), 1, 0.1)  # the indicator, too
        assert_allclose(weighed, expected, rtol=1e-6)
    weights = focus_weights(torch.tensor([[[True, False]]]))
    assert_allclose(weights, [[[1, 0.1]]], rtol=1e-7)


def test_no_focus():
    cube = torch.from_numpy(np.random.default_rng(0).normal(size=(2, 13, 5, 3)))
    for focus, state in (
        ("none", None), ("none", np.random.RandomState(0)), ("dropout", None),
    ):  # fmt: skip
        net = Interaction(DIM_IN, DIM, 2, limit=32, focus=focus)
        assert_array_equal(net.focused(cube, state), cube.float())


def test_chance_drops_values_in_training():
    cube = torch.from_numpy(np.random.default_rng(0).normal(size=(40, 13, 9, 8)))
    net = Interaction(DIM_IN, DIM, 2, limit=32, focus="dropout", dropout=0.3)
    state = np.random.RandomState(0)
    factors = (net.focused(cube, state) / cube).numpy()
    kept = factors > 0.5
    assert_allclose(factors[kept], 1 / 0.7, rtol=1e-6)
    assert_allclose(factors[~kept], 0, atol=1e-6)
    assert_allclose(factors.mean(), 1, atol=0.02)  # the expectation stays
    # Each value by itself, not whole cells nor whole channels.
    for axis in (0, 1, 2, 3):
        assert_allclose(kept.mean(axis=axis).std() / kept.std(),
                        kept.shape[axis] ** -0.5, rtol=0.2)  # fmt: skip
    assert (net.focused(cube, state) / cube > 0.5).numpy().tolist() != kept.tolist()
