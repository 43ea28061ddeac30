"""Texts to character n-grams, and n-grams to rows of a vocabulary."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from skparaphrase import _core
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._threads import available_threads, prefetch
from skparaphrase.text._check import describe, text_blocks
from skparaphrase.text._lookup import TokenBatch

LONGEST_NGRAM = 100  # characters; the time grows with the square of the order


def check_distinct(strings: Sequence[str], kind: str) -> None:
    """Raise an error that names the first that is not a str, or that occurs twice."""
    if set(map(type, strings)) <= {str} and len(set(strings)) == len(strings):
        return
    first: dict[str, int] = {}
    for row, string in enumerate(strings):
        if not isinstance(string, str):
            raise TypeError(f"{kind} must be str; got {describe(string)} in row {row}.")
        if (seen := first.setdefault(string, row)) != row:
            raise ValueError(f"{string!r}, row {seen}, occurs again in row {row}.")


class NgramIndex:
    """A look-up table of character n-grams.

    Parameters
    ----------
    ngrams : sequence of str
        The n-gram of each row, of any characters and lengths. White space other than
        " " matches nothing, because prepared texts hold none.

    Raises
    ------
    TypeError
        If an n-gram is not a `str`.
    ValueError
        If one is empty or occurs twice.

    Examples
    --------
    >>> from skparaphrase.text import NgramIndex, NgramTokenizer
    >>> index = NgramIndex([" c", "ca", "cat", "dog"])
    >>> NgramTokenizer().encode(["A cat"], index)[0].tolist()
    [0, 1, 2]
    """

    def __init__(self, ngrams: Sequence[str]) -> None:
        ngrams = list(ngrams)
        check_distinct(ngrams, "n-grams")
        if "" in ngrams:
            raise ValueError(f"The n-gram in row {ngrams.index('')} is empty.")
        self._index = _core.core.WordIndex(ngrams)

    def __len__(self) -> int:
        return len(self._index)


class NgramTokenizer(DocumentedOnline, BaseEstimator):
    """Split texts into character n-grams, and look n-grams up in a vocabulary.

    A text is lower-cased, each run of white space becomes one space, and one space is
    put on each side. N-grams thus see where words begin and end, and cross from word
    to word. A blank text has no n-grams. A parameter object, like
    :class:`WordTokenizer`.

    Parameters
    ----------
    ngram_range : tuple of int (lowest, highest), default=(2, 4)
        Orders, in characters (code points): two int with 1 <= lowest <= highest <= 100,
        which is checked when they are used.
    lowercase : bool, default=True
        Lower-case the text first.
    binary : bool, default=True
        Return every n-gram of a text once instead of every occurrence.

    Examples
    --------
    >>> from skparaphrase.text import NgramIndex, NgramTokenizer
    >>> tokenizer = NgramTokenizer(ngram_range=(2, 3))
    >>> ngrams = tokenizer.vocabulary(["a cat", "The cat"], min_count=2)
    >>> ngrams
    [' c', 'at', 'ca', 't ', ' ca', 'at ', 'cat']
    >>> tokenizer.encode(["Cats", ""], NgramIndex(ngrams)).ids.tolist()
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
        """Equal for tokenizers that can share an index."""
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
            By order, then by falling count, then by string.
        """
        index, counts = _core.core.WordIndex(), np.zeros(0, np.int64)
        for block in _blocks(texts):
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
        self, texts: Iterable[str], index: NgramIndex, unknown: int | None = None
    ) -> TokenBatch:
        """Look up the n-grams of texts.

        Parameters
        ----------
        texts : iterable of str
        index : NgramIndex
            The row of every known n-gram. Orders outside `ngram_range` are ignored.
        unknown : int, default=None
            The row of n-grams that `index` lacks. None leaves them out.

        Returns
        -------
        batch : TokenBatch
            If `binary`, the rows of a text are sorted. Otherwise they follow its
            characters, and where several n-grams begin, the shorter ones come first.
        """
        return TokenBatch.concatenate(list(self.encode_blocks(texts, index, unknown)))

    def encode_blocks(
        self,
        texts: Iterable[str],
        index: NgramIndex,
        unknown: int | None = None,
        block_size: int = 2048,
        max_characters: int = 2**18,
    ) -> Iterator[TokenBatch]:
        """Look up the n-grams of texts in blocks, a few blocks ahead in other threads.

        Parameters
        ----------
        texts, index, unknown
            As in :meth:`encode`.
        block_size : int, default=2048
            Maximum number of texts in a block.
        max_characters : int, default=2**18
            Maximum number of characters in a block of several texts.

        Yields
        ------
        batch : TokenBatch
            There is at least one.
        """

        def encode(block: list[str]) -> TokenBatch:
            return TokenBatch(*self._find(block, index._index, unknown, self.binary))

        blocks = _blocks(texts, block_size, max_characters)
        first, second = next(blocks), next(blocks, None)
        n_threads = available_threads()
        if second is None:
            yield encode(first)
        elif n_threads == 1:
            yield from map(encode, chain([first, second], blocks))
        else:
            blocks = chain([first, second], blocks)
            yield from prefetch(
                encode, blocks, n_threads=n_threads, n_ahead=2 * n_threads
            )

    def _find(
        self,
        texts: Sequence[str],
        index: Any,
        unknown: int | None,
        binary: bool = False,
        grow: bool = False,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        return _core.core.find_ngrams(
            texts, index, *self._orders(), unknown, self.lowercase, binary, grow
        )


def _blocks(
    texts: Iterable[str], block_size: int = 2048, max_characters: int = 2**18
) -> Iterator[list[str]]:
    if isinstance(texts, str):
        raise TypeError("Expected a list of str; got one str. Put it in a list.")
    return text_blocks(texts, block_size, max_characters)
