"""Semantic search."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from contextlib import suppress
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Bunch, check_consistent_length, check_scalar, column_or_1d
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    HasMethods,
    StrOptions,
    check_pandas_support,
    fit_context,
)
from skparaphrase._nearest import QUERIES, floor, nearest
from skparaphrase.search._base import EncoderUser
from skparaphrase.search._stored import DTYPES, ChosenRows, StoredVectors
from skparaphrase.text._check import check_single_texts

_FittedIndex = tuple[Any, NDArray[np.intp] | None, int]


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
        An index, unfitted: :class:`FaissIndex`, :class:`HnswlibIndex`,
        :class:`~sklearn.neighbors.NearestNeighbors`, or any estimator with `fit` and
        `kneighbors`. It is fitted to unit vectors, for which Euclidean distance and
        cosine give the same order (but for texts without a known word, whose vectors
        are zero). None compares with all texts: exact, in blocks of bounded memory.
    dtype : {"float32", "float16", "int8"}, default=None
        How vectors are stored. "float16" halves the memory and "int8" divides it by
        four; a search converts blocks of them to float32. None is "float32" for texts;
        given vectors stay as they are.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.
    ids_ : ndarray of shape (n_texts,)
        The ids of the texts.
    texts_ : ndarray of shape (n_texts,), dtype object, or None
        None if vectors were given without texts.
    vectors_ : ndarray of shape (n_texts, dim)
        The vectors of the texts; zero for a text without a known word.
    factors_ : ndarray of shape (n_texts,), float32, or None
        What the vectors have to be multiplied by for length 1; None if they have it.
    neighbors_ : estimator or None
        The fitted `neighbors`, if it is given and there are texts.
    labels_ : ndarray of shape (n_texts,), or None
        The numbers of the texts in `neighbors_`, ascending.
    n_indexed_ : int
        How many texts `neighbors_` was given, including those removed since.

    See Also
    --------
    ParaphraseMiner : The most similar pairs among many texts.
    skparaphrase.metrics.RetrievalScorer : How well an encoder ranks.

    Notes
    -----
    An index that has a method `partial_fit` gets added texts by it; any other is fitted
    again. Removed texts stay in it and are skipped, until half of it is removed: then
    it is fitted again. With `remove(labels)`, it learns which ones they are.

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
    vectors_: NDArray[Any]
    factors_: NDArray[np.float32] | None
    neighbors_: Any
    labels_: NDArray[np.intp] | None
    n_indexed_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["fit", "transform"]), None],
        "neighbors": [HasMethods(["fit", "kneighbors"]), None],
        "dtype": [StrOptions(set(DTYPES)), None],
    }

    def __init__(
        self, encoder: Any = None, neighbors: Any = None, dtype: str | None = None
    ) -> None:
        self.encoder = encoder
        self.neighbors = neighbors
        self.dtype = dtype

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any = None, *, ids: Any = None, vectors: Any = None
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
            any length, are not copied, and may be memory-mapped.

        Returns
        -------
        self : SemanticSearch

        Raises
        ------
        ValueError
            If an id occurs twice, or if ids or vectors do not belong to the texts.
        """
        texts, given = _texts_and_vectors(X, vectors)
        known: Any = given if texts is None else texts
        new_ids = _check_ids(X, ids, len(known))
        self._fit_encoder(texts)
        stored = self._stored(texts, given)
        self._set(new_ids, texts, stored, self._fitted_index(stored))
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self, X: Any, y: Any = None, *, ids: Any = None, vectors: Any = None
    ) -> Self:
        """Add texts. The encoder stays.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), or ndarray of shape (n_texts, dim)
        y : ignored
        ids : array-like of shape (n_texts,), default=None
            As in :meth:`fit`; positions continue after the largest id, also where a
            Series has the default index and its numbers are there already.
        vectors : ndarray of shape (n_texts, dim), default=None
            As in :meth:`fit`.

        Returns
        -------
        self : SemanticSearch

        Raises
        ------
        ValueError
            As in :meth:`fit`, and if an id is there already.
        """
        if not hasattr(self, "vectors_"):
            return self.fit(X, ids=ids, vectors=vectors)
        texts, given = _texts_and_vectors(X, vectors)
        if (texts is None) != (self.texts_ is None):
            has = "no texts" if self.texts_ is None else "texts"
            raise ValueError(f"The search was fitted with {has}: add the same.")
        added = self._stored(texts, given)
        n_dims = added.array.shape[1], self.vectors_.shape[1]
        if n_dims[0] != n_dims[1]:
            raise ValueError(
                f"The vectors to add have {n_dims[0]} dimensions, and those that are "
                f"there {n_dims[1]}: they are of different encoders."
            )
        new_ids = _check_ids(X, ids, len(added), self.ids_)
        new_texts = self.texts_
        if texts is not None:
            new_texts = np.concatenate([self.texts_, texts])
        stored = self._vectors.extended(added)
        if self.neighbors_ is None or not hasattr(self.neighbors_, "partial_fit"):
            index = self._fitted_index(stored)
        else:
            self.neighbors_.partial_fit(stored[len(self.vectors_) :])
            n_indexed = self.n_indexed_ + len(added)
            labels = np.arange(self.n_indexed_, n_indexed)
            labels = np.concatenate([self.labels_, labels])
            index = self.neighbors_, labels, n_indexed
        self._set(new_ids, new_texts, stored, index)
        return self

    def remove(self, ids: Any) -> Self:
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
            If there is no text with an id; none is removed then.
        """
        check_is_fitted(self)
        asked = _listed(ids)
        if any(isinstance(name, (bool, np.bool_)) for name in asked):
            raise TypeError(
                "remove takes ids, not a mask: those of a mask are ids_[mask]."
            )
        rows = {name: row for row, name in enumerate(self.ids_.tolist())}
        for name in asked:
            if name not in rows:
                raise KeyError(f"There is no text with the id {name!r}.")
        stays = np.ones(len(rows), dtype=bool)
        stays[[rows[name] for name in asked]] = False
        stored = self._vectors.take(np.flatnonzero(stays))
        index = self.neighbors_, self.labels_, self.n_indexed_
        if self.labels_ is not None:
            gone, labels = self.labels_[~stays], self.labels_[stays]
            index = self.neighbors_, labels, self.n_indexed_
            if 2 * len(labels) < self.n_indexed_:
                with suppress(ValueError, RuntimeError):  # too few texts for an index
                    index = self._fitted_index(stored)
            if index[0] is self.neighbors_ and hasattr(self.neighbors_, "remove"):
                self.neighbors_.remove(gone)
        texts = None if self.texts_ is None else self.texts_[stays]
        self._set(self.ids_[stays], texts, stored, index)
        return self

    @property
    def _vectors(self) -> StoredVectors:
        return StoredVectors(self.vectors_, self.factors_)

    def _set(
        self,
        ids: NDArray[Any],
        texts: NDArray[np.object_] | None,
        stored: StoredVectors,
        index: _FittedIndex,
    ) -> None:
        """Set all attributes at once, after all that may fail."""
        self.ids_, self.texts_ = ids, texts
        self.vectors_, self.factors_ = stored.array, stored.factors
        self.neighbors_, self.labels_, self.n_indexed_ = index

    def _stored(
        self, texts: NDArray[np.object_] | None, vectors: NDArray[Any] | None
    ) -> StoredVectors:
        """Vectors of texts, or those that were given, in the type to store."""
        if vectors is not None:
            return StoredVectors.given(vectors, self.dtype)
        assert texts is not None
        stored = StoredVectors(self._embed(texts))
        return stored if self.dtype in (None, "float32") else stored.astype(self.dtype)

    def _fitted_index(self, stored: StoredVectors) -> _FittedIndex:
        """An index of vectors, the numbers of the texts in it, and how many it has."""
        if self.neighbors is None or not len(stored):
            return None, None, 0
        return clone(self.neighbors).fit(stored[:]), np.arange(len(stored)), len(stored)

    def search(
        self,
        queries: Any,
        k: int = 10,
        *,
        where: Any = None,
        threshold: float | None = None,
        groups: Any = None,
        as_frame: bool = False,
    ) -> Any:
        """Find the most similar texts for each query.

        Parameters
        ----------
        queries : str, array-like of str of shape (n_queries,), or ndarray
            Texts, or their vectors, shape (n_queries, dim) or (dim,).
        k : int, default=10
            Number of texts for each query; all of them if there are fewer.
        where : array-like of bool of shape (n_texts,), or callable, default=None
            The texts to search. A callable is given `ids_` and returns the array. A
            boolean Series is aligned with `ids_` by its index, so that it fits texts
            that were added or removed; texts without a value are not searched. These
            searches are exact, also with `neighbors`.
        threshold : float, default=None
            Leave out hits with a smaller cosine. There are as many columns as the query
            with the most hits has; empty places have row -1, id and text None, and
            score nan.
        groups : array-like of shape (n_texts,), default=None
            Only the best hit of each group counts, such as the best passage of a
            document (:func:`~skparaphrase.text.split_passages`): there are hits of `k`
            groups. By position; after a removal, those of positions from 0 are
            `groups[ids_]`.
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
        queries = [queries] if isinstance(queries, str) else queries
        queries, vectors = self._embed_queries(queries)
        if groups is None:
            score, row = self._nearest(vectors, k, where)
        else:
            score, row = self._nearest_groups(vectors, k, where, groups)
        is_hit = np.ones(score.shape, dtype=bool)
        if threshold is not None:
            is_hit = score > floor(threshold)
            columns = slice(int(is_hit.sum(axis=1).max(initial=0)))  # best hits first
            score, row, is_hit = score[:, columns], row[:, columns], is_hit[:, columns]
        found: dict[str, NDArray[Any]] = {"id": self.ids_[row], "row": row}
        if self.texts_ is not None:
            found["text"] = self.texts_[row]
        found["score"] = score
        if as_frame:
            frame = {"query": queries.repeat(is_hit.sum(axis=1))}
            frame |= {name: values[is_hit] for name, values in found.items()}
            return check_pandas_support("as_frame=True").DataFrame(frame)
        if not is_hit.all():
            score[~is_hit], row[~is_hit] = np.nan, -1
            for name in {"id", "text"} & set(found):
                found[name] = found[name].astype(object)
                found[name][~is_hit] = None
        return Bunch(query=queries, **found)

    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, return_distance: bool = True
    ) -> Any:
        """Find nearest neighbours, as scikit-learn's estimators do.

        Parameters
        ----------
        X : array-like of str of shape (n_queries,), or ndarray, default=None
            Texts or vectors. None asks for the neighbours of each text, without itself.
        n_neighbors : int, default=5
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            1 minus the cosine; only with `return_distance`.
        indices : ndarray of int of shape (n_queries, n_neighbors)
        """
        check_is_fitted(self)
        queries = None if X is None else self._embed_queries(X)[1]
        cosines, indices = self._nearest(queries, n_neighbors)
        return (1 - cosines, indices) if return_distance else indices

    def _embed_queries(self, queries: Any) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """Queries and their unit vectors."""
        if not _are_vectors(queries):
            queries = check_single_texts(queries, "queries")
            vectors = self._embed(queries)
        else:
            vectors = np.atleast_2d(np.asarray(queries))
            vectors = StoredVectors.given(vectors)[:]
            queries = np.arange(len(vectors))
        if vectors.shape[1] != self.vectors_.shape[1]:
            raise ValueError(
                f"Queries have {vectors.shape[1]} dimensions, and the vectors that are "
                f"searched {self.vectors_.shape[1]}: they are of different encoders."
            )
        return queries, vectors

    def _nearest(
        self, queries: NDArray[np.float32] | None, k: int, where: Any = None
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Cosines and rows of shape (n_queries, k); None are the texts themselves."""
        check_scalar(k, "k", Integral, min_val=1)
        is_own = queries is None
        stored: Any = self._vectors
        vectors: Any = stored if queries is None else queries
        if where is not None:
            allowed = np.flatnonzero(self._mask(where))
            k = min(k, len(allowed))
            _, found, cosines = nearest(vectors, ChosenRows(stored, allowed), k)
            rows = allowed[found]
        else:
            k = max(min(k, len(stored) - is_own), 0)
            if self.neighbors_ is not None and k and len(vectors):
                return self._nearest_of_index(vectors, k, is_own)
            _, rows, cosines = nearest(vectors, stored, k, skip_same=is_own)
        shape = len(vectors), k
        return cosines.reshape(shape), rows.reshape(shape)

    def _nearest_groups(
        self, vectors: NDArray[np.float32], k: int, where: Any, groups: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """The best hit of each of the `k` best groups; more hits are asked for."""
        check_scalar(k, "k", Integral, min_val=1)
        numbers = np.unique(column_or_1d(groups), return_inverse=True)[1]
        check_consistent_length(numbers, self.ids_)
        mask = np.ones(len(numbers), bool) if where is None else self._mask(where)
        n_texts, n_groups = int(mask.sum()), len(np.unique(numbers[mask]))
        k, n_asked = min(k, n_groups), k
        while True:
            score, row = self._nearest(vectors, max(n_asked, 1), where)
            order = np.argsort(numbers[row], axis=1, kind="stable")  # best hits first
            sorted_numbers = np.take_along_axis(numbers[row], order, axis=1)
            is_first = np.ones(row.shape, dtype=bool)
            is_first[:, 1:] = sorted_numbers[:, 1:] != sorted_numbers[:, :-1]
            is_best = np.empty(row.shape, dtype=bool)
            np.put_along_axis(is_best, order, is_first, axis=1)
            is_best &= is_best.cumsum(axis=1) <= k
            if (is_best.sum(axis=1) == k).all() or n_asked >= n_texts:
                shape = len(row), k
                return score[is_best].reshape(shape), row[is_best].reshape(shape)
            n_asked = min(4 * n_asked, n_texts)

    def _nearest_of_index(
        self, vectors: Any, k: int, is_own: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """The same of `neighbors_`, with exact cosines."""
        rows = self._rows_of_index(vectors[:], k + is_own)
        cosines: NDArray[np.float32] = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(rows), QUERIES):
            some = slice(start, start + QUERIES)
            found = self._vectors[rows[some].ravel()].reshape(*rows[some].shape, -1)
            np.einsum("qd,qkd->qk", vectors[some], found, out=cosines[some])
        np.clip(cosines, -1, 1, out=cosines)
        cosines[rows < 0] = -np.inf
        if is_own:
            cosines[rows == np.arange(len(rows))[:, np.newaxis]] = -np.inf
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
        return (
            np.take_along_axis(cosines, order, axis=1),
            np.take_along_axis(rows, order, axis=1),
        )

    def _rows_of_index(
        self, vectors: NDArray[np.float32], n_wanted: int
    ) -> NDArray[np.intp]:
        """At least `n_wanted` rows for each query; -1 are texts that were removed."""
        assert self.labels_ is not None
        n_asked = n_wanted
        while True:
            labels = self.neighbors_.kneighbors(vectors, n_asked, return_distance=False)
            rows = np.searchsorted(self.labels_, labels)
            rows[rows == len(self.labels_)] = -1
            rows[(rows < 0) | (self.labels_[rows] != labels)] = -1
            n_found = (rows >= 0).sum(axis=1).min(initial=n_wanted)
            if n_found >= n_wanted:
                return rows
            if len(self.labels_) == self.n_indexed_ or n_asked == self.n_indexed_:
                raise ValueError(
                    f"neighbors={self.neighbors!r} found fewer than {n_wanted} texts "
                    "for a query; ask for fewer, or set it to search longer."
                )
            n_asked = min(2 * n_asked, self.n_indexed_)

    def _mask(self, where: Any) -> NDArray[np.bool_]:
        """The texts that `where` allows."""
        if callable(where):
            where = where(self.ids_)
        elif hasattr(where, "reindex"):  # a Series
            are_ids = where.index.isin(self.ids_)
            is_default = getattr(where.index, "start", None) == 0
            if not where.index.is_unique or not are_ids.any():
                where = where.to_numpy()
            elif is_default and len(where) == len(self.ids_) and not are_ids.all():
                raise ValueError(
                    "where is a Series with the default index, some of which are ids "
                    "and some are not. Give it the ids as its index, or, to go by "
                    "positions, pass an array, as in where.to_numpy()."
                )
            else:
                where = where.reindex(self.ids_, fill_value=False)
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != self.ids_.shape:
            raise ValueError(
                f"where must give a bool for each of the {len(self.ids_)} texts: an "
                "array, a Series whose index are ids, or a function of the array of "
                f"ids; got shape {mask.shape} and dtype {mask.dtype}."
            )
        return mask


def _are_vectors(X: Any) -> bool:
    """Whether an array holds numbers."""
    return getattr(getattr(X, "dtype", None), "kind", "O") in "fiu"


def _texts_and_vectors(
    X: Any, vectors: Any
) -> tuple[NDArray[np.object_] | None, NDArray[Any] | None]:
    """Texts, if there are any, and vectors, if they were given."""
    texts = None
    if vectors is None and _are_vectors(X):
        vectors = X
    else:
        texts = check_single_texts(X)
    if vectors is None:
        return texts, None
    found: NDArray[Any] = np.asarray(vectors)
    if found.dtype not in (np.float16, np.float32):
        found = found.astype(np.float32)
    if found.ndim != 2 or (texts is not None and len(found) != len(texts)):
        wanted = "(n_texts, dim)" if texts is None else f"({len(texts)}, dim)"
        raise ValueError(f"vectors must have shape {wanted}; got {found.shape}.")
    return texts, found


def _check_ids(
    X: Any, ids: Any, n: int, before: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The ids of `n` new texts after those of `before`; see `SemanticSearch.fit`."""
    before = np.empty(0, dtype=np.int64) if before is None else before
    taken = set(before.tolist())
    index: Any = getattr(X, "index", None)
    new: list[Any] | None = None
    if ids is not None:
        new = _listed(ids)
    elif hasattr(index, "is_unique") and index.is_unique:
        new = index.tolist()
        if getattr(index, "start", None) == 0 and not taken.isdisjoint(new):
            new = None  # the index of a Series that was given none
    if new is None:
        if before.dtype == object and any(not isinstance(name, int) for name in taken):
            raise ValueError(
                "The texts have ids of your own: pass ids= of those added."
            )
        first = max(taken, default=-1) + 1
        new = list(range(first, first + n))
    if len(new) != n:
        raise ValueError(f"There are {len(new)} ids for {n} texts.")
    seen: set[Any] = set()
    for position, name in enumerate(new):
        if name in taken or name in seen:
            where = "is there already" if name in taken else "occurs twice"
            raise ValueError(f"ids[{position}] = {name!r} {where}; ids are distinct.")
        seen.add(name)
    if all(type(name) is int and abs(name) < 2**63 for name in new):
        added = np.array(new, dtype=np.int64)
    else:
        added = np.empty(n, dtype=object)
        added[:] = new
    if before.dtype == added.dtype:
        return np.concatenate([before, added])
    return np.concatenate([before.astype(object), added.astype(object)])


def _listed(ids: Any) -> list[Any]:
    """Ids as Python objects; a single id is a list of one."""
    if isinstance(ids, str) or (np.ndim(ids) == 0 and not isinstance(ids, Iterable)):
        ids = [ids]
    found = ids.tolist() if hasattr(ids, "tolist") else ids
    return [name.item() if isinstance(name, np.generic) else name for name in found]
