"""Frames, series and arrays, whichever library made them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def column_names(X: object) -> list[Any]:
    """Names of the columns of a frame or table; empty for anything else."""
    return [*getattr(X, "column_names", getattr(X, "columns", ()))]


def row_index(X: object) -> Any:
    """The index of a frame or series of pandas; None for anything else."""
    index = getattr(X, "index", None)
    return index if hasattr(index, "is_unique") else None


def without_masks(values: Any) -> Any:
    """Values as they are, but with None where they are masked or NA of pandas."""
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return values.data
        filled = values.data.astype(object)
        filled[values.mask] = None
        return filled
    is_column = getattr(values, "dtype", None) == "O" and values.ndim == 1
    if not (is_column or isinstance(values, (list, tuple))):
        return values
    listed = [None if type(x).__name__ == "NAType" else x for x in values]
    return np.fromiter(listed, object, len(listed)) if is_column else listed


def to_numpy(array: Any) -> NDArray[Any]:
    """Convert an array of NumPy, torch or CuPy to NumPy."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        if str(array.dtype) == "torch.bfloat16":  # NumPy has none
            array = array.float()
    elif hasattr(array, "__cuda_array_interface__"):
        array = array.get()
    return np.asanyarray(without_masks(array))


def encodable(construct: Callable[..., Any], values: Any, **options: Any) -> Any:
    """An index or series of pandas; of objects if the strings cannot be in UTF-8.

    Half an emoji (a lone surrogate) cannot, and pandas 3 stores strings as UTF-8.
    """
    try:
        return construct(values, **options)
    except UnicodeEncodeError:
        return construct(values, dtype=object, **options)
