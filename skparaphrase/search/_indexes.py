"""Approximate indexes of other libraries, for search among millions of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tempfile
from importlib import import_module
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, fit_context
from skparaphrase._estimator import DocumentedOnline

__all__ = ["FaissIndex", "HnswlibIndex"]


class _Index(DocumentedOnline, BaseEstimator):
    """Base of indexes, which `save` stores as the bytes that their library writes."""

    index_: Any
    dim_: int
    n_indexed_: int

    @property
    def _index(self) -> Any:
        """The index of the library."""
        check_is_fitted(self)
        if isinstance(self.index_, np.ndarray):  # as it was saved
            self.index_ = self._from_bytes(self.index_)
        return self.index_

    def _attributes_to_save(self) -> dict[str, Any]:
        """The attributes, with an array in place of the index."""
        if not hasattr(self, "index_"):
            return {}
        return {**vars(self), "index_": self._to_bytes(self._index)}

    def _to_bytes(self, index: Any) -> NDArray[np.uint8]:
        raise NotImplementedError

    def _from_bytes(self, content: NDArray[np.uint8]) -> Any:
        raise NotImplementedError


class FaissIndex(_Index):
    """An index of faiss, for :class:`SemanticSearch`.

    Needs ``pip install faiss-cpu``.

    Parameters
    ----------
    factory : str, default="HNSW32"
        What `faiss.index_factory` makes: "HNSW32", a graph with 32 neighbours a text;
        "IVF1024,Flat", 1,024 clusters; "IVF1024,PQ32", clusters of compressed vectors;
        and others. Clusters are learnt from the texts of `fit`.
    parameters : str, default="efSearch=64"
        What makes a search longer and more exact, as faiss writes it: "efSearch=64" of
        a graph, "nprobe=16" of clusters. An empty string keeps the defaults of faiss.

    Attributes
    ----------
    index_ : faiss.Index
        Of a loaded search, the bytes of its file until it is used.

    See Also
    --------
    HnswlibIndex : A graph from which texts can be removed.

    Notes
    -----
    faiss itself reads a saved index, and does not promise to survive a file that was
    crafted to harm: load a search with an index only from a source that you trust.

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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the index.

        Parameters
        ----------
        X : ndarray of shape (n_texts, dim)
            Unit vectors.
        y : ignored

        Returns
        -------
        self : FaissIndex
        """
        faiss = import_module("faiss")
        X = _contiguous(X)
        self.index_ = faiss.index_factory(X.shape[1], self.factory)
        if not self.index_.is_trained:
            self.index_.train(X)
        if self.parameters:
            faiss.ParameterSpace().set_index_parameters(self.index_, self.parameters)
        self.index_.add(X)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add vectors.

        Parameters
        ----------
        X : ndarray of shape (n_texts, dim)
            Unit vectors.
        y : ignored

        Returns
        -------
        self : FaissIndex
        """
        self._index.add(_contiguous(X))
        return self

    def kneighbors(
        self, X: Any, n_neighbors: int = 5, return_distance: bool = True
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
            Squared Euclidean; only with `return_distance`.
        indices : ndarray of int of shape (n_queries, n_neighbors)
            In the order in which vectors were added; -1 where too few were found.
        """
        distances, indices = self._index.search(_contiguous(X), n_neighbors)
        return (distances, indices) if return_distance else indices

    def _to_bytes(self, index: Any) -> NDArray[np.uint8]:
        faiss = import_module("faiss")
        found: NDArray[np.uint8] = faiss.serialize_index(index)
        return found

    def _from_bytes(self, content: NDArray[np.uint8]) -> Any:
        faiss = import_module("faiss")
        return faiss.deserialize_index(np.ascontiguousarray(content))


class HnswlibIndex(_Index):
    """A graph of hnswlib, for :class:`SemanticSearch`; texts can be removed from it.

    Needs ``pip install hnswlib``, which compiles it.

    Parameters
    ----------
    M : int, default=16
        Neighbours of a text in the graph (twice as many in its lowest layer).
    ef_construction : int, default=200
        Candidates that are looked at when a text is added. More make a better graph.
    ef : int, default=64
        Candidates that are looked at in a search: more find more of the true
        neighbours. At least as many as neighbours are asked for.
    random_state : int, default=0
        The seed of the graph, which is only repeatable with one thread.

    Attributes
    ----------
    index_ : hnswlib.Index
        Of a loaded search, the bytes of its file until it is used.
    dim_ : int
        Length of the vectors.
    n_indexed_ : int
        Number of vectors, with those that were removed.

    See Also
    --------
    FaissIndex : Graphs, clusters and compressed vectors.

    Notes
    -----
    hnswlib itself reads a saved index, and does not promise to survive a file that was
    crafted to harm: load a search with an index only from a source that you trust.

    References
    ----------
    Y. Malkov, D. Yashunin, "Efficient and robust approximate nearest neighbor search
    using hierarchical navigable small world graphs", TPAMI 2020.

    Examples
    --------
    >>> from skparaphrase.search import HnswlibIndex, SemanticSearch
    >>> search = SemanticSearch(neighbors=HnswlibIndex(ef=128))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "M": [Interval(Integral, 2, None, closed="left")],
        "ef_construction": [Interval(Integral, 1, None, closed="left")],
        "ef": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        M: int = 16,
        *,
        ef_construction: int = 200,
        ef: int = 64,
        random_state: int = 0,
    ) -> None:
        self.M = M
        self.ef_construction = ef_construction
        self.ef = ef
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the index.

        Parameters
        ----------
        X : ndarray of shape (n_texts, dim)
            Unit vectors.
        y : ignored

        Returns
        -------
        self : HnswlibIndex
        """
        hnswlib = import_module("hnswlib")
        X = _contiguous(X)
        self.dim_, self.n_indexed_ = X.shape[1], 0
        self.index_ = hnswlib.Index("ip", self.dim_)
        self.index_.init_index(
            max(len(X), 1),
            M=self.M,
            ef_construction=self.ef_construction,
            random_seed=self.random_state,
        )
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add vectors.

        Parameters
        ----------
        X : ndarray of shape (n_texts, dim)
            Unit vectors.
        y : ignored

        Returns
        -------
        self : HnswlibIndex
        """
        X, index = _contiguous(X), self._index
        n_before = self.n_indexed_
        if n_before + len(X) > index.get_max_elements():
            index.resize_index(n_before + max(len(X), n_before // 8))
        if len(X):
            index.add_items(X, np.arange(n_before, n_before + len(X)))
        self.n_indexed_ += len(X)  # after all that may fail
        return self

    def remove(self, indices: Any) -> Self:
        """Leave out vectors of all searches; their numbers are not used again.

        Parameters
        ----------
        indices : array-like of int

        Returns
        -------
        self : HnswlibIndex
        """
        for index in np.asarray(indices).tolist():
            self._index.mark_deleted(index)
        return self

    def kneighbors(
        self, X: Any, n_neighbors: int = 5, return_distance: bool = True
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
            1 minus the product; only with `return_distance`.
        indices : ndarray of int of shape (n_queries, n_neighbors)
            In the order in which vectors were added.

        Raises
        ------
        RuntimeError
            If the graph leads to fewer vectors: set `ef` or `M` higher.
        """
        index = self._index
        index.set_ef(max(self.ef, n_neighbors))
        indices, distances = index.knn_query(_contiguous(X), k=n_neighbors)
        indices = indices.astype(np.intp)
        return (distances, indices) if return_distance else indices

    def _to_bytes(self, index: Any) -> NDArray[np.uint8]:
        with tempfile.TemporaryDirectory() as folder:
            index.save_index(f"{folder}/index")
            return np.fromfile(f"{folder}/index", dtype=np.uint8)

    def _from_bytes(self, content: NDArray[np.uint8]) -> Any:
        hnswlib = import_module("hnswlib")
        found = hnswlib.Index("ip", self.dim_)
        with tempfile.TemporaryDirectory() as folder:
            content.tofile(f"{folder}/index")
            found.load_index(f"{folder}/index")
        return found


def _contiguous(X: Any) -> NDArray[np.float32]:
    return np.ascontiguousarray(X, dtype=np.float32)
