"""Sums and averages of the vectors of tokens.

An average is plain ("mean") or over the distinct words of a text ("distinct"). With
"distinct", a word has less weight, the more similar the other words are to it, and a
long text is averaged window by window. See ``distinct_weights`` and ``windows`` in
``_core``.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from numpy.typing import NDArray

from skparaphrase import _core
from skparaphrase._progress import progress_bar
from skparaphrase._threads import map_blocks
from skparaphrase.text import NgramTokenizer, WordTokenizer
from skparaphrase.text._lookup import BLOCK, TokenBatch
from skparaphrase.vectors._word_vectors import WordVectors

_Weights = NDArray[np.floating] | None  # weights of the words of a table

POOLINGS = ("mean", "distinct")


def pool_texts(
    vectors: WordVectors,
    texts: list[str],
    tokenizer: WordTokenizer | NgramTokenizer,
    *,
    weights: _Weights = None,
    unknown_weight: float = 1.0,
    pooling: str = "mean",
) -> NDArray[np.float32]:
    """Average the vectors of the tokens of each text.

    Parameters
    ----------
    vectors : WordVectors
    texts : list of str
    tokenizer : WordTokenizer or NgramTokenizer
    weights, unknown_weight, pooling
        As in :func:`pool_vectors`.

    Returns
    -------
    pooled : ndarray of shape (n_texts, dim), float32
    """
    pooled = np.zeros((len(texts), vectors.dim), dtype=np.float32)

    def embed(start: int, warn: bool = False) -> None:
        part = slice(start, start + BLOCK)
        batch = vectors.encode_block(texts[part], tokenizer, warn=warn)
        pool_vectors(vectors, batch, pooled[part], weights, unknown_weight, pooling)

    embed(0, warn=True)
    if len(texts) > BLOCK:
        with progress_bar(len(texts), "Embedding") as advance:
            advance(BLOCK)
            starts = range(BLOCK, len(texts), BLOCK)
            for start, _ in zip(starts, map_blocks(embed, starts), strict=True):
                advance(min(BLOCK, len(texts) - start))
    return pooled


def pool_vectors(
    vectors: WordVectors,
    batch: TokenBatch,
    out: NDArray[np.float32],
    weights: _Weights = None,
    unknown_weight: float = 1.0,
    pooling: str = "mean",
) -> None:
    """Add weight times vector over the tokens of each text to a row of `out`.

    Parameters
    ----------
    vectors : WordVectors
    batch : TokenBatch
    out : ndarray of shape (n_texts, dim), float32
        Rows of texts without tokens are unchanged. A row is bit-identical whatever the
        other texts are.
    weights : ndarray of shape (n_words,), default=None
        None weights all words equally.
    unknown_weight : float, default=1.0
        The weight of words with a vector in the batch's `extra`.
    pooling : {"mean", "sum", "distinct"}, default="mean"
        "mean" divides by the number of tokens; "distinct" averages the distinct tokens
        of each window of a text, with the weights of ``distinct_weights``, and the
        windows in proportion to their tokens.
    """
    if pooling not in (*POOLINGS, "sum"):
        raise ValueError(f"pooling must be 'mean' or 'distinct'; got {pooling!r}.")

    factors = None
    if weights is not None:
        factors = _word_weights(batch.ids, batch.extra, weights, unknown_weight)
    _core.core.pool_rows(
        vectors.matrix,
        vectors.scale,
        batch.extra,
        batch.ids,
        batch.offsets,
        factors,
        pooling,
        out,
    )


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

    Tokens that repeat one another in a window have equal shares.
    """
    if pooling == "mean":
        return np.full(len(ids), 1 / max(len(ids), 1))
    starts, parts = _core.windows(np.array([0, len(ids)]))
    window = np.repeat(np.arange(len(parts)), np.diff(starts))
    keys = window << 32 | ids.astype(np.int32).view(np.uint32)  # by window, then by id
    _, first, same, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    shares = _core.distinct_weights(rows[first], window[first])
    return (shares * parts[window[first]] / counts)[same]
