"""Vectors of any number of texts, computed in blocks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from collections import deque
from collections.abc import Iterable, Iterator, ValuesView
from itertools import chain, islice
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from filelock import Timeout
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import check_scalar

from skparaphrase._compat import safe_indexing
from skparaphrase._estimator import warn_caller
from skparaphrase.storage._folders import MALFORMED, locked
from skparaphrase.streams._store import TextStore
from skparaphrase.text._check import materialize

_WITHOUT_SLICES = deque, ValuesView


def transform_blocks(
    transformer: Any, X: Any, *, block_size: int = 65536
) -> Iterator[NDArray[Any]]:
    """Transform rows in blocks.

    Parameters
    ----------
    transformer : estimator instance
        A fitted encoder, or a pipeline of one and other transformers.
    X : TextStore, sequence, array, frame or iterator
        Input of `transform`; an iterator gives rows (texts or pairs).
    block_size : int, default=65536
        Number of rows that are transformed together.

    Yields
    ------
    block : ndarray of shape (n_rows, ...)
        Result for the next rows; at least one block.

    See Also
    --------
    transform_to : Write the blocks into one array or file.

    Notes
    -----
    The vectors are those of a single call, up to the rounding of matrix products (1e-6
    of a vector's length). The exception is `ConvolutionalEncoder(padding="batch")`,
    which composes 100 distinct texts at a time: to get the same groups, use blocks of a
    multiple of 100 distinct texts.

    Examples
    --------
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.streams import transform_blocks
    >>> texts = (f"cat number {i}" for i in range(250))
    >>> encoder = SIFEncoder().fit(["a cat"])
    >>> [len(block) for block in transform_blocks(encoder, texts, block_size=100)]
    [100, 100, 50]
    """
    check_scalar(block_size, "block_size", Integral, min_val=1)
    return (_transformed(transformer, block) for block in _blocks(X, block_size))


def transform_to(
    transformer: Any,
    X: Any,
    out: NDArray[Any] | str | PathLike[str],
    *,
    block_size: int = 65536,
    dtype: DTypeLike | None = None,
) -> NDArray[Any]:
    """Transform into an array, or into an `.npy` file.

    Parameters
    ----------
    transformer : estimator instance
        As in :func:`transform_blocks`.
    X : TextStore, sequence, array, frame or iterator
        As in :func:`transform_blocks`.
    out : ndarray, or path-like
        An array of the shape of the result, possibly memory-mapped, or the name of a
        file. The name has the suffix `.part` until all rows are written; if such a file
        exists, this call resumes where the last one stopped. `.part.crc32` holds the
        checksums of its blocks: those that have changed are computed again.
    block_size : int, default=65536
        As in :func:`transform_blocks`.
    dtype : dtype, default=None
        Type of the file, such as "float16"; None for that of the vectors.

    Returns
    -------
    out : ndarray of shape (n_rows, ...)
        The given array, or the file, memory-mapped and read-only.

    Raises
    ------
    ValueError
        If the array has another shape, if another call is writing to the same file, or
        if the `.part` file does not hold rows of this transformer and `X`, for which
        its last block is computed again and compared.

    Notes
    -----
    With a file, memory holds one block at a time. Every block is flushed to the disk,
    so a process that is killed loses at most one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.streams import transform_to
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/vectors.npy"
    ...     texts = (f"cat number {i}" for i in range(250))
    ...     transform_to(AverageEncoder(), texts, path, dtype="float16").shape
    (250, 128)
    """
    check_scalar(block_size, "block_size", Integral, min_val=1)
    if isinstance(out, np.ndarray):
        if dtype is not None:
            raise ValueError("dtype is for files; the array has its own dtype.")
        _fill(out, transform_blocks(transformer, X, block_size=block_size))
        return out
    final = Path(out)
    part = final.with_name(f"{final.name}.part")
    lock = final.with_name(f"{final.name}.lock")
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        with locked(lock, 0, fallback_to_soft=True):
            checksums = part.with_name(f"{part.name}.crc32")
            _write(part, checksums, transformer, X, block_size, dtype)
            os.replace(part, final)
            checksums.unlink()
    except Timeout:
        raise ValueError(f"Another call is writing {final}.") from None
    return np.asarray(np.load(final, mmap_mode="r"))


def _fill(out: NDArray[Any], blocks: Iterable[NDArray[Any]]) -> None:
    n_rows = 0
    for block in blocks:
        if block.shape[1:] != out.shape[1:] or n_rows + len(block) > len(out):
            n_rows += len(block)
            raise ValueError(
                f"out has shape {out.shape}, but the vectors of the first {n_rows} "
                f"rows have shape {(n_rows, *block.shape[1:])}."
            )
        np.copyto(out[n_rows : n_rows + len(block)], block, casting="same_kind")
        n_rows += len(block)
    if n_rows < len(out):
        raise ValueError(f"out has {len(out)} rows, but X has {n_rows}.")


def _write(
    part: Path, checksums: Path, transformer: Any, X: Any, block_size: int, dtype: Any
) -> None:
    """Write all blocks into a file that may hold the first of them already."""
    for path in (part, checksums):
        if path.is_symlink():  # of somebody who wants another file to be overwritten
            raise ValueError(f"{path} is a symbolic link. Delete it to start again.")
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is not a file. Delete it to start again.")
    found, records = _written(part, checksums)
    n_found = int(records[-1, 0])
    # The last complete block is computed again, to see that it is the same.
    n_rows = max(n_found // block_size - 1, 0) * block_size
    blocks = _blocks(X, block_size, n_rows)
    first = _transformed(transformer, next(blocks))
    if not np.can_cast(first.dtype, dtype or first.dtype, "same_kind"):
        raise ValueError(f"The vectors, {first.dtype}, cannot be written as {dtype}.")
    first = _converted(first, dtype or first.dtype)
    done = min(n_found - n_rows, len(first))
    if len(found) and not (
        first.shape[1:] == found.shape[1:]
        and first.dtype == found.dtype
        and (len(first) == block_size or n_rows + len(first) >= n_found)
        and _alike(first[:done], found[n_rows : n_rows + done])
    ):
        raise ValueError(
            f"{part} holds vectors of another transformer or of other rows. Delete it "
            "to start again."
        )
    records = records[records[:, 0] < n_rows]
    if n_rows:
        rest = found[records[-1, 0] if len(records) else 0 : n_rows]
        records = np.vstack([records, [[n_rows, crc32(rest.tobytes())]]])
    del found  # the file is about to change
    part.touch()
    with checksums.open("wb") as sums, part.open("r+b") as file:
        sums.write(records.astype("<i8").tobytes())
        sums.flush()
        _write_header(file, first, n_rows)
        file.truncate(file.tell() + n_rows * first[:1].nbytes)
        for block in chain([first], (_transformed(transformer, b) for b in blocks)):
            raw = _converted(block, first.dtype).tobytes()
            file.seek(0, os.SEEK_END)
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())  # before the header counts these rows
            n_rows += len(block)
            sums.write(np.array([n_rows, crc32(raw)], "<i8").tobytes())
            sums.flush()
            _write_header(file, first, n_rows)


def _written(
    part: Path, checksums: Path
) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    """The array that a call has begun, and where its unchanged blocks end.

    Rows are (number of rows, checksum), the first of which is no block.
    """
    records = [[0, 0]]
    if not (part.exists() and part.stat().st_size):
        return np.empty(0), np.array(records)
    if not checksums.exists():
        raise ValueError(
            f"{part} was written by another version of skparaphrase: it has no "
            f"checksums, {checksums.name}. Delete it to start again."
        )
    try:
        found = np.load(part, "r", allow_pickle=False)
        sums = np.fromfile(checksums, "<i8")
        for n_rows, checksum in sums[: len(sums) // 2 * 2].reshape(-1, 2).tolist():
            start = records[-1][0]
            block = found[start:n_rows]
            if n_rows != start + len(block) or crc32(block.tobytes()) != checksum:
                break
            records.append([n_rows, checksum])
    except MALFORMED as error:
        raise ValueError(
            f"{part} and {checksums.name} are damaged: {error}. Delete them to start "
            "again."
        ) from error
    if records[-1][0] < len(found):
        warn_caller(
            f"Rows of {part} from {records[-1][0]} on have changed since they were "
            "written, and are computed again."
        )
    return found, np.array(records)


def _write_header(file: BinaryIO, like: NDArray[Any], n_rows: int) -> None:
    """Write the header of an .npy file; it has one length for any number of rows."""
    header = npy.header_data_from_array_1_0(like)
    header |= {"fortran_order": False, "shape": (n_rows, *like.shape[1:])}
    file.seek(0)
    npy.write_array_header_1_0(file, header)
    file.flush()


def _converted(block: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """Vectors in another data type, in which none of them may become infinite."""
    with np.errstate(over="ignore"):
        found = block.astype(dtype)
    if (
        found.dtype.itemsize < block.dtype.itemsize
        and (np.isinf(found) & np.isfinite(block)).any()
    ):
        raise ValueError(
            f"The vectors are too large for {found.dtype}: the largest has "
            f"{np.abs(block).max():.3g}. Use another dtype."
        )
    return found


def _alike(block: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether vectors are equal up to the rounding of products and of the file."""
    largest = float(np.abs(other).max(initial=0, where=np.isfinite(other)))
    is_half = block.dtype == np.float16
    rtol, least = (2.0**-9, 2.0**-23) if is_half else (1e-5, 0.0)  # two units of half
    atol = 1e-5 * largest + least
    return np.allclose(block, other, rtol=rtol, atol=atol, equal_nan=True)


def _transformed(transformer: Any, block: Any) -> NDArray[Any]:
    vectors = transformer.transform(block)
    if hasattr(vectors, "toarray"):
        raise TypeError(f"{transformer!r} returns sparse arrays; make them dense.")
    return np.asarray(vectors)


def _blocks(X: Any, block_size: int, start: int = 0) -> Iterator[Any]:
    """Blocks of the rows from `start`; at least one, which may be empty."""
    X = materialize(X)
    if not hasattr(X, "__len__") or isinstance(X, _WITHOUT_SLICES):
        rows = islice(iter(X), start, None)
        yield list(islice(rows, block_size))
        while block := list(islice(rows, block_size)):
            yield block
        return
    for first in range(start, max(len(X), start + 1), block_size):
        stop = min(first + block_size, max(len(X), first))
        is_store = isinstance(X, TextStore)
        yield X.rows(first, stop) if is_store else safe_indexing(X, slice(first, stop))
