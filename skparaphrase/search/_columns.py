"""Ids, texts, vectors and payload of a search, as columns."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Container, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from skparaphrase._estimator import warn_caller
from skparaphrase._frames import column_names, row_index, without_masks
from skparaphrase._math import UnitVectors
from skparaphrase._typing import Texts
from skparaphrase.search._base import as_unit_vectors
from skparaphrase.text._check import check_single_texts, unique_texts

Column = NDArray[Any]
Columns = dict[str, Column]

#: The arguments X, ids, vectors and payload of `SemanticSearch.fit`.
Given = tuple[Texts, ArrayLike | None, ArrayLike | None, Any]

#: Names that a column of payload cannot have.
RESERVED = {"id", "query", "query_id", "query_row", "row", "score", "self", "text"}
RESERVED |= {"vector"}


def read_queries(queries: Texts) -> tuple[Any, Column, UnitVectors | None]:
    """The ids of the queries, the queries, and their unit vectors or None."""
    index, vectors = row_index(queries), None
    if are_vectors(queries):
        vectors = as_unit_vectors(np.atleast_2d(queries))
        queries = np.arange(len(vectors))
    else:
        listed = [queries] if isinstance(queries, str) else queries
        queries = check_single_texts(listed, "queries")
    return np.arange(len(queries)) if index is None else index, queries, vectors


def are_vectors(X: object) -> bool:
    """Whether an array contains numbers."""
    return getattr(getattr(X, "dtype", None), "kind", "O") in "fiu"


def read_columns(
    given: Given, first: int, taken: Container[Any] = (), replace: bool = False
) -> Columns:
    """Read ids, texts (unless there are only vectors), vectors if given, and payload.

    Ids are distinct and not in `taken`. Positions begin with `first`. To `replace`
    texts, the default index of pandas is not sufficient.
    """
    X, ids, vectors, payload = given
    columns: Columns = {}
    if vectors is None and are_vectors(X):
        vectors = X
    else:
        columns["text"] = check_single_texts(X)
    if vectors is not None:
        columns["vector"] = as_unit_vectors(_stacked(vectors))
    check_consistent_length(*columns.values())
    n = len(next(iter(columns.values())))
    check_same_index(X, payload, "payload")
    index = row_index(X)
    names = _default_ids(index, first, n, replace) if ids is None else as_list(ids)
    if len(names) != n:
        raise ValueError(f"There are {len(names)} ids for {n} texts.")
    before = set()
    for position, name in enumerate(names):
        if not isinstance(name, Hashable) or is_missing(name):
            raise ValueError(f"ids[{position}] = {name!r} is missing or not hashable.")
        if name in before or name in taken:
            raise ValueError(
                f"ids[{position}] = {name!r} exists already; ids must be distinct."
            )
        before.add(name)
    return columns | {"id": as_column(names)} | payload_columns(payload, n)


def check_same_index(X: object, other: object, name: str) -> None:
    """Raise an error if two objects of pandas have different indices."""
    index, others = row_index(X), row_index(other)
    if index is not None and others is not None and not others.equals(index):
        raise ValueError(
            f"X and {name} have different indices, so their rows may not belong "
            "together. Take both from one frame, or use reset_index(drop=True) on both."
        )


def in_order_of(ids: Column, values: Any, name: str) -> Any:
    """Values of a search in the order of its ids, which the index of a Series names."""
    if (index := row_index(values)) is None:
        return values
    names, wanted = as_list(index), ids.tolist()
    if names == wanted:
        return values
    if index.is_unique and set(names).issuperset(wanted):
        return values.loc[wanted]
    if names == list(range(len(wanted))):  # the default index, which names nothing
        return values
    raise ValueError(
        f"The index of {name} lacks ids of the texts, so its rows may belong to other "
        f"texts. Pass {name}.to_numpy() if they are in the order of ids_."
    )


def _default_ids(index: Any, first: int, n: int, replace: bool) -> list[Any]:
    """The values of a pandas index, or positions if it only counts the rows."""
    counts = (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1)
    if index is not None and not index.is_unique:
        warn_caller(
            "The index of X has repeated values, so positions are used as ids. "
            "Pass ids, or use reset_index(drop=True) on the frame."
        )
    elif index is not None and not counts:
        return as_list(index)
    elif replace and n and counts:
        raise ValueError(
            "The index of X counts from 0, so it may not be meant as ids. To replace "
            "the texts with these ids, pass ids=X.index. To append all, use "
            "partial_fit."
        )
    return list(range(first, first + n))


def first_free_id(ids: Column, first: int) -> int:
    """The smallest integer of at least `first` that is larger than all ids."""
    return max((first, *(name + 1 for name in ids.tolist() if isinstance(name, int))))


def as_list(values: Any) -> list[Any]:
    """Convert values to a list of Python objects, None for NA."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        values = [values]
    if hasattr(values, "to_pylist"):
        return values.to_pylist()
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")  # ns would become integers
    listed = values.tolist() if hasattr(values, "tolist") else values
    listed = [x.item() if isinstance(x, np.generic) else x for x in listed]
    return without_masks(listed)


def is_missing(value: Any) -> bool:
    """Whether a value of `as_list` is None or nan."""
    return value is None or value != value


def _stacked(vectors: Any) -> Any:
    """The rows of a column of pandas or pyarrow with vectors as values."""
    if hasattr(vectors, "to_pylist"):
        vectors = vectors.to_numpy(zero_copy_only=False)
    is_column = getattr(vectors, "dtype", "f") == "O" and vectors.ndim == 1
    return np.stack([*vectors]) if is_column and len(vectors) else vectors


def as_column(values: list[Any]) -> Column:
    """Convert to an array of numbers or bools if this is exact, or else of objects."""
    kinds = {*map(type, values)}
    if kinds in ({int}, {float}, {bool}, {int, float}):
        column = np.array(values)
        is_mixed = len(kinds) > 1
        dtype = float if is_mixed else kinds.pop()
        if column.dtype == dtype and not (is_mixed and np.abs(column).max() >= 2**53):
            return column
    return np.fromiter(values, object, len(values))


def group_codes(groups: ArrayLike) -> NDArray[np.intp]:
    """Equal integers for equal values; all that are missing are equal."""
    values = [
        None if is_missing(x) else x
        for x in as_list(column_or_1d(without_masks(groups)))
    ]
    return unique_texts(np.fromiter(values, object, len(values)))[1]


def joined(parts: list[Column]) -> Column:
    """Join two columns."""
    if len(parts) == 1:
        return parts[0]
    if len({part.dtype for part in parts}) == 1:
        return np.concatenate(parts)
    return as_column([value for part in parts for value in part.tolist()])


def payload_columns(payload: Any, n: int) -> Columns:
    """The columns of a payload, each with `n` values; see `SemanticSearch.fit`."""
    if payload is None:
        return {}
    if names := column_names(payload):
        if len(set(names)) < len(names):
            raise ValueError(f"Columns of payload have equal names: {names}.")
        payload = {name: payload[name] for name in names}
    elif not isinstance(payload, Mapping):
        rows = list(payload)
        if any(row.keys() != rows[0].keys() for row in rows):
            raise ValueError("The dicts of payload must have the same keys.")
        payload = {name: [row[name] for row in rows] for name in (rows or [{}])[0]}
    columns = {}
    for name, given in payload.items():
        values = as_list(given)
        if not isinstance(name, str) or name in RESERVED:
            raise ValueError(
                f"payload has a column {name!r}; its name must be a str other "
                f"than {', '.join(sorted(RESERVED))}."
            )
        if len(values) != n:
            raise ValueError(f"payload[{name!r}] has {len(values)} values, not {n}.")
        columns[name] = as_column(values)
    return columns
