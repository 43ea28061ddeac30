"""`transform`, block by block."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skparaphrase._locks import locked
from skparaphrase._output import without_metadata
from skparaphrase.streams._npy import GrowingArray, mapped
from skparaphrase.streams._store import TextStore


def transform_blocks(
    transformer: Any, X: Any, *, block_size: int = 65536
) -> Iterator[NDArray[Any]]:
    """Transform some rows at a time.

    Parameters
    ----------
    transformer : estimator instance
        Fitted: an encoder, or a pipeline such as an encoder and the removal of common
        components.

    X : TextStore, sequence, array, frame or iterator
        What `transform` takes; an iterator gives rows (texts or pairs).

    block_size : int, default=65536
        Rows that are transformed together.

    Yields
    ------
    block : ndarray of shape (n_rows, ...)
        What comes out for the next rows; at least one block.

    See Also
    --------
    transform_to : Puts the blocks into one array or file.

    Notes
    -----
    The vector of a text does not depend on its neighbours, so that blocks are those of
    one call: of encoders to the last bits, which matrix products may round in another
    way when they have other numbers of rows (1e-6 of a vector's length). The exception
    is `ConvolutionalEncoder(padding="batch")`, which composes 100 distinct texts at a
    time: for the same groups take blocks of a multiple of 100 texts, none twice.

    Examples
    --------
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.streams import transform_blocks
    >>> texts = (f"cat number {i}" for i in range(250))
    >>> encoder = SIFEncoder().fit(["a cat"])
    >>> [len(block) for block in transform_blocks(encoder, texts, block_size=100)]
    [100, 100, 50]
    """
    _check_block_size(block_size)
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
        An array of the shape of the result, a memory-mapped one too; of float16 where
        half the space is enough. Or the name of a file: until all rows are there they
        are in a file of that name with `.part` behind it, and if such a file is there
        already, this call goes on where that one stopped.

    block_size : int, default=65536
        As in :func:`transform_blocks`.

    dtype : dtype, default=None
        Of the file, such as "float16"; None takes that of the vectors.

    Returns
    -------
    out : ndarray of shape (n_rows, ...)
        The array given, or the file, memory-mapped and read-only.

    Raises
    ------
    ValueError
        If the array is of another shape, or if what is in the `.part` file are not the
        rows of this transformer and this `X`: the last block in it is made once more
        and compared; if another call is writing to the same file.

    Notes
    -----
    A file needs no room in memory but for a block. It is put on the disk block by
    block, so that no more than a block is lost when the process ends in any way.

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
    _check_block_size(block_size)
    if isinstance(out, np.ndarray):
        if dtype is not None:
            raise ValueError("dtype is that of a file; an array has its own.")
        _fill(out, transform_blocks(transformer, X, block_size=block_size))
        return out
    final = Path(out)
    part = final.with_name(f"{final.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        with locked(final.with_name(f"{final.name}.lock"), wait=False):
            _write(part, transformer, X, block_size, dtype)
            os.replace(part, final)
    except BlockingIOError:
        raise ValueError(f"Another call is writing {final}.") from None
    return mapped(final)


def _fill(out: NDArray[Any], blocks: Iterable[NDArray[Any]]) -> None:
    n_rows = 0
    for block in blocks:
        if block.shape[1:] != out.shape[1:] or n_rows + len(block) > len(out):
            raise ValueError(
                f"out has shape {out.shape}, but the vectors of the first "
                f"{n_rows + len(block)} rows have shape "
                f"{(n_rows + len(block), *block.shape[1:])}."
            )
        np.copyto(out[n_rows : n_rows + len(block)], block, casting="same_kind")
        n_rows += len(block)
    if n_rows < len(out):
        raise ValueError(f"out has {len(out)} rows, but X has {n_rows}.")


def _write(
    part: Path, transformer: Any, X: Any, block_size: int, dtype: DTypeLike | None
) -> None:
    """Write all blocks into a file that may hold the first of them."""
    begun = part.exists() and part.stat().st_size
    found = mapped(part) if begun else np.empty(0)
    # The last whole block in the file is made again, and shows that all goes together.
    kept = max(len(found) // block_size - 1, 0) * block_size
    blocks = _blocks(X, block_size, kept)
    first = _transformed(transformer, next(blocks))
    if not np.can_cast(first.dtype, dtype or first.dtype, "same_kind"):
        raise ValueError(f"The vectors, {first.dtype}, cannot be written as {dtype}.")
    first = first.astype(dtype or first.dtype)
    done = min(len(found) - kept, len(first))
    if len(found) and not (
        first.shape[1:] == found.shape[1:]
        and first.dtype == found.dtype
        and (len(first) == block_size or kept + len(first) >= len(found))
        and _alike(first[:done], found[kept : kept + done])
    ):
        raise ValueError(
            f"{part} was begun with another transformer, or with other rows. Delete it "
            "to begin anew."
        )
    del found  # the file is about to change
    with GrowingArray(part, first.dtype, first.shape[1:], kept) as rows:
        for block in chain([first], (_transformed(transformer, b) for b in blocks)):
            rows.append(block)
            rows.commit()


def _alike(block: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether vectors are the same, but for what products and the file round."""
    largest = float(np.abs(other).max(initial=0, where=np.isfinite(other)))
    rtol, least = 1e-5, 0.0
    if block.dtype == np.float16:
        rtol, least = 2.0**-9, 2.0**-23  # two of its last places
    atol = 1e-5 * largest + least
    return np.allclose(block, other, rtol=rtol, atol=atol, equal_nan=True)


def _transformed(transformer: Any, block: Any) -> NDArray[Any]:
    vectors = transformer.transform(block)
    if hasattr(vectors, "toarray"):
        raise TypeError(f"{transformer!r} gives sparse arrays; expected dense ones.")
    found: NDArray[Any] = without_metadata(np.asarray(vectors))
    return found


def _check_block_size(block_size: int) -> None:
    if block_size < 1:
        raise ValueError(f"block_size must be 1 or more; got {block_size!r}.")


def _blocks(X: Any, block_size: int, start: int = 0) -> Iterator[Any]:
    """The rows from `start` on, some at a time; at least one block, which may be empty.

    Parameters
    ----------
    X : TextStore, sequence, array, frame or iterator
    block_size : int
    start : int
    """
    if not hasattr(X, "__len__"):
        rows = islice(iter(X), start, None)
        block = list(islice(rows, block_size))
        while True:
            yield block
            block = list(islice(rows, block_size))
            if not block:
                return
    for first in range(start, max(len(X), start + 1), block_size):
        yield _rows(X, first, min(first + block_size, max(len(X), first)))


def _rows(X: Any, start: int, stop: int) -> Any:
    if isinstance(X, TextStore):
        return X.rows(start, stop)
    if hasattr(X, "iloc"):  # pandas
        return X.iloc[start:stop]
    if hasattr(X, "to_pylist"):  # pyarrow
        return X.slice(start, stop - start)
    return X[start:stop]
