"""Tables that differ from one of the package in some rows: what differs, and back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skparaphrase.vectors._oov import check_distinct, dequantize

Table = Any  # a WordVectors, whose module imports this one
_BLOCK = 4096  # rows that are compared at a time
_SETTINGS = "unknown", "subwords", "is_weighted"  # which a trained table keeps


class Changes(NamedTuple):
    """How a table in float32 differs from another, whose words it has first.

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
    """How a table differs from that of the package that it was made from.

    None if it was made from none, or in another way than by training, or if more than
    half of its rows differ.
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
    differs[0] = True  # a table without changes would be that of the package
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
    """Words in UTF-8, each after a character that occurs in none."""
    text = "".join(words)
    separator = next(c for c in map(chr, count(ord("\n"))) if c not in text)
    joined = "".join(separator + separator.join(words) if words else "")
    return np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)


def split_words(joined: NDArray[np.uint8]) -> list[str]:
    """What :func:`join_words` has joined."""
    text = joined.tobytes().decode("utf-8", "surrogatepass")
    return text[1:].split(text[0]) if text else []
