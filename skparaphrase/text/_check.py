"""Checks of text inputs, for all modules."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from itertools import chain, count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._estimator import warn_caller
from skparaphrase._frames import column_names
from skparaphrase._typing import Texts
from skparaphrase.text._stored import Shape, is_stored, read_blocks

_EXPECTED = "a list, array, Series or one-column frame of str, or pairs of str"
ROWS = (2, 3)  # numbers of texts in a row that an encoder learns from
ANY = range(1, 2**31)  # numbers of texts in a row that it transforms
_ROWS = 1 << 15  # rows read from disk at a time
_ZIP = "Two lists become pairs with list(zip(first, second))."
_NO_TEXTS = (str, bytes, bytearray, memoryview, Mapping, Set)
_IDS = ("id", "ids", "_id", "uuid", "index")  # names of columns that hold no texts
_SELECT = "Select one column of text, such as X['title'], or the two of a pair."


def check_texts(
    X: Texts, *, widths: Collection[int] = (2,), fill_missing: bool = False
) -> NDArray[np.object_]:
    """Convert texts, or rows of texts, to an object array of str.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,), (n_texts, 1) or (n_pairs, 2)
        Lists, tuples, NumPy arrays, frames and series of pandas and polars; tables,
        arrays, datasets and Parquet files of pyarrow; datasets and columns of Hugging
        Face's datasets. Generators are read to their end.
    widths : collection of int, default=(2,)
        Number of texts that a row may have, in addition to one.
    fill_missing : bool, default=False
        If True, a missing entry (None, NaN) becomes an empty text.

    Returns
    -------
    texts : ndarray of shape (n_texts,) or (n_rows, width), dtype object

    Raises
    ------
    TypeError
        If `X` is a single `str`, bytes, a mapping, a set or not iterable, or if an
        entry is not a `str`; the message names the first one and its index.
    ValueError
        If an entry is missing (None, NaN) and not filled, if rows differ in length, or
        if the number of columns is not allowed.

    Warns
    -----
    UserWarning
        If one of several columns has a name such as "id".
    """
    blocks = check_text_blocks(X, widths=widths, fill_missing=fill_missing)
    return np.concatenate([*map(_to_array, blocks)])


def check_text_blocks(
    X: Texts, *, widths: Collection[int] = (2,), fill_missing: bool = False
) -> Iterator[tuple[list[str], Shape]]:
    """Convert texts to lists, with the checks of :func:`check_texts`.

    Yields
    ------
    block : tuple (texts, shape)
        Texts row by row, and the shape of their array. There is one block, unless `X`
        is read from disk. Indices in error messages count from the start of `X`.
    """
    is_in_blocks = is_stored(X)
    n_done = 0
    for block in read_blocks(X, _ROWS) if is_in_blocks else (X,):
        texts, shape = _read(block, n_done)
        if len(shape) > 1 and shape[-1] == 1:
            shape = shape[:-1]
        if len(shape) > 1 and (len(shape) > 2 or shape[1] not in widths):
            two_lists = len(shape) == 2 and shape[0] == 2
            raise ValueError(
                "Expected texts of shape (n_texts,) or pairs of shape (n_pairs, 2); "
                f"got shape {shape}. {_ZIP if two_lists else _SELECT}"
            )
        if not set(map(type, texts)) <= {str}:
            if fill_missing:
                texts = ["" if is_missing(text) else text for text in texts]
            _refuse_other_entries(texts, shape, n_done)
        yield texts, shape
        n_done += shape[0]
    if is_in_blocks and not n_done:
        yield [], (0,)


def _to_array(block: tuple[list[str], Shape]) -> NDArray[np.object_]:
    texts, shape = block
    return np.array(texts, dtype=object).reshape(shape)


def check_pairs(X: Texts) -> NDArray[np.object_]:
    """Convert pairs of texts to an object array of str.

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2)
        As in :func:`check_texts`.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2), dtype object

    Raises
    ------
    ValueError
        If `X` does not have two columns, and as in :func:`check_texts`.
    """
    pairs = check_texts(X)
    if pairs.ndim == 1 and len(pairs) == 0:
        return pairs.reshape(0, 2)
    if pairs.ndim != 2:
        raise ValueError(
            "Expected pairs of texts, shape (n_pairs, 2); got shape "
            f"{pairs.shape}. {_ZIP}"
        )
    return pairs


def check_single_texts(X: Any, name: str = "X") -> NDArray[np.object_]:
    """Texts, shape (n_texts,); pairs raise a ValueError."""
    texts = check_texts(X)
    if texts.ndim != 1:
        raise ValueError(
            f"{name} must hold texts, shape (n_texts,); got shape {texts.shape}. "
            "Select one column, such as X['title'] or X[:, 0]."
        )
    return texts


def unique_texts(texts: NDArray[np.object_]) -> tuple[list[str], NDArray[np.intp]]:
    """Find the distinct texts, and the position of each text among them.

    Parameters
    ----------
    texts : ndarray of str of any shape

    Returns
    -------
    distinct : list of str
        In order of appearance.
    indices : ndarray of the shape of `texts`
        The position of each text in `distinct`.
    """
    distinct, indices = unique_strings(texts.ravel().tolist())
    if indices is None:
        indices = np.arange(texts.size)
    return distinct, indices.reshape(texts.shape)


def unique_strings(texts: list[str]) -> tuple[list[str], NDArray[np.intp] | None]:
    """Like :func:`unique_texts` for a list; indices are None if all are distinct."""
    if len(set(texts)) == len(texts):  # takes half as long
        return texts, None
    positions = defaultdict[str, int](count().__next__)
    indices = np.fromiter(map(positions.__getitem__, texts), np.intp, len(texts))
    return [*positions], indices


def fit_blocks(X: Texts) -> Iterator[NDArray[np.object_]]:
    """Texts to fit on, in blocks if they are on disk; at least one."""
    n_rows = 0
    for texts in map(_to_array, check_text_blocks(X)):
        n_rows += len(texts)
        yield texts
    if not n_rows:
        raise ValueError("Found 0 samples; a minimum of 1 text is required to fit.")


def check_fit_texts(X: Texts) -> NDArray[np.object_]:
    """Texts to fit on in memory; at least one."""
    return np.concatenate(list(fit_blocks(X)))


def text_blocks(texts: Iterable[str], block_size: int) -> Iterator[list[str]]:
    """Split texts into one or more blocks."""
    if isinstance(texts, str):
        raise TypeError("Expected a list of str; got one str. Put it in a list.")
    rest = iter(texts)
    yield list(islice(rest, block_size))
    while block := list(islice(rest, block_size)):
        yield block


def materialize(X: Any) -> Any:
    """Collect lazy frames; convert iterators and arrays without rows."""
    if isinstance(X, Iterator):
        return list(X)
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):  # polars LazyFrame
        return X.collect()
    if hasattr(X, "__array__") and not hasattr(X, "__getitem__"):
        return np.asarray(X)
    return X


def _read(X: Any, first: int) -> tuple[list[Any], Shape]:
    """The texts of a container, row after row, and the shape of their array.

    `first` is the index of the first row in the input.
    """
    rows = [*X] if isinstance(X, list) else _to_rows(X)
    if isinstance(rows, np.ndarray):
        return rows.ravel().tolist(), rows.shape
    if not rows or not _is_row(rows[0]):
        return rows, (len(rows),)
    width = len(rows[0])
    if not set(map(type, rows)) <= {list, tuple} or set(map(len, rows)) != {width}:
        _refuse_other_rows(rows, width, first)
    return [*chain.from_iterable(rows)], (len(rows), width)


def _to_rows(X: Any) -> list[Any] | NDArray[Any]:
    """The rows of a container, or its array of two or more dimensions."""
    given, X = X, materialize(X)
    names = column_names(X)
    for name in names if len(names) > 1 else ():
        if str(name).lower() in _IDS:
            warn_caller(f"The column {name!r} is read as texts. {_SELECT}")
    if hasattr(X, "column_names") and hasattr(X, "columns"):  # pyarrow table
        columns = [column.to_pylist() for column in X.columns]
        rows = [*zip(*columns, strict=True)]
        return rows or np.empty((0, len(columns)), dtype=object)
    if hasattr(X, "to_pylist"):  # pyarrow array
        return X.to_pylist()
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if isinstance(X, np.ndarray):
        if X.ndim > 1:
            # A matrix cannot be flat; a masked array keeps its mask.
            return X.astype(object, subok=isinstance(X, np.ma.MaskedArray))
        X = X.tolist()  # its entries may be rows
    if isinstance(X, _NO_TEXTS) or not np.iterable(X):
        advice = " Put a single text in a list." if isinstance(X, str) else ""
        raise TypeError(f"Expected {_EXPECTED}; got {describe(given)}.{advice}")
    return [*X]


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) or (
        hasattr(value, "to_numpy") and hasattr(value, "__len__")
    )


def _refuse_other_rows(rows: list[Any], width: int, first: int) -> None:
    """Raise unless all have one width; `first` is the index of the first row."""
    for i, row in enumerate(rows, first):
        if not _is_row(row) or len(row) != width:
            other = f"holds {len(row)} texts" if _is_row(row) else f"is {describe(row)}"
            raise ValueError(f"Row {i} {other}, but row {first} holds {width} texts.")


def _refuse_other_entries(texts: list[Any], shape: Shape, first: int) -> None:
    """Raise unless all are str; `first` is the index of the first row."""
    for i, text in enumerate(texts):
        if isinstance(text, str):
            continue
        row, *column = map(int, np.unravel_index(i, shape))
        where = (first + row, *column) if column else first + row
        message = f"The entry at index {where} is {describe(text)}, not a str."
        if is_missing(text):
            raise ValueError(
                f"{message} Drop missing texts, or replace them with '', as "
                "text.clean_text does."
            )
        raise TypeError(message)


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, or what pandas has for missing values."""
    name = type(value).__name__
    if value is None or name in ("NAType", "NaTType", "MaskedConstant"):
        return True
    return isinstance(value, (float, np.floating)) and value != value


def describe(value: object) -> str:
    """Describe a value by its shortened repr and its type, for an error message."""
    if value is None:
        return "None"
    shown = repr(value)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return f"{shown} ({type(value).__name__})"
