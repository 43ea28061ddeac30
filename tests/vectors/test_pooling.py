"""Sums and averages of vectors against slow ones."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.text import TokenBatch
from skparaphrase.vectors import WordVectors, _pooling
from skparaphrase.vectors._pooling import pool_vectors


def slow_pool(matrix, texts, weights, mean):
    pooled = np.zeros((len(texts), matrix.shape[1]))
    for out, ids in zip(pooled, texts, strict=True):
        for i in ids:
            out += matrix[i] * (1 if weights is None else weights[i])
        if mean and ids:
            out /= len(ids)
    return pooled


def batch_of(texts):
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return TokenBatch(np.array([i for ids in texts for i in ids], np.int32), offsets)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize(
    ("weighted", "mean"), [(True, True), (False, True), (False, False)]
)
@pytest.mark.parametrize(
    ("n_texts", "n_threads"), [(0, 1), (1, 1), (300, 1), (5000, 4)]
)
def test_any_split_into_batches(
    table, full, dtype, weighted, mean, n_texts, n_threads, monkeypatch
):
    monkeypatch.setattr(_pooling, "available_threads", lambda: n_threads)
    rng = np.random.default_rng(n_texts)
    vectors = table(dtype, n=50, dim=7)
    texts = [rng.integers(50, size=rng.integers(6)).tolist() for _ in range(n_texts)]
    how = {"weights": rng.random(50) if weighted else None, "mean": mean}
    whole = pool_vectors(vectors, [batch_of(texts)], n_texts, **how)
    assert whole.dtype == np.float32
    assert_allclose(whole, slow_pool(full(vectors), texts, **how), atol=2e-6)
    for size in (1 if n_texts <= 300 else 17, 2048, 2049, 4096):  # to the bit
        parts = (batch_of(texts[i : i + size]) for i in range(0, n_texts, size))
        assert_array_equal(pool_vectors(vectors, parts, n_texts, **how), whole)
    alone = [pool_vectors(vectors, [batch_of([t])], 1, **how) for t in texts[:99]]
    assert_array_equal(np.reshape(alone, (-1, 7)), whole[:99])


def test_tables_of_small_types_are_not_copied_whole(table, monkeypatch):
    read = []
    rows = WordVectors.rows

    def spy(self, wanted):
        read.append(len(wanted))
        return rows(self, wanted)

    ids = np.array([3, 9, 3, 400] * 100, dtype=np.int32)
    for dtype in ("float32", "float16", "int8"):
        vectors = table(dtype, n=500)
        with monkeypatch.context() as patch:
            patch.setattr(WordVectors, "rows", spy)
            for n_tokens in (4, 400):
                batch = TokenBatch(ids[:n_tokens], np.array([0, 2, n_tokens]))
                pool_vectors(vectors, [batch], 2)
    assert read == [4, 3, 4, 3]  # repeats among a few tokens are not looked for
