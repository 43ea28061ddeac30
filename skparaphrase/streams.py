"""Vectors of any number of texts, computed in blocks and written to a file."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import chain
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.utils import check_scalar

from skparaphrase._compat import safe_indexing
from skparaphrase._typing import Encoder, FilePath
from skparaphrase.text import count_rows, is_stored, materialize, read_blocks

__all__ = ["transform_to"]


def transform_to(
    transformer: Encoder,
    X: ArrayLike,
    path: FilePath,
    *,
    block_size: int = 65536,
    dtype: DTypeLike | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Transform rows in blocks into an `.npy` file.

    Memory holds one block at a time. The file appears when it is complete.

    Parameters
    ----------
    transformer : estimator instance
        A fitted encoder, or a pipeline of an encoder and other transformers.
    X : array-like, or dataset of pyarrow or datasets
        Input of `transform`. Data on disk are read in blocks, too.
    path : path-like
        An existing file is replaced.
    block_size : int, default=65536
        Maximum number of rows that are transformed together.
    dtype : dtype, default=None
        Data type of the file, such as "float16". None uses that of the vectors.
    progress : bool, default=False
        Show a progress bar; needs tqdm.

    Returns
    -------
    vectors : ndarray of shape (n_rows, ...)
        The file, memory-mapped and read-only.

    Raises
    ------
    TypeError, FloatingPointError
        If vectors cannot be converted to `dtype`, or are too large for it.

    Notes
    -----
    The vectors are those of a single call, up to the rounding of matrix products,
    except with `ConvolutionalEncoder(padding="batch")`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.streams import transform_to
    >>> with TemporaryDirectory() as folder:
    ...     transform_to(AverageEncoder(), ["a", "b"], f"{folder}/vectors.npy").shape
    (2, 128)
    """
    check_scalar(block_size, "block_size", Integral, min_val=1)
    path, rows = Path(path), materialize(X)
    n_rows, n_done = count_rows(rows), 0
    blocks = map(transformer.transform, _blocks(rows, block_size))
    first = np.asarray(next(blocks))
    bar: Any = nullcontext()
    if progress:
        from tqdm import tqdm

        bar = tqdm(total=n_rows, unit=" rows")
    with TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder, bar:
        part = Path(folder) / path.name
        shape = n_rows, *first.shape[1:]
        vectors = open_memmap(part, "w+", dtype or first.dtype, shape)
        for block in chain([first], blocks):
            place = vectors[n_done : n_done + len(block)]
            with np.errstate(over="raise"):  # no number may become infinite
                np.copyto(place, block, casting="same_kind")
            n_done += len(block)
            if progress:
                bar.update(len(block))
        if n_done < n_rows:
            raise ValueError(f"X has {n_rows} rows, but got vectors of {n_done}.")
        vectors.flush()
        del vectors, place  # Windows does not rename a file that is mapped
        os.replace(part, path)
    return np.asarray(np.load(path, mmap_mode="r"))


def _blocks(X: Any, block_size: int) -> Iterator[Any]:
    """Blocks of rows; at least one, which may be empty."""
    if not is_stored(X):
        for start in range(0, len(X) or 1, block_size):
            yield safe_indexing(X, slice(start, start + block_size))
        return
    blocks = read_blocks(X, block_size)
    yield next(blocks, [])
    yield from blocks
