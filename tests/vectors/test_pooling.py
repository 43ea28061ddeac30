"""Sums and averages of vectors against slow ones."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.text import TokenBatch
from skparaphrase.vectors import WordVectors, _pooling
from skparaphrase.vectors._pooling import (
    average_distinct,
    pool_vectors,
    token_shares,
)

pytestmark = pytest.mark.usefixtures("core")

EQUATIONS = run_path(str(Path(__file__).parents[1] / "networks/equations.py"))
distinct_average = EQUATIONS["distinct_average"]


def slow_pool(matrix, texts, weights, pooling, extra=None, unknown_weight=1.0):
    """Words of negative ids have the vectors of `extra`, from its end."""
    if weights is not None:
        matrix = matrix * weights[:, np.newaxis]
    if extra is not None:
        known_weight = 1.0 if weights is None else unknown_weight
        matrix = np.concatenate([matrix, extra[::-1] * known_weight])
    pooled = np.zeros((len(texts), matrix.shape[1]))
    for out, ids in zip(pooled, texts, strict=True):
        if ids and pooling == "distinct":
            out[:] = distinct_average(matrix[list(dict.fromkeys(ids))])
        elif ids:
            out[:] = matrix[ids].sum(axis=0) / (len(ids) if pooling == "mean" else 1)
    return pooled


def batch_of(texts, extra=None):
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    ids = np.array([i for ids in texts for i in ids], np.int32)
    return TokenBatch(ids, offsets, extra)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize(
    ("weighted", "pooling"),
    [
        (True, "mean"),
        (False, "mean"),
        (False, "sum"),
        (True, "distinct"),
        (False, "distinct"),
    ],
)
@pytest.mark.parametrize("n_extra", [0, 5])
@pytest.mark.parametrize(
    ("n_texts", "n_threads"), [(0, 1), (1, 1), (300, 1), (5000, 4)]
)
def test_any_split_into_batches(
    table, full, dtype, weighted, pooling, n_extra, n_texts, n_threads, monkeypatch
):
    monkeypatch.setattr(_pooling, "available_threads", lambda: n_threads)
    rng = np.random.default_rng(n_texts)
    vectors = table(dtype, n=50, dim=7)
    texts = [
        rng.integers(-n_extra, 50, size=rng.integers(6)).tolist()
        for _ in range(n_texts)
    ]
    extra = rng.standard_normal((n_extra, 7)).astype(np.float32) if n_extra else None
    how = {"weights": rng.random(50) if weighted else None, "pooling": pooling}
    how["unknown_weight"] = 0.3

    def pool(parts, n_parts=n_texts):
        return pool_vectors(
            vectors, (batch_of(p, extra) for p in parts), n_parts, **how
        )

    whole = pool([texts])
    assert whole.dtype == np.float32
    expected = slow_pool(full(vectors), texts, extra=extra, **how)
    assert_allclose(whole, expected, atol=2e-6)
    for size in (1 if n_texts <= 300 else 17, 2048, 2049, 4096):  # to the bit
        parts = (texts[i : i + size] for i in range(0, n_texts, size))
        assert_array_equal(pool(parts), whole)
    alone = [pool([[t]], 1) for t in texts[:99]]
    assert_array_equal(np.reshape(alone, (-1, 7)), whole[:99])


def test_tables_of_small_types_are_not_copied_whole(table, monkeypatch):
    read = []
    token_vectors = WordVectors.token_vectors

    def spy(self, ids, extra):
        read.append(len(ids))
        return token_vectors(self, ids, extra)

    ids = np.array([3, 9, 3, 400] * 100, dtype=np.int32)
    for dtype in ("float32", "float16", "int8"):
        vectors = table(dtype, n=500)
        with monkeypatch.context() as patch:
            patch.setattr(WordVectors, "token_vectors", spy)
            for n_tokens in (4, 400):
                batch = TokenBatch(ids[:n_tokens], np.array([0, 2, n_tokens]))
                pool_vectors(vectors, [batch], 2)
    assert read == [4, 3, 4, 3]  # repeats among a few tokens are not looked for


def test_distinct_words_by_hand():
    """Two similar words share the weight that a third one has."""
    matrix = np.array([[2.0, 0], [1, 0], [0, 3], [0, 0]], dtype=np.float32)
    vectors = WordVectors(["big", "large", "cat", "zero"], matrix)
    texts = [[0], [0, 1, 2], [0, 0, 0, 2], [3, 3], [], [2, 3]]
    found = pool_vectors(vectors, [batch_of(texts)], 6, pooling="distinct")
    s = 2**-0.5
    length = np.hypot(3 * s, 3)
    pair = s * (0.3 + 3 * s / length) ** -0.35
    third = (0.3 + 3 / length) ** -0.35
    total = 2 * pair + third
    assert_allclose(found[1], [3 * pair / total, 3 * third / total], rtol=1e-6)
    first, second = (0.3 + np.array([2, 3]) / 13**0.5) ** -0.35
    once = np.array([2 * first, 3 * second]) / (first + second)
    assert_allclose(found[2], once, rtol=1e-6)  # repeats count once
    assert_array_equal(found[[0, 3, 4]], [[2, 0], [0, 0], [0, 0]])
    zero, word = 0.3**-0.35, 1.3**-0.35
    assert_allclose(found[5], [0, 3 * word / (zero + word)], rtol=1e-6)


def test_opposite_words_have_no_weight_below_zero():
    matrix = np.array([[1.0, 0], [-1, 0]], dtype=np.float32)
    vectors = WordVectors(["up", "down"], matrix)
    found = pool_vectors(vectors, [batch_of([[0, 1]])], 1, pooling="distinct")
    assert_array_equal(found, [[0, 0]])


@pytest.mark.parametrize("size", [1e-16, 1e-3, 1e15])
def test_lengths_of_vectors_do_not_change_weights(size, table):
    vectors = table("float32", n=50, dim=7)
    batch = batch_of([[3, 9, 4], [5], [3, 9, 40, 3]])
    plain = pool_vectors(vectors, [batch], 3, pooling="distinct")
    scaled = vectors.replace(vectors.matrix * np.float32(size))
    found = pool_vectors(scaled, [batch], 3, pooling="distinct")
    assert_allclose(found / size, plain, rtol=1e-5)


def test_vectors_of_a_fit_that_diverges_give_no_warnings():
    rows = np.array([[np.inf, 1], [np.nan, 1], [1e25, 1], [1, 0]], np.float32)
    ids, offsets = np.arange(4), np.array([0, 1, 2, 4])
    for stop in (1, 3):
        averages = np.zeros((stop, 2), np.float32)
        average_distinct(rows, ids[: offsets[stop]], offsets[: stop + 1], averages)


@pytest.mark.parametrize("pooling", ["mean", "distinct"])
def test_shares_of_tokens_give_the_average(pooling, full, table):
    vectors = table("float32", n=50, dim=7)
    ids = np.array([3, 9, 3, 40, 3])
    shares = token_shares(full(vectors)[ids], ids, pooling)
    assert shares.sum() == pytest.approx(1)
    assert shares[0] == shares[2] == shares[4]
    expected = pool_vectors(vectors, [batch_of([ids])], 1, pooling=pooling)
    assert_allclose(shares @ full(vectors)[ids], expected[0], rtol=1e-5)


def test_unknown_poolings_are_refused(table):
    with pytest.raises(ValueError, match=r"pooling must be.*'max'"):
        pool_vectors(table("float32"), [batch_of([[0]])], 1, pooling="max")
