"""Scores in blocks, against the whole matrix."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array

from skparaphrase import _nearest
from skparaphrase._nearest import Bound, Queries, Rows, nearest


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
        for name, size in {"QUERIES": 7, "_ROWS": (11, 30), "_SAMPLE": 23}.items():
            monkeypatch.setattr(_nearest, name, size)


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
    monkeypatch.setattr(_nearest, "_ROWS", (2, 2))
    rows = np.array([[0.2], [0.9], [0.5], [0.95]], dtype=np.float32)
    least = np.array([[0.1]], dtype=np.float32)
    found = []
    one = Rows(np.ones((1, 1), np.float32))
    for _, row, cosine in Queries(one, slice(None), Rows(rows)).iter_matches(least):
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


# A bound, and words


def along_few_axes(n, dim=256, seed=0):
    """Unit vectors with most of their length along some rotated axes."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(np.random.default_rng(9).normal(size=(dim, dim)))[0]
    vectors = rng.normal(size=(n, dim)) * np.arange(1, dim + 1) ** -0.7
    vectors = (vectors @ axes).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def words(n, seed=0):
    """Sparse unit vectors; some are zero."""
    rng = np.random.default_rng(seed)
    counts = rng.random((n, 30), np.float32) * (rng.random((n, 30)) < 0.1)
    lengths = np.linalg.norm(counts, axis=1, keepdims=True)
    return csr_array(counts / np.where(lengths > 0, lengths, 1))


def with_tiny_tails(n, dim=256, seed=0):
    """Unit vectors of 64 numbers, and one more that is lost in their squares."""
    rng = np.random.default_rng(seed)
    vectors = np.zeros((n, dim), np.float32)
    vectors[:, :64] = rng.normal(size=(n, 64))
    vectors[:, :64] /= np.linalg.norm(vectors[:, :64], axis=1, keepdims=True)
    vectors[:, 64] = rng.uniform(0, 4e-4, n)
    if seed:  # queries
        vectors = np.float32(0.6) * vectors
        vectors[:, 64] = 0.8
    return vectors


@pytest.mark.parametrize("make", [along_few_axes, unit_vectors, with_tiny_tails])
@pytest.mark.parametrize("scale", [1, 0.5])
def test_the_bound_is_never_exceeded(make, scale):
    rows, queries = make(500, dim=256), scale * make(40, dim=256, seed=1)
    rows[3] = queries[3] = 0
    bound = Bound(rows)
    short = bound.shortened(queries)
    for n in (65, 130):
        upper = short[:, :n] @ bound.rows[:, :n].T
        exact = queries.astype(float) @ rows.T.astype(float)
        assert (upper >= exact - 1e-6).all()
        short[:, 64] = 0
    products = bound.axes.T @ bound.axes
    assert_allclose(products, np.eye(128), atol=1e-5)


@pytest.mark.parametrize("make", [along_few_axes, unit_vectors])
@pytest.mark.parametrize("weight", [0, 0.3, 1])
@pytest.mark.parametrize("form", [csr_array, csc_array])
@pytest.mark.parametrize("with_bound", [False, True])
@pytest.mark.parametrize("chosen", [None, "some"])
@pytest.mark.usefixtures("_blocks")
def test_scores_by_vectors_and_words(make, weight, form, with_bound, chosen):
    vectors, asked = make(300, dim=256), make(20, dim=256, seed=1)
    asked[5:10] = vectors[50:55]
    terms, asked_terms = words(300), words(20, seed=1)
    if chosen:
        chosen = np.flatnonzero(np.arange(300) % 7 < 5)
    rows = Rows(vectors, form(terms), Bound(vectors) if with_bound else None, chosen)
    queries = Rows(asked, asked_terms)
    part = slice(None) if chosen is None else chosen
    scores = (1 - weight) * asked @ vectors[part].T
    scores = scores + weight * asked_terms.toarray() @ terms.toarray()[part].T
    for threshold in (-np.inf, 0.4):
        query, row, score = nearest(
            queries, rows, 8, threshold=threshold, weight=weight
        )
        for i in range(20):
            best = np.sort(scores[i])[: -8 - 1 : -1]
            best = best[best >= threshold]
            assert_allclose(score[query == i], best, atol=2e-6)
            assert_allclose(scores[i, row[query == i]], best, atol=2e-6)


@pytest.mark.parametrize("make", [along_few_axes, unit_vectors, with_tiny_tails])
def test_a_bound_changes_no_match(make):
    rows, queries = make(8192), make(12, seed=1)
    bounded = Rows(rows, bound=Bound.of(rows), hidden=np.arange(3, 8192, 17))
    plain = Rows(rows, hidden=bounded.hidden)
    for k in (1, 7, 29):
        found, expected = nearest(queries, bounded, k), nearest(queries, plain, k)
        assert len(found[0]) == 12 * k
        assert_allclose(found[2], expected[2], atol=2e-6)
        assert not np.isin(found[1], bounded.hidden).any()
    scores = queries.astype(float) @ rows.T.astype(float)
    scores[:, bounded.hidden] = -1
    for threshold in np.quantile(scores, [0.9, 0.99, 0.9999]):
        n_found = len(nearest(queries, bounded, 8192, threshold=threshold)[0])
        assert n_found >= (scores >= threshold + 1e-7).sum()


def test_few_vectors_are_read_whole(monkeypatch):
    """With a bound, also at half of its length, where the first one is loose."""
    rows = along_few_axes(6000)
    queries = rows[::300] + 0.02 * along_few_axes(20, seed=3)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    bounded = Rows(rows, bound=Bound.of(rows))
    n_read = []
    of_pairs = Queries._of_pairs

    def count(self, query, row):
        n_read.append(len(query))
        return of_pairs(self, query, row)

    monkeypatch.setattr(Queries, "_of_pairs", count)
    expected = nearest(queries, rows, 3, threshold=0.8)
    assert not n_read
    found = nearest(queries, bounded, 3, threshold=0.8)
    for array, other in zip(found[:2], expected[:2], strict=True):
        assert_array_equal(array, other)
    assert len(found[0]) <= sum(n_read) < 0.02 * 20 * 6000
    assert Bound.of(rows[:1000]) is None
    assert Bound.of(rows[:, :100]) is None
