"""Sums and averages of rows against loops over texts in double precision."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase import _core
from skparaphrase._core import _plain

POOLINGS = ["mean", "sum", "distinct"]


def table(dtype, n=40, dim=7, n_extra=0, seed=0):
    """A matrix, its scale or None, extra rows or None, and all rows in float64."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, dim))
    extra = rng.standard_normal((n_extra, dim)).astype(np.float32)
    scale = None
    if dtype == "int8":
        scale = rng.random(n).astype(np.float32)
        matrix = rng.integers(-128, 128, (n, dim), dtype=np.int8)
        rows = matrix * scale[:, np.newaxis].astype(float)
    else:
        matrix = rows.astype(dtype)
        rows = matrix.astype(float)
    return matrix, scale, extra if n_extra else None, np.vstack([rows, extra[::-1]])


def ragged(texts):
    ids = np.array([i for ids in texts for i in ids], np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def pool(core, parts, texts, weights=None, pooling="mean", start=0.0):
    """Sums, and shares or None."""
    matrix, scale, extra, *_ = parts
    dtype = np.float64 if matrix.dtype == np.float64 else np.float32
    out = np.full((len(texts), matrix.shape[1]), start, dtype)
    ids, offsets = ragged(texts)
    shares = core.pool_rows(matrix, scale, extra, ids, offsets, weights, pooling, out)
    assert shares is None or shares.dtype == dtype
    return out, shares


def unit(row):
    return row / (np.linalg.norm(row) or 1)


def slow_windows(n):
    """The positions of each of the fewest windows of at most 32 tokens."""
    count = next(count for count in range(1, n + 2) if n <= 32 * count)
    bounds = [n * i // count for i in range(count + 1)]
    return [range(*each) for each in pairwise(bounds)]


def slow_pool(rows, texts, weights, pooling):
    sums, shares, n = [], [], 0
    for ids in texts:
        factors = np.ones(len(ids)) if weights is None else weights[n : n + len(ids)]
        x = np.array([f * rows[i] for f, i in zip(factors, ids, strict=True)])
        n += len(ids)
        share = np.ones(len(ids)) / (len(ids) if pooling == "mean" and ids else 1)
        for window in slow_windows(len(ids)) if pooling == "distinct" and ids else []:
            first = [i for i in window if ids[i] not in ids[window[0] : i]]
            share[window] = 0
            for i in first:
                others = sum(unit(x[i]) @ unit(x[j]) for j in first)
                share[i] = max(others, 1) ** -0.5
            along = unit(share[window] @ x[window])
            for i in first:
                share[i] *= (0.3 + max(unit(x[i]) @ along, 0)) ** -0.35
            share[window] *= len(window) / len(ids) / share[window].sum()
        sums.append(share @ x if ids else 0 * rows[0])
        shares += [*share]
    return np.reshape(sums, (len(texts), rows.shape[1])), np.array(shares)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "float64"])
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("dim", "n_extra"), [(1, 3), (15, 0), (16, 3), (17, 0)])
def test_sums_of_rows(core, dtype, pooling, weighted, dim, n_extra):
    rng = np.random.default_rng(dim)
    parts = table(dtype, dim=dim, n_extra=n_extra)
    sizes = [0, 0, *rng.integers(9, size=300), 60, 0]  # with and without repeats
    sizes += [32, 1, 33, 64, 0, 65, 7, 97]  # one window, and several
    texts = [rng.integers(-n_extra, 40, size).tolist() for size in sizes]
    n_tokens = sum(map(len, texts))
    weights = rng.choice([-1.5, 0, 0.25, 1, 2], n_tokens) if weighted else None
    if weighted:
        weights = weights.astype(np.float64 if dtype == "float64" else np.float32)
    found, shares = pool(core, parts, texts, weights, pooling, start=2.0)
    sums, expected = slow_pool(parts[-1], texts, weights, pooling)
    bound = 1e-6 * max(np.abs(sums).max(), 1)
    assert_allclose(found - 2, sums, rtol=2e-6, atol=2 * bound)
    plain, plain_shares = pool(_plain, parts, texts, weights, pooling, start=2.0)
    assert_allclose(found, plain, rtol=1e-6, atol=bound)
    assert (shares is None) == (pooling != "distinct")
    if shares is not None:
        assert_allclose(shares, expected, rtol=1e-5, atol=1e-6)
        assert_allclose(shares, plain_shares, rtol=1e-6, atol=1e-6)
        assert_array_equal(shares == 0, expected == 0)  # repeats


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dim", [1, 15, 300])
def test_rows_are_scaled_to_length_1(core, dtype, dim):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, dim)).astype(dtype)
    rows *= 10.0 ** rng.integers(-4, 4, (50, 1))
    rows[::9] *= np.array([0, 1e-30, 1e-38, 1e25, 1e33, 1e16], dtype)[:, np.newaxis]
    exact = rows.astype(np.longdouble)
    lengths = np.sqrt((exact**2).sum(axis=1, keepdims=True))
    alone = rows.copy()
    core.scale_to_unit(rows)
    assert_allclose(rows, exact / np.where(lengths > 0, lengths, 1), rtol=1e-6)
    for i in range(50):
        core.scale_to_unit(alone[i : i + 1])
    assert_array_equal(alone, rows)
    core.scale_to_unit(rows[:0])


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("dim", [3, 300])
def test_a_row_depends_on_its_text_alone(core, dtype, pooling, dim):
    """Bit-identical for other texts, orders and threads."""
    rng = np.random.default_rng(0)
    parts = table(dtype, dim=dim, n_extra=3)
    texts = [rng.integers(-3, 40, rng.integers(12)).tolist() for _ in range(600)]
    for place, size in enumerate([32, 33, 64, 65, 0, 500]):
        texts[90 * place] = rng.integers(-3, 40, size).tolist()
    whole, _ = pool(core, parts, texts, pooling=pooling)
    alone = [pool(core, parts, [text], pooling=pooling)[0][0] for text in texts]
    assert_array_equal(alone, whole)
    order = rng.permutation(len(texts))
    mixed, _ = pool(core, parts, [texts[i] for i in order], pooling=pooling)
    assert_array_equal(mixed, whole[order])
    with ThreadPoolExecutor(4) as threads:
        runs = threads.map(lambda _: pool(core, parts, texts, pooling=pooling), "12345")
        for found, _ in runs:
            assert_array_equal(found, whole)


def test_every_float16_is_read_exactly(core):
    """This includes subnormal and infinite numbers, and NaN."""
    matrix = np.arange(2**16, dtype=np.uint16).view(np.float16).reshape(-1, 32)
    texts = [[i] for i in range(len(matrix))]
    for pooling in ("sum", "mean"):
        found, _ = pool(core, (matrix, None, None), texts, pooling=pooling)
        assert_array_equal(found, matrix.astype(np.float32))


@given(
    st.lists(st.lists(st.integers(-3, 9), max_size=20), max_size=9),
    st.sampled_from(POOLINGS),
    st.integers(1, 40),
    st.sampled_from(["float32", "float16", "int8"]),
)
@settings(max_examples=200)
def test_any_texts(core, texts, pooling, dim, dtype):
    parts = table(dtype, n=10, dim=dim, n_extra=3)
    found, _ = pool(core, parts, texts, pooling=pooling)
    sums, _ = slow_pool(parts[-1], texts, None, pooling)
    assert_allclose(found, sums, rtol=2e-6, atol=2e-6 * max(np.abs(parts[-1]).max(), 1))


@pytest.mark.parametrize("size", [1e-36, 1e-23, 1e-17, 1e17, 1e20, 1e35])
def test_distinct_rows_of_any_size(core, size):
    """Their squares are too small or too large for single precision."""
    matrix = np.random.default_rng(0).normal(size=(9, 17)).astype(np.float32)
    texts = [[0, 1, 2, 1], [3], [4, 5, 6, 7, 8, 0]]
    expected, shares = pool(core, (matrix, None, None), texts, pooling="distinct")
    sized = matrix * np.float32(size)
    sums, found = pool(core, (sized, None, None), texts, pooling="distinct")
    assert_allclose(found, shares, rtol=1e-4)
    assert_allclose(sums / np.float32(size), expected, rtol=1e-3, atol=1e-5)


def test_rows_of_zeros(core):
    parts = np.zeros((2, 4), np.float32), None, None
    found, shares = pool(core, parts, [[0, 1, 0], [1]], pooling="distinct")
    assert_array_equal(found, np.zeros((2, 4)))
    assert_array_equal(shares, [0.5, 0.5, 0, 1])


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("value", [np.inf, np.nan, 1e38, 1e-30])
def test_a_fit_that_diverges_gives_no_warning(core, pooling, value):
    matrix = np.ones((3, 20), np.float32)
    matrix[0, ::2] = value
    parts = matrix, None, None
    found, _ = pool(core, parts, [[0, 1, 0, 0, 0, 0], [1, 2], [0]], pooling=pooling)
    assert_array_equal(found[1], [2.0 if pooling == "sum" else 1.0] * 20)


@pytest.mark.parametrize("dtype", ["float32", "int8", "float64"])
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("n_extra", [0, 2])
def test_no_row_outside_of_the_table(core, dtype, pooling, n_extra):
    parts = table(dtype, n_extra=n_extra)
    for row in (40, -1 - n_extra, 2**31 - 1, -(2**31)):
        with pytest.raises(IndexError):
            pool(core, parts, [[1, 2], [3, row]], pooling=pooling)


def test_a_table_may_be_read_only(core, tmp_path):
    matrix, *others = table("float32")
    path = tmp_path / "matrix"
    matrix.tofile(path)
    mapped = np.memmap(path, np.float32, "r", shape=matrix.shape)
    for pooling in POOLINGS:
        found, _ = pool(core, (mapped, *others), [[1, 2, 3]], pooling=pooling)
        expected, _ = pool(core, (matrix, *others), [[1, 2, 3]], pooling=pooling)
        assert_array_equal(found, expected)


# Gradients ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("pooling", ["mean", "sum"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dim", [1, 16, 33])
def test_gradients_are_those_of_the_sums(core, dtype, pooling, weighted, dim):
    """The sums are `A @ matrix`, so the gradients of rows are `A.T @ gradient`."""
    rng = np.random.default_rng(dim)
    texts = [rng.integers(30, size=size).tolist() for size in (0, 5, 0, 1, 90, 3, 0)]
    weights = None
    if weighted:
        weights = rng.choice([-1.5, 0, 0.25, 1], sum(map(len, texts))).astype(dtype)
    gradient = rng.standard_normal((len(texts), dim)).astype(dtype)
    out = rng.standard_normal((30, dim)).astype(dtype)
    A = slow_pool(np.eye(30), texts, weights, pooling)[0]
    expected = out + A.T @ gradient
    core.add_to_rows(gradient, *ragged(texts), weights, pooling, out)
    assert_allclose(out, expected, rtol=1e-5, atol=3e-6)


def test_gradients_with_shares(core):
    texts = [[1, 2, 1], [], [3, 3, 0, 4]]
    parts = table("float32", n=5)
    averages, shares = pool(core, parts, texts, pooling="distinct")
    gradient, rows = np.eye(3, 7, dtype=np.float32), np.zeros((5, 7), np.float32)
    core.add_to_rows(gradient, *ragged(texts), shares, "distinct", rows)
    for text, average in enumerate(averages):  # these are linear in the rows
        assert_allclose(rows[:, text] @ parts[0], average, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("row", [5, -1, 2**31 - 1, -(2**31)])
def test_no_gradient_outside_of_the_table(core, dtype, row):
    out = np.zeros((5, 7), dtype)
    with pytest.raises(IndexError):
        core.add_to_rows(np.ones((1, 7), dtype), *ragged([[row]]), None, "sum", out)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "offsets",
    [[], [0], [0, 2], [0, 1, 2, 3], [1, 2, 3], [0, 2, 2], [0, 4, 3], [0, -1, 3]],
)
def test_offsets_that_do_not_fit(core, dtype, offsets):
    """Their number is wrong, or they do not rise from zero to the number of ids."""
    ids, offsets = np.zeros(3, np.int32), np.array(offsets, np.int64)
    matrix, out = np.ones((5, 7), dtype), np.zeros((2, 7), dtype)
    for pooling in POOLINGS:
        with pytest.raises(ValueError, match=r"offsets must rise|Expected 3 numbers"):
            core.pool_rows(matrix, None, None, ids, offsets, None, pooling, out)
        with pytest.raises(ValueError, match=r"offsets must rise|Expected 3 numbers"):
            core.add_to_rows(out, ids, offsets, None, pooling, matrix)
    assert_array_equal(out, 0)


def test_arrays_that_do_not_fit(core):
    if core is _plain:
        pytest.skip("NumPy checks shapes")
    matrix, scale, extra, _ = table("int8", n_extra=2)
    arrays = {"matrix": matrix, "scale": scale, "extra": extra}
    arrays["weights"] = np.ones(2, np.float32)
    ids, offsets = ragged([[0, 1]])

    def pool_with(out, matrix, scale, extra, weights):
        core.pool_rows(matrix, scale, extra, ids, offsets, weights, "mean", out)

    pool_with(np.zeros((1, 7), np.float32), **arrays)
    for name, array in arrays.items():
        wrong = arrays | {name: array[..., :1]}
        with pytest.raises(ValueError, match=r"Expected|contiguous"):
            pool_with(np.zeros((1, 7), np.float32), **wrong)
    with pytest.raises(ValueError, match="Expected 280 numbers of 1 bytes"):
        pool_with(
            np.zeros((1, 7), np.float32), **arrays | {"matrix": matrix[:, :6].copy()}
        )
    with pytest.raises(ValueError, match="Expected"):
        pool_with(np.zeros((1, 8), np.float32), **arrays)
    with pytest.raises(ValueError, match="need a scale"):
        pool_with(np.zeros((1, 7), np.float32), **arrays | {"scale": None})


def test_no_texts(core):
    parts = table("float32")
    for pooling in POOLINGS:
        found, _ = pool(core, parts, [], pooling=pooling)
        assert found.shape == (0, 7)
        found, _ = pool(core, parts, [[], []], pooling=pooling)
        assert_array_equal(found, np.zeros((2, 7)))
        core.add_to_rows(found, *ragged([[], []]), None, pooling, found[:0])


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 64, 65, 97, 1000])
def test_windows_are_balanced(n):
    starts, parts = _core.windows(np.array([0, 3, 3 + n, 3 + n]))
    expected = [range(3), *([*slow_windows(n)] if n else [range(0)]), range(0)]
    sizes = np.array([*map(len, expected)])
    assert_array_equal(np.diff(starts), sizes)
    assert_array_equal(parts, sizes / np.array([3, *[n or 1] * (len(sizes) - 2), 1]))
    assert np.ptp(sizes[1:-1]) <= 1
    assert sizes.max() <= 32
