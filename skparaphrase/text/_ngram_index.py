"""Characters to symbols and n-grams to rows, for many texts at once."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

_SPACE = ord(" ")
_LAST_SPACE = 0x3000  # no white space has a higher code point
_DIRECT = 2**23  # entries of a table that keys address as they are
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio scatters keys


class Alphabet:
    """Characters as small integers, in the order of their code points.

    Symbol 0 is every character that is not of the alphabet, and the end of a text.

    Parameters
    ----------
    codes : ndarray of int
        Code points of the characters. The space is always one of them.
    """

    def __init__(self, codes: NDArray[np.integer]) -> None:
        self.codes = np.union1d(codes, [_SPACE]).astype(np.uint32)
        # The last entry stands for all code points above.
        self._symbols = np.zeros(max(int(self.codes[-1]), _LAST_SPACE) + 2, np.intp)
        self._symbols[self.codes] = np.arange(1, len(self.codes) + 1)
        self._space = self._symbols[_SPACE]
        self._symbols[_white_space()] = self._space

    @property
    def n_symbols(self) -> int:
        """Number of characters, and one."""
        return len(self.codes) + 1

    def exact(self, codes: NDArray[np.uint32]) -> NDArray[np.intp]:
        """Symbols of characters of the alphabet; white space is not made the same."""
        return np.searchsorted(self.codes, codes) + 1

    def prepare(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Symbols of the texts, end to end, a 0 after each text.

        Runs of white space become one space, and a space stands on each side. A blank
        text has no symbol but the 0.

        Returns
        -------
        symbols : ndarray of shape (n_symbols,)
        bounds : ndarray of shape (n_texts + 1,)
            Where each text begins.
        """
        bounds = np.zeros(len(texts) + 1, dtype=np.int64)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        np.cumsum(lengths + 3, out=bounds[1:])
        codes = code_points(" " + " \0 ".join(texts) + " \0")[: bounds[-1]]
        symbols = self._symbols.take(codes, mode="clip")
        symbols[bounds[1:] - 1] = 0  # "\0" may be of the alphabet
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
    """Rows of character n-grams, compiled for look-up.

    Parameters
    ----------
    ngrams : sequence of str
        The n-gram of each row: any characters, lengths may differ. White space other
        than " " matches nothing, because prepared texts hold none.

    Raises
    ------
    TypeError
        If an n-gram is not a `str`.
    ValueError
        If one is empty or occurs twice.

    Notes
    -----
    The beginnings of n-grams are the nodes of a trie. A node's key is (parent, symbol);
    a table takes keys to nodes: addressed by the key itself where that is small, else
    a hash table with linear probing, which any alphabet fits. One walk from every
    position of the texts finds n-grams of all orders.

    Examples
    --------
    >>> from skparaphrase.text import NgramIndex, NgramTokenizer
    >>> index = NgramIndex([" c", "ca", "cat", "dog"])
    >>> NgramTokenizer().encode(["A cat"], index)[0].tolist()
    [0, 1, 2]
    """

    def __init__(self, ngrams: Sequence[str]) -> None:
        for row, ngram in enumerate(ngrams):
            if not isinstance(ngram, str):
                raise TypeError(
                    f"n-grams must be str; got {ngram!r} ({type(ngram).__name__}) in "
                    f"row {row}."
                )
            if not ngram:
                raise ValueError(f"The n-gram in row {row} is empty.")
        if len(set(ngrams)) != len(ngrams):
            first: dict[str, int] = {}
            for row, ngram in enumerate(ngrams):
                if first.setdefault(ngram, row) != row:
                    raise ValueError(
                        f"n-gram {ngram!r} in row {row} is also in row {first[ngram]}."
                    )
        codes = code_points("".join(ngrams))
        self.alphabet = Alphabet(np.unique(codes))
        lengths = np.fromiter(map(len, ngrams), np.int64, len(ngrams))
        self._build_trie(self.alphabet.exact(codes), lengths)
        self._build_table()

    def __len__(self) -> int:
        return self._n_ngrams

    def find(
        self, symbols: NDArray[np.intp], lowest: int, highest: int
    ) -> NDArray[np.int32]:
        """Rows of the n-grams that begin at each symbol.

        Parameters
        ----------
        symbols : ndarray of shape (n_symbols,)
            Of `alphabet`, with a 0 at the end of each text.

        lowest, highest : int
            Orders.

        Returns
        -------
        rows : ndarray of shape (n_symbols, highest - lowest + 1)
            -1 where the n-gram is not known.
        """
        rows = np.full((len(symbols), highest - lowest + 1), -1, dtype=np.int32)
        nodes = self._first.take(symbols)
        for order in range(1, min(highest, self._depth, len(symbols)) + 1):
            if order > 1:
                nodes = self._step(nodes[:-1], symbols[order - 1 :])
            if order >= lowest:
                rows[: len(nodes), order - lowest] = self._rows.take(nodes)
        return rows

    def _build_trie(
        self, symbols: NDArray[np.intp], lengths: NDArray[np.int64]
    ) -> None:
        self._n_ngrams = len(lengths)
        self._depth = int(lengths.max(initial=0))
        self._first = np.zeros(self.alphabet.n_symbols, dtype=np.intp)
        starts = np.cumsum(lengths) - lengths
        nodes = np.zeros(len(lengths), dtype=np.int64)
        keys = [np.array([-1])]  # node 0 is nowhere
        n_nodes = 1
        for depth in range(self._depth):
            going = np.flatnonzero(lengths > depth)
            key = (
                nodes[going] * self.alphabet.n_symbols + symbols[starts[going] + depth]
            )
            new, numbers = np.unique(key, return_inverse=True)
            nodes[going] = numbers + n_nodes
            if depth == 0:
                self._first[new] = np.arange(1, len(new) + 1)
                new = np.full(len(new), -1)
            keys.append(new)
            n_nodes += len(new)
        self._keys = np.concatenate(keys)
        self._rows = np.full(n_nodes, -1, dtype=np.int32)
        self._rows[nodes] = np.arange(len(lengths))

    def _build_table(self) -> None:
        nodes = np.flatnonzero(self._keys >= 0)
        self._direct: NDArray[np.int32] | None = None
        n_entries = int(self._keys.max()) + 2
        if n_entries <= _DIRECT:
            self._direct = np.zeros(n_entries, dtype=np.int32)
            self._direct[self._keys[nodes]] = nodes
            return
        n_bits = max(len(nodes), 1).bit_length() + 1  # at most half full
        self._shift = np.uint64(64 - n_bits)
        home = self._slot(self._keys[nodes])
        order = np.argsort(home, kind="stable")
        # Linear probing: each in its own slot, or in the next that is free.
        counting = np.arange(len(nodes))
        slots = np.maximum.accumulate(home[order] - counting) + counting
        # The last slot is empty: probes end there.
        n_slots = max(1 << n_bits, int(slots.max(initial=0)) + 1) + 1
        self._table = np.zeros(n_slots, dtype=np.int32)
        self._table[slots] = nodes[order]

    def _slot(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        return ((keys.view(np.uint64) * _GOLDEN) >> self._shift).view(np.int64)

    def _step(
        self, nodes: NDArray[np.intp], symbols: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """The child of each node by each symbol; 0 if none."""
        keys = nodes * self.alphabet.n_symbols
        keys += symbols
        if self._direct is not None:
            # Clipped to the last entry, 0: the deepest nodes have no children.
            return self._direct.take(keys, mode="clip").astype(np.intp)
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


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of a text, lone surrogates too."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def characters(codes: NDArray[np.integer]) -> str:
    """The text of these code points."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _white_space() -> NDArray[np.int64]:
    """Code points that `str.split` parts at."""
    return np.array([c for c in range(_LAST_SPACE + 1) if chr(c).isspace()])


def _compress(
    symbols: NDArray[np.intp], bounds: NDArray[np.int64], keep: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    kept = np.zeros(len(keep) + 1, dtype=np.int64)
    np.cumsum(keep, out=kept[1:])
    return symbols[keep], kept[bounds]
