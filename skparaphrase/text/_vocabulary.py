"""Words in arrays that processes can share, and the row of each."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator, Mapping, Sequence
from operator import eq
from typing import Any, overload
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

_BLOCK = 4096  # words decoded at a time


class Vocabulary(Sequence[str]):
    """Words in the order of their rows.

    Their bytes lie end to end in one array, beside a hash table of rows: arrays that
    can be mapped from a file, and that processes share, where each would have a list
    and a dict of its own, several times as large.

    Parameters
    ----------
    words : sequence of str
        No word twice.

    Raises
    ------
    ValueError
        For a word that occurs twice.

    Examples
    --------
    >>> from skparaphrase.text import Vocabulary
    >>> words = Vocabulary(["cat", "dog"])
    >>> words[1], list(words), words.index_of["dog"], words == ["cat", "dog"]
    ('dog', ['cat', 'dog'], 1, True)
    """

    def __init__(self, words: Sequence[str]) -> None:
        words = list(words)
        text = "".join(words)
        raw = _encoded(text)
        lengths = map(len, words if len(raw) == len(text) else map(_encoded, words))
        ends = np.cumsum(np.fromiter(lengths, np.int64, len(words)))
        self._set(np.frombuffer(raw, np.uint8), ends, None)
        if len(set(words)) < len(words):
            rows: dict[str, int] = {}
            for row, word in enumerate(words):
                first = rows.setdefault(word, row)
                if first != row:
                    raise ValueError(
                        f"Word {word!r}, row {first}, occurs again in row {row}."
                    )

    @classmethod
    def from_arrays(
        cls,
        raw: NDArray[np.uint8],
        ends: NDArray[np.int64],
        slots: NDArray[np.int32] | None = None,
    ) -> "Vocabulary":
        """The vocabulary that :meth:`arrays` gave the arrays of.

        Parameters
        ----------
        raw, ends, slots : ndarray
            Not copied.

        Raises
        ------
        ValueError
            If they do not fit together.
        """
        n_bytes = int(ends[-1]) if len(ends) else 0
        if len(raw) != n_bytes:
            raise ValueError(f"{len(raw)} bytes of words, where {n_bytes} belong.")
        if slots is not None and (len(slots) <= _mask(len(ends)) or slots[-1] >= 0):
            raise ValueError(f"A hash table of {len(slots)} for {len(ends)} words.")
        words = cls.__new__(cls)
        words._set(raw, ends, slots)
        return words

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that it holds.

        Returns
        -------
        arrays : dict
            "raw": UTF-8, uint8. "ends": where each word ends, int64. "slots": the hash
            table, int32.
        """
        return {"raw": self._raw, "ends": self._ends, "slots": self._table()}

    @property
    def index_of(self) -> Mapping[str, int]:
        """The row of every word."""
        return _Rows(self)

    def _set(
        self,
        raw: NDArray[np.uint8],
        ends: NDArray[np.int64],
        slots: NDArray[np.int32] | None,
    ) -> None:
        self._raw, self._ends, self._slots = raw, ends, slots
        self._views: Any = None

    def _table(self) -> NDArray[np.int32]:
        """Rows by hash, -1 where there is none; at most half full."""
        if self._slots is None:
            mask = _mask(len(self))
            hashes = np.fromiter(map(crc32, map(_encoded, self)), np.int64, len(self))
            homes = hashes & mask
            order = np.argsort(homes, kind="stable")
            # Linear probing: each in its own slot, or in the next that is free.
            counting = np.arange(len(self))
            places = np.maximum.accumulate(homes[order] - counting) + counting
            # The last slot is empty: probes end there.
            n_slots = max(mask, int(places.max(initial=0))) + 2
            slots = np.full(n_slots, -1, dtype=np.int32)
            slots[places] = order
            self._slots = slots
        return self._slots

    def row(self, word: object) -> int:
        """The row of a word.

        Parameters
        ----------
        word : str
            Or anything else, which is not there.

        Returns
        -------
        row : int
            -1 if it is not there.
        """
        if not isinstance(word, str):
            return -1
        if self._views is None:
            # Items of views are quicker to get than those of arrays.
            parts: tuple[Any, ...] = (self._raw, self._ends, self._table())
            self._views = tuple(map(memoryview, parts))
        raw, ends, slots = self._views
        key = _encoded(word)
        slot = crc32(key) & _mask(len(ends))
        while (row := slots[slot]) >= 0:
            if raw[ends[row - 1] if row else 0 : ends[row]] == key:
                return row
            slot += 1
        return -1

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> list[str]: ...

    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        start = self._ends[i - 1] if i else 0
        return _decoded(self._raw[start : self._ends[i]].tobytes())

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _BLOCK):
            ends = self._ends[first : first + _BLOCK].tolist()
            start = base = int(self._ends[first - 1]) if first else 0
            raw = self._raw[base : ends[-1]].tobytes()
            for end in ends:
                yield _decoded(raw[start - base : end - base])
                start = end

    def __contains__(self, word: object) -> bool:
        return self.row(word) >= 0

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Vocabulary):
            return np.array_equal(self._ends, other._ends) and np.array_equal(
                self._raw, other._raw
            )
        if isinstance(other, (list, tuple)):
            return len(self) == len(other) and all(map(eq, self, other))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        # Mapped or not, the same to pickle and to the hashes of joblib.
        return {name: np.asarray(array) for name, array in self.arrays().items()}

    def __setstate__(self, state: dict[str, NDArray[Any]]) -> None:
        self._set(**state)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"Vocabulary([{shown}{', ...' if len(self) > 3 else ''}])"


class _Rows(Mapping[str, int]):
    """The row of every word of a vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words

    def __getitem__(self, word: str) -> int:
        row = self._words.row(word)
        if row < 0:
            raise KeyError(word)
        return row

    def get(self, word: str, default: Any = None) -> Any:
        """The row of a word, or something else."""
        row = self._words.row(word)
        return default if row < 0 else row

    def __contains__(self, word: object) -> bool:
        return word in self._words

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


def _mask(n_words: int) -> int:
    """The bits of a hash that choose a slot: at most every second is taken."""
    return int((2 << max(n_words, 1).bit_length()) - 1)


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")
