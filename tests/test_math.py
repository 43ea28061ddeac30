"""Cosines in blocks, against the whole matrix."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase import _math
from skparaphrase._math import larger, nearest


def unit_vectors(n, dim=16, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def whole(queries, rows, k, threshold=-np.inf, skip_same=False):
    """For each query, by sorting its whole row of the matrix."""
    found = []
    for i, cosines in enumerate((queries @ rows.T).tolist()):
        order = sorted(range(len(rows)), key=lambda j: (-cosines[j], j))
        order = [j for j in order if not (skip_same and i == j)]
        found += [
            (i, j, cosines[j]) for j in order if cosines[j] >= np.float32(threshold)
        ][:k]
    return found


@pytest.fixture(params=["small blocks", "usual blocks"])
def _blocks(request, monkeypatch):
    if request.param == "small blocks":
        for name, size in {"QUERIES": 7, "_ROWS": 11, "_SAMPLE": 23}.items():
            monkeypatch.setattr(_math, name, size)


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("k", [1, 3, 40, 90])
@pytest.mark.parametrize("threshold", [-np.inf, 0.3])
@pytest.mark.parametrize("skip_same", [False, True])
def test_as_the_whole_matrix(k, threshold, skip_same):
    rows = unit_vectors(90)
    queries = rows if skip_same else unit_vectors(31, seed=1)
    options = {"threshold": threshold, "skip_same": skip_same}
    query, row, cosine = nearest(queries, rows, k, **options)
    expected = np.array(whole(queries, rows, k, **options))
    assert_array_equal(query, expected[:, 0])
    assert_array_equal(row, expected[:, 1])
    assert_allclose(cosine, expected[:, 2], atol=1e-6)


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("k", [1, 3, 40])
def test_cosines_of_at_most_a_bound_for_each_query(k):
    rows, queries = unit_vectors(90), unit_vectors(31, seed=1)
    most = np.random.default_rng(2).uniform(-0.6, 0.6, size=31)
    query, row, cosine = nearest(queries, rows, k, at_most=most)
    expected = np.array(
        [
            (i, j, x)
            for i in range(31)
            for _, j, x in [
                found
                for found in whole(queries[i : i + 1], rows, 90)
                if found[2] <= most[i]
            ][:k]
        ]
    )
    assert_array_equal(query, expected[:, 0])
    assert_array_equal(row, expected[:, 1])
    assert_allclose(cosine, expected[:, 2], atol=1e-6)


@pytest.mark.usefixtures("_blocks")
def test_equal_rows_come_in_their_order():
    rows = np.tile(np.eye(2, dtype=np.float32), (60, 1))
    query, row, cosine = nearest(rows[:2], rows, 50)
    assert_array_equal(query, [0] * 50 + [1] * 50)
    assert_array_equal(row, [*range(0, 100, 2), *range(1, 101, 2)])
    assert_array_equal(cosine, 1)


def test_the_threshold_itself_is_kept():
    rows = np.array([[1, 0], [0.5, 0.75**0.5]], dtype=np.float32)
    assert nearest(rows[:1], rows, 2, threshold=0.5)[1].tolist() == [0, 1]
    assert nearest(rows[:1], rows, 2, threshold=0.51)[1].tolist() == [0]


def test_a_bound_that_rises_leaves_out_what_is_below(monkeypatch):
    monkeypatch.setattr(_math, "_ROWS", 2)
    rows = np.array([[0.2], [0.9], [0.5], [0.95]], dtype=np.float32)
    least = np.array([[0.1]], dtype=np.float32)
    found = []
    for _, row, cosine in larger(np.ones((1, 1), np.float32), rows, least):
        found += row.tolist()
        least[0, 0] = cosine.max()
    assert found == [0, 1, 3]


def test_no_queries():
    query, row, cosine = nearest(unit_vectors(0), unit_vectors(5), 3)
    assert query.shape == row.shape == cosine.shape == (0,)


def test_memory_does_not_grow_with_the_matrix():
    rows = unit_vectors(20_000, dim=8)
    tracemalloc.start()
    nearest(rows[:4096], rows, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4096 * 20_000 * 4 / 8
