"""Vectors for every word, those included that no table has."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from skparaphrase.text import TokenBatch, WordTokenizer
from skparaphrase.vectors import WordVectors


@dataclass(frozen=True)
class Words:
    """Texts, and the words that occur in them.

    Attributes
    ----------
    texts : TokenBatch
        Numbers of words.

    words : list of str
        Distinct.

    vectors : ndarray of shape (n_words, dim), float32
    """

    texts: TokenBatch
    words: list[str]
    vectors: NDArray[np.float32]

    def behind(self, table: WordVectors) -> "Words":
        """The same with all words of a table first, and new ones behind them."""
        numbers = np.empty(len(self.words), dtype=np.int32)
        new = [i for i, word in enumerate(self.words) if word not in table]
        numbers[new] = len(table) + np.arange(len(new))
        old = [i for i, word in enumerate(self.words) if word in table]
        numbers[old] = [table.index[self.words[i]] for i in old]
        return Words(
            TokenBatch(numbers[self.texts.ids], self.texts.offsets),
            [*table.words, *(self.words[i] for i in new)],
            np.concatenate([table.rows(slice(None)), self.vectors[new]]),
        )


def find_words(
    texts: list[str],
    tokenizer: WordTokenizer,
    vectors: WordVectors,
    *,
    scale: Callable[[NDArray[np.float32]], float],
    unknown_range: float | None,
    trained: WordVectors | None = None,
) -> Words:
    """Look up the words of texts.

    Parameters
    ----------
    texts : list of str

    tokenizer : WordTokenizer

    vectors : WordVectors

    scale : callable
        Gives the factor of these vectors, from those that occur.

    unknown_range : float or None
        Words that have no vector get one from U(-unknown_range, unknown_range), drawn
        by a hash of the word: everywhere and always the same. None leaves such words
        out. Where `vectors` has a vector for unknown words, it is that.

    trained : WordVectors, default=None
        Vectors that come before all others.

    Returns
    -------
    words : Words
    """
    unknown: dict[str, int] = {}
    n_known = len(vectors)

    def number(word: str) -> int:
        return unknown.setdefault(word, n_known + len(unknown))

    rule = vectors.unknown_row
    if rule is None and unknown_range is not None:
        batch = tokenizer.encode(texts, vectors.index, number)
    else:
        batch = tokenizer.encode(texts, vectors.index, rule)
    rows, numbers = np.unique(batch.ids, return_inverse=True)
    names = list(unknown)
    words = [
        vectors.words[row] if row < n_known else names[row - n_known]
        for row in rows.tolist()
    ]
    factor = scale(vectors.rows(rows[rows < n_known]))
    matrix = first_vectors(words, vectors, scale=factor, unknown_range=unknown_range)
    if trained is not None:
        places = [(i, trained.index.get(word)) for i, word in enumerate(words)]
        both = np.array([p for p in places if p[1] is not None], dtype=np.intp)
        both = both.reshape(-1, 2)
        matrix[both[:, 0]] = trained.rows(both[:, 1])
    return Words(TokenBatch(numbers.astype(np.int32), batch.offsets), words, matrix)


def first_vectors(
    words: list[str],
    vectors: WordVectors,
    *,
    scale: float,
    unknown_range: float | None,
) -> NDArray[np.float32]:
    """The vectors that words have before any training; see :func:`find_words`.

    Returns
    -------
    matrix : ndarray of shape (n_words, dim), float32
        Zero for a word that has none.
    """
    matrix = np.zeros((len(words), vectors.dim), dtype=np.float32)
    rows = np.array([vectors.index.get(word, -1) for word in words], dtype=np.intp)
    known = rows >= 0
    matrix[known] = vectors.rows(rows[known]) * np.float32(scale)
    if unknown_range is not None:
        for i in np.flatnonzero(~known):
            draw = np.random.RandomState(crc32(words[i].encode("utf-8", "replace")))
            matrix[i] = draw.uniform(-unknown_range, unknown_range, vectors.dim)
    return matrix
