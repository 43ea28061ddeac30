"""An approximate faiss index, as in the user guide (`search.rst`)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

from sklearn.base import BaseEstimator


class FaissIndex(BaseEstimator):
    """An index made by `faiss.index_factory`."""

    def __init__(
        self, factory: str = "HNSW32", parameters: str = "efSearch=64"
    ) -> None:
        self.factory = factory
        self.parameters = parameters

    def fit(self, X: Any, y: object = None) -> Self:
        import faiss

        self.index_ = faiss.index_factory(X.shape[1], self.factory)
        faiss.ParameterSpace().set_index_parameters(self.index_, self.parameters)
        self.index_.train(X)
        self.index_.add(X)
        return self

    def kneighbors(
        self, X: Any, n_neighbors: int = 5, return_distance: bool = True
    ) -> Any:
        distances, rows = self.index_.search(X, n_neighbors)
        return (distances, rows) if return_distance else rows
