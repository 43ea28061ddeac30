"""Texts to rows of a vocabulary, each piece between white space looked up once."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from operator import itemgetter
from struct import pack
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.text._batch import TokenBatch, ragged_positions, text_blocks

Unknown = int | Callable[[str], int] | None  # the row of words that have none

JOINERS = frozenset("'-.\u2019/:,")  # of the parts of compounds
_PARTS = re.compile(r"\w+")
_FEW = 8  # texts, two at least, for which a loop over pieces is quicker
_MOST = 2**23  # characters of the pieces that are remembered


class WordLookup:
    """What a tokenizer finds in texts, as rows of one vocabulary.

    It remembers the pieces that it has met, about a million words' worth of characters
    at most, from call to call and from thread to thread.

    Parameters
    ----------
    find : callable
        The tokens of a text.

    by_piece : bool
        No token holds white space, nor depends on what stands beyond it.

    whole_words : bool
        A piece of letters and digits is a token.

    lowercase : bool
        Lower-case texts first.

    split_compounds : bool
        Look a compound that the vocabulary lacks up in its parts.

    index : mapping of str to int
        The row of every known word.

    unknown : int or callable, default=None
        The row of other words, or a function of the word; None leaves them out.
    """

    def __init__(
        self,
        find: Callable[[str], Iterable[str]],
        *,
        by_piece: bool,
        whole_words: bool,
        lowercase: bool,
        split_compounds: bool,
        index: Mapping[str, int],
        unknown: Unknown = None,
    ) -> None:
        self._find = find
        self._by_piece = by_piece
        self._whole_words = whole_words
        self._lowercase = lowercase
        self._split_compounds = split_compounds
        self._index = index
        self._unknown = unknown
        self._pieces: dict[str, _Pieces] = {}  # by what parts the texts

    def encode_blocks(
        self,
        texts: Sequence[str],
        block_size: int = 1024,
        max_characters: int | None = 2**18,
    ) -> Iterator[TokenBatch]:
        """Rows of the tokens of each text, some texts at a time; at least one batch.

        Parameters
        ----------
        texts : sequence of str

        block_size : int, default=1024
            Most texts of a block.

        max_characters : int or None, default=2**18
            Most characters of a block; a longer text is a block of its own.

        Yields
        ------
        batch : TokenBatch
            The next texts.
        """
        done = 0
        blocks = text_blocks(texts, block_size, max_characters)
        for block in [texts] if len(texts) == 1 else blocks:
            if not self._by_piece:
                yield _ragged(self._rows_of_tokens(block, done))
            elif len(block) <= _FEW:
                pieces = self._remembered("")  # which parts nothing
                yield _ragged([pieces.rows(self._fold(text)) for text in block])
            else:
                yield self._encode(block)
            done += len(block)

    def _encode(self, texts: Sequence[str]) -> TokenBatch:
        """Several texts in one pass."""
        joined, separator = _join(texts)
        pieces = self._remembered(separator)
        # Lower-casing looks at neighbouring letters only, and a separator is none.
        codes = _codes(itemgetter(*self._fold(joined).split())(pieces))
        odd = np.flatnonzero(codes < 0)
        numbers = ~codes[odd]
        rows, offsets = pieces.odd()
        starts = offsets[numbers]
        sizes = offsets[numbers + 1] - starts
        lengths = np.ones(len(codes), dtype=np.int64)
        lengths[odd] = sizes
        ends = np.cumsum(lengths)
        ids = np.repeat(codes, lengths)
        here, _ = ragged_positions(ends[odd] - sizes, sizes)
        there, _ = ragged_positions(starts, sizes)
        ids[here] = rows[there]
        bounds = np.zeros(len(texts) + 1, dtype=np.int64)
        bounds[1:-1] = ends[odd[numbers == 0]]
        bounds[-1] = ends[-1]
        return TokenBatch(ids, bounds)

    def _remembered(self, separator: str) -> "_Pieces":
        pieces = self._pieces.get(separator)
        if pieces is None or pieces.n_characters > _MOST:
            pieces = self._pieces[separator] = _Pieces(self._look_up, separator)
        return pieces

    def _look_up(self, piece: str) -> list[int]:
        if self._whole_words and piece.isalnum():
            row = self._index.get(piece)
            if row is not None:
                return [row]
        return self._rows(self._find(piece))

    def _rows(self, tokens: Iterable[str]) -> list[int]:
        """Rows of a few tokens, compounds by their parts where need be."""
        index, unknown = self._index, self._unknown
        rows = []
        for token in tokens:
            row = index.get(token)
            if row is not None:
                rows.append(row)
                continue
            if self._split_compounds and not JOINERS.isdisjoint(token):
                parts = [index[p] for p in _PARTS.findall(token) if p in index]
                if parts:
                    rows += parts
                    continue
            if unknown is not None:
                rows.append(unknown(token) if callable(unknown) else unknown)
        return rows

    def _rows_of_tokens(self, texts: Sequence[str], first: int) -> list[list[int]]:
        """Where white space parts no tokens, or where it is not known to."""
        found: dict[str, list[int]] = {}
        rows = []
        for i, text in enumerate(texts, start=first):
            row: list[int] = []
            for token in self._find(self._fold(text)):
                if not isinstance(token, str):
                    raise TypeError(
                        f"The tokenizer gave {token!r} ({type(token).__name__}) "
                        f"for text {i}; tokens must be str."
                    )
                known = found.get(token)
                if known is None:
                    known = found[token] = self._rows([token])
                row += known
            rows.append(row)
        return rows

    def _fold(self, text: str) -> str:
        return text.lower() if self._lowercase else text


class _Pieces(dict[str, bytes]):
    """Codes of pieces: the row of a single token, or ~i of the i-th odd piece.

    Odd pieces have no row, or several. Number 0 is the separator, which has none. A
    code is kept as its bytes, which are quicker to join than numbers are to gather.
    """

    def __init__(self, look_up: Callable[[str], list[int]], separator: str) -> None:
        super().__init__({separator: pack("=i", ~0)})
        self.n_characters = 0
        self._look_up = look_up
        self._lock = Lock()
        self._odd: list[list[int]] = [[]]
        self._n_compiled = 1
        self._ids = np.empty(0, dtype=np.int32)
        self._offsets = np.zeros(2, dtype=np.int64)

    def __missing__(self, piece: str) -> bytes:
        rows = self._look_up(piece)
        self.n_characters += len(piece)
        if len(rows) == 1:
            self[piece] = code = pack("=i", rows[0])
            return code
        with self._lock:
            self._odd.append(rows)
            self[piece] = code = pack("=i", ~(len(self._odd) - 1))
        return code

    def odd(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Rows of all odd pieces end to end, and where each begins; room behind them.

        Later pieces are written into that room, or into a copy of twice the size: what
        was returned stays as it is.
        """
        with self._lock:
            first, n_odd = self._n_compiled, len(self._odd)
            if n_odd > first:
                new = _ragged(self._odd[first:])
                n_rows = int(self._offsets[first])
                self._ids = _put(self._ids, n_rows, new.ids)
                ends = new.offsets[1:] + n_rows
                self._offsets = _put(self._offsets, first + 1, ends)
                self._n_compiled = n_odd
            return self._ids, self._offsets

    def rows(self, text: str) -> list[int]:
        """Rows of the tokens of one text."""
        found: list[int] = []
        for code in _codes([self[piece] for piece in text.split()]).tolist():
            if code >= 0:
                found.append(code)
            else:
                found += self._odd[~code]
        return found


def _put(array: NDArray[Any], start: int, values: NDArray[Any]) -> NDArray[Any]:
    """Write values from `start` on, into a larger copy if there is no room for them."""
    end = start + len(values)
    if end > len(array):
        larger = np.empty(2 * end, array.dtype)
        larger[:start] = array[:start]
        array = larger
    array[start:end] = values
    return array


def _codes(found: Iterable[bytes]) -> NDArray[np.int32]:
    return np.frombuffer(b"".join(found), np.int32)


def _ragged(rows: Sequence[Sequence[int]]) -> TokenBatch:
    if len(rows) == 1:
        ids = np.array(rows[0], dtype=np.int32)
        return TokenBatch(ids, np.array([0, len(ids)], dtype=np.int64))
    offsets = np.array([*accumulate(map(len, rows), initial=0)], np.int64)
    ids = np.fromiter(chain.from_iterable(rows), np.int32, offsets[-1])
    return TokenBatch(ids, offsets)


def _join(texts: Sequence[str]) -> tuple[str, str]:
    """All texts in one, parted by a character that none of them holds."""
    for code in chain((0, 1, 2, 3), range(0xFDD0, 0xFDF0), range(0xE000, 0xF8FF)):
        separator = chr(code)
        joined = f" {separator} ".join(texts)
        if joined.count(separator) == len(texts) - 1:
            return joined, separator
    raise ValueError(
        "The texts hold every private character: none is left to part them."
    )
