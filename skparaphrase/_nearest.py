"""Nearest texts by vectors and words, in blocks of limited memory."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from skparaphrase._math import Cosines, UnitVectors, dot
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Indices

Matches = tuple[Indices, Indices, Cosines]  # query, row, score

QUERIES = 1024  # queries in a block
_CELLS = 2**21  # scores in a block: 8 MB
_ROWS = 2048, 2**14  # rows in the first block, and at most
_SAMPLE = 1024  # rows for computing a first bound
_BOUNDED = 4096  # rows, and _LONG numbers, for which a bound saves time
_LONG = 192
_SHORT = 64  # components that a bound reads first; twice as many if needed
_REFINED = 2**13  # pairs whose vectors are compared at a time
_USELESS = 3  # blocks in a row in which a bound saves too little before it is dropped
_ROUNDING = 1e-5  # rounding error of scores, which depends on the shape of blocks
_LEEWAY = 2e-6  # below a threshold, so that threshold 1 finds equal texts


class Bound:
    """Vectors along their first principal axes, with the length of the remainder.

    The inner product of two such rows is an upper bound of the inner product of the
    vectors (Cauchy and Schwarz), and reads a quarter or half of 256 numbers.

    Attributes
    ----------
    axes : ndarray of shape (dim, 128)
        Orthonormal.
    rows : ndarray of shape (n_rows, 130)
        64 numbers, the length of all others, 64 numbers, and the length of the rest.
    """

    def __init__(self, vectors: UnitVectors) -> None:
        sample = vectors[:: max(1, len(vectors) // _BOUNDED)]
        dim = vectors.shape[1]
        largest = dim - 2 * _SHORT, dim - 1
        axes = eigh(sample.T @ sample, subset_by_index=largest)[1]
        self.axes = np.ascontiguousarray(axes[:, ::-1])
        self.rows = self.shortened(vectors)

    @classmethod
    def of(cls, vectors: UnitVectors) -> Self | None:
        """Make a bound, or return None if it would save nothing."""
        n, dim = vectors.shape
        return cls(vectors) if n >= _BOUNDED and dim >= _LONG else None

    def shortened(self, vectors: UnitVectors) -> NDArray[np.float32]:
        """Make the rows for vectors, which may have any length."""
        short = np.empty((len(vectors), 2 * _SHORT + 2), np.float32)
        squares = dot(vectors, vectors)
        left = squares.copy()
        for part, axes in zip(
            np.split(short, 2, axis=1), np.split(self.axes, 2, axis=1), strict=True
        ):
            along = part[:, :-1] = vectors @ axes
            left -= dot(along, along)
            # The remainder of a square is exact up to rounding, which is added.
            part[:, -1] = np.sqrt(np.maximum(left, 0) + 1e-6 * squares)
        return short


@dataclass(frozen=True)
class Rows:
    """Texts to compare: all, or some in ascending order.

    Attributes
    ----------
    vectors : ndarray of shape (n_rows, dim), or an object with a length and such slices
        Unit vectors, or zeros.
    words : sparse array of shape (n_rows, n_terms), default=None
        Also of length 1 or 0. The words of a query are looked up by columns (CSC), and
        the words of a few pairs by rows (CSR).
    bound : Bound, default=None
    chosen : ndarray of int, default=None
    hidden : ndarray of int, default=None
        Rows not to compare, in ascending order. For a few rows, this is faster than
        choosing the others.
    """

    vectors: Any
    words: Any = None
    bound: Bound | None = None
    chosen: Indices | None = None
    hidden: Indices | None = None

    def __len__(self) -> int:
        return len(self.vectors if self.chosen is None else self.chosen)

    def take(self, rows: Indices) -> "Rows":
        """Choose some of the texts; none may be chosen or hidden before."""
        words = None if self.words is None else self.words[rows]
        return Rows(self.vectors[rows], words)

    def part(self, array: Any, rows: slice) -> Any:
        """The chosen rows of a slice of the vectors, words or bound."""
        if self.chosen is None:
            return array[rows]
        chosen = self.chosen[rows]
        first, last = chosen[0], chosen[-1]
        if last - first < len(chosen):  # without gaps, there is no copy
            return array[first : last + 1]
        return array[chosen]


class _Words:
    """The contribution of words to the scores of a block of queries."""

    def __init__(self, queries: Any, rows: Rows, weight: float) -> None:
        self.queries = queries * np.float32(weight)
        self.rows = rows
        self.weight = weight
        self.precomputed: Cosines | None = None
        if rows.words.format == "csc":
            scores = (self.queries @ rows.words.T).toarray()
            self.precomputed = scores if rows.chosen is None else scores[:, rows.chosen]

    def upper_bound(self, rows: slice) -> Any:
        """The contribution of words to scores, or its maximum."""
        return self.weight if self.precomputed is None else self.precomputed[:, rows]

    def scores(self, rows: slice) -> Cosines:
        if self.precomputed is not None:
            return self.precomputed[:, rows]
        scores: Cosines = (
            self.queries @ self.rows.part(self.rows.words, rows).T
        ).toarray()
        return scores

    def of_pairs(self, query: Indices, row: Indices) -> Cosines:
        if self.precomputed is not None:
            return self.precomputed[query, row]
        chosen = row if self.rows.chosen is None else self.rows.chosen[row]
        products = self.queries[query].multiply(self.rows.words[chosen])
        return np.asarray(products.sum(axis=1), dtype=np.float32).ravel()


def lower_bound(threshold: float) -> np.float32:
    """Bound below all scores of at least the threshold, despite rounding."""
    return np.float32(threshold - _LEEWAY)


class Queries:
    """A block of queries to compare with rows.

    Parameters
    ----------
    queries, rows : Rows
    block : slice
        The queries of the block.
    weight : float
        Weight of the words. A score is `1 - weight` times the cosine of the vectors
        plus `weight` times the cosine of the words.
    """

    def __init__(
        self, queries: Rows, block: slice, rows: Rows, weight: float = 0.0
    ) -> None:
        self.rows = rows
        self.vectors = np.float32(1 - weight) * queries.part(queries.vectors, block)
        self.words = None
        if rows.words is not None:
            self.words = _Words(queries.part(queries.words, block), rows, weight)

    def __len__(self) -> int:
        return len(self.vectors)

    def scores(self, part: slice, out: Cosines | None = None) -> Cosines:
        """Scores of all queries with some rows, shape (n_queries, n_rows)."""
        scores = np.matmul(
            self.vectors, self.rows.part(self.rows.vectors, part).T, out=out
        )
        if self.words is not None:
            scores += self.words.scores(part)
        return self._hide(scores, part)

    def _hide(self, scores: Cosines, part: slice) -> Cosines:
        if self.rows.hidden is not None:
            start = part.start or 0
            edges = start, start + scores.shape[1]
            first, last = self.rows.hidden.searchsorted(edges)
            scores[:, self.rows.hidden[first:last] - start] = -np.inf
        return scores

    def iter_matches(
        self, least: Cosines, most: Cosines | None = None
    ) -> Iterator[Matches]:
        """Yield the scores that are larger than `least`, one block of rows at a time.

        Parameters
        ----------
        least : ndarray of shape (n_queries, 1)
            Lower bounds, which may be raised between two blocks.
        most : ndarray of shape (n_queries, 1), default=None
            The largest scores.

        Yields
        ------
        query, row : ndarray of int of shape (n_matches,)
            Ascending.
        score : ndarray of shape (n_matches,)
        """
        start, (size, largest) = 0, _ROWS
        memory = np.empty(max(_CELLS, len(self) * size), np.float32)
        short = None
        if self.rows.bound is not None and len(self.rows) >= _BOUNDED:
            short = self.rows.bound.shortened(self.vectors)
        self.n_read, self.n_useless = _SHORT + 1, 0  # components, blocks
        is_precomputed = short is None and (
            self.words is None or self.words.precomputed is not None
        )
        while start < len(self.rows):
            part = slice(start, min(start + size, len(self.rows)))
            n_rows = part.stop - start
            out = memory[: len(self) * n_rows].reshape(len(self), n_rows)
            pairs = None
            if not is_precomputed and self.n_useless < _USELESS:
                pairs = self._candidates(part, short, least, out)
            if pairs is None:
                scores = self.scores(part, out)
                query, row = np.divmod(np.flatnonzero(scores > least), n_rows)
                score = scores[query, row]
            else:
                query, row = pairs
                score = self._of_pairs(query, row + start)
            is_match = score > least[query, 0]
            if most is not None:
                is_match &= score <= most[query, 0]
            if not is_match.all():
                query, row, score = query[is_match], row[is_match], score[is_match]
            yield query, row + start, score
            start = part.stop
            size = max(size, min(2 * size, largest, _CELLS // max(len(self), 1)))

    def _candidates(
        self, part: slice, short: Any, least: Cosines, out: Cosines
    ) -> tuple[Indices, Indices] | None:
        """Pairs whose score may be larger than `least`; None if there are many."""
        rows = self.rows
        if short is None or rows.bound is None:
            upper = np.matmul(self.vectors, rows.part(rows.vectors, part).T, out=out)
        else:
            others = rows.part(rows.bound.rows, part)
            n = self.n_read
            upper = np.matmul(short[:, :n], others[:, :n].T, out=out)
        if self.words is not None:
            upper += self.words.upper_bound(part)
        self._hide(upper, part)
        places = np.flatnonzero(upper > least - _ROUNDING)
        # Single pairs cost more, but less so if memory bandwidth limits the products.
        if len(places) > max(upper.size // 64, upper.shape[1] // 4):
            self.n_useless += 1
            if short is not None:
                short[:, _SHORT] = 0
                self.n_read = short.shape[1]
            return None
        self.n_useless = 0
        query, row = np.divmod(places, upper.shape[1])
        return query, row

    def _of_pairs(self, query: Indices, row: Indices) -> Cosines:
        """Scores of pairs of a query and a row."""
        score = np.empty(len(query), np.float32)
        rows = row if self.rows.chosen is None else self.rows.chosen[row]
        for start in range(0, len(query), _REFINED):
            pairs = slice(start, start + _REFINED)
            score[pairs] = dot(
                self.vectors[query[pairs]], self.rows.vectors[rows[pairs]]
            )
        if self.words is not None:
            score += self.words.of_pairs(query, row)
        return score


def nearest(
    queries: Any,
    rows: Any,
    k: int,
    *,
    threshold: float = -np.inf,
    at_most: NDArray[np.floating] | None = None,
    skip_same: bool = False,
    weight: float = 0.0,
) -> Matches:
    """Find the `k` rows with the largest scores for each query.

    Parameters
    ----------
    queries, rows : Rows, or ndarray of shape (n, dim)
        Unit vectors, or zeros.
    k : int
    threshold : float, default=-inf
        Minimum score.
    at_most : ndarray of shape (n_queries,), default=None
        Maximum score of each query.
    skip_same : bool, default=False
        Leave out row `i` for query `i`.
    weight : float, default=0.0
        As in :class:`Queries`.

    Returns
    -------
    query, row : ndarray of int of shape (n_matches,)
        Sorted by query, then by decreasing score, then by row.
    score : ndarray of shape (n_matches,)
        From -1 to 1.
    """
    queries, rows = (
        side if isinstance(side, Rows) else Rows(side) for side in (queries, rows)
    )
    k = int(k)  # products of small integers of NumPy overflow
    n_block = QUERIES
    if rows.words is not None and rows.words.format == "csc":
        n_block = max(1, min(QUERIES, 2 * _CELLS // max(rows.words.shape[0], 1)))
    matches = []
    with progress_bar(len(queries), "Comparing") as update:
        for first in range(0, len(queries) if k else 0, n_block):
            block = slice(first, first + n_block)
            most = None if at_most is None else at_most[block, np.newaxis].astype("f4")
            block_queries = Queries(queries, block, rows, weight)
            query, row, score = _nearest(
                block_queries,
                k,
                np.full((len(block_queries), 1), lower_bound(threshold)),
                most,
                first if skip_same else None,
            )
            matches.append((query + first, row, score))
            update(len(block_queries))
    query, row, score = _concatenated(matches)
    return query, row, np.clip(score, -1, 1)


def _nearest(
    queries: Queries, k: int, least: Cosines, most: Cosines | None, first: int | None
) -> Matches:
    """Find the nearest rows for a block of queries; query `i` is row `first + i`."""
    n_wanted = k if first is None else k + 1  # one of them may be the same text
    if n_wanted <= min(_SAMPLE, len(queries.rows) - 1):
        sample = queries.scores(slice(_SAMPLE))
        if most is not None:
            sample[sample > most] = -np.inf
        sample.partition(-n_wanted, axis=1)
        np.maximum(least, sample[:, [-n_wanted]] - _ROUNDING, out=least)
    kept: list[Matches] = []
    n_kept = 0
    for query, row, score in queries.iter_matches(least, most):
        if first is not None:
            other = row != query + first
            query, row, score = query[other], row[other], score[other]
        kept.append((query, row, score))
        n_kept += len(query)
        if n_kept > 4 * k * len(queries):
            kept = [top_k(kept, k)]
            query, _, score = kept[0]
            n_kept = len(query)
            # The k-th score; later rows with the same score rank after it.
            (full,) = (np.bincount(query, minlength=len(queries)) == k).nonzero()
            last = np.searchsorted(query, full, side="right") - 1
            least[full, 0] = np.maximum(least[full, 0], score[last])
    return top_k(kept, k)


def top_k(matches: list[Matches], k: int | None = None) -> Matches:
    """Join and sort by query, decreasing score and row; keep at most `k` per query.

    Rows of a query with equal scores must be ascending.
    """
    query, row, score = _concatenated(matches)
    # Scores differ by less than 2. Rows are ascending, and the sort is stable.
    order = np.argsort(4.0 * query - score, kind="stable")
    query = query[order]
    if k is not None:
        rank = np.arange(len(query)) - np.searchsorted(query, query)
        order, query = order[rank < k], query[rank < k]
    return query, row[order], score[order]


def _concatenated(matches: list[Matches]) -> Matches:
    none = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0, np.float32)
    columns = zip(none, *matches, strict=True)
    query, row, score = (np.concatenate(column) for column in columns)
    return query, row, score
