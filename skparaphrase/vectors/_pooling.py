"""Sums and averages of the vectors of tokens.

An average is plain ("mean"), or of the distinct words of a text ("distinct"), each of
which has the less weight, the more the other words are similar to it: see
:func:`distinct_weights`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse._sparsetools import csr_matvecs

from skparaphrase._threads import available_threads, prefetch
from skparaphrase.text import TokenBatch
from skparaphrase.vectors._word_vectors import WordVectors

_Weights = NDArray[np.floating] | None  # of the words of a table

POOLINGS = ("mean", "distinct")

_BLOCK = 2048  # texts per product
_IN_CACHE = 1024  # vectors that stay in the cache while they are weighted
_TINY = np.finfo(np.float32).tiny  # of squared lengths; avoids dividing by zero
_FEW = 64  # tokens; looking for repeats does not pay for so few
_AHEAD = 16  # products that wait for each thread: bounds the tokens in memory


def pool_vectors(
    vectors: WordVectors,
    batches: Iterable[TokenBatch],
    n_texts: int,
    *,
    weights: _Weights = None,
    unknown_weight: float = 1.0,
    pooling: str = "mean",
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
    pooling : {"mean", "sum", "distinct"}, default="mean"
        "mean" divides by the number of tokens; "distinct" averages the distinct tokens
        of a text with the weights of :func:`distinct_weights`.

    Returns
    -------
    pooled : ndarray of shape (n_texts, dim), float32
        Zero for texts without tokens. A row does not depend on other texts, to the
        bit.
    """
    if pooling not in (*POOLINGS, "sum"):
        raise ValueError(f"pooling must be 'mean' or 'distinct'; got {pooling!r}.")
    pooled = np.zeros((n_texts, vectors.matrix.shape[1]), dtype=np.float32)

    def add(start: int, batch: TokenBatch) -> int:
        """Pool a batch into the rows from `start` on; return the row after them."""
        stop = start + len(batch.offsets) - 1
        if pooling == "distinct":
            ids, offsets = distinct_tokens(batch.ids, batch.offsets)
            rows, table = ids, np.asarray(vectors.matrix)  # a memmap is slower
            if (
                table.dtype != np.float32
                or batch.extra is not None
                or weights is not None
            ):
                rows, table = _rows_in_use(ids, batch.extra, vectors)
            if weights is not None:
                of_rows = np.empty(len(table), np.float32)
                of_rows[rows] = _word_weights(ids, batch.extra, weights, unknown_weight)
                table *= of_rows[:, np.newaxis]
            average_distinct(table, rows, offsets, pooled[start:stop])
            return stop
        ids, table = batch.ids, vectors.matrix
        if table.dtype != np.float32 or batch.extra is not None:
            ids, table = _rows_in_use(batch.ids, batch.extra, vectors)
        offsets = batch.offsets.astype(np.int32)
        factors = _token_weights(batch, weights, unknown_weight, pooling == "mean")
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
        factors *= _word_weights(batch.ids, batch.extra, weights, unknown_weight)
    return factors


def _word_weights(
    ids: NDArray[np.integer],
    extra: NDArray[np.float32] | None,
    weights: NDArray[np.floating],
    unknown_weight: float,
) -> NDArray[np.float32]:
    """The weight of the word of each token; the ids of unknown words are negative."""
    if extra is None:
        return weights[ids].astype(np.float32)
    known = weights[np.maximum(ids, 0)].astype(np.float32)
    return np.where(ids < 0, np.float32(unknown_weight), known)


@np.errstate(over="ignore", invalid="ignore")  # training reports divergence
def average_distinct(
    table: NDArray[np.floating],
    ids: NDArray[np.integer],
    offsets: NDArray[np.int64],
    averages: NDArray[np.floating],
) -> NDArray[np.floating]:
    """Average the distinct tokens of texts, with :func:`distinct_weights`.

    Parameters
    ----------
    table : ndarray of shape (n_rows, dim)
    ids : ndarray of shape (n_tokens,)
        Rows of the tokens of texts, which are stored end to end.
    offsets : ndarray of shape (n_texts + 1,)
    averages : ndarray of shape (n_texts, dim)
        Where to write the averages; texts without tokens keep what is there.

    Returns
    -------
    weights : ndarray of shape (n_tokens,)
    """
    if len(offsets) == 2 and len(ids):  # one text is frequent
        vectors = table.take(ids, axis=0)[np.newaxis]
        weights = distinct_weights(vectors)
        np.einsum("tn,tnd->td", weights, vectors, out=averages)
        return weights[0]
    weights = np.empty(len(ids), averages.dtype)
    lengths = offsets[1:] - offsets[:-1]
    order = lengths.argsort(kind="stable")
    lengths = lengths.take(order)
    starts = np.diff(lengths, prepend=-1).nonzero()[0]
    for start, stop in pairwise([*starts.tolist(), len(order)]):  # of equal lengths
        length = int(lengths[start])
        size = max(_IN_CACHE // max(length, 1), 1)
        for first in range(start, stop if length else start, size):
            texts = order[first : min(first + size, stop)]
            tokens = offsets[texts, np.newaxis] + np.arange(length)
            # "clip" replaces a check that would need a buffer.
            vectors = table.take(ids[tokens], axis=0, mode="clip")
            shares = weights[tokens] = distinct_weights(vectors)
            averages[texts] = np.einsum("tn,tnd->td", shares, vectors)
    return weights


def weighted_tokens(
    vectors: WordVectors, batch: TokenBatch, weights: _Weights, unknown_weight: float
) -> NDArray[np.float32]:
    """The weighted vectors of tokens, shape (n_tokens, dim)."""
    rows = vectors.token_vectors(batch.ids, batch.extra)
    if weights is not None:
        factors = _word_weights(batch.ids, batch.extra, weights, unknown_weight)
        rows *= factors[:, np.newaxis]
    return rows


def token_shares(
    rows: NDArray[np.floating], ids: NDArray[np.integer], pooling: str
) -> NDArray[np.floating]:
    """The share of each token of one text in its average, shape (n_tokens,).

    Tokens that repeat one another have equal shares.
    """
    if pooling == "mean":
        return np.full(len(ids), 1 / max(len(ids), 1))
    _, first, same, counts = np.unique(
        ids, return_index=True, return_inverse=True, return_counts=True
    )
    return (distinct_weights(rows[np.newaxis, first])[0] / counts)[same]


def distinct_tokens(
    ids: NDArray[np.integer], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """Drop repeated tokens within each text; return the others and their offsets."""
    if len(offsets) == 2:
        first = dict.fromkeys(ids.tolist())
        if len(first) == len(ids):
            return ids, offsets
        return np.array([*first], ids.dtype), np.array([0, len(first)])
    texts = np.arange(len(offsets) - 1) << 32
    keys = texts.repeat(np.diff(offsets)) + ids
    order = keys.argsort(kind="stable")
    keys = keys.take(order)
    repeats = order[1:][keys[1:] == keys[:-1]]
    if not len(repeats):
        return ids, offsets
    is_first = np.ones(len(ids), dtype=bool)
    is_first[repeats] = False
    repeats.sort()
    return ids[is_first], offsets - repeats.searchsorted(offsets)


def distinct_weights(vectors: NDArray[np.floating]) -> NDArray[np.floating]:
    r"""Weights of the distinct words of texts, which add up to 1 in each text.

    A word :math:`i` with vector :math:`x_i` of unit vector :math:`u_i` has first
    :math:`s_i = \max(\sum_j u_i \cdot u_j, 1)^{-1/2}`, and then, where :math:`a` is the
    direction of :math:`\sum_i s_i x_i`, a weight proportional to
    :math:`s_i (0.3 + \max(u_i \cdot a, 0))^{-0.35}`: the less, the more of what it says
    the other words say already. The exponents were chosen on STS 2012 train and SICK
    train.

    Parameters
    ----------
    vectors : ndarray of shape (n_texts, n_words, dim)
        Single or double precision.

    Returns
    -------
    weights : ndarray of shape (n_texts, n_words)
    """
    dtype = vectors.dtype.type
    scales = np.reciprocal(_lengths_of(vectors))
    # No product of matrices: for these, BLAS takes a lock that forks can leave locked.
    sums = np.einsum("tn,tnd->td", scales, vectors)
    others = np.vecdot(vectors, sums[:, np.newaxis])
    others *= scales
    weights = np.maximum(others, 1, out=others) ** dtype(-0.5)

    sums = np.einsum("tn,tnd->td", weights, vectors)
    along = np.vecdot(vectors, sums[:, np.newaxis])
    along *= scales
    along /= _lengths_of(sums)[:, np.newaxis]
    np.maximum(along, 0, out=along)
    along += dtype(0.3)
    weights *= along ** dtype(-0.35)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _lengths_of(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """The lengths of rows, which are not 0: divided by them, zeros stay so."""
    squares = np.vecdot(rows, rows)
    return np.sqrt(np.maximum(squares, _TINY, out=squares), out=squares)


def _rows_in_use(
    ids: NDArray[np.integer], extra: NDArray[np.float32] | None, vectors: WordVectors
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The vectors in use in float32, and the place of each token among them."""
    if len(ids) <= _FEW:
        places = np.arange(len(ids), dtype=np.int32)
        return places, vectors.token_vectors(ids, extra)
    n_extra = 0 if extra is None else len(extra)
    shifted = ids + n_extra  # unknown words first
    used = np.zeros(n_extra + len(vectors.matrix), dtype=bool)
    used[shifted] = True  # much faster than np.unique
    in_use = np.flatnonzero(used)
    places = np.empty(len(used), dtype=np.int32)
    places[in_use] = np.arange(len(in_use))
    return places[shifted], vectors.token_vectors(in_use - n_extra, extra)
