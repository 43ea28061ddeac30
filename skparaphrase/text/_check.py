"""The one place that says what a text input is."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator, Mapping, Set
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WANTED = "a list, array, Series or one-column frame of str, or pairs of str"


def check_texts(X: Any) -> NDArray[np.object_]:
    """Texts, or pairs of texts, as an object array of str.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,), (n_texts, 1) or (n_pairs, 2)
        Lists, tuples and lists of tuples, NumPy arrays, pandas and polars frames and
        series, pyarrow tables and arrays. Generators are read to their end.

    Returns
    -------
    texts : ndarray of shape (n_texts,) or (n_pairs, 2), dtype object

    Raises
    ------
    TypeError
        If `X` is a bare `str`, bytes, a mapping, a set or not iterable, or if an entry
        is not a `str`. The message names the first such entry and its index.
    ValueError
        If an entry is missing (None, NaN), if rows differ in length, or if there are
        more than two columns.
    """
    _check_container(X)
    texts = _check_shape(_to_array(X))
    _check_entries(texts)
    return texts


def check_text_blocks(X: Any, block_size: int) -> Iterator[NDArray[np.object_]]:
    """As :func:`check_texts`, some rows at a time; at least one block.

    Parameters
    ----------
    X : iterable of str, or of pairs of str
        Frames and arrays as well. Read once.

    block_size : int
        Most rows of a block.

    Yields
    ------
    texts : ndarray of shape (n_rows,) or (n_rows, 2), dtype object
        Errors name the index in the whole.
    """
    _check_container(X)
    if isinstance(X, np.ndarray) or _is_table(X):
        X = check_texts(X)
        for start in range(0, len(X) or 1, block_size):
            yield X[start : start + block_size]
        return
    try:
        rows = iter(X)
    except TypeError:
        raise TypeError(f"Expected {_WANTED}; got {_describe(X)}.") from None
    first = 0
    shape: tuple[int, ...] = ()
    while (block := list(islice(rows, block_size))) or not first:
        texts = _check_shape(_from_rows(block, first))
        if first and texts.shape[1:] != shape:
            raise ValueError(
                f"Row {first} is {_describe(block[0])}, unlike the rows before it, "
                f"which hold {'pairs' if shape == (2,) else 'single texts'}."
            )
        shape = texts.shape[1:]
        _check_entries(texts, first)
        yield texts
        first += len(block)
        if not block:
            return


def check_pairs(X: Any) -> NDArray[np.object_]:
    """Pairs of texts as an object array of shape (n_pairs, 2).

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2)
        Anything that :func:`check_texts` takes.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2), dtype object
        The texts.

    Raises
    ------
    ValueError
        If `X` does not have two columns, and what `check_texts` raises.
    """
    pairs = check_texts(X)
    if pairs.ndim == 1 and len(pairs) == 0:
        return pairs.reshape(0, 2)
    if pairs.ndim != 2:
        raise ValueError(
            f"Expected pairs of texts, shape (n_pairs, 2); got shape {pairs.shape}. "
            "Two lists become pairs with list(zip(first, second))."
        )
    return pairs


def unique_texts(
    texts: NDArray[np.object_],
) -> tuple[list[str], NDArray[np.intp] | None]:
    """The distinct texts, and where each text stands in them.

    Parameters
    ----------
    texts : ndarray of str
        Of any shape.

    Returns
    -------
    distinct : list of str
        In order of appearance.

    inverse : ndarray of shape (texts.size,) or None
        Position of each text among them; None where no text repeats.
    """
    flat = texts.ravel().tolist()
    distinct = dict.fromkeys(flat)
    if len(distinct) == len(flat):
        return flat, None
    for position, text in enumerate(distinct):
        distinct[text] = position
    inverse = np.fromiter(map(distinct.__getitem__, flat), np.intp, len(flat))
    return list(distinct), inverse


def numbered_texts(
    texts: NDArray[np.object_],
) -> tuple[list[str], NDArray[np.intp]]:
    """As :func:`unique_texts`, with numbers in the shape of the texts, always.

    Parameters
    ----------
    texts : ndarray of str
        Of any shape.

    Returns
    -------
    distinct : list of str
        In order of appearance.

    numbers : ndarray of the shape of `texts`
        Position of each text among them.
    """
    distinct, inverse = unique_texts(texts)
    numbers = np.arange(texts.size) if inverse is None else inverse
    return distinct, numbers.reshape(texts.shape)


def _check_container(X: Any) -> None:
    if isinstance(X, (str, bytes, bytearray, Mapping, Set, Number)) or X is None:
        raise TypeError(f"Expected {_WANTED}; got {_describe(X)}.")


def _check_shape(texts: NDArray[np.object_]) -> NDArray[np.object_]:
    """Texts, or pairs of texts; a last axis of length 1 is left out."""
    if texts.ndim > 1 and texts.shape[-1] == 1:
        texts = texts[..., 0]
    if texts.ndim > 2 or (texts.ndim == 2 and texts.shape[1] != 2):
        advice = (
            "Two lists become pairs with list(zip(first, second))."
            if texts.ndim == 2 and len(texts) == 2
            else "Choose the one or two columns that hold the text."
        )
        raise ValueError(
            f"Expected texts of shape (n_texts,) or pairs of shape (n_pairs, 2); got "
            f"shape {texts.shape}. {advice}"
        )
    return texts


def _is_table(X: Any) -> bool:
    """Whether it is a frame or series, whose rows are not what iteration gives."""
    return any(hasattr(X, name) for name in ("column_names", "to_pylist", "to_numpy"))


def _to_array(X: Any) -> NDArray[np.object_]:
    if hasattr(X, "column_names") and hasattr(X, "columns"):  # pyarrow table
        X = [column.to_pylist() for column in X.columns]
        if len(X) > 1 and not len(X[0]):
            return np.empty((0, len(X)), dtype=object)
        return _from_rows(list(zip(*X, strict=True)))
    if hasattr(X, "to_pylist"):  # pyarrow array
        return _from_rows(X.to_pylist())
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if isinstance(X, np.ndarray) and X.ndim != 0:
        if X.dtype != object or X.ndim > 1:
            return X.astype(object)
        X = X.tolist()
    try:
        rows = list(X)
    except TypeError:
        raise TypeError(f"Expected {_WANTED}; got {_describe(X)}.") from None
    return _from_rows(rows)


def _from_rows(rows: list[Any], first: int = 0) -> NDArray[np.object_]:
    """Rows that are str, or that are sequences of str, as an array.

    `first` is the index of the first of them.
    """
    if rows and not isinstance(rows[0], str) and _is_row(rows[0]):
        width = len(rows[0])
        for i, row in enumerate(rows, first):
            if not _is_row(row):
                raise ValueError(
                    f"Row {i} is {_describe(row)}, but row {first} holds {width} texts."
                )
            if len(row) != width:
                raise ValueError(
                    f"Row {i} holds {len(row)} texts, but row {first} holds {width}."
                )
        table = np.empty((len(rows), width), dtype=object)
        for column, values in enumerate(zip(*rows, strict=True)):
            table[:, column] = values
        return table
    texts = np.empty(len(rows), dtype=object)
    texts[:] = rows
    return texts


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) or (
        hasattr(value, "to_numpy") and hasattr(value, "__len__")
    )


def _check_entries(texts: NDArray[np.object_], first: int | None = None) -> None:
    """Raise unless all are str; `first` is the index of the first row in a stream."""
    flat = texts.ravel().tolist()
    if set(map(type, flat)) <= {str}:
        return
    for position, text in enumerate(flat):
        if isinstance(text, str):
            continue
        row, *column = map(int, np.unravel_index(position, texts.shape))
        row += first or 0
        where = (row, *column) if column else row
        if first is None:
            n_bad = sum(not isinstance(other, str) for other in flat)
            message = f"{n_bad} of {len(flat)} entries are not str; the first, at index"
            message += f" {where}, is {_describe(text)}."
        else:
            message = f"The entry at index {where} is {_describe(text)}, and no str."
        if _is_missing(text):
            raise ValueError(
                f"{message} Drop the missing texts or replace them with ''."
            )
        raise TypeError(message)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and value != value


def _describe(value: Any) -> str:
    if value is None:
        return "None"
    shown = repr(value)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return f"{shown} ({type(value).__name__})"
