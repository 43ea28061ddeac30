"""Unit vectors, cosines, the nearest of many vectors, and groups that share texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from skparaphrase._progress import progress_bar
from skparaphrase._typing import Indices, Vectors

UnitVectors = NDArray[np.float32]
Cosines = NDArray[np.float32]
Matches = tuple[Indices, Indices, Cosines]  # query, row, cosine


def dot(first: Vectors, second: Vectors) -> Vectors:
    """Inner product on the last axis."""
    return np.einsum("...d,...d->...", first, second)


def cosine(first: Vectors, second: Vectors) -> Vectors:
    """Cosine of the angle between vectors on the last axis; 0 where one is zero.

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
    # Divided by the largest entry first, squares neither overflow nor underflow.
    largest = vectors.max(axis=-1, keepdims=True, initial=0)
    least = vectors.min(axis=-1, keepdims=True, initial=0)
    largest = np.maximum(largest, -least)
    vectors = np.divide(vectors, np.where(largest > 0, largest, 1), out=out)
    lengths = np.sqrt(dot(vectors, vectors))[..., np.newaxis]
    vectors *= length / np.where(lengths > 0, lengths, 1)
    return vectors


#: Features of the two vectors of a pair, in NumPy, SciPy and PyTorch. "cosine" is
#: another one, which each library computes in its own way.
_PAIR_FEATURES: dict[str, Callable[[Any, Any], Any]] = {
    "product": operator.mul,
    "absdiff": lambda first, second: abs(first - second),
    "difference": operator.sub,
    "sum": operator.add,
    "first": lambda first, second: first,
    "second": lambda first, second: second,
}


def check_pair_features(features: Sequence[Any]) -> list[str]:
    """Features as a list; raise unless it holds names of features, at least one."""
    names = {*_PAIR_FEATURES, "cosine"}
    if not len(features) or not all(
        isinstance(name, str) and name in names for name in features
    ):
        raise ValueError(
            f"features must hold some of {sorted(names)}; got {features!r}."
        )
    return list(features)


def pair_features(
    features: Sequence[str], first: Any, second: Any, cosine: Callable[[Any, Any], Any]
) -> list[Any]:
    """Blocks of columns, from the rows of the two sides; `cosine` returns a column."""
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


# The largest cosines between two sets of unit vectors, in blocks of bounded memory.


class Rows(Protocol):
    """An array of unit vectors, or an object that reads them one slice at a time."""

    def __len__(self) -> int: ...
    def __getitem__(self, rows: slice, /) -> UnitVectors: ...


class ChosenRows:
    """Some ascending rows of an array, which are read one slice at a time."""

    def __init__(self, array: UnitVectors, rows: Indices) -> None:
        self.array = array
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> UnitVectors:
        chosen = self.rows[rows]
        first, last = chosen[0], chosen[-1]
        if last - first < len(chosen):  # no gaps, so not copied
            return self.array[first : last + 1]
        return self.array[chosen]


class Table(Protocol):
    """A table of vectors that reads the rows of a slice."""

    def __len__(self) -> int: ...
    def rows(self, rows: slice, /) -> NDArray[Any]: ...


class UnitRows:
    """The rows of a table of vectors, scaled to length 1 where they are read."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: slice) -> UnitVectors:
        return unit_vectors(self.table.rows(rows))


QUERIES = 1024  # in a block
_ROWS = 2048  # in a block, so that its cosines occupy 8 MB
_SAMPLE = 1024  # rows from which a first bound is computed
_ROUNDING = 1e-5  # of cosines, which differs with the shape of the blocks
_LEEWAY = 2e-6  # below a threshold, so that threshold 1 finds equal texts


def floor(threshold: float) -> np.float32:
    """Bound that every cosine of at least the threshold exceeds despite rounding."""
    return np.float32(threshold - _LEEWAY)


def larger(
    queries: UnitVectors, rows: Rows, least: Cosines, most: Cosines | None = None
) -> Iterator[Matches]:
    """Yield the cosines that are larger than `least`, one block of rows at a time.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, dim)
        Unit vectors.
    rows : Rows of shape (n_rows, dim)
        Unit vectors.
    least : ndarray of shape (n_queries, 1)
        May be raised between two blocks.
    most : ndarray of shape (n_queries, 1), default=None
        The largest cosines.

    Yields
    ------
    query, row : ndarray of int of shape (n_matches,)
        Ascending.
    cosine : ndarray of shape (n_matches,)
    """
    memory = np.empty(len(queries) * _ROWS, dtype=np.float32)
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        cosines = memory[: len(queries) * len(block)].reshape(len(queries), -1)
        np.matmul(queries, block.T, out=cosines)
        is_match = cosines > least
        if most is not None:
            is_match &= cosines <= most
        matches = np.flatnonzero(is_match)
        query, row = np.divmod(matches, len(block))
        yield query, row + start, cosines.ravel()[matches]


def nearest(
    queries: Rows,
    rows: Rows,
    k: int,
    *,
    threshold: float = -np.inf,
    at_most: NDArray[np.floating] | None = None,
    skip_same: bool = False,
) -> Matches:
    """Find the `k` rows of the largest cosines for each query.

    Parameters
    ----------
    queries : Rows of shape (n_queries, dim)
        Unit vectors.
    rows : Rows of shape (n_rows, dim)
        Unit vectors.
    k : int
    threshold : float, default=-inf
        The smallest cosine.
    at_most : ndarray of shape (n_queries,), default=None
        The largest cosine of each query.
    skip_same : bool, default=False
        Leave out row `i` for query `i`.

    Returns
    -------
    query, row : ndarray of int of shape (n_matches,)
        By query, then by falling cosine, then by row.
    cosine : ndarray of shape (n_matches,)
        At most 1.
    """
    matches = []
    k = int(k)  # products of small integers of NumPy overflow
    if k == 0:
        return _concatenated([])
    with progress_bar(len(queries), "Comparing") as update:
        for first in range(0, len(queries), QUERIES):
            block = slice(first, first + QUERIES)
            most = None if at_most is None else at_most[block, np.newaxis].astype("f4")
            same = first if skip_same else None
            query, row, cosine = _nearest(
                queries[block], rows, k, threshold, most, same, update
            )
            matches.append((query + first, row, cosine))
    query, row, cosine = _concatenated(matches)
    return query, row, np.clip(cosine, -1, 1)


def _nearest(
    queries: UnitVectors,
    rows: Rows,
    k: int,
    threshold: float,
    most: Cosines | None,
    first: int | None,
    update: Callable[[int], object],
) -> Matches:
    """Find the nearest rows for a block of queries; query `i` is row `first + i`."""
    least = np.full((len(queries), 1), floor(threshold))
    n_wanted = k if first is None else k + 1  # of which one may be the same text
    if len(rows) > _SAMPLE >= n_wanted:
        sample = queries @ rows[:_SAMPLE].T
        if most is not None:
            sample[sample > most] = -np.inf
        sample.partition(-n_wanted, axis=1)
        np.maximum(least, sample[:, [-n_wanted]] - _ROUNDING, out=least)
    kept: list[Matches] = []
    n_kept = n_done = 0
    blocks = larger(queries, rows, least, most)
    for n_rows, (query, row, cosine) in enumerate(blocks, start=1):
        part = len(queries) * min(n_rows * _ROWS, len(rows)) // len(rows)
        update(part - n_done)
        n_done = part
        if first is not None:
            other = row != query + first
            query, row, cosine = query[other], row[other], cosine[other]
        kept.append((query, row, cosine))
        n_kept += len(query)
        if n_kept > 4 * k * len(queries):
            kept = [best(kept, k)]
            query, _, cosine = kept[0]
            n_kept = len(query)
            # The last of k; later rows with the same cosine come after it.
            (full,) = (np.bincount(query, minlength=len(queries)) == k).nonzero()
            last = np.searchsorted(query, full, side="right") - 1
            least[full, 0] = np.maximum(least[full, 0], cosine[last])
    return best(kept, k)


def best(matches: list[Matches], k: int | None = None) -> Matches:
    """Join and sort by query, falling cosine and row; keep at most `k` of each query.

    Rows of a query with equal cosines have to ascend.
    """
    query, row, cosine = _concatenated(matches)
    # Cosines are less than 2 apart. Rows ascend already, and the sort is stable.
    order = np.argsort(4.0 * query - cosine, kind="stable")
    query = query[order]
    if k is not None:
        rank = np.arange(len(query)) - np.searchsorted(query, query)
        order, query = order[rank < k], query[rank < k]
    return query, row[order], cosine[order]


def _concatenated(matches: list[Matches]) -> Matches:
    none = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0, np.float32)
    columns = zip(none, *matches, strict=True)
    query, row, cosine = (np.concatenate(column) for column in columns)
    return query, row, cosine
