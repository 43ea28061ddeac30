"""Rows of a table: data types, checks, and differences from another table."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skparaphrase._frames import to_numpy
from skparaphrase.text._check import describe

DTYPES = ("float32", "float16", "int8")  # int8 with a scale per row
Table = Any  # a WordVectors, not imported because its module imports this one
_BLOCK = 4096  # rows checked or compared at a time
_SETTINGS = "unknown", "subwords", "is_weighted"  # which a trained table keeps


def check_rows(matrix: Any) -> NDArray[Any]:
    """Rows in one of `DTYPES`, contiguous and in the order of bytes of the machine.

    Other numbers become float32. What is right already is not copied, and a file that
    is mapped into memory stays mapped.
    """
    if np.ma.is_masked(matrix):
        row = np.ma.getmaskarray(matrix).reshape(len(matrix), -1).any(axis=1).argmax()
        raise ValueError(f"matrix has a masked number in row {row}.")
    matrix = to_numpy(matrix)
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"matrix must hold real numbers; got {matrix.dtype!r}.")
    name = matrix.dtype.name if matrix.dtype.name in DTYPES else "float32"
    with np.errstate(over="ignore"):  # infinite values are refused later
        return np.require(matrix, np.dtype(name), ["C", "A"])


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


def check_distinct(words: Sequence[str]) -> None:
    """Raise an error that names the first word that is not a str or occurs twice."""
    if set(map(type, words)) <= {str} and len(set(words)) == len(words):
        return
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"words must be str; got {describe(word)} in row {row}.")
        if (seen := first.setdefault(word, row)) != row:
            raise ValueError(f"{word!r}, row {seen}, occurs again in row {row}.")


def check_finite(
    matrix: NDArray[Any],
    scale: NDArray[np.float32] | None,
    words: Sequence[str],
    rows: NDArray[np.intp] | slice = slice(None),
) -> None:
    """Raise a ValueError that names the first word whose vector is not finite."""
    values = matrix[rows]
    if scale is not None:
        with np.errstate(over="ignore"):  # the largest number times the scale
            values = scale[rows, np.newaxis] * np.float32(128)
    for start in range(0, len(values), _BLOCK):
        # If a sum is finite, all its terms are, and no second array is needed. If large
        # terms overflow, the slower test decides.
        block = values[start : start + _BLOCK]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(block.sum(dtype=np.float32)):
                continue
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            row = int(np.arange(len(words))[rows][start + bad[0]])
            kind = "vector" if scale is None else "scale"
            raise ValueError(f"The {kind} of {words[row]!r}, row {row}, is not finite.")


class Changes(NamedTuple):
    """Differences between a table in float32 and another that has its first words.

    Attributes
    ----------
    rows : ndarray of int32 of shape (n_rows,)
        Ascending; they include row 0.
    vectors : ndarray of shape (n_rows + n_new_words, dim), float32
    new_words : ndarray of uint8
        By :func:`join_words`.
    """

    rows: NDArray[np.int32]
    vectors: NDArray[np.float32]
    new_words: NDArray[np.uint8]


def find_changes(table: Table) -> Changes | None:
    """Differences between a table and the bundled table that it was made from.

    None if it was not made from a bundled table by training, or if more than half of
    its rows differ.
    """
    base = table._base
    if base is None or table.dtype != np.float32:
        return None
    if any(getattr(table, name) != getattr(base, name) for name in _SETTINGS):
        return None
    differs = np.ones(len(table), bool)
    for start in range(0, len(base), _BLOCK):
        block = slice(start, min(start + _BLOCK, len(base)))
        before = dequantize(base.matrix, base.scale, block)
        bits = before.view(np.int32) != table.matrix[block].view(np.int32)
        differs[block] = bits.any(axis=1)
    differs[0] = True  # without changes, it would be the bundled table itself
    if np.count_nonzero(differs) > len(table) / 2:
        return None
    rows = np.flatnonzero(differs).astype(np.int32)
    known = rows[rows < len(base)]
    return Changes(known, table.matrix[rows], join_words(table.words[len(base) :]))


def apply_changes(
    base: Table,
    rows: NDArray[np.int32],
    vectors: NDArray[np.float32],
    new_words: NDArray[np.uint8],
) -> Table:
    """The table of :class:`Changes`; a ValueError if they cannot be of `base`."""
    words = split_words(new_words)
    check_distinct(words)
    if not (
        rows.dtype == np.int32
        and vectors.dtype == np.float32
        and vectors.shape == (len(rows) + len(words), base.dim)
        and (np.diff(rows, prepend=-1, append=len(base)) > 0).all()
        and not any(word in base for word in words)
    ):
        raise ValueError("the changed rows or the new words do not fit the table")
    known, new = np.split(vectors, [len(rows)])
    return base.with_rows(rows, known, words, new)


def join_words(words: Sequence[str]) -> NDArray[np.uint8]:
    """Join words in UTF-8, each after a character that occurs in none of them."""
    text = "".join(words)
    separator = next(c for c in map(chr, count(ord("\n"))) if c not in text)
    joined = "".join(separator + separator.join(words) if words else "")
    return np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)


def split_words(joined: NDArray[np.uint8]) -> list[str]:
    """Split the output of :func:`join_words`."""
    text = joined.tobytes().decode("utf-8", "surrogatepass")
    return text[1:].split(text[0]) if text else []
