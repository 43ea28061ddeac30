"""What a search knows at one moment, and what it finds."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from skparaphrase._math import QUERIES, Cosines, UnitVectors, nearest
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Indices
from skparaphrase.search._columns import RESERVED, payload_columns

_RECENT = 1000  # rows beside an index that are compared one by one; see `_indexed`
_CANDIDATES = 20  # of each ranking that is fused, at least
_RANK = 60  # added to ranks (Cormack et al., 2009)

#: Cosines and rows, both of shape (n_queries, k).
Hits = tuple[Cosines, Indices]


def _no_rows() -> Indices:
    return np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class State:
    """Rows of texts, and an index of them; each update makes another state.

    A reader that holds a state is not affected by updates. One writer at a time may
    update the newest state.

    Attributes
    ----------
    encoder : transformer
    neighbors : estimator or None
        An index that is not fitted.
    columns : dict of str to ndarray
        "id", "vector", "text" if there are texts, and the payload. There may be memory
        behind the last row, which the next state fills.
    n_rows : int
    next_id : int
    index : estimator or None
        A fitted index. It never changes.
    indexed : ndarray of int
        The row of each vector in the index; -1 if it was removed or replaced.
    """

    encoder: Any
    neighbors: Any
    columns: dict[str, NDArray[Any]]
    n_rows: int
    next_id: int
    index: Any = None
    indexed: Indices = field(default_factory=_no_rows)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name][: self.n_rows]

    def get(self, name: str) -> NDArray[Any] | None:
        """A column, if there is one of this name."""
        return self[name] if name in self.columns else None

    @property
    def payload(self) -> dict[str, NDArray[Any]]:
        return {name: self[name] for name in self.columns if name not in RESERVED}

    def attributes(self) -> dict[str, Any]:
        """What is saved and pickled, by the names of fitted attributes."""
        return {
            "encoder_": self.encoder,
            "ids_": self["id"],
            "texts_": self.get("text"),
            "vectors_": self["vector"],
            "payload_": {
                name: column.tolist() for name, column in self.payload.items()
            },
            "neighbors_": self.index,
            "indexed_": self.indexed,
            "next_id_": self.next_id,
        }

    @classmethod
    def of(cls, attributes: dict[str, Any]) -> Self:
        """The state with such attributes, which are removed."""
        columns = {"id": attributes.pop("ids_"), "text": attributes.pop("texts_")}
        if columns["text"] is None:
            del columns["text"]
        n_rows = len(columns["id"])
        columns |= payload_columns(attributes.pop("payload_"), n_rows)
        columns["vector"] = attributes.pop("vectors_")
        check_consistent_length(*columns.values())
        names = "neighbors_", "indexed_", "next_id_"
        index, indexed, next_id = (attributes.pop(name) for name in names)
        encoder, neighbors = attributes.pop("encoder_"), attributes["neighbors"]
        return cls(encoder, neighbors, columns, n_rows, next_id, index, indexed)

    @cached_property
    def rows(self) -> dict[Any, int]:
        """The row of each id; handed on to the next states, which may add to it."""
        return {name: row for row, name in enumerate(self["id"].tolist())}

    def find(self, ids: list[Any]) -> Indices:
        """The rows of ids, or -1."""
        names, known = self["id"], self.rows
        rows = np.fromiter((known.get(name, -1) for name in ids), np.intp, len(ids))
        # An update that failed may have left rows that are not there.
        for position in np.flatnonzero(rows >= 0):
            row = rows[position]
            if row >= len(names) or names[row] != ids[position]:
                rows[position] = -1
        return rows

    def put(self, new: dict[str, NDArray[Any]], rows: Indices, next_id: int) -> Self:
        """Replace rows and append others, whose positions follow the last row."""
        n, n_after = len(self), max(len(self), rows.max(initial=-1) + 1)
        is_old = rows < n
        columns = {}
        for name, values in new.items():
            # Without rows, columns may be new.
            column = memory = self.columns[name] if n else values[:0]
            dtype = np.result_type(column.dtype, values.dtype) if n else values.dtype
            # Readers see the rows of this state, so they are copied to be replaced.
            if is_old.any() or len(column) < n_after or column.dtype != dtype:
                size = n_after if n_after == n else max(n_after, 2 * n)
                column = np.empty((size, *values.shape[1:]), dtype)
                column[:n] = memory[:n]
            column[rows] = values
            columns[name] = column
        now = np.arange(n)
        now[rows[is_old]] = -1
        state = replace(self, columns=columns, n_rows=n_after, next_id=next_id)
        state = state._indexed(now)
        self.rows.update(zip(new["id"].tolist(), rows.tolist(), strict=True))
        vars(state)["rows"] = self.rows
        return state

    def remove(self, rows: Indices) -> Self:
        """Remove rows; the others move up."""
        stays = np.ones(len(self), dtype=bool)
        stays[rows] = False
        columns = {name: self[name][stays] for name in self.columns}
        state = replace(self, columns=columns, n_rows=int(stays.sum()))
        return state._indexed(np.where(stays, np.cumsum(stays) - 1, -1))

    def _indexed(self, now: Indices) -> Self:
        """The state with the index of the one before; `now` has the rows that it had.

        Recent rows are compared one by one until there are more than a thousand and
        two percent of all. Then a copy of the index gets them, so that no search waits.
        An index of which half was removed is dropped, and a new one built.
        """
        if self.neighbors is None:
            return self
        state = replace(self, indexed=np.append(now, -1)[self.indexed])
        n_there = len(state) - len(state.recent)
        limit = max(_RECENT, len(state) // 50)
        if len(state.indexed) > 2 * n_there + limit:
            state = replace(state, index=None, indexed=_no_rows())
        if len(state.recent) <= limit:
            return state
        if not hasattr(state.index, "partial_fit"):
            return state.with_new_index()
        index = deepcopy(state.index).partial_fit(state["vector"][state.recent])
        indexed = np.append(state.indexed, state.recent)
        return replace(state, index=index, indexed=indexed)

    def with_new_index(self) -> Self:
        """The state with an index of all its rows."""
        index = clone(self.neighbors).fit(self["vector"])
        return replace(self, index=index, indexed=np.arange(len(self)))

    @cached_property
    def recent(self) -> Indices:
        """The rows that are not in the index."""
        is_recent = np.ones(len(self), dtype=bool)
        is_recent[self.indexed[self.indexed >= 0]] = False
        return np.flatnonzero(is_recent)

    @cached_property
    def words(self) -> Any:
        """The BM25 index of the texts, or None if they contain no words."""
        tokens = _tokens(self["text"].tolist(), ids=True)
        if not any(tokens.ids):
            return None
        index = import_module("bm25s").BM25()
        index.index(tokens, show_progress=False)
        return index

    def nearest(
        self, vectors: UnitVectors, k: int, mask: NDArray[np.bool_] | None
    ) -> Hits:
        """The `k` rows with the largest cosines."""
        if mask is None and self.index is not None and k and len(vectors):
            return self._nearest_of_index(vectors, k)
        return self._compare(vectors, k, None if mask is None else np.flatnonzero(mask))

    def _compare(self, vectors: UnitVectors, k: int, rows: Indices | None) -> Hits:
        """The nearest of some rows, which are compared one by one."""
        all_rows = self["vector"]
        searched = all_rows if rows is None else _ChosenRows(all_rows, rows)
        shape = len(vectors), min(k, len(searched))
        _, row, score = nearest(vectors, searched, shape[1])
        row = row if rows is None else rows[row]
        return score.reshape(shape), row.reshape(shape)

    def _nearest_of_index(self, vectors: UnitVectors, k: int) -> Hits:
        """The nearest rows of the index and of the recent ones, with exact cosines."""
        _, recent = self._compare(vectors, k, self.recent)
        row = np.concatenate([self._rows_of_index(vectors, k), recent], axis=1)
        score = self._cosines(vectors, row)
        score[row < 0] = -np.inf
        order = np.argsort(-score, axis=1, kind="stable")[:, : min(k, len(self))]
        return take_columns(score, row, order)

    def _rows_of_index(self, vectors: UnitVectors, k: int) -> Indices:
        """At least `k` rows of the index, or all; -1 for vectors that are gone."""
        n_there = len(self) - len(self.recent)
        k = n_asked = min(k, n_there)
        rows = np.append(self.indexed, -1)  # -1 of label -1, where none was found
        while k:
            labels = self.index.kneighbors(vectors, n_asked, return_distance=False)
            if (rows[labels] >= 0).sum(axis=1).min() >= k:
                return rows[labels]
            if n_asked == len(self.indexed) or n_there == len(self.indexed):
                raise ValueError(
                    f"neighbors={self.neighbors!r} found fewer than {k} texts for a "
                    "query; ask for fewer, or set it to search longer."
                )
            n_asked = min(2 * n_asked, len(self.indexed))
        return _no_rows().reshape(len(vectors), 0)

    def _cosines(self, vectors: UnitVectors, row: Indices) -> Cosines:
        """Cosines of queries and some rows of each."""
        score: Cosines = np.empty(row.shape, dtype=np.float32)
        for start in range(0, len(row), QUERIES):
            block = slice(start, start + QUERIES)
            others = self["vector"][row[block]]
            np.einsum("qd,qkd->qk", vectors[block], others, out=score[block])
        return np.clip(score, -1, 1, out=score)

    def fused(
        self,
        words: Any,
        queries: list[str],
        vectors: UnitVectors,
        k: int,
        mask: NDArray[np.bool_] | None,
    ) -> Hits:
        """The `k` best rows by reciprocal ranks among vectors and among words."""
        _, near = self.nearest(vectors, max(k, _CANDIDATES), mask)
        k = min(k, near.shape[1])
        row = np.empty((len(queries), k), np.intp)
        with progress_bar(len(queries) if k else 0, "Comparing words", "query") as done:
            for query, tokens in enumerate(_tokens(queries) if k else ()):
                by_words = _by_words(words, tokens, near.shape[1], mask)
                rows, at = np.unique(
                    np.concatenate([near[query], by_words]), return_inverse=True
                )
                ranks = np.append(np.arange(near.shape[1]), np.arange(len(by_words)))
                gains = np.bincount(at, 1 / (_RANK + 1 + ranks))
                row[query] = rows[np.argsort(-gains, kind="stable")[:k]]
                done(1)
        return self._cosines(vectors, row), row


def _by_words(
    words: Any, tokens: list[str], k: int, mask: NDArray[np.bool_] | None
) -> Indices:
    """At most `k` rows that share a word with the query, the best first."""
    known = words.get_tokens_ids(tokens) if words else None
    if not known:
        return _no_rows()
    scores = words.get_scores_from_ids(known, weight_mask=mask)
    least = np.partition(scores, -k)[-k]
    best = np.flatnonzero((scores >= least) & (scores > 0))
    return best[np.argsort(-scores[best], kind="stable")[:k]]


def best_of_groups(
    find: Callable[[int], Hits], k: int, groups: NDArray[Any], searched: NDArray[Any]
) -> Hits:
    """The best hit of each of the `k` best groups; more hits are asked for.

    `groups` has the group of each row, and `searched` those that can be found.
    """
    n_asked, k = k, min(k, len(np.unique(searched)))
    while True:
        score, row = find(n_asked)
        best = [
            np.sort(np.unique(groups[hits], return_index=True)[1])[:k] for hits in row
        ]
        if n_asked >= len(searched) or all(len(columns) == k for columns in best):
            columns = np.array(best, dtype=np.intp).reshape(len(row), k)
            return take_columns(score, row, columns)
        n_asked = min(4 * n_asked, len(searched))


def take_columns(score: Cosines, row: Indices, columns: Indices) -> Hits:
    """Scores and rows at some columns of each query."""
    score = np.take_along_axis(score, columns, axis=1)
    return score, np.take_along_axis(row, columns, axis=1)


class _ChosenRows:
    """Some ascending rows of an array, which are read one slice at a time."""

    def __init__(self, array: UnitVectors, rows: Indices) -> None:
        self.array = array
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> UnitVectors:
        chosen = self.rows[rows]
        first, last = chosen[0], chosen[-1]
        if last - first < len(chosen):  # as recent rows often are; not copied
            return self.array[first : last + 1]
        return self.array[chosen]


def _tokens(texts: list[str], ids: bool = False) -> Any:
    """Lists of tokens, or what bm25s indexes."""
    if find_spec("bm25s") is None:
        raise ImportError("hybrid=True needs bm25s: pip install bm25s")
    return import_module("bm25s").tokenize(
        texts, stopwords=None, return_ids=ids, show_progress=False
    )
