"""Columns and index of a frame, table or series of any library."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any


def column_names(X: object) -> list[Any]:
    """Names of the columns of a frame or table; empty for anything else."""
    return [*getattr(X, "column_names", getattr(X, "columns", ()))]


def row_index(X: object) -> Any:
    """The index of a frame or series of pandas; None for anything else."""
    index = getattr(X, "index", None)
    return index if hasattr(index, "is_unique") else None
