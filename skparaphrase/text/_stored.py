"""Rows of pyarrow and of Hugging Face's datasets that are read from disk in blocks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator
from typing import Any


def is_stored(X: Any) -> bool:
    """Whether rows are read from disk when they are needed.

    True for a `Dataset`, `Scanner` or `ParquetFile` of pyarrow, whose tables and arrays
    are in memory, and for a `Dataset` or `Column` of Hugging Face's datasets.
    """
    library = type(X).__module__.partition(".")[0]
    if library == "pyarrow":
        return hasattr(X, "count_rows") or hasattr(X, "iter_batches")
    return library == "datasets" and hasattr(X, "__len__")


def count_rows(X: Any) -> int:
    """The number of rows of stored data, or of any other container."""
    if hasattr(X, "count_rows"):
        return int(X.count_rows())
    return int(X.metadata.num_rows) if hasattr(X, "iter_batches") else len(X)


def read_blocks(X: Any, block_size: int) -> Iterator[Any]:
    """Read stored data.

    Yields
    ------
    block : RecordBatch, Table, ChunkedArray or list
        The next rows, at most `block_size`.
    """
    if hasattr(X, "iter_batches"):
        yield from X.iter_batches(block_size)
    elif hasattr(X, "count_rows"):
        scanner = X.scanner(batch_size=block_size) if hasattr(X, "scanner") else X
        for batch in scanner.to_batches():
            for start in range(0, len(batch), block_size):
                yield batch.slice(start, block_size)
    else:
        X = X.with_format("arrow") if hasattr(X, "with_format") else X
        for start in range(0, len(X), block_size):
            yield X[start : start + block_size]
