"""Approximate indexes of other libraries, for search among millions of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, fit_context
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._lazy import import_for
from skparaphrase._math import UnitVectors
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Indices, Vectors

_TEXTS = 2**14  # that are added at a time

Neighbours = tuple[NDArray[np.floating], Indices]  # distances and indices


class _Index(DocumentedOnline, BaseEstimator):
    """Base of indexes, which are saved and pickled as the bytes of their library."""

    index_: Any
    _make_index: Callable[[UnitVectors], Any]
    _add: Callable[[UnitVectors], None]
    _search: Callable[[UnitVectors, int], Neighbours]
    _to_bytes: Callable[[], NDArray[np.uint8]]
    _from_bytes: Callable[[NDArray[np.uint8]], Any]

    @property
    def _index(self) -> Any:
        """The index of the library."""
        check_is_fitted(self)
        index = self.index_  # which another thread may replace
        if isinstance(index, np.ndarray):  # as it was saved
            index = self.index_ = self._from_bytes(index)
        return index

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # not the index's own
        if "index_" in state:
            state["index_"] = self._to_bytes()
        return state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Vectors, y: object = None) -> Self:
        """Build the index.

        Parameters
        ----------
        X : ndarray of shape (n_texts, dim)
            Unit vectors.
        y : ignored

        Returns
        -------
        self : estimator
        """
        self.index_ = self._make_index(_contiguous(X))
        return self.partial_fit(X)

    def partial_fit(self, X: Vectors, y: object = None) -> Self:
        """Add vectors.

        Parameters
        ----------
        X, y
            As in :meth:`fit`.

        Returns
        -------
        self : estimator
        """
        X = _contiguous(X)
        with progress_bar(len(X), "Indexing") as update:
            for start in range(0, len(X), _TEXTS):
                self._add(X[start : start + _TEXTS])
                update(len(X[start : start + _TEXTS]))
        return self

    def kneighbors(
        self, X: Vectors, n_neighbors: int = 5, return_distance: bool = True
    ) -> Any:
        """Find nearest neighbours.

        Parameters
        ----------
        X : ndarray of shape (n_queries, dim)
        n_neighbors : int, default=5
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            As the library computes them; only with `return_distance`.
        indices : ndarray of int of shape (n_queries, n_neighbors)
            In the order in which vectors were added; -1 where too few were found.
        """
        distances, indices = self._search(_contiguous(X), n_neighbors)
        return (distances, indices) if return_distance else indices


class FaissIndex(_Index):
    """An index of faiss, for :class:`SemanticSearch`.

    Needs ``pip install faiss-cpu``.

    Parameters
    ----------
    factory : str, default="HNSW32"
        The index that `faiss.index_factory` makes: "HNSW32" is a graph with 32
        neighbours a text, "IVF1024,Flat" are 1,024 clusters, "IVF1024,PQ32" clusters
        of compressed vectors. Clusters are learnt from the texts of `fit`.
    parameters : str, default="efSearch=64"
        Search parameters of faiss, such as "efSearch=64" for a graph and "nprobe=16"
        for clusters: larger values search longer and more exactly. An empty string
        keeps the defaults of faiss.

    Attributes
    ----------
    index_ : faiss.Index
        After loading, the bytes of its file until the index is used.

    Notes
    -----
    faiss itself reads a saved index, and may not be safe against malicious files:
    :func:`skparaphrase.load` asks for `trusted=True`.

    Examples
    --------
    >>> from skparaphrase.search import FaissIndex, SemanticSearch
    >>> search = SemanticSearch(neighbors=FaissIndex(parameters="efSearch=128"))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "factory": [str],
        "parameters": [str],
    }

    def __init__(
        self, factory: str = "HNSW32", *, parameters: str = "efSearch=64"
    ) -> None:
        self.factory = factory
        self.parameters = parameters

    def _make_index(self, X: UnitVectors) -> Any:
        faiss = import_for("FaissIndex", "faiss", "faiss-cpu")
        index = faiss.index_factory(X.shape[1], self.factory)
        if not index.is_trained:
            index.train(X)
        if self.parameters:
            faiss.ParameterSpace().set_index_parameters(index, self.parameters)
        return index

    def _add(self, X: UnitVectors) -> None:
        self._index.add(X)

    def _search(self, X: UnitVectors, k: int) -> Neighbours:
        return self._index.search(X, k)

    def _to_bytes(self) -> NDArray[np.uint8]:
        return import_for("FaissIndex", "faiss", "faiss-cpu").serialize_index(
            self._index
        )

    def _from_bytes(self, content: NDArray[np.uint8]) -> Any:
        faiss = import_for("FaissIndex", "faiss", "faiss-cpu")
        return faiss.deserialize_index(np.ascontiguousarray(content))


class UsearchIndex(_Index):
    """A graph of usearch, for :class:`SemanticSearch`.

    Needs ``pip install usearch``.

    Parameters
    ----------
    connectivity : int, default=16
        Neighbours of a text in the graph.
    expansion_add : int, default=128
        Number of candidates when a text is added. More make a better graph.
    expansion_search : int, default=64
        Number of candidates in a search. More find more of the true neighbours.

    Attributes
    ----------
    index_ : usearch.index.Index
        After loading, the bytes of its file until the index is used.

    Notes
    -----
    usearch itself reads a saved index, and may not be safe against malicious files:
    :func:`skparaphrase.load` asks for `trusted=True`.

    Examples
    --------
    >>> from skparaphrase.search import SemanticSearch, UsearchIndex
    >>> search = SemanticSearch(neighbors=UsearchIndex(expansion_search=128))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "connectivity": [Interval(Integral, 2, None, closed="left")],
        "expansion_add": [Interval(Integral, 1, None, closed="left")],
        "expansion_search": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        connectivity: int = 16,
        expansion_add: int = 128,
        expansion_search: int = 64,
    ) -> None:
        self.connectivity = connectivity
        self.expansion_add = expansion_add
        self.expansion_search = expansion_search

    def _make_index(self, X: UnitVectors) -> Any:
        return import_for("UsearchIndex", "usearch.index", "usearch").Index(
            ndim=X.shape[1],
            metric="ip",
            dtype="f32",
            connectivity=self.connectivity,
            expansion_add=self.expansion_add,
        )

    def _add(self, X: UnitVectors) -> None:
        start = len(self._index)
        self._index.add(np.arange(start, start + len(X)), X)

    def _search(self, X: UnitVectors, k: int) -> Neighbours:
        self._index.expansion_search = self.expansion_search
        matches = self._index.search(X, k)
        indices = matches.keys.astype(np.intp).reshape(len(X), -1)
        distances = matches.distances.reshape(indices.shape)
        counts = np.reshape(getattr(matches, "counts", indices.shape[1]), (-1, 1))
        is_missing = np.arange(indices.shape[1]) >= counts
        indices[is_missing] = -1
        return np.where(is_missing, np.inf, distances), indices

    def _to_bytes(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._index.save(), dtype=np.uint8)

    def _from_bytes(self, content: NDArray[np.uint8]) -> Any:
        usearch = import_for("UsearchIndex", "usearch.index", "usearch")
        return usearch.Index.restore(content.tobytes())


def _contiguous(X: Vectors) -> UnitVectors:
    return np.ascontiguousarray(X, dtype=np.float32)
