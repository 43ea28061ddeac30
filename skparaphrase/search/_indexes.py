"""An approximate index of another library, for search among millions of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import fit_context
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._lazy import import_for
from skparaphrase._math import UnitVectors
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Vectors

_TEXTS = 2**14  # that are added at a time


class FaissIndex(DocumentedOnline, BaseEstimator):
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

    index_: Any

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "factory": [str],
        "parameters": [str],
    }

    def __init__(
        self, factory: str = "HNSW32", *, parameters: str = "efSearch=64"
    ) -> None:
        self.factory = factory
        self.parameters = parameters

    @property
    def _index(self) -> Any:
        """The index of faiss."""
        check_is_fitted(self)
        index = self.index_  # which another thread may replace
        if isinstance(index, np.ndarray):  # as it was saved
            content = np.ascontiguousarray(index)
            index = self.index_ = _faiss().deserialize_index(content)
        return index

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # not the index's own
        if "index_" in state:
            state["index_"] = _faiss().serialize_index(self._index)
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
        self : FaissIndex
        """
        faiss, X = _faiss(), _contiguous(X)
        index = faiss.index_factory(X.shape[1], self.factory)
        if not index.is_trained:
            index.train(X)
        if self.parameters:
            faiss.ParameterSpace().set_index_parameters(index, self.parameters)
        with progress_bar(len(X), "Indexing") as update:
            for start in range(0, len(X), _TEXTS):
                index.add(X[start : start + _TEXTS])
                update(len(X[start : start + _TEXTS]))
        self.index_ = index
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
            As faiss computes them; only with `return_distance`.
        indices : ndarray of int of shape (n_queries, n_neighbors)
            In the order in which vectors were given; -1 where too few were found.
        """
        distances, indices = self._index.search(_contiguous(X), n_neighbors)
        return (distances, indices) if return_distance else indices


def _faiss() -> Any:
    return import_for("FaissIndex", "faiss", "faiss-cpu")


def _contiguous(X: Vectors) -> UnitVectors:
    return np.ascontiguousarray(X, dtype=np.float32)
