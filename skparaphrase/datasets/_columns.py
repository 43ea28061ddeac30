"""Columns of a table as arrays: texts, numbers, labels, queries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.datasets._bunch import Columns
from skparaphrase.datasets._source import Form
from skparaphrase.datasets._tables import read_columns

Convert = Callable[[Path, str, list[str], list[int]], Any]

_WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")  # no two spellings of one number


def read_arrays(
    path: str | PathLike[str],
    columns: Sequence[str | int],
    *,
    target: str | int | None = None,
    convert: Convert | None = None,
    query: str | int | None = None,
    form: Form | None = None,
) -> tuple[Columns, Any]:
    """Columns of texts, one of targets, which `convert` checks and reads, and queries.

    The queries, None without `query`, come apart: their column may be one of the texts.
    """
    path = Path(path)
    wanted = {str(c): c for c in (*columns, target, query) if c is not None}
    read = read_columns(path, wanted, form)
    arrays: Columns = {str(c): _texts(read[str(c)][0]) for c in columns}
    if target is not None and convert is not None:
        arrays[str(target)] = convert(path, str(target), *read[str(target)])
    if query is None:
        return arrays, None
    values, lines = read[str(query)]
    _refuse_empty(path, str(query), values, lines, "query")
    return arrays, _texts(values)


def _texts(values: list[str]) -> Any:
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return texts


def numbers(
    path: Path, column: str, values: list[str], lines: list[int], *, comma: bool
) -> Any:
    """Targets that are numbers, shape (n_rows,), float64."""
    found = np.empty(len(values))
    # Beside a point a comma may stand between thousands.
    comma = comma and not any("." in value for value in values)
    for i, (value, line) in enumerate(zip(values, lines, strict=True)):
        try:
            found[i] = float(value.replace(",", ".") if comma else value)
            if not np.isfinite(found[i]) or "_" in value:
                raise ValueError
        except ValueError:
            raise ValueError(
                f"{path}, line {line}: {value!r} in column {column!r} is not a number."
            ) from None
    return found


def _refuse_empty(
    path: Path, column: str, values: list[str], lines: list[int], kind: str
) -> None:
    if "" in values:
        raise ValueError(
            f"{path}, line {lines[values.index('')]}: no {kind} in column {column!r}."
        )


def labels(path: Path, column: str, values: list[str], lines: list[int]) -> Any:
    """Targets that are names, or whole numbers, shape (n_rows,)."""
    _refuse_empty(path, column, values, lines, "label")
    found = _texts(values)
    return found.astype(np.int64) if all(map(_WHOLE.fullmatch, values)) else found
