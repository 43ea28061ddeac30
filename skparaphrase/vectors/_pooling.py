"""Sentence vectors as sparse weights times the table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from skparaphrase._compat import effective_n_threads
from skparaphrase.text import TokenBatch
from skparaphrase.vectors._word_vectors import WordVectors

_BLOCK = 2048  # texts per product


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
    averages = np.empty((n_texts, vectors.dim), dtype=np.float32)
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float32)
    start = 0
    n_threads = effective_n_threads() if n_texts > _BLOCK else 1
    if n_threads == 1:
        for batch in batches:
            _average_into(averages[start : start + len(batch)], vectors, batch, weights)
            start += len(batch)
        return averages
    with ThreadPoolExecutor(n_threads) as pool:
        jobs = []
        for batch in batches:
            for first in range(0, len(batch), _BLOCK):
                part = batch[first : first + _BLOCK]
                out = averages[start : start + len(part)]
                jobs.append(pool.submit(_average_into, out, vectors, part, weights))
                start += len(part)
        for job in jobs:
            job.result()
    return averages


def _average_into(
    out: NDArray[np.float32],
    vectors: WordVectors,
    batch: TokenBatch,
    weights: NDArray[np.float32] | None,
) -> None:
    lengths = batch.lengths
    shares = (1 / np.maximum(lengths, 1)).astype(np.float32)
    data = np.repeat(shares, lengths)
    if weights is not None:
        data *= weights[batch.ids]
    columns: NDArray[np.integer] = batch.ids
    table = vectors.matrix
    if table.dtype != np.float32:
        # Only the rows in use become float32.
        rows, columns = np.unique(batch.ids, return_inverse=True)
        table = vectors.rows(rows)
    offsets = batch.offsets.astype(np.int32)
    shape = (len(batch), len(table))
    out[:] = csr_array((data, columns.astype(np.int32), offsets), shape=shape) @ table
