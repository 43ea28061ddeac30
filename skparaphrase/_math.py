"""Unit vectors, cosines, features of pairs, and groups that share texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from skparaphrase._typing import Indices, Vectors

UnitVectors = NDArray[np.float32]
Cosines = NDArray[np.float32]


def dot(first: Vectors, second: Vectors) -> Vectors:
    """Inner product on the last axis."""
    return np.einsum("...d,...d->...", first, second)


def cosine(first: Vectors, second: Vectors) -> Vectors:
    """Cosine of the angle between vectors on the last axis; 0 if one is zero.

    The other axes are broadcast.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        dots = dot(first, second)
        squares, others = dot(first, first), dot(second, second)
        norms = np.sqrt(squares) * np.sqrt(others)
    limits = np.finfo(dots.dtype)
    is_exact = np.minimum(squares, others) > limits.tiny / limits.eps
    is_exact &= np.maximum(squares, others) <= limits.max
    cosines = np.divide(dots, norms, out=np.zeros_like(dots), where=is_exact)
    if not is_exact.all():  # a zero vector, or a square that over- or underflowed
        sides = np.broadcast_arrays(first, second)
        first, second = (side[~is_exact] for side in sides)
        cosines[~is_exact] = dot(unit_vectors(first), unit_vectors(second))
    return cosines


def unit_vectors(
    vectors: Vectors, length: float = 1.0, *, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Vectors scaled to a length, without overflow; zero vectors stay zero.

    With `out`, which may be `vectors`, the result is written there.
    """
    # After division by the largest entry, squares neither overflow nor underflow.
    largest = vectors.max(axis=-1, keepdims=True, initial=0)
    least = vectors.min(axis=-1, keepdims=True, initial=0)
    largest = np.maximum(largest, -least)
    vectors = np.divide(vectors, np.where(largest > 0, largest, 1), out=out)
    lengths = np.sqrt(dot(vectors, vectors))[..., np.newaxis]
    vectors *= length / np.where(lengths > 0, lengths, 1)
    return vectors


#: Features of the two vectors of a pair, in NumPy, SciPy and PyTorch. There is also
#: "cosine", which is computed differently in each library.
_PAIR_FEATURES: dict[str, Callable[[Any, Any], Any]] = {
    "product": operator.mul,
    "absdiff": lambda first, second: abs(first - second),
    "difference": operator.sub,
    "sum": operator.add,
    "first": lambda first, second: first,
    "second": lambda first, second: second,
}


def check_pair_features(features: Sequence[Any]) -> list[str]:
    """Features as a list; raise an error unless it has one or more valid names."""
    names = {*_PAIR_FEATURES, "cosine"}
    if not len(features) or not all(
        isinstance(name, str) and name in names for name in features
    ):
        raise ValueError(
            f"features must contain some of {sorted(names)}; got {features!r}."
        )
    return list(features)


def pair_features(
    features: Sequence[str], first: Any, second: Any, cosine: Callable[[Any, Any], Any]
) -> list[Any]:
    """Blocks of columns from the rows of the two sides; `cosine` returns a column."""
    functions = {**_PAIR_FEATURES, "cosine": cosine}
    return [functions[name](first, second) for name in features]


def text_groups(texts: NDArray[np.integer]) -> Indices:
    """Group rows that are connected by shared texts, in order of appearance.

    Parameters
    ----------
    texts : ndarray of int of shape (n_rows, n_texts)
        Equal for equal texts.

    Returns
    -------
    groups : ndarray of shape (n_rows,)
        Connected components of the graph of rows and the texts that they contain.
    """
    n_rows, width = texts.shape
    distinct, nodes = np.unique(texts, return_inverse=True)
    n_nodes = n_rows + len(distinct)
    starts = np.minimum(np.arange(n_nodes + 1), n_rows) * width
    entries = np.ones(texts.size, np.bool_), n_rows + nodes.ravel(), starts
    graph = csr_array(entries, shape=(n_nodes, n_nodes))
    groups: Indices = connected_components(graph, directed=False)[1][:n_rows]
    return groups.astype(np.intp)
