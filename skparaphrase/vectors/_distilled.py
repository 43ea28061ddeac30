"""Tables of the vectors that any encoder gives single words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.vectors._static_models import to_numpy


def distilled_table(
    words: Iterable[str],
    encode: Callable[[list[str]], Any],
    *,
    batch_size: int,
    dim: int | None,
    power: float,
) -> dict[str, Any]:
    """A table of what `encode` gives for words; see `WordVectors.distill`."""
    if isinstance(words, str):
        raise TypeError("words must be several words; got one str.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be 1 or more; got {batch_size}.")
    if not 0 <= power <= 1:
        raise ValueError(f"power must be from 0 to 1; got {power}.")
    words = list(words)
    if not words:
        raise ValueError("words is empty: there is nothing to distill.")
    seen: set[str] = set()
    for i, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"words must be str; got {word!r} at {i}.")
        if word in seen:  # told before hours of encoding, not after
            raise ValueError(f"Word {word!r} occurs again at {i}.")
        seen.add(word)
    matrix: NDArray[np.float32] | None = None
    for start in range(0, len(words), batch_size):
        batch = words[start : start + batch_size]
        block = _check_block(encode(list(batch)), batch, start, matrix)
        if matrix is None:
            _check_dim(dim, block.shape[1])
            matrix = np.empty((len(words), block.shape[1]), dtype=np.float32)
        matrix[start : start + len(block)] = block
    assert matrix is not None
    if dim is not None or power:
        matrix = _strongest_axes(matrix, dim, power)
    return {"words": words, "matrix": matrix}


def _check_block(
    found: Any, batch: list[str], start: int, before: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    block = to_numpy(found)
    dim: int | str = "dim" if before is None else before.shape[1]
    fits = block.ndim == 2 and len(block) == len(batch)
    if not fits or (before is not None and block.shape[1] != dim):
        raise ValueError(
            f"encode must give vectors of shape ({len(batch)}, {dim}) for the "
            f"{len(batch)} words from {batch[0]!r} on, number {start}; got shape "
            f"{block.shape}."
        )
    with np.errstate(over="ignore"):  # told below
        block = block.astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
    if len(bad):
        row = int(bad[0])
        raise ValueError(
            f"The vector that encode gave for {batch[row]!r}, number {start + row}, "
            "is not finite."
        )
    return block


def _check_dim(dim: int | None, most: int) -> None:
    if dim is not None and not (isinstance(dim, Integral) and 1 <= dim <= most):
        raise ValueError(
            f"dim must be from 1 to {most}, the length of the vectors of "
            f"encode; got {dim!r}."
        )


def _strongest_axes(
    matrix: NDArray[np.float32], dim: int | None, power: float
) -> NDArray[np.float32]:
    """Coordinates on the principal axes, each by its relative strength to `power`."""
    gram = np.zeros((matrix.shape[1],) * 2)
    for start in range(0, len(matrix), 16384):
        block = matrix[start : start + 16384].astype(np.float64)
        gram += block.T @ block
    squares, axes = np.linalg.eigh(gram)
    strengths = np.sqrt(np.maximum(squares[::-1][:dim], 0))
    axes = axes[:, ::-1][:, :dim]
    axes *= np.where(
        axes[np.abs(axes).argmax(axis=0), np.arange(len(axes.T))] < 0, -1, 1
    )
    # An axis without strength holds rounding errors, which are not to be blown up.
    weak = strengths <= 1e-6 * strengths[0]
    strengths[weak] = 1
    divisors = (
        strengths / strengths[~weak][0] if not weak.all() else strengths
    ) ** power
    return matrix @ np.where(weak, 0, axes / divisors).astype(np.float32)
