"""Similarities of paired vectors, on the last axis."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from numpy.typing import NDArray


def cosine_similarity(
    first: NDArray[np.floating], second: NDArray[np.floating]
) -> NDArray[np.floating]:
    """Cosine of the angle between vectors on the last axis; 0 where one is zero."""
    with np.errstate(over="ignore", invalid="ignore"):
        dots = np.einsum("...d,...d->...", first, second)
        squares = np.einsum("...d,...d->...", first, first)
        others = np.einsum("...d,...d->...", second, second)
    limits = np.finfo(dots.dtype)
    sound = np.minimum(squares, others) > limits.tiny / limits.eps
    sound &= np.maximum(squares, others) <= limits.max
    if not sound.all():  # zero, or a square that overflowed or vanished
        scaled, other = _scaled(first[~sound]), _scaled(second[~sound])
        dots[~sound] = np.einsum("...d,...d->...", scaled, other)
        squares[~sound] = np.einsum("...d,...d->...", scaled, scaled)
        others[~sound] = np.einsum("...d,...d->...", other, other)
    norms = np.sqrt(squares) * np.sqrt(others)
    return np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)


def _scaled(vectors: NDArray[np.floating]) -> NDArray[np.floating]:
    """Vectors whose largest entry is 1, or zero."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0)
    return np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)


def dot_similarity(
    first: NDArray[np.floating], second: NDArray[np.floating]
) -> NDArray[np.floating]:
    """Inner product on the last axis."""
    return np.einsum("...d,...d->...", first, second)


def euclidean_similarity(
    first: NDArray[np.floating], second: NDArray[np.floating]
) -> NDArray[np.floating]:
    """Euclidean distance on the last axis, negated."""
    return -np.linalg.norm(first - second, axis=-1)


def manhattan_similarity(
    first: NDArray[np.floating], second: NDArray[np.floating]
) -> NDArray[np.floating]:
    """Sum of absolute differences on the last axis, negated."""
    return -np.abs(first - second).sum(axis=-1)
