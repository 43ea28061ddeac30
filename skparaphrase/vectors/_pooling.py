"""Sentence vectors as sparse weights times the table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from skparaphrase._compat import effective_n_threads
from skparaphrase.text import TokenBatch
from skparaphrase.vectors._word_vectors import WordVectors

_BLOCK = 2048  # texts per product
_AHEAD = 16  # products that wait for each thread: bounds the tokens in memory


def weighted_average(
    vectors: WordVectors,
    batches: Iterable[TokenBatch],
    n_texts: int,
    weights: NDArray[np.floating] | None = None,
) -> NDArray[np.float32]:
    """Sum of weight times vector over the tokens of a text, by their number.

    Batches are taken as they come: their iterator works in this thread while earlier
    batches are multiplied in others.

    Parameters
    ----------
    vectors : WordVectors

    batches : iterable of TokenBatch
        `n_texts` texts together.

    n_texts : int

    weights : ndarray of shape (n_words,), default=None
        None weighs all words 1.

    Returns
    -------
    averages : ndarray of shape (n_texts, dim), float32
        Zero for texts without tokens. A row does not depend on the others, to the bit.
    """
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float32)

    def shares(batch: TokenBatch) -> NDArray[np.float32]:
        lengths = batch.lengths
        share = np.repeat((1 / np.maximum(lengths, 1)).astype(np.float32), lengths)
        return share if weights is None else share * weights[batch.ids]

    return _pool(vectors, batches, n_texts, shares)


def vector_sum(
    vectors: WordVectors, batches: Iterable[TokenBatch], n_texts: int
) -> NDArray[np.float32]:
    """Sum of the vectors of the tokens of a text.

    Parameters
    ----------
    vectors : WordVectors

    batches : iterable of TokenBatch
        `n_texts` texts together. Taken as in :func:`weighted_average`.

    n_texts : int

    Returns
    -------
    sums : ndarray of shape (n_texts, dim), float32
        Zero for texts without tokens. A row does not depend on the others, to the bit.
    """
    return _pool(
        vectors, batches, n_texts, lambda batch: np.ones(len(batch.ids), np.float32)
    )


def _pool(
    vectors: WordVectors,
    batches: Iterable[TokenBatch],
    n_texts: int,
    token_weights: Callable[[TokenBatch], NDArray[np.float32]],
) -> NDArray[np.float32]:
    """Sum of weight times vector over the tokens of each text."""
    sums = np.empty((n_texts, vectors.dim), dtype=np.float32)
    start = 0
    n_threads = effective_n_threads() if n_texts > _BLOCK else 1
    if n_threads == 1:
        for batch in batches:
            out = sums[start : start + len(batch)]
            _sum_into(out, vectors, batch, token_weights)
            start += len(batch)
        return sums
    with ThreadPoolExecutor(n_threads) as pool:
        jobs: deque[Future[None]] = deque()
        for batch in batches:
            for first in range(0, len(batch), _BLOCK):
                part = batch[first : first + _BLOCK]
                out = sums[start : start + len(part)]
                jobs.append(pool.submit(_sum_into, out, vectors, part, token_weights))
                start += len(part)
            while len(jobs) > _AHEAD * n_threads:
                jobs.popleft().result()
        for job in jobs:
            job.result()
    return sums


def _sum_into(
    out: NDArray[np.float32],
    vectors: WordVectors,
    batch: TokenBatch,
    token_weights: Callable[[TokenBatch], NDArray[np.float32]],
) -> None:
    columns = batch.ids
    table = vectors.matrix
    if table.dtype != np.float32:
        # Only the rows in use become float32.
        rows = np.sort(columns)  # much quicker than np.unique
        rows = rows[np.diff(rows, prepend=-1) > 0]
        position = np.empty(len(table), dtype=np.int32)
        position[rows] = np.arange(len(rows))
        columns = position[columns]
        table = vectors.rows(rows)
    offsets = batch.offsets.astype(np.int32)
    shape = (len(batch), len(table))
    out[:] = csr_array((token_weights(batch), columns, offsets), shape=shape) @ table
