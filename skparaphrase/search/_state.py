"""What a search knows at one moment."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, vstack
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from skparaphrase._math import Cosines, UnitVectors
from skparaphrase._nearest import QUERIES, Bound, Rows, best, nearest
from skparaphrase._typing import Encoder, Index, Indices
from skparaphrase.search._columns import (
    RESERVED,
    Column,
    Columns,
    first_free_id,
    joined,
    payload_columns,
)

_RECENT = 1000  # rows beside an index that are compared one by one; see `_indexed`
_BLOCK = 1024  # rows up to which a block is joined with the one before

_SPARSE = "data", "indices", "indptr"

#: Scores and rows, both of shape (n_queries, k).
Hits = tuple[Cosines, Indices]
Mask = NDArray[np.bool_]


def _no_rows() -> Indices:
    return np.empty(0, np.intp)


class Block:
    """Texts that came together. A block never changes.

    Attributes
    ----------
    columns : dict of str to ndarray
        "id", "vector", "text" if there are texts, and the payload.
    words : sparse array of shape (n_rows, n_terms), or None
        By columns.
    """

    def __init__(self, columns: Columns, words: Any) -> None:
        self.columns = columns
        self.words = None if words is None else csc_array(words)

    def __len__(self) -> int:
        return len(self.columns["id"])

    @cached_property
    def places(self) -> dict[Any, int]:
        """The row of each id."""
        return {name: row for row, name in enumerate(self.columns["id"].tolist())}

    @cached_property
    def compared(self) -> Rows:
        """The texts as they are compared."""
        vectors = self.columns["vector"]
        return Rows(vectors, self.words, Bound.of(vectors))


def join_blocks(blocks: list[Block], keep: list[Any]) -> Block:
    """One block of some rows of several."""
    pairs = [*zip(blocks, keep, strict=True)]
    columns = {
        name: joined([block.columns[name][rows] for block, rows in pairs])
        for name in blocks[0].columns
    }
    words = [block.words[rows] for block, rows in pairs if block.words is not None]
    return Block(columns, vstack(words, format="csc") if words else None)


@dataclass(frozen=True, eq=False)
class State:
    """Blocks of texts, which of them are there, and an index; it never changes.

    Each update makes another state, which shares the blocks; so a reader that holds a
    state is not affected. A text is added in a block of its own and removed from
    `living`. Small blocks are joined with the one before, and all blocks once half of
    their rows are gone.

    Attributes
    ----------
    encoder, lexical : transformer
        `lexical` may be None.
    blocks : tuple of Block
    living : ndarray of bool
        Whether a row, of all blocks, is there still.
    next_id : int
    index : estimator or None
        A fitted index.
    indexed : ndarray of int
        The row of each vector in the index; -1 if it is gone.
    n_indexed : int
        The first rows, which are in the index if they are living.
    """

    encoder: Encoder
    lexical: Any
    blocks: tuple[Block, ...]
    living: Mask
    next_id: int
    index: Any = None
    indexed: Indices = field(default_factory=_no_rows)
    n_indexed: int = 0
    read: Columns = field(default_factory=dict)  # see `column`

    @cached_property
    def rows(self) -> Indices:
        """The rows that are there."""
        return np.flatnonzero(self.living)

    @cached_property
    def positions(self) -> Indices:
        """The position of each row among those that are there."""
        return np.cumsum(self.living) - 1

    @cached_property
    def starts(self) -> Indices:
        """The first row of each block."""
        return np.cumsum([0, *map(len, self.blocks)])[:-1]

    def column(self, name: str) -> Column:
        """The values of a column in all rows that are there."""
        if name not in self.read:
            keep = np.split(self.living, self.starts[1:])
            columns = [block.columns[name] for block in self.blocks]
            pairs = zip(columns, keep, strict=True)
            parts = [each if here.all() else each[here] for each, here in pairs]
            self.read[name] = joined(parts)
        return self.read[name]

    @property
    def names(self) -> list[str]:
        """The columns that hits contain."""
        return [name for name in self.blocks[0].columns if name != "vector"]

    def compacted(self) -> Self:
        """The state with one block, of the rows that are there."""
        if len(self.blocks) == 1 and len(self.rows) == len(self.living):
            return self
        block = join_blocks([*self.blocks], np.split(self.living, self.starts[1:]))
        is_there = (self.indexed >= 0) & self.living[self.indexed]
        indexed = np.where(is_there, self.positions[self.indexed], -1)
        return replace(
            self,
            blocks=(block,),
            living=np.ones(len(block), dtype=bool),
            indexed=indexed,
            n_indexed=int(is_there.sum()),
            read={},
        )

    def take(self, name: str, rows: Indices) -> Column:
        """The values of a column in some rows."""
        columns = [block.columns[name] for block in self.blocks]
        if len(columns) == 1:
            return columns[0][rows]
        dtypes = {column.dtype for column in columns}
        shape = *rows.shape, *columns[0].shape[1:]
        values = np.empty(shape, dtypes.pop() if len(dtypes) == 1 else object)
        of_block = np.searchsorted(self.starts, rows, side="right") - 1
        for number, (column, start) in enumerate(zip(columns, self.starts, strict=True)):
            here = of_block == number
            values[here] = column[rows[here] - start]
        return values

    def attributes(self) -> dict[str, Any]:
        """What is saved and pickled, by the names of fitted attributes."""
        state = self.compacted()
        columns, words = state.blocks[0].columns, state.blocks[0].words
        if words is not None:
            parts = {name: getattr(words, name) for name in _SPARSE}
            words = {**parts, "shape": np.array(words.shape)}
        return {
            "encoder_": self.encoder,
            "lexical_": self.lexical,
            "ids_": columns["id"],
            "texts_": columns.get("text"),
            "vectors_": columns["vector"],
            "words_": words,
            "payload_": {k: columns[k].tolist() for k in columns if k not in RESERVED},
            "neighbors_": self.index,
            "indexed_": state.indexed,
            "next_id_": self.next_id,
        }

    @classmethod
    def of(cls, attributes: dict[str, Any]) -> Self:
        """The state with such attributes, which are removed."""
        columns = {"id": attributes.pop("ids_"), "vector": attributes.pop("vectors_")}
        texts, payload = attributes.pop("texts_"), attributes.pop("payload_")
        columns |= {} if texts is None else {"text": texts}
        columns |= payload_columns(payload, len(columns["id"]))
        words, indexed = attributes.pop("words_", None), attributes.pop("indexed_")
        if words is not None:
            shape = tuple(words["shape"].tolist())
            words = csc_array(tuple(words[name] for name in _SPARSE), shape=shape)
            check_consistent_length(columns["id"], words)
        check_consistent_length(*columns.values())
        return cls(
            attributes.pop("encoder_"),
            attributes.pop("lexical_", None),
            (Block(columns, words),),
            np.ones(len(columns["id"]), dtype=bool),
            attributes.pop("next_id_"),
            attributes.pop("neighbors_"),
            indexed,
            int((indexed >= 0).sum()),
        )

    def find(self, name: Any) -> int | None:
        """The row of an id."""
        for block, start in zip(self.blocks[::-1], self.starts[::-1], strict=True):
            row = block.places.get(name)
            if row is not None and self.living[start + row]:
                return int(start + row)
        return None

    def __contains__(self, name: Any) -> bool:
        return self.find(name) is not None

    def put(self, new: Block, neighbors: Index | None) -> Self:
        """Add texts, and remove those with the same ids."""
        rows = [row for name in new.places if (row := self.find(name)) is not None]
        living = np.append(self.living, np.ones(len(new), dtype=bool))
        living[rows] = False
        blocks = *self.blocks, new
        if not len(self.rows):  # which may have had other columns
            blocks, living = (new,), living[-len(new) :]
        next_id = first_free_id(new.columns["id"], self.next_id)
        state = replace(self, blocks=blocks, living=living, next_id=next_id, read={})
        return state._tidy(neighbors)

    def remove(self, rows: list[int], neighbors: Index | None) -> Self:
        """Remove rows."""
        living = self.living.copy()
        living[rows] = False
        return replace(self, living=living, read={})._tidy(neighbors)

    def _tidy(self, neighbors: Index | None) -> Self:
        """Join blocks that are small or half gone, and bring the index up to date."""
        if 2 * len(self.rows) <= len(self.living):
            return self.compacted()._indexed(neighbors)
        blocks = [*self.blocks]
        while len(blocks) > 1 and len(blocks[-2]) < max(2 * len(blocks[-1]), _BLOCK):
            blocks[-2:] = [join_blocks(blocks[-2:], [slice(None)] * 2)]
        return replace(self, blocks=tuple(blocks))._indexed(neighbors)

    def _indexed(self, neighbors: Index | None) -> Self:
        """The state with its index.

        Recent rows are compared one by one until there are more than a thousand and
        two percent of all. Then a copy of the index gets them, so that no search waits.
        An index of which half was removed is dropped, and a new one built.
        """
        if neighbors is None:
            return replace(self, index=None, indexed=_no_rows(), n_indexed=0)
        state = self
        if len(state.indexed) > 2 * state.living[: state.n_indexed].sum():
            state = replace(state, index=None, indexed=_no_rows(), n_indexed=0)
        recent = state.rows[state.rows >= state.n_indexed]
        if len(recent) <= max(_RECENT, len(self.rows) // 50):
            return state
        if not hasattr(state.index, "partial_fit"):
            return state.with_new_index(neighbors)
        index = deepcopy(state.index).partial_fit(state.take("vector", recent))
        indexed = np.append(state.indexed, recent)
        return replace(state, index=index, indexed=indexed, n_indexed=len(state.living))

    def with_new_index(self, neighbors: Index) -> Self:
        """The state with an index of all its rows."""
        index = clone(neighbors).fit(self.column("vector"))
        n_indexed = len(self.living)
        return replace(self, index=index, indexed=self.rows, n_indexed=n_indexed)

    def nearest(
        self, queries: Rows, k: int, weight: float, mask: Mask | None = None
    ) -> Hits:
        """The positions with the largest scores, at most `k`."""
        if mask is None and self.index is not None and len(queries):
            score, row = self._nearest_of_index(queries.vectors, k)
        else:
            keep = self.living
            if mask is not None:
                keep = np.zeros(len(keep), dtype=bool)
                keep[self.rows[mask]] = True
            score, row = self._compare(queries, k, weight, keep)
        return score, self.positions[row]

    def _compare(self, queries: Rows, k: int, weight: float, keep: Mask) -> Hits:
        """The nearest of some rows, which are compared one by one."""
        found = []
        for block, start in zip(self.blocks, self.starts, strict=True):
            here = keep[start : start + len(block)]
            chosen = None if here.all() else np.flatnonzero(here)
            rows = replace(block.compared, chosen=chosen)
            query, row, score = nearest(queries, rows, k, weight=weight)
            row = row if chosen is None else chosen[row]
            found.append((query, row + start, score))
        _, row, score = found[0] if len(found) == 1 else best(found, k)
        shape = len(queries), min(k, int(np.count_nonzero(keep)))
        return score.reshape(shape), row.reshape(shape)

    def _nearest_of_index(self, vectors: UnitVectors, k: int) -> Hits:
        """The nearest of the index, and of recent rows."""
        keep = self.living.copy()
        keep[: self.n_indexed] = False
        _, recent = self._compare(Rows(vectors), k, 0.0, keep)
        row = np.concatenate([self._rows_of_index(vectors, k), recent], axis=1)
        score: Cosines = np.empty(row.shape, dtype=np.float32)
        for start in range(0, len(row), QUERIES):
            block = slice(start, start + QUERIES)
            others = self.take("vector", row[block])
            np.einsum("qd,qkd->qk", vectors[block], others, out=score[block])
        np.clip(score, -1, 1, out=score)
        score[row < 0] = -np.inf
        order = np.argsort(-score, axis=1, kind="stable")[:, : min(k, len(self.rows))]
        return take_columns(score, row, order)

    def _rows_of_index(self, vectors: UnitVectors, k: int) -> Indices:
        """At least `k` rows of the index, or all; -1 for vectors that are gone."""
        rows = np.append(self.indexed, -1)  # -1 of label -1, where none was found
        rows[:-1][~self.living[self.indexed]] = -1
        n_there = int((rows >= 0).sum())
        k = n_asked = min(k, n_there)
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
