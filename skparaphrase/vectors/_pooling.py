"""Sentence vectors as sparse weights times the table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from skparaphrase._sparse import add_weighted_rows
from skparaphrase._threads import available_threads
from skparaphrase.text import TokenBatch
from skparaphrase.vectors._word_vectors import WordVectors

_BLOCK = 2048  # texts per product
_FEW = 64  # tokens, of which it is not worth while to find the repeats
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
    return _pool(vectors, batches, n_texts, partial(_shares, weights=weights))


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
    return _pool(vectors, batches, n_texts, _ones)


def _shares(
    batch: TokenBatch, weights: NDArray[np.floating] | None
) -> NDArray[np.float32]:
    if len(batch) == 1:  # in a fifth of the time
        n_tokens = len(batch.ids)
        share = np.full(n_tokens, 1 / max(n_tokens, 1), np.float32)
    else:
        lengths = batch.lengths
        share = (1 / np.maximum(lengths, 1)).astype(np.float32).repeat(lengths)
    if weights is not None:
        share *= weights[batch.ids].astype(np.float32)
    return share


def _ones(batch: TokenBatch) -> NDArray[np.float32]:
    return np.ones(len(batch.ids), np.float32)


def _pool(
    vectors: WordVectors,
    batches: Iterable[TokenBatch],
    n_texts: int,
    token_weights: Callable[[TokenBatch], NDArray[np.float32]],
) -> NDArray[np.float32]:
    """Sum of weight times vector over the tokens of each text."""
    sums = np.zeros((n_texts, vectors.dim), dtype=np.float32)
    start = 0
    n_threads = available_threads() if n_texts > _BLOCK else 1
    if n_threads == 1:
        for batch in batches:
            out = sums[start : start + len(batch)]
            _add_into(out, vectors, batch, token_weights)
            start += len(batch)
        return sums
    with ThreadPoolExecutor(n_threads) as pool:
        jobs: deque[Future[None]] = deque()
        for batch in batches:
            for first in range(0, len(batch), _BLOCK):
                part = batch[first : first + _BLOCK]
                out = sums[start : start + len(part)]
                jobs.append(pool.submit(_add_into, out, vectors, part, token_weights))
                start += len(part)
            while len(jobs) > _AHEAD * n_threads:
                jobs.popleft().result()
        for job in jobs:
            job.result()
    return sums


def _add_into(
    out: NDArray[np.float32],
    vectors: WordVectors,
    batch: TokenBatch,
    token_weights: Callable[[TokenBatch], NDArray[np.float32]],
) -> None:
    ids, table = batch.ids, vectors.matrix
    if table.dtype != np.float32:
        ids, table = _single_precision(ids, vectors)
    add_weighted_rows(out, token_weights(batch), ids, batch.offsets, table)


def _single_precision(
    ids: NDArray[np.int32], vectors: WordVectors
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The rows in use, and where in them each token has its own."""
    if len(ids) <= _FEW:
        return np.arange(len(ids), dtype=np.int32), vectors.rows(ids)
    rows = np.sort(ids)  # much quicker than np.unique
    rows = rows[np.diff(rows, prepend=-1) > 0]
    position = np.empty(len(vectors), dtype=np.int32)
    position[rows] = np.arange(len(rows))
    return position[ids], vectors.rows(rows)
