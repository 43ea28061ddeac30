"""Character n-grams, and the row of each."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from skparaphrase.text._check import describe

_SPACE = ord(" ")
_LAST_SPACE = 0x3000  # no white space has a higher code point
# Entries of a table that n-gram keys address directly: the hash table takes 1.6 times
# as long (7.9 against 5.1 ms for 1,140 captions).
_DIRECT = 2**23
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio scatters keys


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


class Alphabet:
    """Characters and the space as small integers, in the order of their code points.

    Symbol 0 stands for every other character and for the end of a text.
    """

    def __init__(self, codes: NDArray[np.integer]) -> None:
        self.codes = np.union1d(codes, [_SPACE]).astype(np.uint32)
        self.n_symbols = len(self.codes) + 1
        # The last entry stands for all code points above.
        self._symbols = np.zeros(max(int(self.codes[-1]), _LAST_SPACE) + 2, np.intp)
        self._symbols[self.codes] = np.arange(1, self.n_symbols)
        self._space = self._symbols[_SPACE]
        self._symbols[_white_space()] = self._space

    def prepare(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Symbols of texts end to end, each text followed by a 0, and their bounds.

        Runs of white space become one space, and a space is put on each side. A blank
        text has no symbol but the 0.
        """
        bounds = np.zeros(len(texts) + 1, dtype=np.int64)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        np.cumsum(lengths + 3, out=bounds[1:])
        codes = code_points(" " + " \0 ".join(texts) + " \0")[: bounds[-1]]
        symbols = self._symbols.take(codes, mode="clip")
        symbols[bounds[1:] - 1] = 0  # "\0" may be in the alphabet
        keep = symbols != self._space
        keep[1:] |= keep[:-1]
        keep[:1] = True
        if not keep.all():
            symbols, bounds = _compress(symbols, bounds, keep)
            blank = bounds[:-1][np.diff(bounds) == 2]
            if len(blank):
                keep = np.ones(len(symbols), dtype=bool)
                keep[blank] = False
                symbols, bounds = _compress(symbols, bounds, keep)
        return symbols, bounds


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

    Notes
    -----
    The beginnings of n-grams are the nodes of a trie. The key of a node is made of its
    parent and its last symbol, and a table maps keys to nodes. One walk from every
    position of the texts finds the n-grams of all orders.

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
        codes = code_points("".join(ngrams))
        self.alphabet = Alphabet(np.unique(codes))
        symbols = np.searchsorted(self.alphabet.codes, codes) + 1
        lengths = np.fromiter(map(len, ngrams), np.int64, len(ngrams))
        self._n_ngrams = len(ngrams)
        self._depth = int(lengths.max(initial=0))
        self._build_trie(symbols, lengths)
        self._build_table()

    def __len__(self) -> int:
        return self._n_ngrams

    def _find(
        self, symbols: NDArray[np.intp], lowest: int, highest: int
    ) -> NDArray[np.int32]:
        """Rows of the n-grams of each order that begin at each symbol, or -1."""
        rows = np.full((len(symbols), highest - lowest + 1), -1, dtype=np.int32)
        nodes = self._first.take(symbols)
        for order in range(1, min(highest, self._depth, len(symbols)) + 1):
            if order > 1:
                nodes = self._children(nodes[:-1], symbols[order - 1 :])
            if order >= lowest:
                rows[: len(nodes), order - lowest] = self._rows.take(nodes)
        return rows

    def _build_trie(
        self, symbols: NDArray[np.intp], lengths: NDArray[np.int64]
    ) -> None:
        """Number the beginnings of all n-grams by length; node 0 is none."""
        self._first = np.zeros(self.alphabet.n_symbols, dtype=np.intp)
        starts = np.cumsum(lengths) - lengths
        nodes = np.zeros(len(lengths), dtype=np.int64)
        keys = [np.array([-1])]
        n_nodes = 1
        for depth in range(self._depth):
            longer = np.flatnonzero(lengths > depth)
            last = symbols[starts[longer] + depth]
            key = nodes[longer] * self.alphabet.n_symbols + last
            new, numbers = np.unique(key, return_inverse=True)
            nodes[longer] = numbers + n_nodes
            if depth == 0:
                self._first[new] = np.arange(1, len(new) + 1)
                new = np.full(len(new), -1)  # found by `_first`, not by key
            keys.append(new)
            n_nodes += len(new)
        self._keys = np.concatenate(keys)
        self._rows = np.full(n_nodes, -1, dtype=np.int32)
        self._rows[nodes] = np.arange(len(lengths))

    def _build_table(self) -> None:
        nodes = np.flatnonzero(self._keys >= 0)
        keys = self._keys[nodes]
        self._is_direct = int(keys.max(initial=0)) + 2 <= _DIRECT
        if self._is_direct:
            self._table = np.zeros(keys.max(initial=0) + 2, dtype=np.int32)
            self._table[keys] = nodes
            return
        n_bits = max(len(nodes), 1).bit_length() + 1  # at most half full
        self._shift = np.uint64(64 - n_bits)
        table = hash_table(self._slot(keys), 1 << n_bits)
        self._table = np.r_[nodes, 0].astype(np.int32)[table]  # -1 becomes node 0

    def _slot(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        return ((keys.view(np.uint64) * _GOLDEN) >> self._shift).view(np.int64)

    def _children(
        self, nodes: NDArray[np.intp], symbols: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """The child of each node by each symbol; 0 if there is none."""
        keys = nodes * self.alphabet.n_symbols
        keys += symbols
        if self._is_direct:
            # Clipped to the last entry, 0: the deepest nodes have no children.
            return self._table.take(keys, mode="clip").astype(np.intp)
        slots = self._slot(keys)
        children = self._table.take(slots).astype(np.intp)
        wrong = np.flatnonzero(self._keys.take(children) != keys)
        while len(wrong):
            probing = wrong[children[wrong] != 0]
            children[wrong] = 0
            slots[probing] += 1
            children[probing] = self._table[slots[probing]]
            wrong = probing[self._keys[children[probing]] != keys[probing]]
        return children


def hash_table(homes: NDArray[np.int64], n_homes: int) -> NDArray[np.int32]:
    """Place entries in a hash table with linear probing.

    `homes` is the slot, of `n_homes`, in which the search for each entry begins. The
    table holds the number of the entry in each slot, or -1. The last slot is empty, so
    that searches end there.
    """
    order = np.argsort(homes, kind="stable")
    # Each entry goes to its own slot, or to the next one that is free.
    counting = np.arange(len(homes))
    slots = np.maximum.accumulate(homes[order] - counting) + counting
    n_slots = max(n_homes, int(slots.max(initial=-1)) + 1) + 1
    table = np.full(n_slots, -1, dtype=np.int32)
    table[slots] = order
    return table


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of a text, lone surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@cache
def _white_space() -> NDArray[np.int64]:
    """The code points at which `str.split` splits."""
    return np.array([c for c in range(_LAST_SPACE + 1) if chr(c).isspace()])


def _compress(
    symbols: NDArray[np.intp], bounds: NDArray[np.int64], keep: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    kept = np.zeros(len(keep) + 1, dtype=np.int64)
    np.cumsum(keep, out=kept[1:])
    return symbols[keep], kept[bounds]
