"""`.npy` files that grow."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray


class GrowingArray:
    """An array in an `.npy` file to which rows are added.

    Parameters
    ----------
    path : Path

    dtype : dtype

    row_shape : tuple of int, default=()

    n_rows : int, default=0
        Rows that the file holds already, and that stay; whatever follows them goes.
    """

    def __init__(
        self,
        path: Path,
        dtype: DTypeLike,
        row_shape: tuple[int, ...] = (),
        n_rows: int = 0,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.row_shape = row_shape
        self.n_rows = n_rows
        self._file: BinaryIO = open(path, "r+b" if n_rows else "w+b")
        self._write_header()
        self._file.truncate(self._file.tell() + n_rows * self._row_bytes)
        self._file.seek(0, os.SEEK_END)

    @property
    def _row_bytes(self) -> int:
        return self.dtype.itemsize * int(np.prod(self.row_shape, dtype=np.int64))

    def append(self, rows: NDArray[Any]) -> None:
        """Write rows, cast to the dtype, at the end."""
        rows = np.ascontiguousarray(rows, dtype=self.dtype)
        self._file.write(rows.data if rows.size else b"")
        self.n_rows += len(rows)

    def commit(self) -> None:
        """Put what was written on the disk, then the number of rows in the header.

        A process that is killed leaves a file that can be read, and goes on with.
        """
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.seek(0)
        self._write_header()
        self._file.flush()
        self._file.seek(0, os.SEEK_END)

    def _write_header(self) -> None:
        # numpy leaves room for a first axis that grows: all headers are as long.
        header = {
            "descr": npy.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": (self.n_rows, *self.row_shape),
        }
        npy.write_array_header_1_0(self._file, header)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.commit()
        finally:
            self._file.close()


def mapped(path: Path) -> NDArray[Any]:
    """An array in a file, read where it is needed."""
    # As a plain array: a memmap's own look-ups take several times as long.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
