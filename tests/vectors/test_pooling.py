"""Sums and averages of vectors against slow ones."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from equations import distinct_average
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase import _core
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._pooling import pool_vectors, token_shares

pytestmark = pytest.mark.usefixtures("core")


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


def pool(vectors, texts, extra=None, **how):
    pooled = np.zeros((len(texts), vectors.dim), np.float32)
    pool_vectors(vectors, batch_of(texts, extra), pooled, **how)
    return pooled


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
@pytest.mark.parametrize("n_texts", [0, 1, 300])
def test_any_split_into_batches(
    table, full, dtype, weighted, pooling, n_extra, n_texts
):
    rng = np.random.default_rng(n_texts)
    vectors = table(dtype, n=50, dim=7)
    texts = [
        rng.integers(-n_extra, 50, size=rng.integers(6)).tolist()
        for _ in range(n_texts)
    ]
    extra = rng.standard_normal((n_extra, 7)).astype(np.float32) if n_extra else None
    how = {"weights": rng.random(50) if weighted else None, "pooling": pooling}
    how["unknown_weight"] = 0.3
    whole = pool(vectors, texts, extra, **how)
    expected = slow_pool(full(vectors), texts, extra=extra, **how)
    assert_allclose(whole, expected, atol=2e-6)
    for size in (1, 17):  # to the bit
        parts = [texts[i : i + size] for i in range(0, n_texts, size)]
        rows = [row for part in parts for row in pool(vectors, part, extra, **how)]
        assert_array_equal(np.reshape(rows, (-1, 7)), whole)


def test_distinct_words_by_hand():
    """Two similar words share the weight that a third one has."""
    matrix = np.array([[2.0, 0], [1, 0], [0, 3], [0, 0]], dtype=np.float32)
    vectors = WordVectors(["big", "large", "cat", "zero"], matrix)
    texts = [[0], [0, 1, 2], [0, 0, 0, 2], [3, 3], [], [2, 3]]
    found = pool(vectors, texts, pooling="distinct")
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
    found = pool(vectors, [[0, 1]], pooling="distinct")
    assert_array_equal(found, [[0, 0]])


@pytest.mark.parametrize("size", [1e-16, 1e-3, 1e15])
def test_lengths_of_vectors_do_not_change_weights(size, table):
    vectors = table("float32", n=50, dim=7)
    texts = [[3, 9, 4], [5], [3, 9, 40, 3]]
    plain = pool(vectors, texts, pooling="distinct")
    scaled = vectors.replace(vectors.matrix * np.float32(size))
    found = pool(scaled, texts, pooling="distinct")
    assert_allclose(found / size, plain, rtol=1e-5)


def test_vectors_of_a_fit_that_diverges_give_no_warnings():
    rows = np.array([[np.inf, 1], [np.nan, 1], [1e25, 1], [1, 0]], np.float32)
    ids, offsets = np.arange(4, dtype=np.int32), np.array([0, 1, 2, 4])
    averages = np.zeros((3, 2), np.float32)
    _core.core.pool_rows(rows, None, None, ids, offsets, None, "distinct", averages)
    assert not np.isfinite(averages[:2]).all(axis=1).any()


@pytest.mark.parametrize("pooling", ["mean", "distinct"])
def test_shares_of_tokens_give_the_average(pooling, full, table):
    vectors = table("float32", n=50, dim=7)
    ids = np.array([3, 9, 3, 40, 3])
    shares = token_shares(full(vectors)[ids], ids, pooling)
    assert shares.sum() == pytest.approx(1)
    assert shares[0] == shares[2] == shares[4]
    expected = pool(vectors, [ids], pooling=pooling)
    assert_allclose(shares @ full(vectors)[ids], expected[0], rtol=1e-5)


def test_unknown_poolings_are_refused(table):
    with pytest.raises(ValueError, match=r"pooling must be.*'max'"):
        pool(table("float32"), [[0]], pooling="max")
