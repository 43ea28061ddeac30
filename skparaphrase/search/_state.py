"""What a search knows at one moment, and what it finds."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from skparaphrase._core import folded
from skparaphrase._lazy import import_for
from skparaphrase._math import QUERIES, ChosenRows, Cosines, UnitVectors, nearest
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Encoder, Index, Indices
from skparaphrase.search._columns import (
    RESERVED,
    Column,
    Columns,
    first_free_id,
    joined_type,
    payload_columns,
)

_RECENT = 1000  # rows beside an index that are compared one by one; see `_indexed`
_CANDIDATES = 20  # of each ranking that is fused, at least
_RANK = 60  # added to ranks (Cormack et al., 2009)

#: Cosines and rows, both of shape (n_queries, k).
Hits = tuple[Cosines, Indices]
Mask = NDArray[np.bool_]


def _no_rows() -> Indices:
    return np.empty(0, np.intp)


@dataclass(eq=False)
class State:
    """Rows of texts, and an index of them; each update makes another state.

    A reader that holds a state is not affected by updates. One writer at a time may
    update the newest state.

    Attributes
    ----------
    encoder : transformer
    columns : dict of str to ndarray
        "id", "vector", "text" if there are texts, and the payload.
    next_id : int
    spare : dict of str to ndarray
        Columns with memory behind the last row, which the next state fills.
    known : dict
        The row of each id; handed on to the next states, which add to it.
    index : estimator or None
        A fitted index. It never changes.
    indexed : ndarray of int
        The row of each vector in the index; -1 if it was removed or replaced.
    recent : ndarray of int
        The rows that are not in the index.
    words : bm25s.BM25 or None
        An index of the words, once it is needed; see `read_words`.
    """

    encoder: Encoder
    columns: Columns
    next_id: int
    spare: Columns = field(default_factory=dict)
    known: dict[Any, int] = field(default_factory=dict)
    index: Any = None
    indexed: Indices = field(default_factory=_no_rows)
    recent: Indices = field(default_factory=_no_rows)
    words: Any = field(default=None, init=False)

    @property
    def n_rows(self) -> int:
        return len(self.columns["id"])

    @property
    def vectors(self) -> UnitVectors:
        return self.columns["vector"]

    @property
    def payload(self) -> Columns:
        return {k: values for k, values in self.columns.items() if k not in RESERVED}

    def attributes(self) -> dict[str, Any]:
        """What is saved and pickled, by the names of fitted attributes."""
        return {
            "encoder_": self.encoder,
            "ids_": self.columns["id"],
            "texts_": self.columns.get("text"),
            "vectors_": self.vectors,
            "payload_": {name: each.tolist() for name, each in self.payload.items()},
            "neighbors_": self.index,
            "indexed_": self.indexed,
            "next_id_": self.next_id,
        }

    @classmethod
    def of(cls, attributes: dict[str, Any]) -> Self:
        """The state with such attributes, which are removed."""
        columns = {"id": attributes.pop("ids_"), "vector": attributes.pop("vectors_")}
        texts, payload = attributes.pop("texts_"), attributes.pop("payload_")
        columns |= {} if texts is None else {"text": texts}
        columns |= payload_columns(payload, len(columns["id"]))
        check_consistent_length(*columns.values())
        state = cls(attributes.pop("encoder_"), columns, attributes.pop("next_id_"))
        return state._with(attributes.pop("neighbors_"), attributes.pop("indexed_"))

    def rows(self) -> dict[Any, int]:
        """The row of each id."""
        if len(self.known) != self.n_rows:  # not read yet, or an update has failed
            self.known = {k: row for row, k in enumerate(self.columns["id"].tolist())}
        return self.known

    def put(self, new: Columns, neighbors: Index | None) -> Self:
        """Replace the texts with the same ids, and append the others."""
        n, known = self.n_rows, self.rows()
        names = new["id"].tolist()
        rows = np.array([known.setdefault(k, len(known)) for k in names], np.intp)
        n_after, is_old = len(known), rows < n
        columns: Columns = {} if n else new
        spare: Columns = {}
        for name, column in self.columns.items() if n else ():
            memory, values = self.spare.get(name, column), new[name]
            dtype = joined_type(column, values)
            # Readers see the rows of this state, so they are copied to be replaced.
            if is_old.any() or len(memory) < n_after or memory.dtype != dtype:
                size = n_after if n_after == n else max(n_after, 2 * n)
                memory = np.empty((size, *column.shape[1:]), dtype)
                memory[:n] = column
            memory[rows] = values
            spare[name], columns[name] = memory, memory[:n_after]
        now = np.arange(n)
        now[rows[is_old]] = -1
        next_id = first_free_id(new["id"], self.next_id)
        state = replace(self, columns=columns, spare=spare, next_id=next_id)
        return state._indexed(now, neighbors)

    def remove(self, rows: list[int], neighbors: Index | None) -> Self:
        """Remove rows; the others move up."""
        stays = np.ones(self.n_rows, dtype=bool)
        stays[rows] = False
        columns = {name: column[stays] for name, column in self.columns.items()}
        state = replace(self, columns=columns, spare={}, known={})
        return state._indexed(np.where(stays, np.cumsum(stays) - 1, -1), neighbors)

    def _indexed(self, now: Indices, neighbors: Index | None) -> Self:
        """The state with the index of the one before; `now` has the rows that it had.

        Recent rows are compared one by one until there are more than a thousand and
        two percent of all. Then a copy of the index gets them, so that no search waits.
        An index of which half was removed is dropped, and a new one built.
        """
        if neighbors is None:
            return replace(self, index=None, indexed=_no_rows())
        state = self._with(self.index, np.append(now, -1)[self.indexed])
        if len(state.indexed) > 2 * (self.n_rows - len(state.recent)):
            state = self._with(None, _no_rows())
        if len(state.recent) <= max(_RECENT, self.n_rows // 50):
            return state
        if not hasattr(state.index, "partial_fit"):
            return self.with_new_index(neighbors)
        index = deepcopy(state.index).partial_fit(self.vectors[state.recent])
        return self._with(index, np.append(state.indexed, state.recent))

    def with_new_index(self, neighbors: Index) -> Self:
        """The state with an index of all its rows."""
        index = clone(neighbors).fit(self.vectors)
        return self._with(index, np.arange(self.n_rows))

    def _with(self, index: Any, indexed: Indices) -> Self:
        is_recent = np.ones(self.n_rows, dtype=bool)
        is_recent[indexed[indexed >= 0]] = False
        recent = np.flatnonzero(is_recent)
        return replace(self, index=index, indexed=indexed, recent=recent)

    def read_words(self) -> None:
        """Index the words of the texts, if there are any; by one thread."""
        if self.words is None:
            tokens = _tokens(self.columns["text"].tolist(), ids=True)
            if any(tokens.ids):
                words = import_for("hybrid=True", "bm25s", "bm25s").BM25()
                words.index(tokens, show_progress=False)
                self.words = words

    def nearest(self, vectors: UnitVectors, k: int, mask: Mask | None) -> Hits:
        """The `k` rows with the largest cosines."""
        if mask is not None:
            return self._compare(vectors, k, np.flatnonzero(mask))
        if self.index is None or not len(vectors):
            return self._compare(vectors, k, np.arange(self.n_rows))
        _, recent = self._compare(vectors, k, self.recent)
        row = np.concatenate([self._rows_of_index(vectors, k), recent], axis=1)
        score = self._cosines(vectors, row)
        score[row < 0] = -np.inf
        order = np.argsort(-score, axis=1, kind="stable")[:, : min(k, self.n_rows)]
        return take_columns(score, row, order)

    def _compare(self, vectors: UnitVectors, k: int, rows: Indices) -> Hits:
        """The nearest of some rows, which are compared one by one."""
        shape = len(vectors), min(k, len(rows))
        _, row, score = nearest(vectors, ChosenRows(self.vectors, rows), shape[1])
        return score.reshape(shape), rows[row].reshape(shape)

    def _rows_of_index(self, vectors: UnitVectors, k: int) -> Indices:
        """At least `k` rows of the index, or all; -1 for vectors that are gone."""
        n_there = self.n_rows - len(self.recent)
        k = n_asked = min(k, n_there)
        rows = np.append(self.indexed, -1)  # -1 of label -1, where none was found
        while True:
            labels = self.index.kneighbors(vectors, n_asked, return_distance=False)
            if (rows[labels] >= 0).sum(axis=1).min() >= k:
                return rows[labels]
            if n_asked == len(self.indexed) or n_there == len(self.indexed):
                raise ValueError(
                    f"neighbors={self.index!r} found fewer than {k} texts for a "
                    "query; ask for fewer, or set it to search longer."
                )
            n_asked = min(2 * n_asked, len(self.indexed))

    def _cosines(self, vectors: UnitVectors, row: Indices) -> Cosines:
        """Cosines of queries and some rows of each."""
        score: Cosines = np.empty(row.shape, dtype=np.float32)
        for start in range(0, len(row), QUERIES):
            block = slice(start, start + QUERIES)
            others = self.vectors[row[block]]
            np.einsum("qd,qkd->qk", vectors[block], others, out=score[block])
        return np.clip(score, -1, 1, out=score)

    def fused(
        self, queries: list[str], vectors: UnitVectors, k: int, mask: Mask | None
    ) -> Hits:
        """The `k` best rows by reciprocal ranks among vectors and among words."""
        _, near = self.nearest(vectors, max(k, _CANDIDATES), mask)
        k = min(k, near.shape[1])
        row = np.empty((len(queries), k), np.intp)
        with progress_bar(len(queries), "Comparing words", "query") as done:
            for query, tokens in enumerate(_tokens(queries)):
                gains: dict[int, float] = defaultdict(float)
                by_words = self._by_words(tokens, near.shape[1], mask)
                for ranking in (near[query], by_words):
                    for rank, each in enumerate(ranking.tolist(), start=1):
                        gains[each] += 1 / (_RANK + rank)
                row[query] = sorted(gains, key=lambda each: -gains[each])[:k]
                done(1)
        return self._cosines(vectors, row), row

    def _by_words(self, tokens: list[str], k: int, mask: Mask | None) -> Indices:
        """At most `k` rows that share a word with the query, the best first."""
        if self.words is None or not k:
            return _no_rows()
        known = self.words.get_tokens_ids(tokens)
        scores = self.words.get_scores_from_ids(known, weight_mask=mask)
        least = np.partition(scores, -k)[-k]
        best = np.flatnonzero((scores >= least) & (scores > 0))
        return best[np.argsort(-scores[best], kind="stable")[:k]]


def best_of_groups(
    find: Callable[[int], Hits], k: int, groups: Column, mask: Mask | None
) -> Hits:
    """The best hit of each of the `k` best groups; more hits are asked for."""
    if groups.dtype == object:  # such as None beside strings, which have no order
        codes: dict[Any, int] = {}
        groups = np.array([codes.setdefault(each, len(codes)) for each in groups])
    searched = groups if mask is None else groups[mask]
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


def _tokens(texts: list[str], ids: bool = False) -> Any:
    """Lists of tokens, or what bm25s indexes."""
    texts = [folded(text, lowercase=True) for text in texts]
    return import_for("hybrid=True", "bm25s", "bm25s").tokenize(
        texts, lower=False, stopwords=None, return_ids=ids, show_progress=False
    )
