"""Texts to character n-grams, and n-grams to rows of a vocabulary."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from operator import index

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from skparaphrase._estimator import DocumentedOnline
from skparaphrase._threads import available_threads, prefetch
from skparaphrase.text._check import text_blocks
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.text._ngram_index import Alphabet, NgramIndex, code_points

LONGEST_NGRAM = 100  # characters; the time grows with the square of the order
_CHARACTERS = 2**20  # counted at a time, of so many texts at most
_TEXTS = 2**16
_MAX_KEY = 2**63 - 1


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
            Read twice, so not an iterator.
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
        seen = np.zeros(sys.maxunicode + 1, dtype=bool)
        for block in self._blocks(texts, _TEXTS, _CHARACTERS):
            seen[code_points("".join(block))] = True
        alphabet = Alphabet(np.flatnonzero(seen))
        dtype = np.min_scalar_type(alphabet.n_symbols)
        symbols = [
            alphabet.prepare(block)[0].astype(dtype)
            for block in self._blocks(texts, _TEXTS, _CHARACTERS)
        ]
        counter = _NgramCounter(alphabet, symbols, min_count)
        lowest, highest = self._orders()
        ngrams: list[str] = []
        for order in range(1, highest + 1):
            counter.pack(order)
            if order >= lowest:
                keys, counts = counter.count(order)
                # Keys rise as their strings do.
                best = np.argsort(-counts, kind="stable")[:max_ngrams]
                ngrams += counter.strings(keys[best], order)
        return ngrams

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
            return self._encode(block, index, unknown)

        blocks = self._blocks(texts, block_size, max_characters)
        first, second = next(blocks), next(blocks, None)
        if second is None:
            yield encode(first)
            return
        blocks = chain([first, second], blocks)
        n_threads = available_threads()
        if n_threads == 1:
            yield from map(encode, blocks)
        else:
            yield from prefetch(
                encode, blocks, n_threads=n_threads, n_ahead=2 * n_threads
            )

    def _blocks(
        self, texts: Iterable[str], block_size: int, max_characters: int
    ) -> Iterator[list[str]]:
        """The texts in blocks, lower-cased if asked for; at least one block."""
        if isinstance(texts, str):
            raise TypeError("Expected a list of str; got one str. Put it in a list.")
        for block in text_blocks(texts, block_size, max_characters):
            yield [text.lower() for text in block] if self.lowercase else block

    def _encode(
        self, texts: Sequence[str], index: NgramIndex, unknown: int | None
    ) -> TokenBatch:
        lowest, highest = self._orders()
        if unknown is None:  # longer ones are not known
            highest = max(lowest, min(highest, index._depth))
        symbols, bounds = index.alphabet.prepare(texts)
        rows = index._find(symbols, lowest, highest)
        if unknown is not None:
            left = np.repeat(bounds[1:] - 1, np.diff(bounds)) - np.arange(len(symbols))
            inside = left[:, None] >= np.arange(lowest, highest + 1)
            rows[inside & (rows < 0)] = unknown
        known = rows >= 0
        if self.binary:
            n_rows = max(len(index), 0 if unknown is None else unknown + 1)
            return _distinct(rows, known, bounds, n_rows)
        ends = np.zeros(len(symbols) + 1, dtype=np.int64)
        np.cumsum(np.count_nonzero(known, axis=1), out=ends[1:])
        return TokenBatch(rows[known], ends[bounds])


_Counts = tuple[NDArray[np.int64], NDArray[np.int64]]  # sorted keys, their counts


class _NgramCounter:
    """Counts the n-grams of one order after another, as integer keys.

    A key is the number whose digits are the symbols. Where it would overflow, the first
    digits are replaced by their rank among the beginnings that occur.
    """

    def __init__(
        self, alphabet: Alphabet, blocks: list[NDArray[np.unsignedinteger]], least: int
    ) -> None:
        self._alphabet = alphabet
        self._blocks = blocks
        self._least = least
        self._stems: list[tuple[int, NDArray[np.int64]]] = []  # (order, its keys)
        self._n_keys = 1

    def pack(self, order: int) -> None:
        """Make room in the keys for one more symbol."""
        if self._n_keys * self._alphabet.n_symbols > _MAX_KEY:
            # The beginning of a frequent n-gram is frequent.
            keys, _ = self.count(order - 1)
            self._stems.append((order - 1, keys))
            self._n_keys = len(keys) + 1
        self._n_keys *= self._alphabet.n_symbols

    def count(self, order: int) -> _Counts:
        """Sorted keys of the n-grams that occur often enough, and their counts."""
        parts: list[_Counts] = []
        with ThreadPoolExecutor(available_threads()) as pool:
            for part in pool.map(lambda block: self._count(block, order), self._blocks):
                parts.append(part)
                # Merging only parts of similar size merges each key few times.
                while len(parts) > 1 and len(parts[-2][0]) < 2 * len(parts[-1][0]):
                    parts[-2:] = [_merge(parts[-2:])]
        keys, counts = _merge(parts)
        often = counts >= self._least
        return keys[often], counts[often]

    def _count(self, block: NDArray[np.unsignedinteger], order: int) -> _Counts:
        keys = block.astype(np.int64)
        known = block != 0
        length = 1
        for longer, stem in [*self._stems, (order, None)]:
            for i in range(length, longer):
                keys = keys[:-1] * self._alphabet.n_symbols + block[i:]
                known = known[:-1] & (block[i:] != 0)
            length = longer
            if stem is not None and len(stem):
                ranks = np.minimum(np.searchsorted(stem, keys), len(stem) - 1)
                known &= stem[ranks] == keys
                keys = ranks + 1
            elif stem is not None:
                known[:] = False
        return np.unique(keys[known], return_counts=True)

    def strings(self, keys: NDArray[np.int64], order: int) -> list[str]:
        """The n-grams of these keys."""
        symbols = np.empty((len(keys), order), dtype=np.int64)
        for length, stem in [*reversed(self._stems), (1, None)]:
            while order > length:
                order -= 1
                keys, symbols[:, order] = np.divmod(keys, self._alphabet.n_symbols)
            if stem is not None:
                keys = stem[keys - 1]
        symbols[:, 0] = keys
        codes = self._alphabet.codes[symbols - 1].astype("<u4")
        text = codes.tobytes().decode("utf-32-le", "surrogatepass")
        step = symbols.shape[1]
        return [text[i : i + step] for i in range(0, len(text), step)]


def _merge(parts: list[_Counts]) -> _Counts:
    keys = np.concatenate([part[0] for part in parts])
    counts = np.concatenate([part[1] for part in parts])
    order = np.argsort(keys, kind="stable")  # fast for sorted runs
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[first], np.add.reduceat(counts, first) if len(first) else counts


def _distinct(
    rows: NDArray[np.int32],
    known: NDArray[np.bool_],
    bounds: NDArray[np.int64],
    n_rows: int,
) -> TokenBatch:
    """Every known row of a text once, sorted."""
    n_texts = len(bounds) - 1
    # Text and row in one number, the narrowest that holds it: it sorts fastest.
    dtype = np.uint32 if n_texts * n_rows < 2**32 else np.uint64
    firsts = np.arange(n_texts + 1, dtype=np.uint64) * np.uint64(n_rows)
    bases = np.repeat(firsts[:-1].astype(dtype), np.diff(bounds))
    keys = (bases[:, None] + rows.astype(dtype))[known]
    keys.sort()
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    keys = keys[new]
    offsets = np.searchsorted(keys, firsts.astype(dtype))
    keys -= np.repeat(firsts[:-1].astype(dtype), np.diff(offsets))
    return TokenBatch(keys.astype(np.int32), offsets)
