"""What the arrays of a table of word vectors must be."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

DTYPES = ("float32", "float16", "int8")  # int8 with a scale per word
_BLOCK = 16384  # vectors checked at a time


def check_finite(
    words: Sequence[str], matrix: NDArray[Any], scale: NDArray[np.float32] | None
) -> None:
    """Raise unless all numbers are finite; the message names the first word.

    Parameters
    ----------
    words : sequence of str of length n_words
    matrix : ndarray of shape (n_words, dim)
    scale : ndarray of shape (n_words,) or None

    Raises
    ------
    ValueError
        For NaN or an infinite number.
    """
    if scale is not None:
        bad = np.flatnonzero(~np.isfinite(scale))
        if len(bad):
            row = int(bad[0])
            raise ValueError(f"The scale of {words[row]!r}, row {row}, is not finite.")
        return
    for start in range(0, len(matrix), _BLOCK):
        # A sum is finite only if its terms are, and needs no second array; where
        # large terms overflow, the slower test decides.
        block = matrix[start : start + _BLOCK]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(block.sum(dtype=np.float64)):
                continue
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            row = start + int(bad[0])
            raise ValueError(f"The vector of {words[row]!r}, row {row}, is not finite.")


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written through."""
    array = array.view()
    array.flags.writeable = False
    return array
