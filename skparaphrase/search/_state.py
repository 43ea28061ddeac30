"""An immutable state of a search: blocks of texts, and a mask of existing rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, vstack
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from skparaphrase._math import Cosines, UnitVectors, dot
from skparaphrase._nearest import Bound, Matches, Rows, nearest, top_k
from skparaphrase._typing import Encoder, Index, Indices
from skparaphrase.search._base import embed, read_words
from skparaphrase.search._columns import (
    RESERVED,
    Column,
    Columns,
    first_free_id,
    joined,
    payload_columns,
)

_BLOCK = 1024  # minimum rows of a block that has an index and is not always joined
_HITS = 2**20  # number of hits of groups requested at a time
_SPARSE = "data", "indices", "indptr"

#: Scores and rows, both of shape (n_queries, k).
Ranked = tuple[Cosines, Indices]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Block:
    """Texts that were added together. A block is immutable.

    Attributes
    ----------
    columns : dict of str to ndarray
        "id", "vector", "text" if there are texts, and the payload.
    words : csc_array of shape (n_rows, n_terms), or None
    index : estimator, default=None
        A fitted index of the vectors.
    """

    columns: Columns
    words: Any
    index: Any = None

    def __len__(self) -> int:
        return len(self.columns["id"])

    @cached_property
    def places(self) -> dict[Any, int]:
        """The row of each id."""
        return {name: row for row, name in enumerate(self.columns["id"].tolist())}

    @cached_property
    def is_zero(self) -> Mask:
        """Mask of the vectors that are zero."""
        return np.asarray(~self.columns["vector"].any(axis=1))

    @cached_property
    def compared(self) -> Rows:
        """The texts, prepared for comparison."""
        vectors = self.columns["vector"]
        return Rows(vectors, self.words, Bound.of(vectors))

    def nearest(self, queries: Rows, k: int, weight: float, keep: Mask) -> Matches:
        """The `k` nearest of the rows to keep, compared one by one."""
        hidden = np.flatnonzero(~keep)
        if 2 * len(hidden) <= len(self):  # hiding a few is faster than choosing many
            rows = replace(self.compared, hidden=hidden if len(hidden) else None)
            return nearest(queries, rows, k, weight=weight)
        chosen = np.flatnonzero(keep)
        rows = replace(self.compared, chosen=chosen)
        query, row, score = nearest(queries, rows, k, weight=weight)
        return query, chosen[row], score

    def nearest_of_index(self, vectors: UnitVectors, k: int, keep: Mask) -> Matches:
        """The `k` nearest of the rows to keep, found by the index."""
        # Zeros are compared here: by distance, they would rank above cosines below 0.5.
        rows = np.tile(np.flatnonzero(keep & self.is_zero)[:k], (len(vectors), 1))
        # The last place is for label -1, with which indexes pad missing results.
        keep = np.append(keep & ~self.is_zero, False)
        n_asked = n_wanted = min(k, int(keep.sum()))
        while n_wanted:
            labels = self.index.kneighbors(vectors, n_asked, return_distance=False)
            labels = np.where(keep[labels], labels, -1)
            if (labels >= 0).sum(axis=1).min() >= n_wanted:
                rows = np.hstack([rows, labels])
                break
            if n_asked == len(self):
                raise ValueError(
                    f"neighbors={self.index!r} found fewer than {n_wanted} texts for a "
                    "query: reduce k, or let it search more thoroughly."
                )
            n_asked = min(2 * n_asked, len(self))
        query, column = np.nonzero(rows >= 0)
        row = rows[query, column].astype(np.intp)
        score = dot(vectors[query], self.columns["vector"][row])
        return top_k([(query, row, np.clip(score, -1, 1))], k)


def make_block(encoder: Encoder, lexical: Any, columns: Columns) -> Block:
    """Make a block of some columns; compute vectors if there are none."""
    if "vector" not in columns:
        columns["vector"] = embed(encoder, columns["text"])
    if lexical is None:
        return Block(columns, None)
    return Block(columns, csc_array(read_words(lexical, encoder, columns["text"])))


def join_blocks(blocks: Sequence[Block], keep: list[Any]) -> Block:
    """Join some rows of several blocks into one."""
    pairs = [*zip(blocks, keep, strict=True)]
    columns = {
        name: joined([block.columns[name][rows] for block, rows in pairs])
        for name in blocks[0].columns
    }
    words = [block.words[rows] for block, rows in pairs if block.words is not None]
    return Block(columns, vstack(words, format="csc") if words else None)


def with_index(block: Block, neighbors: Index | None) -> Block:
    """Add an index of the vectors to a block if it has none, or remove it."""
    if neighbors is None or block.words is not None:
        return block if block.index is None else replace(block, index=None)
    if block.index is not None or not len(block):
        return block
    return replace(block, index=clone(neighbors).fit(block.columns["vector"]))


@dataclass(frozen=True, eq=False)
class State:
    """Blocks of texts, and a mask of existing rows; it is immutable.

    Each update makes another state that shares the blocks, so readers of a state are
    not affected. Added texts form a new block; removed texts are cleared in `living`.
    Small blocks are joined with the previous one, and all blocks are joined once half
    of their rows are removed.

    Attributes
    ----------
    encoder, lexical : transformer
        `lexical` may be None.
    blocks : tuple of Block
    living : ndarray of bool
        Whether each row, of all blocks, still exists.
    next_id : int
    """

    encoder: Encoder
    lexical: Any
    blocks: tuple[Block, ...]
    living: Mask
    next_id: int

    def __len__(self) -> int:
        return int(np.count_nonzero(self.living))

    @cached_property
    def rows(self) -> Indices:
        """The existing rows."""
        return np.flatnonzero(self.living)

    @cached_property
    def _joined(self) -> Columns:
        """Cached results of `column`."""
        return {}

    @cached_property
    def starts(self) -> Indices:
        """The first row of each block."""
        return np.cumsum([0, *map(len, self.blocks)])[:-1]

    def split(self, keep: Mask) -> list[Mask]:
        """The parts of a mask of all rows, by block."""
        return np.split(keep, self.starts[1:])

    def column(self, name: str) -> Column:
        """The values of a column in all existing rows."""
        if name not in self._joined:
            columns = (block.columns[name] for block in self.blocks)
            pairs = zip(columns, self.split(self.living), strict=True)
            self._joined[name] = joined(
                [column if here.all() else column[here] for column, here in pairs]
            )
        return self._joined[name]

    @property
    def names(self) -> list[str]:
        """The names of the columns of hits."""
        return [name for name in self.blocks[0].columns if name != "vector"]

    def compacted(self, neighbors: Index | None) -> Self:
        """The state with the existing rows in one block with an index."""
        block = self.blocks[0]
        if len(self.blocks) > 1 or not self.living.all():
            block = join_blocks(self.blocks, self.split(self.living))
        blocks = (with_index(block, neighbors),)
        return replace(self, blocks=blocks, living=self.living[self.living])

    def take(self, name: str, rows: Indices) -> Column:
        """The values of a column in some rows."""
        columns = [block.columns[name] for block in self.blocks]
        if len(columns) == 1:
            return columns[0][rows]
        dtypes = {column.dtype for column in columns}
        values = np.empty(rows.shape, dtypes.pop() if len(dtypes) == 1 else object)
        for column, start in zip(columns, self.starts, strict=True):
            here = (rows >= start) & (rows < start + len(column))
            values[here] = column[rows[here] - start]
        return values

    def attributes(self) -> dict[str, Any]:
        """The attributes for saving and pickling; the state must have one block."""
        (block,) = self.blocks
        columns, words = block.columns, block.words
        if words is not None:
            words = {name: getattr(words, name) for name in _SPARSE}
        return {
            "encoder_": self.encoder,
            "lexical_": self.lexical,
            "ids_": columns["id"],
            "texts_": columns.get("text"),
            "vectors_": columns["vector"],
            "words_": words,
            "payload_": {k: columns[k].tolist() for k in columns if k not in RESERVED},
            "neighbors_": block.index,
            "next_id_": self.next_id,
        }

    @classmethod
    def of(cls, attributes: dict[str, Any]) -> Self:
        """Make a state from such attributes, and remove them."""
        columns = {"id": attributes.pop("ids_"), "vector": attributes.pop("vectors_")}
        if (texts := attributes.pop("texts_")) is not None:
            columns["text"] = texts
        columns |= payload_columns(attributes.pop("payload_"), len(columns["id"]))
        check_consistent_length(*columns.values())
        words = attributes.pop("words_", None)
        if words is not None:
            shape = len(columns["id"]), len(words["indptr"]) - 1
            words = csc_array(tuple(words[name] for name in _SPARSE), shape=shape)
            words.check_format(full_check=True)  # The constructor does not check.
        return cls(
            attributes.pop("encoder_"),
            attributes.pop("lexical_", None),
            (Block(columns, words, attributes.pop("neighbors_")),),
            np.ones(len(columns["id"]), dtype=bool),
            attributes.pop("next_id_"),
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
        """Add texts, and remove texts with the same ids."""
        rows = [row for name in new.places if (row := self.find(name)) is not None]
        living = np.append(self.living, np.ones(len(new), dtype=bool))
        living[rows] = False
        blocks = *self.blocks, new
        if not len(self):  # An empty search may have other columns.
            blocks, living = (new,), living[-len(new) :]
        next_id = first_free_id(new.columns["id"], self.next_id)
        state = replace(self, blocks=blocks, living=living, next_id=next_id)
        return state._tidy(neighbors)

    def remove(self, rows: list[int | None], neighbors: Index | None) -> Self:
        """Remove rows."""
        living = self.living.copy()
        living[np.array(rows, np.intp)] = False
        return replace(self, living=living)._tidy(neighbors)

    def _tidy(self, neighbors: Index | None) -> Self:
        """Join blocks that are small or half removed, and index the large ones.

        Rows of blocks without an index are compared one by one.
        """
        if 2 * len(self) <= len(self.living):
            return self.compacted(neighbors if len(self) >= _BLOCK else None)
        blocks = [*self.blocks]
        while len(blocks) > 1 and len(blocks[-2]) < max(2 * len(blocks[-1]), _BLOCK):
            blocks[-2:] = [join_blocks(blocks[-2:], [slice(None)] * 2)]
        for i, block in enumerate(blocks):
            if neighbors is None or len(block) >= _BLOCK:
                blocks[i] = with_index(block, neighbors)
        return replace(self, blocks=tuple(blocks))

    def nearest(
        self, queries: Rows, k: int, weight: float, mask: Mask | None = None
    ) -> Ranked:
        """The positions with the largest scores, at most `k`."""
        keep = self.living
        if mask is not None:
            keep = np.zeros(len(keep), dtype=bool)
            keep[self.rows[mask]] = True
        matches = []
        parts = zip(self.blocks, self.starts, self.split(keep), strict=True)
        for block, start, here in parts:
            if not here.any():
                continue
            if mask is None and block.index is not None and len(queries):
                query, row, score = block.nearest_of_index(queries.vectors, k, here)
            else:
                query, row, score = block.nearest(queries, k, weight, here)
            matches.append((query, row + start, score))
        _, row, score = matches[0] if len(matches) == 1 else top_k(matches, k)
        shape = len(queries), min(k, int(np.count_nonzero(keep)))
        position = np.searchsorted(self.rows, row)
        return score.reshape(shape), position.reshape(shape)


def best_of_groups(
    find: Callable[[Indices, int], Ranked], n_queries: int, k: int, groups: Indices
) -> Ranked:
    """The best hit of each of the `k` best groups of the searched texts.

    `groups` is -1 for other texts. Queries whose hits have too few groups are searched
    again for more hits.
    """
    n_texts = int((groups >= 0).sum())
    n_asked, k = k, min(k, len(np.unique(groups[groups >= 0])))
    score, row = np.empty((n_queries, k), np.float32), np.empty((n_queries, k), np.intp)
    left = [*range(n_queries if k else 0)]
    while left:
        unfinished = []
        for queries in np.array_split(left, 1 + len(left) * n_asked // _HITS):
            for query, scores, rows in zip(
                queries, *find(queries, n_asked), strict=True
            ):
                first = np.sort(np.unique(groups[rows], return_index=True)[1])[:k]
                if len(first) == k:
                    score[query], row[query] = scores[first], rows[first]
                else:
                    unfinished.append(query)
        left, n_asked = unfinished, min(4 * n_asked, n_texts)
    return score, row
