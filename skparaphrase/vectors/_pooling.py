"""Sums and averages of the vectors of tokens: sparse weights times a table."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse._sparsetools import csr_matvecs

from skparaphrase._threads import available_threads, prefetch
from skparaphrase.text import TokenBatch, WordTokenizer
from skparaphrase.vectors._word_vectors import WordVectors

_Weights = NDArray[np.floating] | None  # of the words of a table

_BLOCK = 2048  # texts per product
_FEW = 64  # tokens; looking for repeats does not pay for so few
_AHEAD = 16  # products that wait for each thread: bounds the tokens in memory


def pool_texts(
    vectors: WordVectors,
    tokenizer: WordTokenizer,
    texts: Sequence[str],
    *,
    weights: _Weights = None,
    unknown_weight: float = 1.0,
) -> NDArray[np.float32]:
    """Average the vectors of the words of each text, as :func:`pool_vectors` does."""
    return pool_vectors(
        vectors,
        vectors.encode_blocks(texts, tokenizer),
        len(texts),
        weights=weights,
        unknown_weight=unknown_weight,
    )


def pool_vectors(
    vectors: WordVectors,
    batches: Iterable[TokenBatch],
    n_texts: int,
    *,
    weights: _Weights = None,
    unknown_weight: float = 1.0,
    mean: bool = True,
) -> NDArray[np.float32]:
    """Sum weight times vector over the tokens of each text.

    Batches are taken as they come: their iterator works in this thread while earlier
    batches are multiplied in others.

    Parameters
    ----------
    vectors : WordVectors
    batches : iterable of TokenBatch
        `n_texts` texts together.
    n_texts : int
    weights : ndarray of shape (n_words,), default=None
        None weights all words equally.
    unknown_weight : float, default=1.0
        The weight of words with a vector in a batch's `extra`.
    mean : bool, default=True
        Divide by the number of tokens.

    Returns
    -------
    pooled : ndarray of shape (n_texts, dim), float32
        Zero for texts without tokens. A row does not depend on other texts, to the
        bit.
    """
    pooled = np.zeros((n_texts, vectors.matrix.shape[1]), dtype=np.float32)

    def add(start: int, batch: TokenBatch) -> int:
        """Pool a batch into the rows from `start` on; return the row after them."""
        ids, table = batch.ids, vectors.matrix
        if table.dtype != np.float32 or batch.extra is not None:
            ids, table = _rows_in_use(batch, vectors)
        offsets = batch.offsets.astype(np.int32)
        stop = start + len(offsets) - 1
        factors = _token_weights(batch, weights, unknown_weight, mean)
        shape, sums = (stop - start, *table.shape), pooled[start:stop].reshape(-1)
        # The function behind SciPy's csr_array, which takes longer to construct than a
        # sentence to pool. It checks nothing, and releases the GIL.
        csr_matvecs(*shape, offsets, ids, factors, table.reshape(-1), sums)
        return stop

    n_threads = available_threads() if n_texts > _BLOCK else 1
    if n_threads == 1:
        start = 0
        for batch in batches:
            start = add(start, batch)
        return pooled

    def parts() -> Iterator[tuple[int, TokenBatch]]:
        start = 0
        for batch in batches:
            for first in range(0, len(batch), _BLOCK):
                yield start + first, batch[first : first + _BLOCK]
            start += len(batch)

    n_ahead = _AHEAD * n_threads
    for _ in prefetch(lambda p: add(*p), parts(), n_threads=n_threads, n_ahead=n_ahead):
        pass
    return pooled


def _token_weights(
    batch: TokenBatch, weights: _Weights, unknown_weight: float, mean: bool
) -> NDArray[np.float32]:
    """The factor of each token, shape (n_tokens,)."""
    n_tokens = len(batch.ids)
    if not mean or len(batch.offsets) == 2:  # the same for all; one text is frequent
        factors = np.empty(n_tokens, np.float32)
        factors.fill(1 / max(n_tokens, 1) if mean else 1)
    else:
        lengths = np.diff(batch.offsets)
        factors = (1 / np.maximum(lengths, 1)).astype(np.float32).repeat(lengths)
    if weights is not None:
        ids = batch.ids
        if batch.extra is None:
            factors *= weights[ids].astype(np.float32)
        else:
            found = weights[np.maximum(ids, 0)].astype(np.float32)
            factors *= np.where(ids < 0, np.float32(unknown_weight), found)
    return factors


def _rows_in_use(
    batch: TokenBatch, vectors: WordVectors
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The vectors in use in float32, and the place of each token among them."""
    ids, extra = batch.ids, batch.extra
    if len(ids) <= _FEW:
        places = np.arange(len(ids), dtype=np.int32)
        return places, vectors.token_vectors(ids, extra)
    n_extra = 0 if extra is None else len(extra)
    shifted = ids + n_extra  # unknown words first
    used = np.zeros(n_extra + len(vectors.matrix), dtype=bool)
    used[shifted] = True  # much faster than np.unique
    found = np.flatnonzero(used)
    places = np.empty(len(used), dtype=np.int32)
    places[found] = np.arange(len(found))
    return places[shifted], vectors.token_vectors(found - n_extra, extra)
