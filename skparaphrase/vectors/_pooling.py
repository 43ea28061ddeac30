"""Sums and averages of the vectors of tokens: sparse weights times a table.

An average is plain ("mean"), or of the distinct words of a text ("distinct"), each of
which has the less weight, the more the other words are similar to it: see
:func:`distinct_weights`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse._sparsetools import csr_matvec, csr_matvecs

from skparaphrase._threads import available_threads, prefetch
from skparaphrase.text import TokenBatch, WordTokenizer
from skparaphrase.vectors._word_vectors import WordVectors

_Weights = NDArray[np.floating] | None  # of the words of a table

POOLINGS = ("mean", "distinct")

_BLOCK = 2048  # texts per product
_DISTINCT_BLOCK = 64  # texts whose vectors stay in the cache while they are weighted
_FEW = 64  # tokens; looking for repeats does not pay for so few
_AHEAD = 16  # products that wait for each thread: bounds the tokens in memory


def pool_texts(
    vectors: WordVectors,
    tokenizer: WordTokenizer,
    texts: Sequence[str],
    *,
    weights: _Weights = None,
    unknown_weight: float = 1.0,
    pooling: str = "mean",
) -> NDArray[np.float32]:
    """Average the vectors of the words of each text, as :func:`pool_vectors` does."""
    return pool_vectors(
        vectors,
        vectors.encode_blocks(texts, tokenizer),
        len(texts),
        weights=weights,
        unknown_weight=unknown_weight,
        pooling=pooling,
    )


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
        if pooling == "distinct":
            stop = start + len(batch)
            sums = pooled[start:stop]
            _pool_distinct(vectors, batch, weights, unknown_weight, sums)
            return stop
        ids, table = batch.ids, vectors.matrix
        if table.dtype != np.float32 or batch.extra is not None:
            ids, table = _rows_in_use(batch, vectors)
        offsets = batch.offsets.astype(np.int32)
        stop = start + len(offsets) - 1
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
        factors *= _word_weights(batch, weights, unknown_weight)
    return factors


def _word_weights(
    batch: TokenBatch, weights: NDArray[np.floating], unknown_weight: float
) -> NDArray[np.float32]:
    """The weight of the word of each token; the ids of unknown words are negative."""
    if batch.extra is None:
        return weights[batch.ids].astype(np.float32)
    found = weights[np.maximum(batch.ids, 0)].astype(np.float32)
    return np.where(batch.ids < 0, np.float32(unknown_weight), found)


def _pool_distinct(
    vectors: WordVectors,
    batch: TokenBatch,
    weights: _Weights,
    unknown_weight: float,
    pooled: NDArray[np.float32],
) -> None:
    """Add the averages of distinct words to rows of zeros."""
    for start in range(0, len(batch), _DISTINCT_BLOCK):
        stop = min(start + _DISTINCT_BLOCK, len(batch))
        part, sums = batch[start:stop], pooled[start:stop]
        places, offsets = distinct_tokens(part.ids, part.offsets)
        tokens = TokenBatch(part.ids[places], offsets, batch.extra)
        rows = weighted_tokens(vectors, tokens, weights, unknown_weight)
        factors = distinct_weights(rows, offsets)
        shape, numbers = (len(sums), *rows.shape), np.arange(len(rows), dtype=np.int32)
        offsets = offsets.astype(np.int32)
        flat = rows.reshape(-1), sums.reshape(-1)
        csr_matvecs(*shape, offsets, numbers, factors, *flat)


def weighted_tokens(
    vectors: WordVectors, batch: TokenBatch, weights: _Weights, unknown_weight: float
) -> NDArray[np.float32]:
    """The weighted vectors of tokens, shape (n_tokens, dim)."""
    rows = vectors.token_vectors(batch.ids, batch.extra)
    if weights is not None:
        rows *= _word_weights(batch, weights, unknown_weight)[:, np.newaxis]
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
    shares = distinct_weights(rows[first], np.array([0, len(first)]))
    return (shares / counts)[same]


def distinct_tokens(
    ids: NDArray[np.integer], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Find where each text has each of its tokens first.

    Parameters
    ----------
    ids : ndarray of shape (n_tokens,)
        Of the tokens of texts, which are stored end to end.
    offsets : ndarray of shape (n_texts + 1,)

    Returns
    -------
    places : ndarray of shape (n_distinct,)
        In ascending order.
    offsets : ndarray of shape (n_texts + 1,)
        Where each text starts in `places`.
    """
    keys = ids.astype(np.int64)
    if len(offsets) > 2:
        texts = np.arange(len(offsets) - 1) << 32
        keys += texts.repeat(np.diff(offsets))
    order = keys.argsort(kind="stable")
    keys = keys[order]
    is_first = np.empty(len(keys), dtype=bool)
    is_first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    places = order[is_first]
    places.sort()
    return places, places.searchsorted(offsets)


@np.errstate(over="ignore", invalid="ignore")  # a fit that diverges says so itself
def distinct_weights(
    rows: NDArray[np.floating], offsets: NDArray[np.integer]
) -> NDArray[np.floating]:
    r"""Weights of the distinct words of texts, which add up to 1 in each text.

    A word :math:`i` with vector :math:`x_i` of unit vector :math:`u_i` has first
    :math:`s_i = \max(\sum_j u_i \cdot u_j, 1)^{-1/2}`, and then, where :math:`a` is the
    direction of :math:`\sum_i s_i x_i`, a weight proportional to
    :math:`s_i (0.3 + \max(u_i \cdot a, 0))^{-0.35}`: the less, the more of what it says
    the other words say already. The exponents were chosen on STS 2012 train and SICK
    train.

    Parameters
    ----------
    rows : ndarray of shape (n_tokens, dim)
        Vectors of distinct words of texts, which are stored end to end; single or
        double precision.
    offsets : ndarray of shape (n_texts + 1,)

    Returns
    -------
    weights : ndarray of shape (n_tokens,)
    """
    dtype = rows.dtype.type
    lengths = offsets[1:] - offsets[:-1]
    shape = len(lengths), *rows.shape
    ends, numbers = offsets.astype(np.int32), np.arange(len(rows), dtype=np.int32)
    sums = np.zeros((len(lengths), rows.shape[1]), dtype)
    flat_rows, flat_sums = rows.reshape(-1), sums.reshape(-1)

    scales = 1 / _lengths_of(rows)
    csr_matvecs(*shape, ends, numbers, scales, flat_rows, flat_sums)
    others = np.vecdot(rows, sums.repeat(lengths, axis=0))
    others *= scales
    weights = np.maximum(others, 1, out=others) ** dtype(-0.5)

    sums.fill(0)
    csr_matvecs(*shape, ends, numbers, weights, flat_rows, flat_sums)
    along = np.vecdot(rows, sums.repeat(lengths, axis=0))
    along *= scales
    along /= _lengths_of(sums).repeat(lengths)
    np.maximum(along, 0, out=along)
    along += dtype(0.3)
    weights *= along ** dtype(-0.35)

    totals = np.zeros(len(lengths), dtype)
    csr_matvec(*shape[:2], ends, numbers, weights, np.ones(len(rows), dtype), totals)
    weights /= totals.repeat(lengths)
    return weights


def _lengths_of(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """The lengths of rows; infinite for zeros, so that divided by them they stay so."""
    found = np.sqrt(np.vecdot(rows, rows))
    found[found == 0] = np.inf
    return found


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
