"""Vectors as they are stored, read as unit vectors of float32."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

DTYPES = ("float32", "float16", "int8")

_ROWS = 2**14  # read at a time
_LEVELS = 127  # of int8, on either side of zero
_UNIT = 1e-6  # from length 1, which is length 1


class StoredVectors:
    """Vectors whose rows are read as unit vectors of float32.

    Parameters
    ----------
    array : ndarray of shape (n, dim)
        float32, float16 or int8; it may be memory-mapped.
    factors : ndarray of shape (n,), default=None
        What the rows have to be multiplied by; None if their length is 1 already.
    """

    def __init__(
        self, array: NDArray[Any], factors: NDArray[np.float32] | None = None
    ) -> None:
        self.array = array
        self.factors = factors

    @classmethod
    def given(cls, vectors: NDArray[Any], dtype: str | None = None) -> Self:
        """Vectors of any length, which are only copied for another `dtype`.

        Raises ValueError if a number is not finite.
        """
        factors = np.ones(len(vectors), dtype=np.float32)
        for start in range(0, len(vectors), _ROWS):
            some = slice(start, start + _ROWS)
            block = np.asarray(vectors[some], dtype=np.float32)
            lengths = np.sqrt(np.einsum("nd,nd->n", block, block))
            if not np.isfinite(lengths).all():
                row = start + int(np.flatnonzero(~np.isfinite(lengths))[0])
                raise ValueError(f"Vector {row} has numbers that are not finite.")
            np.divide(1, lengths, out=factors[some], where=lengths > 0)
        is_unit = bool((np.abs(factors - 1) <= _UNIT).all())
        found = cls(vectors, None if is_unit else factors)
        return found if dtype in (None, str(vectors.dtype)) else found.astype(dtype)

    def astype(self, dtype: str) -> Self:
        """The unit vectors in another type; int8 has a factor for each row."""
        array = np.empty(self.array.shape, dtype=dtype)
        for start in range(0, len(array), _ROWS):
            block = self[start : start + _ROWS]
            if dtype == "int8":
                largest = np.abs(block).max(axis=1, keepdims=True, initial=0)
                largest[largest == 0] = 1
                block = (block * (np.float32(_LEVELS) / largest)).round()
            array[start : start + _ROWS] = block
        return type(self).given(array) if dtype == "int8" else type(self)(array)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, rows: Any) -> NDArray[np.float32]:
        found = np.asarray(self.array[rows])
        if found.dtype == np.float16:
            found = _from_half(found)
        found = found.astype(np.float32, copy=False)
        if self.factors is not None:
            found = found * self.factors[rows, np.newaxis]
        return found

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Some rows, copied."""
        factors = None if self.factors is None else self.factors[rows]
        return type(self)(np.asarray(self.array[rows]), factors)

    def extended(self, other: Self) -> Self:
        """These rows and then those of another, in the type of these."""
        if other.array.dtype != self.array.dtype:
            other = other.astype(str(self.array.dtype))
        factors = None
        if self.factors is not None or other.factors is not None:
            parts = [
                np.ones(len(each), np.float32) if each.factors is None else each.factors
                for each in (self, other)
            ]
            factors = np.concatenate(parts)
        return type(self)(np.concatenate([self.array, other.array]), factors)


def _from_half(array: NDArray[np.float16]) -> NDArray[np.float32]:
    """The same numbers, some times faster than NumPy where all are finite.

    The exponent, three bits shorter, lands in the lower bits of that of float32, which
    is larger by 112 = 127 - 15.
    """
    bits = np.ascontiguousarray(array).view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= np.int32(-0x70002000)  # the sign, without its copies; 5 + 10 bits
    found = bits.view(np.float32)
    found *= np.float32(2.0**112)
    return found


class ChosenRows:
    """Some rows of stored vectors, which are only read when they are asked for."""

    def __init__(self, stored: StoredVectors, rows: NDArray[np.intp]) -> None:
        self.stored = stored
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> NDArray[np.float32]:
        return self.stored[self.rows[rows]]
