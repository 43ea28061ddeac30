"""Semantic search."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Bunch, check_scalar
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, check_pandas_support, fit_context
from skparaphrase.search._base import EncoderUser
from skparaphrase.search._nearest import QUERIES, nearest
from skparaphrase.text._check import check_single_texts


class SemanticSearch(EncoderUser):
    """Find the texts whose vectors have the largest cosine with that of a query.

    Parameters
    ----------
    encoder : transformer, default=None
        Maps texts to vectors. None is :func:`skparaphrase.load_pretrained`. A fitted
        encoder is used as it is; any other is cloned and fitted to the texts. Clones
        are not fitted: in a grid search, put a fitted encoder in a
        :class:`~sklearn.frozen.FrozenEstimator`.
    neighbors : estimator, default=None
        An unfitted estimator with `fit` and `kneighbors`, such as
        :class:`~sklearn.neighbors.NearestNeighbors` or an approximate index. It is
        fitted to unit vectors, for which Euclidean distance and cosine give the same
        order (but for texts without a known word, whose vectors are zero). None
        compares with all texts: exact, in blocks of bounded memory.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.
    texts_ : ndarray of shape (n_texts,), dtype object
    vectors_ : ndarray of shape (n_texts, dim), float32
        Unit vectors of the texts; zero for a text without a known word.
    neighbors_ : estimator
        The fitted `neighbors`; only if it is given.

    See Also
    --------
    ParaphraseMiner : The most similar pairs among many texts.
    skparaphrase.metrics.RetrievalScorer : How well an encoder ranks.

    Examples
    --------
    >>> from skparaphrase.search import SemanticSearch
    >>> texts = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
    >>> search = SemanticSearch().fit(texts)
    >>> hits = search.search("The package has not arrived.", k=2)
    >>> print(hits.text[0, 0])
    Where is my parcel?
    """

    texts_: NDArray[np.object_]
    vectors_: NDArray[np.float32]
    neighbors_: Any

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["fit", "transform"]), None],
        "neighbors": [HasMethods(["fit", "kneighbors"]), None],
    }

    def __init__(self, encoder: Any = None, neighbors: Any = None) -> None:
        self.encoder = encoder
        self.neighbors = neighbors

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the texts that are searched.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,)
        y : ignored

        Returns
        -------
        self : SemanticSearch
        """
        texts = check_single_texts(X)
        self._fit_encoder(texts)
        self._set_texts(texts, self._embed(texts))
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add texts. The encoder stays; `neighbors`, if given, is fitted again.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,)
        y : ignored

        Returns
        -------
        self : SemanticSearch
        """
        if not hasattr(self, "vectors_"):
            return self.fit(X)
        texts = check_single_texts(X)
        self._set_texts(
            np.concatenate([self.texts_, texts]),
            np.concatenate([self.vectors_, self._embed(texts)]),
        )
        return self

    def _set_texts(
        self, texts: NDArray[np.object_], vectors: NDArray[np.float32]
    ) -> None:
        self.texts_, self.vectors_ = texts, vectors
        if self.neighbors is not None:
            self.neighbors_ = clone(self.neighbors).fit(vectors)

    def search(self, queries: Any, k: int = 10, *, as_frame: bool = False) -> Any:
        """Find the most similar texts for each query.

        Parameters
        ----------
        queries : str or array-like of str of shape (n_queries,)
        k : int, default=10
            Number of texts for each query; all of them if there are fewer.
        as_frame : bool, default=False
            Return a pandas frame.

        Returns
        -------
        hits : Bunch or DataFrame
            The most similar text first; scores that differ only by rounding are in any
            order. A frame has a line for each hit and the columns `query`, `row`,
            `text` and `score`.
            The fields of a Bunch:

            - query : ndarray of shape (n_queries,), dtype object
            - row : ndarray of int of shape (n_queries, k), the position in `texts_`
            - text : ndarray of shape (n_queries, k), dtype object
            - score : ndarray of shape (n_queries, k), the cosine
        """
        queries = [queries] if isinstance(queries, str) else queries
        queries = check_single_texts(queries, "queries")
        score, row = self._nearest(queries, k)
        found = {"row": row, "text": self.texts_[row], "score": score}
        if not as_frame:
            return Bunch(query=queries, **found)
        columns = {name: values.ravel() for name, values in found.items()}
        columns = {"query": queries.repeat(row.shape[1]), **columns}
        return check_pandas_support("as_frame=True").DataFrame(columns)

    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, return_distance: bool = True
    ) -> Any:
        """Find nearest neighbours, as scikit-learn's estimators do.

        Parameters
        ----------
        X : array-like of str of shape (n_queries,), default=None
            None asks for the neighbours of each text, without itself.
        n_neighbors : int, default=5
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            1 minus the cosine; only with `return_distance`.
        indices : ndarray of int of shape (n_queries, n_neighbors)
        """
        queries = None if X is None else check_single_texts(X)
        cosines, indices = self._nearest(queries, n_neighbors)
        return (1 - cosines, indices) if return_distance else indices

    def _nearest(
        self, queries: NDArray[np.object_] | None, k: int
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Cosines and rows of shape (n_queries, k); None are the texts themselves."""
        check_is_fitted(self)
        check_scalar(k, "k", Integral, min_val=1)
        is_own = queries is None
        k = max(min(k, len(self.texts_) - is_own), 0)
        vectors = self.vectors_ if queries is None else self._embed(queries)
        if self.neighbors is None:
            _, rows, cosines = nearest(vectors, self.vectors_, k, skip_same=is_own)
            shape = len(vectors), k
            return cosines.reshape(shape), rows.reshape(shape)
        n_wanted = k + is_own
        rows = self.neighbors_.kneighbors(vectors, n_wanted, return_distance=False)
        if rows.shape[1] < n_wanted or (rows < 0).any():
            raise ValueError(
                f"neighbors={self.neighbors!r} found fewer than {n_wanted} texts for a "
                "query; ask for fewer, or set it to search longer."
            )
        cosines = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(rows), QUERIES):
            some = slice(start, start + QUERIES)
            found = self.vectors_[rows[some]]
            np.einsum("qd,qkd->qk", vectors[some], found, out=cosines[some])
        np.clip(cosines, -1, 1, out=cosines)
        if is_own:
            cosines[rows == np.arange(len(rows))[:, np.newaxis]] = -np.inf
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
        cosines, rows = (np.take_along_axis(a, order, axis=1) for a in (cosines, rows))
        return cosines, rows
