"""The similarity cube, its focus, and similarities of texts against slow NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise, product

import nets
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from torch.autograd import gradcheck

from skparaphrase.networks._interaction import (
    Interaction,
    cosines,
    coverages,
    focus_mask,
    similarity_cube,
)

DIM_IN, DIM = 4, 3


# Cube


def slow_cube(first, second):
    """Cell by cell, with a forward and a backward state for each word."""
    cube = np.zeros((13, 5, 6))
    for i, (f1, b1) in enumerate(zip(*first, strict=True)):
        for j, (f2, b2) in enumerate(zip(*second, strict=True)):
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
        expected = slow_cube(one, two)
        assert_allclose(cube[n].numpy(), expected, rtol=1e-9, atol=3e-8)
    assert_array_equal(cube[0, [0, 3, 6, 9, 2, 5, 8, 11], 1], 0)


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


def printed_focus(cube):
    """Algorithm 2, line by line, on the cells of two sentences; its factors."""
    n1, n2 = cube.shape[1:]
    mask = np.full(cube.shape, 0.1)
    for channel in (6, 7):  # 10 and 11, counted from 1 in the order of the paper
        tag1, tag2 = np.zeros(n1), np.zeros(n2)
        sort_index = np.argsort(-cube[channel].ravel(), kind="stable")
        for n in range(min(n1 + n2, n1 * n2)):
            position1, position2 = divmod(sort_index[n], n2)
            if tag1[position1] + tag2[position2] == 0:
                tag1[position1] = tag2[position2] = 1
                mask[:, position1, position2] = 1
    mask[12] = 1
    return mask


@st.composite
def cubes(draw):
    """Cubes of several pairs, with few distinct values and thus many ties."""
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
    net = Interaction(DIM_IN, DIM, 2, max_words=32)
    focused = net.focused(torch.from_numpy(cube), np.random.RandomState(0))
    for got, whole, pair, (length1, length2) in zip(
        picked, focused, cube, lengths, strict=True
    ):
        assert_array_equal(got, slow_focus(pair))
        weighted = pair * np.where(got, 1, 0.1)  # the indicator, too
        assert_allclose(whole, weighted, rtol=1e-6)
        fewest = min(length1, length2)
        assert fewest <= got.sum() <= 2 * fewest
        assert not got[pair[12] == 0].any()


@given(cubes())
def test_focus_as_printed(drawn):
    cube, lengths = drawn
    net = Interaction(DIM_IN, DIM, 2, max_words=32, focus="paper")
    focused = net.focused(torch.from_numpy(cube), None).numpy()
    picked = focus_mask(torch.from_numpy(cube), "paper").numpy()
    for got, cells, pair, (n1, n2) in zip(focused, picked, cube, lengths, strict=True):
        weights = printed_focus(pair[:, :n1, :n2])
        expected = np.zeros_like(pair)
        expected[:, :n1, :n2] = pair[:, :n1, :n2] * weights
        assert_allclose(got, expected, rtol=1e-6)
        assert_array_equal(cells[:n1, :n2], weights[0] == 1)
        assert cells.sum() == cells[:n1, :n2].sum()


@pytest.mark.parametrize("dim", [DIM, None])
def test_the_same_sentence_is_matched_along_the_diagonal(dim):
    """Also where a word is repeated."""
    net = nets.randomise(Interaction(DIM_IN, dim, 2, max_words=32))
    table, _, offsets = nets.make_batch([7, 32, 1, 7])
    ids = np.random.default_rng(3).integers(9, size=offsets[-1])
    ids[-7:] = [1, 2, 1, 1, 3, 2, 1]
    states = net.states(table, torch.from_numpy(ids), offsets)
    picked = focus_mask(net.cube(states, offsets, np.repeat(range(4), 2).reshape(4, 2)))
    for got, length in zip(picked.numpy(), np.diff(offsets), strict=True):
        assert_array_equal(got, np.diag(np.arange(32) < length))


def test_what_is_repeated_is_matched_in_reading_order():
    """Rounding does not distinguish two occurrences of a word in any batch."""
    rng = np.random.default_rng(0)
    table = torch.from_numpy(rng.normal(size=(6, 50)).astype(np.float32))
    net = Interaction(50, None, 2, max_words=32)
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


def test_chance_drops_values_in_training():
    cube = torch.from_numpy(np.random.default_rng(0).normal(size=(40, 13, 9, 8)))
    net = Interaction(DIM_IN, DIM, 2, max_words=32, focus="dropout")
    state = np.random.RandomState(0)
    factors = (net.focused(cube, state) / cube).numpy()
    kept = factors > 0.5
    assert_allclose(factors[kept], 1 / 0.7, rtol=1e-6)
    assert_allclose(factors[~kept], 0, atol=1e-6)
    assert_allclose(factors.mean(), 1, atol=0.02)  # the expectation stays
    # Each value by itself, not whole cells nor whole channels.
    for axis in range(4):
        spread = kept.mean(axis=axis).std() / kept.std()
        assert_allclose(spread, kept.shape[axis] ** -0.5, rtol=0.2)
    assert (net.focused(cube, state) / cube > 0.5).numpy().tolist() != kept.tolist()
    assert_array_equal(net.focused(cube, None), cube.float())


# Similarities of whole texts


def slow_cosine(a, b):
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / lengths if lengths else 0.0


def slow_coverage(first, second):
    """Mihalcea et al. (2006), with lengths as weights."""
    weights = [np.linalg.norm(a) for a in first]
    best = [max([0.0, *(slow_cosine(a, b) for b in second)]) for a in first]
    return np.dot(weights, best) / sum(weights) if sum(weights) else 0.0


def test_similarities_equal_a_loop_over_words():
    lengths = [5, 3, 1, 0, 40, 2, 1, 1]
    table, ids, offsets = nets.make_batch(lengths)
    table[2] = 0
    table[1] = -table[0]
    ids[-4:] = torch.tensor([2, 2, 0, 1])  # no direction; opposite words
    texts = [table[ids[i:j]].numpy() for i, j in pairwise(offsets)]
    pairs = np.array([*product(range(len(texts)), repeat=2)])
    found = cosines(table, ids, offsets, pairs)
    averages = [text.sum(axis=0) for text in texts]
    expected = [slow_cosine(averages[i], averages[j]) for i, j in pairs]
    assert_allclose(found, expected, atol=1e-12)
    found = coverages(table, ids, offsets, pairs, 32)
    expected = [slow_coverage(texts[i][:32], texts[j][:32]) for i, j in pairs]
    assert_allclose(found, expected, atol=1e-12)
    assert found[-2] == 0 and len(np.unique(found.round(decimals=9))) > 12
    empty = np.array([[3, 3]])
    assert coverages(table, ids, offsets, empty, 32) == 0
    assert coverages(table, ids[:0], np.zeros(5, int), empty, 32) == 0


def test_gradients_of_similarities():
    table, ids, offsets = nets.make_batch([5, 3, 1, 4], n_rows=13)
    pairs = np.array([*product(range(4), repeat=2)])[1:]
    table.requires_grad_()
    assert gradcheck(lambda t: cosines(t, ids, offsets, pairs), (table,))
    assert gradcheck(lambda t: coverages(t, ids, offsets, pairs, 32), (table,))
