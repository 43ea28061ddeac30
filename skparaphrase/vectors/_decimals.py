"""Decimal numbers in bytes, many at once."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from numpy.typing import NDArray

_Positions = NDArray[np.int64]

_BLOCK = 1 << 17  # numbers at a time
_ZEROS = np.uint64(0x3030303030303030)
_POWERS = 10.0 ** np.arange(17)
_MINUS, _DOT = 45, 46


class NotDecimalError(ValueError):
    """What stands at `position`, counted in numbers, is no number."""

    def __init__(self, position: int, value: bytes) -> None:
        super().__init__(f"{value[:40]!r} is not a number")
        self.position = position


def parse_decimals(
    text: NDArray[np.uint8], starts: _Positions, ends: _Positions, dots: _Positions
) -> NDArray[np.float64]:
    """Values of the numbers `text[starts[i]:ends[i]]`, equal to `float` of them.

    Eight digits are read as one 64-bit integer and summed by three multiplications
    (Lemire, "Number parsing at a gigabyte per second", 2021), for all numbers of a
    block in a few array operations. What is not of the form -12.345, with up to 8
    digits on each side and 15 in all, is left to `float`.

    Parameters
    ----------
    text : ndarray of shape (n_bytes,)
        At least 8 bytes stand before the first number.
    starts, ends : ndarray of shape (n_numbers,)
    dots : ndarray of shape (n_numbers,)
        Where the decimal point stands; the end where there is none.

    Raises
    ------
    NotDecimalError
        For the first that is no number.
    """
    values = np.empty(len(starts))
    words = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))
    for first in range(0, len(starts), _BLOCK):
        block = slice(first, first + _BLOCK)
        start, end, dot = starts[block], ends[block], dots[block]
        negative = text[start] == _MINUS
        n_whole = dot - start - negative
        n_decimals = np.maximum(end - dot - 1, 0)
        whole, sound = _digits(words, dot, n_whole)
        decimals, also = _digits(words, end, n_decimals)
        n_digits = n_whole + n_decimals
        sound &= also & (n_digits > 0) & (n_digits < 16)
        power = _POWERS[np.minimum(n_decimals, 16)]
        value = (whole * power + decimals) / power  # exact, then rounded once
        np.negative(value, out=value, where=negative)
        for i in np.flatnonzero(~sound).tolist():
            raw = text[start[i] : end[i]].tobytes()
            try:
                if b"_" in raw:
                    raise ValueError
                value[i] = float(raw)
            except ValueError:
                raise NotDecimalError(first + i, raw) from None
        values[block] = value
    return values


def _digits(
    words: NDArray[np.uint64], end: _Positions, n: _Positions
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The whole number in the `n` digits before `end`, and where that is right."""
    sound = (n >= 0) & (n <= 8)
    digits = words[end - 8] ^ _ZEROS
    # The bytes before the n digits come first, in the low bits: make them zeros.
    shift = (64 - 8 * np.clip(n, 0, 8)).astype(np.uint64)
    digits >>= np.minimum(shift, np.uint64(63))
    digits <<= np.minimum(shift, np.uint64(63))
    digits[shift == 64] = 0
    above_nine = (digits + np.uint64(0x7676767676767676)) | digits
    sound &= (above_nine & np.uint64(0x8080808080808080)) == 0
    digits = digits * np.uint64(10) + (digits >> np.uint64(8))
    pairs = np.uint64(0x000000FF000000FF)
    low = (digits & pairs) * np.uint64(100 + (1000000 << 32))
    high = ((digits >> np.uint64(16)) & pairs) * np.uint64(1 + (10000 << 32))
    total = (low + high) >> np.uint64(32)
    return total.astype(np.float64), sound
