"""Computing vectors in blocks and writing them to a file."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain, starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import ArrayLike, DTypeLike, NDArray

from skparaphrase._compat import check_int, safe_indexing
from skparaphrase._frames import row_index
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Encoder, FilePath
from skparaphrase.text._check import materialize
from skparaphrase.text._stored import count_rows, is_stored, read_blocks

__all__ = ["to_arrow", "transform_to_file"]

_VECTOR = "vector"  # the column of vectors in Parquet files


def transform_to_file(
    transformer: Encoder,
    X: ArrayLike,
    path: FilePath,
    *,
    columns: Any = None,
    block_size: int = 65536,
    dtype: DTypeLike | None = None,
) -> Any:
    """Transform rows in blocks and write them to an `.npy` or `.parquet` file.

    Only one block is in memory at a time. The file appears when it is complete.

    Parameters
    ----------
    transformer : estimator instance
        A fitted encoder, or a pipeline of an encoder and other transformers.
    X : array-like, or dataset of pyarrow or datasets
        Input of `transform`. Data on disk are also read in blocks.
    path : path-like
        An existing file is replaced. If the name ends with `.parquet`, the vectors are
        a column "vector" of fixed-size lists; this needs pyarrow.
    columns : mapping of str to array-like, frame or table, default=None
        Other columns of a `.parquet` file with `n_rows` rows, such as `{"id": ids}`.
    block_size : int, default=65536
        Maximum number of rows that are transformed together.
    dtype : dtype, default=None
        Data type of the file, such as "float16". None uses the type of the vectors.

    Returns
    -------
    vectors : ndarray of shape (n_rows, ...), or pyarrow.dataset.Dataset
        The file, as a memory-mapped, read-only array or a dataset.

    Raises
    ------
    TypeError, FloatingPointError
        If vectors cannot be converted to `dtype` or exceed its range.
    ValueError
        If `columns` and `X` differ in the number of rows, or if `columns` has a column
        "vector" or is given for an `.npy` file.

    Notes
    -----
    The vectors equal the result of a single call, up to the rounding of matrix
    products, except with `CNNEncoder(padding="batch")`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.io import transform_to_file
    >>> with TemporaryDirectory() as folder:
    ...     transform_to_file(AverageEncoder(), ["a", "b"], f"{folder}/v.npy").shape
    (2, 128)
    """
    block_size = check_int(block_size, "block_size")
    path, rows = Path(path), materialize(X)
    n_rows = count_rows(rows)
    is_parquet = path.suffix == ".parquet"
    if columns is not None:
        columns = _check_columns(columns, n_rows, is_parquet)

    def transformed() -> Iterator[NDArray[Any]]:
        for block in _blocks(rows, block_size):
            vectors = np.asarray(transformer.transform(block))
            with np.errstate(over="raise"):  # no number may become infinite
                vectors = vectors.astype(
                    dtype or vectors.dtype, casting="same_kind", copy=False
                )
            yield vectors

    blocks = transformed()
    folder = TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent)
    with folder, progress_bar(n_rows, "Embedding", "row") as advance:
        part, first = Path(folder.name) / path.name, next(blocks)
        counted = _counted(chain([first], blocks), n_rows, advance)
        if is_parquet:
            _write_parquet(part, counted, columns)
        else:
            _write_npy(part, counted, (n_rows, *first.shape[1:]), first.dtype)
        os.replace(part, path)
    if is_parquet:
        from pyarrow.dataset import dataset

        return dataset(path)
    return np.asarray(np.load(path, mmap_mode="r"))


def to_arrow(vectors: ArrayLike) -> Any:
    """Convert vectors to an array of fixed-size lists, Arrow's type for vectors.

    Databases and engines such as DuckDB, Polars and Spark accept it as a column.

    Parameters
    ----------
    vectors : array-like of shape (n_rows, dim), or (n_rows, k, dim) of pairs

    Returns
    -------
    array : pyarrow.FixedSizeListArray of length n_rows
        It has the data type of the vectors. For pairs, it contains lists of `k` lists.
        The numbers are not copied if they are contiguous.

    Raises
    ------
    ValueError
        If `vectors` has fewer than two dimensions.
    ImportError
        If pyarrow is not installed: `pip install pyarrow`.

    See Also
    --------
    transform_to_file : Write a Parquet file with such a column, block by block.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import skparaphrase
    >>> from skparaphrase.io import to_arrow
    >>> vectors = skparaphrase.load_pretrained().transform(["A cat sleeps.", "Rain!"])
    >>> pa.table({"id": [7, 8], "vector": to_arrow(vectors)}).schema
    id: int64
    vector: fixed_size_list<item: float>[256]
      child 0, item: float
    """
    import pyarrow as pa

    vectors = np.asarray(vectors)
    if vectors.ndim < 2:
        raise ValueError(f"vectors must have two dimensions; got {vectors.shape}.")
    array: Any = pa.array(vectors.reshape(-1))
    for length in reversed(vectors.shape[1:]):
        array = pa.FixedSizeListArray.from_arrays(array, length)
    return array


def _check_columns(columns: Any, n_rows: int, is_parquet: bool) -> Any:
    """The other columns of a file as a table."""
    if not is_parquet:
        raise ValueError("columns needs a path that ends with .parquet.")
    import pyarrow as pa

    if row_index(columns) is not None:  # it would become a column
        columns = columns.reset_index(drop=True)
    table = pa.table(columns)
    if table.num_rows != n_rows or _VECTOR in table.column_names:
        raise ValueError(
            f"columns must have {n_rows} rows, like X, and none may be named "
            f"{_VECTOR!r}; got {table.num_rows} rows of {table.column_names}."
        )
    return table


def _counted(
    blocks: Iterator[NDArray[Any]], n_rows: int, advance: Callable[[int], object]
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Blocks with their positions; they must fill the file."""
    n_done = 0
    for block in blocks:
        yield slice(n_done, n_done + len(block)), block
        n_done += len(block)
        advance(len(block))
    if n_done != n_rows:
        raise ValueError(f"X has {n_rows} rows, but got vectors of {n_done}.")


def _write_npy(
    path: Path,
    blocks: Iterator[tuple[slice, NDArray[Any]]],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
) -> None:
    vectors = open_memmap(path, "w+", dtype, shape)
    for place, block in blocks:
        vectors[place] = block
    vectors.flush()


def _write_parquet(
    path: Path, blocks: Iterator[tuple[slice, NDArray[Any]]], columns: Any
) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    def table(place: slice, block: NDArray[Any]) -> Any:
        vectors = to_arrow(block)
        if columns is None:
            return pa.table({_VECTOR: vectors})
        return columns.slice(place.start, len(block)).append_column(_VECTOR, vectors)

    tables = starmap(table, blocks)
    first = next(tables)
    with ParquetWriter(path, first.schema) as writer:
        for each in chain([first], tables):
            writer.write_table(each)


def _blocks(X: Any, block_size: int) -> Iterator[Any]:
    """Blocks of rows; there is at least one, which may be empty."""
    if not is_stored(X):
        for start in range(0, len(X) or 1, block_size):
            yield safe_indexing(X, slice(start, start + block_size))
        return
    blocks = read_blocks(X, block_size)
    yield next(blocks, [])
    yield from blocks
