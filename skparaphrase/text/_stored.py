"""Rows of pyarrow and Hugging Face datasets, read from disk in blocks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
Blocks = Iterable[tuple[list[str], Shape]]  # texts row by row, and their shape


def is_stored(X: object) -> bool:
    """Whether rows are read from disk on demand.

    True for a `Dataset`, `Scanner` or `ParquetFile` of pyarrow (its tables and arrays
    are in memory), and for a `Dataset` or `Column` of Hugging Face's datasets.
    """
    if isinstance(X, list):  # fast, for single sentences
        return False
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


@dataclass(frozen=True, eq=False)
class StoredTexts:
    """Rows of stored data as an array of str that is read whenever it is iterated over.

    Parameters
    ----------
    read : callable
        Returns blocks of all texts; see :func:`check_text_blocks`.
    positions : ndarray of int of any shape, ascending
        Positions of the texts among all texts; pair `i` is at `2i` and `2i + 1`.
    hashes : ndarray of int of the same shape
        64 bits of each text, by which equal texts are recognised: two of a million
        differing texts share them with a probability of 3e-8.
    """

    read: Callable[[], Blocks]
    positions: NDArray[np.intp]
    hashes: NDArray[np.int64]

    @classmethod
    def of(cls, read: Callable[[], Blocks]) -> "StoredTexts":
        """Read all texts once, and hash them."""
        blocks = [
            np.fromiter(map(hash, texts), np.int64).reshape(shape)
            for texts, shape in read()
        ]
        hashes = np.concatenate(blocks)
        return cls(read, np.arange(hashes.size).reshape(hashes.shape), hashes)

    @property
    def shape(self) -> Shape:
        return self.hashes.shape

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, rows: Any) -> "StoredTexts":
        return StoredTexts(self.read, self.positions[rows], self.hashes[rows])

    def ravel(self) -> "StoredTexts":
        return StoredTexts(self.read, self.positions.ravel(), self.hashes.ravel())

    def unique(self) -> "tuple[StoredTexts, NDArray[np.intp]]":
        """The distinct texts in order of appearance, and the position of each text."""
        _, first, indices = np.unique(
            self.hashes, return_index=True, return_inverse=True
        )
        order = np.argsort(first)  # order of first appearance
        return self.ravel()[first[order]], np.argsort(order)[indices]

    def __iter__(self) -> Iterator[str]:
        """All texts, one after another."""
        positions, n_read, n_done = self.positions.ravel(), 0, 0
        for texts, _ in self.read():
            stop = int(np.searchsorted(positions, n_read + len(texts)))
            indices = (positions[n_done:stop] - n_read).tolist()
            yield from map(texts.__getitem__, indices)
            n_read, n_done = n_read + len(texts), stop

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[np.object_]:
        return np.array([*self], dtype=object).reshape(self.shape)
