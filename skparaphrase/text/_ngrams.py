"""Character n-grams of texts, and their rows in a vocabulary."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Iterable, Sequence
from operator import index

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from skparaphrase import _core
from skparaphrase._estimator import DocumentedOnline
from skparaphrase.text._check import text_blocks
from skparaphrase.text._lookup import BLOCK, TokenBatch

LONGEST_NGRAM = 100  # characters; the time grows with the square of the order


class NgramTokenizer(DocumentedOnline, BaseEstimator):
    """Split texts into character n-grams, and look n-grams up in a vocabulary.

    A text is converted to composed characters (Unicode's form NFC) and lower-cased.
    Each run of white space becomes one space, and one space is added on each side, so
    n-grams include the beginnings and ends of words and span adjacent words. A blank
    text has no n-grams. This is a parameter object, like :class:`WordTokenizer`.

    Parameters
    ----------
    ngram_range : tuple of int (lowest, highest), default=(2, 4)
        Orders, in characters (code points): two int with 1 <= lowest <= highest <= 100.
        They are checked when they are used.
    lowercase : bool, default=True
        Lower-case the text first.
    binary : bool, default=True
        Return every n-gram of a text once instead of every occurrence.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.text import NgramTokenizer
    >>> from skparaphrase.vectors import WordVectors
    >>> tokenizer = NgramTokenizer(ngram_range=(2, 3))
    >>> ngrams = tokenizer.vocabulary(["a cat", "The cat"], min_count=2)
    >>> ngrams
    [' c', 'at', 'ca', 't ', ' ca', 'at ', 'cat']
    >>> WordVectors(ngrams, np.eye(7)).encode(["Cats", ""], tokenizer).ids.tolist()
    [0, 1, 2, 4, 6]
    """

    def __init__(
        self,
        *,
        ngram_range: tuple[int, int] = (2, 4),
        lowercase: bool = True,
        binary: bool = True,
    ) -> None:
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.binary = binary

    def _orders(self) -> tuple[int, int]:
        """The lowest and the highest order, or a ValueError."""
        try:
            lowest, highest = map(index, self.ngram_range)
            valid = 1 <= lowest <= highest <= LONGEST_NGRAM
        except (TypeError, ValueError):
            valid = False
        if not valid:
            raise ValueError(
                "ngram_range must be two int (lowest, highest) with 1 <= lowest <= "
                f"highest <= {LONGEST_NGRAM}; got {self.ngram_range!r}."
            )
        return lowest, highest

    def _key(self) -> type:
        """Key that is equal for tokenizers whose n-grams can share a table."""
        return type(self)

    def vocabulary(
        self, texts: Iterable[str], min_count: int = 1, max_ngrams: int | None = None
    ) -> list[str]:
        """Find the n-grams of texts.

        Parameters
        ----------
        texts : iterable of str
        min_count : int, default=1
            Leave out n-grams that occur less often in all texts together. Every
            occurrence counts, even if `binary`.
        max_ngrams : int, default=None
            Maximum number of n-grams of each order; the most frequent are kept. None
            keeps all.

        Returns
        -------
        ngrams : list of str
            Sorted by order, then by decreasing count, then by string.
        """
        index, counts = _core.core.WordIndex(), np.zeros(0, np.int64)
        for block in text_blocks(texts, BLOCK):
            ids, _ = self._find(block, index, None, grow=True)
            new = np.bincount(ids, minlength=len(index))
            new[: len(counts)] += counts
            counts = new
        ngrams = index.words()
        often = np.flatnonzero(counts >= min_count).tolist()
        rows = np.array(sorted(often, key=ngrams.__getitem__), np.intp)
        orders = np.array([len(ngrams[row]) for row in rows], np.intp)
        rows = rows[np.lexsort((-counts[rows], orders))]
        if max_ngrams is not None:
            orders.sort()
            rank = np.arange(len(rows)) - np.searchsorted(orders, orders)
            rows = rows[rank < max_ngrams]
        return [ngrams[row] for row in rows]

    def encode(
        self,
        texts: Iterable[str],
        index: _core.WordIndex,
        unknown: int | None = None,
    ) -> TokenBatch:
        """Look up the n-grams of texts.

        Parameters
        ----------
        texts : iterable of str
        index : mapping of str to int
            The row of every known n-gram: `index` of a
            :class:`~skparaphrase.vectors.WordVectors`. Orders outside `ngram_range` are
            ignored.
        unknown : int, default=None
            The row of n-grams that are missing from `index`. None leaves them out.

        Returns
        -------
        batch : TokenBatch
            If `binary`, the rows of a text are sorted. Otherwise they are in the order
            of its characters, and shorter n-grams come first where several begin.
        """
        [texts] = text_blocks(texts, sys.maxsize)
        return TokenBatch(*self._find(texts, index, unknown, self.binary))

    def _find(
        self,
        texts: Sequence[str],
        index: _core.WordIndex,
        unknown: int | None,
        binary: bool = False,
        grow: bool = False,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        return _core.core.find_ngrams(
            texts, index, *self._orders(), unknown, self.lowercase, binary, grow
        )
