"""Semantic search."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Bunch, check_consistent_length, check_scalar, column_or_1d
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, check_pandas_support, fit_context
from skparaphrase._math import (
    QUERIES,
    Cosines,
    UnitVectors,
    floor,
    nearest,
)
from skparaphrase._typing import Encoder, Index, Indices, Texts
from skparaphrase.search._base import EncoderUser, as_unit_vectors
from skparaphrase.text import check_single_texts


class SemanticSearch(EncoderUser):
    """Find the texts whose vectors have the largest cosine with that of a query.

    Texts can be added and removed, and a search can be limited to some of them.

    Parameters
    ----------
    encoder : transformer, default=None
        Maps texts to vectors. None is :func:`skparaphrase.load_pretrained`. A fitted
        encoder is used as it is; any other is cloned and fitted to the texts. Clones
        are not fitted: in a grid search, put a fitted encoder in a
        :class:`~sklearn.frozen.FrozenEstimator`.
    neighbors : estimator, default=None
        An index, unfitted: :class:`FaissIndex`, :class:`UsearchIndex`,
        :class:`~sklearn.neighbors.NearestNeighbors`, or any estimator with `fit` and
        `kneighbors`. It is fitted to unit vectors, for which Euclidean distance and
        cosine give the same order (but for texts without a known word, whose vectors
        are zero). None compares with all texts: exact, in blocks of bounded memory.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.
    ids_ : ndarray of shape (n_texts,)
        The ids of the texts.
    texts_ : ndarray of shape (n_texts,), dtype object, or None
        None if vectors were given without texts.
    vectors_ : ndarray of shape (n_texts, dim), float32
        The unit vectors of the texts; zero for a text without a known word.
    neighbors_ : estimator or None
        The fitted `neighbors`, if it is given and there are texts.
    indexed_ : ndarray of int of shape (n_indexed,), or None
        The positions of the texts that `neighbors_` was given; -1 if removed since.

    See Also
    --------
    ParaphraseMiner : The most similar pairs among many texts.
    skparaphrase.metrics.RetrievalScorer : How well an encoder ranks.

    Notes
    -----
    An index that has a method `partial_fit` gets added texts by it; any other is fitted
    again. Removed texts stay in such an index and are skipped. If most of its texts
    are removed, fit the search again.

    Examples
    --------
    >>> from skparaphrase.search import SemanticSearch
    >>> texts = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
    >>> search = SemanticSearch().fit(texts)
    >>> hits = search.search("The package has not arrived.", k=2)
    >>> print(hits.text[0, 0])
    Where is my parcel?
    """

    ids_: NDArray[Any]
    texts_: NDArray[np.object_] | None
    vectors_: UnitVectors
    neighbors_: Any  # an Index or None
    indexed_: Indices | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["fit", "transform"]), None],
        "neighbors": [HasMethods(["fit", "kneighbors"]), None],
    }

    def __init__(
        self, encoder: Encoder | None = None, neighbors: Index | None = None
    ) -> None:
        self.encoder = encoder
        self.neighbors = neighbors

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Texts,
        y: object = None,
        *,
        ids: ArrayLike | None = None,
        vectors: ArrayLike | None = None,
    ) -> Self:
        """Embed the texts that are searched.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), or ndarray of shape (n_texts, dim)
            Texts, or their vectors alone.
        y : ignored
        ids : array-like of shape (n_texts,), default=None
            Distinct names of the texts: integers, strings or any other hashable values
            (of which :meth:`save` takes integers, floats and strings).
            None takes the index of a pandas Series or frame if it is distinct, and
            positions from 0 otherwise.
        vectors : ndarray of shape (n_texts, dim), default=None
            The vectors of texts that the encoder has embedded already, such as the file
            that :func:`~skparaphrase.streams.transform_to` has written. They may have
            any length. A float32 array whose vectors have length 1 is not copied, and
            may be memory-mapped.

        Returns
        -------
        self : SemanticSearch
        """
        texts, unit = _texts_and_vectors(X, vectors)
        new_ids = _check_ids(X, ids, len(unit if texts is None else texts))
        self._fit_encoder(texts)
        unit = self._embed(texts) if unit is None else unit
        self.neighbors_, self.indexed_ = self._fitted_index(unit)
        self.ids_, self.texts_, self.vectors_ = new_ids, texts, unit
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self,
        X: Texts,
        y: object = None,
        *,
        ids: ArrayLike | None = None,
        vectors: ArrayLike | None = None,
    ) -> Self:
        """Add texts. The encoder stays.

        Parameters
        ----------
        X, y, ids, vectors
            As in :meth:`fit`; positions continue after the largest id, also where a
            Series has the default index.

        Returns
        -------
        self : SemanticSearch
        """
        if not hasattr(self, "vectors_"):
            return self.fit(X, ids=ids, vectors=vectors)
        texts, unit = _texts_and_vectors(X, vectors)
        if (texts is None) != (self.texts_ is None):
            has = "no texts" if self.texts_ is None else "texts"
            raise ValueError(f"The search was fitted with {has}: add the same.")
        unit = self._embed(texts) if unit is None else unit
        self._check_width(unit)
        new_ids = _check_ids(X, ids, len(unit), self.ids_)
        new_texts = self.texts_
        if texts is not None:
            new_texts = np.concatenate([self.texts_, texts])
        new_vectors = np.concatenate([self.vectors_, unit])
        if self.indexed_ is None or not hasattr(self.neighbors_, "partial_fit"):
            index = self._fitted_index(new_vectors)
        else:
            self.neighbors_.partial_fit(unit)
            new_rows = np.arange(len(self.vectors_), len(new_vectors))
            index = self.neighbors_, np.concatenate([self.indexed_, new_rows])
        self.neighbors_, self.indexed_ = index
        self.ids_, self.texts_, self.vectors_ = new_ids, new_texts, new_vectors
        return self

    def remove(self, ids: ArrayLike) -> Self:
        """Remove texts. Those that stay keep their ids.

        Parameters
        ----------
        ids : array-like of shape (n_removed,), or a single id

        Returns
        -------
        self : SemanticSearch

        Raises
        ------
        KeyError
            If there is no text with an id.
        """
        check_is_fitted(self)
        asked = _listed(ids)
        if any(isinstance(name, (bool, np.bool_)) for name in asked):
            raise TypeError("remove takes ids, not a mask; pass ids_[mask].")
        rows = {name: row for row, name in enumerate(self.ids_.tolist())}
        for name in asked:
            if name not in rows:
                raise KeyError(f"There is no text with the id {name!r}.")
        stays = np.ones(len(rows), dtype=bool)
        stays[[rows[name] for name in asked]] = False
        if self.indexed_ is not None:
            rows_left = np.append(np.where(stays, np.cumsum(stays) - 1, -1), -1)
            self.indexed_ = rows_left[self.indexed_]  # -1 stays -1
        if self.texts_ is not None:
            self.texts_ = self.texts_[stays]
        self.ids_, self.vectors_ = self.ids_[stays], self.vectors_[stays]
        return self

    def _check_width(self, vectors: UnitVectors) -> None:
        if vectors.shape[1] != self.vectors_.shape[1]:
            raise ValueError(
                f"The vectors have {vectors.shape[1]} dimensions, and those that are "
                f"searched {self.vectors_.shape[1]}: use the same encoder for both."
            )

    def _fitted_index(self, vectors: UnitVectors) -> tuple[Any, Indices | None]:
        """An index of vectors, and the positions of the texts in it."""
        if self.neighbors is None or not len(vectors):
            return None, None
        return clone(self.neighbors).fit(vectors), np.arange(len(vectors))

    def search(
        self,
        queries: Texts,
        k: int = 10,
        *,
        mask: ArrayLike | None = None,
        threshold: float | None = None,
        groups: ArrayLike | None = None,
        as_frame: bool = False,
    ) -> Any:
        """Find the most similar texts for each query.

        Parameters
        ----------
        queries : str, array-like of str of shape (n_queries,), or ndarray
            Texts, or their vectors, shape (n_queries, dim) or (dim,).
        k : int, default=10
            Number of texts for each query; all of them if there are fewer.
        mask : array-like of bool of shape (n_texts,), default=None
            The texts to search, by position: ``np.isin(search.ids_, wanted)`` chooses
            them by their ids. These searches are exact, also with `neighbors`.
        threshold : float, default=None
            Leave out hits with a smaller cosine. There are as many columns as the query
            with the most hits has; empty places have row -1, id and text None, and
            score nan.
        groups : array-like of shape (n_texts,), default=None
            Only the best hit of each group counts, such as the best passage of a
            document: there are hits of `k` groups. By position; after a removal, those
            of positions from 0 are `groups[ids_]`.
        as_frame : bool, default=False
            Return a pandas frame.

        Returns
        -------
        hits : Bunch or DataFrame
            The most similar text first; scores that differ only by rounding are in any
            order. A frame has a line for each hit and the columns `query`, `id`, `row`,
            `text` and `score`.
            The fields of a Bunch:

            - query : ndarray of shape (n_queries,), dtype object; of vectors, positions
            - id : ndarray of shape (n_queries, k)
            - row : ndarray of int of shape (n_queries, k), the position in `texts_`
            - text : ndarray of shape (n_queries, k), dtype object, if there are texts
            - score : ndarray of shape (n_queries, k), the cosine
        """
        check_is_fitted(self)
        check_scalar(k, "k", Integral, min_val=1)
        queries, vectors = self._embed_queries(queries)
        if mask is not None:
            mask = self._check_mask(mask)
        if groups is None:
            score, row = self._nearest(vectors, k, mask)
        else:
            score, row = self._nearest_groups(vectors, k, mask, groups)
        is_hit = np.ones(score.shape, dtype=bool)
        if threshold is not None:
            is_hit = score > floor(threshold)
            n_hits = int(is_hit.sum(axis=1).max(initial=0))  # the first ones
            score, row, is_hit = score[:, :n_hits], row[:, :n_hits], is_hit[:, :n_hits]
        columns: dict[str, NDArray[Any]] = {"id": self.ids_[row], "row": row}
        if self.texts_ is not None:
            columns["text"] = self.texts_[row]
        columns["score"] = score
        if as_frame:
            frame = {"query": queries.repeat(is_hit.sum(axis=1))}
            frame |= {name: values[is_hit] for name, values in columns.items()}
            return check_pandas_support("as_frame=True").DataFrame(frame)
        if not is_hit.all():
            score[~is_hit], row[~is_hit] = np.nan, -1
            for name in {"id", "text"} & set(columns):
                columns[name] = columns[name].astype(object)
                columns[name][~is_hit] = None
        return Bunch(query=queries, **columns)

    def _embed_queries(self, queries: Texts) -> tuple[NDArray[Any], UnitVectors]:
        """Queries and their unit vectors."""
        if isinstance(queries, str):
            queries = [queries]
        if _are_vectors(queries):
            vectors = as_unit_vectors(np.atleast_2d(queries))
            queries = np.arange(len(vectors))
        else:
            queries = check_single_texts(queries, "queries")
            vectors = self._embed(queries)
        self._check_width(vectors)
        return queries, vectors

    def _nearest(
        self, vectors: UnitVectors, k: int, mask: NDArray[np.bool_] | None
    ) -> tuple[Cosines, Indices]:
        """Cosines and rows of shape (n_queries, k)."""
        if mask is not None:
            allowed = np.flatnonzero(mask)
            k = min(k, len(allowed))
            _, row, score = nearest(vectors, _ChosenRows(self.vectors_, allowed), k)
            row = allowed[row]
        else:
            k = min(k, len(self.vectors_))
            if self.neighbors_ is not None and k and len(vectors):
                return self._nearest_of_index(vectors, k)
            _, row, score = nearest(vectors, self.vectors_, k)
        shape = len(vectors), k
        return score.reshape(shape), row.reshape(shape)

    def _nearest_groups(
        self,
        vectors: UnitVectors,
        k: int,
        mask: NDArray[np.bool_] | None,
        groups: ArrayLike,
    ) -> tuple[Cosines, Indices]:
        """The best hit of each of the `k` best groups; more hits are asked for."""
        groups = np.asarray(column_or_1d(groups))
        check_consistent_length(groups, self.ids_)
        searched = groups if mask is None else groups[mask]
        n_asked, k = k, min(k, len(np.unique(searched)))
        while True:
            score, row = self._nearest(vectors, n_asked, mask)
            best = [
                np.sort(np.unique(groups[hits], return_index=True)[1])[:k]
                for hits in row
            ]
            if n_asked >= len(searched) or all(len(columns) == k for columns in best):
                columns = np.array(best, dtype=np.intp).reshape(len(row), k)
                return _columns_of(score, row, columns)
            n_asked = min(4 * n_asked, len(searched))

    def _nearest_of_index(
        self, vectors: UnitVectors, k: int
    ) -> tuple[Cosines, Indices]:
        """Neighbours from the index, with exact cosines."""
        row = self._rows_of_index(vectors, k)
        score: Cosines = np.empty(row.shape, dtype=np.float32)
        for start in range(0, len(row), QUERIES):
            block = slice(start, start + QUERIES)
            others = self.vectors_[row[block]]
            np.einsum("qd,qkd->qk", vectors[block], others, out=score[block])
        np.clip(score, -1, 1, out=score)
        score[row < 0] = -np.inf
        order = np.argsort(-score, axis=1, kind="stable")[:, :k]
        return _columns_of(score, row, order)

    def _rows_of_index(self, vectors: UnitVectors, k: int) -> Indices:
        """At least `k` rows for each query; -1 are texts that were removed."""
        assert self.indexed_ is not None
        rows = np.append(self.indexed_, -1)  # -1 of label -1, where none was found
        n_asked = k
        while True:
            labels = self.neighbors_.kneighbors(vectors, n_asked, return_distance=False)
            if (rows[labels] >= 0).sum(axis=1).min() >= k:
                return rows[labels]
            if n_asked == len(self.indexed_) or self.indexed_.min() >= 0:
                raise ValueError(
                    f"neighbors={self.neighbors!r} found fewer than {k} texts for a "
                    "query; ask for fewer, or set it to search longer."
                )
            n_asked = min(2 * n_asked, len(self.indexed_))

    def _check_mask(self, mask: ArrayLike) -> NDArray[np.bool_]:
        mask = np.asarray(mask)
        if mask.dtype != bool or mask.shape != self.ids_.shape:
            raise ValueError(
                f"mask must be an array of a bool for each of the {len(self.ids_)} "
                "texts, such as np.isin(search.ids_, wanted); got shape "
                f"{mask.shape} and dtype {mask.dtype}."
            )
        return mask


def _columns_of(
    score: Cosines, row: Indices, columns: Indices
) -> tuple[Cosines, Indices]:
    """Scores and rows at some columns of each query."""
    score = np.take_along_axis(score, columns, axis=1)
    return score, np.take_along_axis(row, columns, axis=1)


def _are_vectors(X: object) -> bool:
    """Whether an array holds numbers."""
    return getattr(getattr(X, "dtype", None), "kind", "O") in "fiu"


def _texts_and_vectors(X: Texts, vectors: ArrayLike | None) -> tuple[Any, Any]:
    """Texts, or None, and the unit vectors that were given, or None."""
    if vectors is None and _are_vectors(X):
        return None, as_unit_vectors(X)
    texts = check_single_texts(X)
    if vectors is not None:
        vectors = as_unit_vectors(vectors)
        check_consistent_length(texts, vectors)
    return texts, vectors


class _ChosenRows:
    """Some rows of an array, which are read one slice at a time."""

    def __init__(self, array: UnitVectors, rows: Indices) -> None:
        self.array = array
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> UnitVectors:
        return self.array[self.rows[rows]]


def _check_ids(
    X: Texts, ids: ArrayLike | None, n: int, before: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The ids of `n` new texts after those of `before`; see `SemanticSearch.fit`."""
    before = np.empty(0, np.int64) if before is None else before
    taken = set(before.tolist())
    index: Any = getattr(X, "index", None)
    if ids is not None:
        new = _listed(ids)
    elif getattr(index, "is_unique", False) and getattr(index, "start", None) != 0:
        new = index.tolist()
    else:
        first = max((name for name in taken if isinstance(name, int)), default=-1) + 1
        new = list(range(first, first + n))
    if len(new) != n:
        raise ValueError(f"There are {len(new)} ids for {n} texts.")
    for position, name in enumerate(new):
        if name in taken:
            raise ValueError(
                f"ids[{position}] = {name!r} is there already; ids are distinct."
            )
        taken.add(name)
    is_integer = all(type(name) is int and abs(name) < 2**63 for name in new)
    added: NDArray[Any] = np.empty(n, dtype=np.int64 if is_integer else object)
    added[:] = new
    return np.concatenate([before, added])


def _listed(ids: ArrayLike) -> list[Any]:
    """Ids as Python objects; a single id is a list of one."""
    if isinstance(ids, str) or (np.ndim(ids) == 0 and not hasattr(ids, "__iter__")):
        ids = np.array([ids], dtype=object)
    names: Any = getattr(ids, "tolist", lambda: ids)()
    return [name.item() if isinstance(name, np.generic) else name for name in names]
