"""Rows of numbers in float32 or float16, or in int8 with a scale per row."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

DTYPES = ("float32", "float16", "int8")
_CHECKED = 16384  # rows checked at a time


def dequantize(
    matrix: NDArray[Any],
    scale: NDArray[np.floating] | None,
    rows: NDArray[np.integer] | slice = slice(None),
) -> NDArray[np.float32]:
    """Copy rows of a matrix, in float32."""
    # Fancy indexing has copied already.
    vectors = matrix[rows].astype(np.float32, copy=isinstance(rows, slice))
    if scale is not None:
        vectors *= scale[rows, np.newaxis]
    return vectors


def quantize(
    matrix: NDArray[np.float32], dtype: str
) -> tuple[NDArray[Any], NDArray[np.float32] | None]:
    """Convert a matrix to another data type; return it and the scales of int8."""
    if dtype != "int8":
        return matrix.astype(dtype), None
    scale = np.abs(matrix).max(axis=1, initial=0) / 127
    scale[scale == 0] = 1
    return np.rint(matrix / scale[:, np.newaxis]).astype(np.int8), scale


def check_finite(
    matrix: NDArray[Any],
    scale: NDArray[np.float32] | None,
    words: Sequence[str],
    rows: NDArray[np.intp] | slice = slice(None),
) -> None:
    """Raise a ValueError that names the first word whose vector is not finite."""
    values = matrix[rows]
    if scale is not None:
        with np.errstate(over="ignore"):  # of the largest number times the scale
            values = scale[rows, np.newaxis] * np.float32(128)
    for start in range(0, len(values), _CHECKED):
        # A finite sum has finite terms and needs no second array. Where large terms
        # overflow, the slower test decides.
        block = values[start : start + _CHECKED]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(block.sum(dtype=np.float32)):
                continue
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            row = int(np.arange(len(words))[rows][start + bad[0]])
            kind = "vector" if scale is None else "scale"
            raise ValueError(f"The {kind} of {words[row]!r}, row {row}, is not finite.")
