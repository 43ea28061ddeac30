"""Types of arguments that are used by several packages."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from os import PathLike
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Texts of any shape: nested lists, arrays, frames and series of pandas and polars,
#: columns and tables of pyarrow, columns of `datasets`.
Texts = ArrayLike

#: Vectors; the last axis has the length d of a vector.
Vectors = NDArray[np.floating]

#: Positions of rows.
Indices = NDArray[np.intp]

#: Arrays by name: the fitted state of models, and the results of trainers.
Arrays = dict[str, NDArray[Any]]

FilePath = str | PathLike[str]

#: Scores a fitted estimator, such as `STSScorer`; higher is better.
Scorer = Callable[[Any], float | dict[str, float]]


class Encoder(Protocol):
    """Maps texts of shape S to vectors of shape S + (d,): an encoder or pipeline."""

    def transform(self, X: Texts, /) -> Any:
        """Vectors of texts: an array or a frame."""


class Predictor(Protocol):
    """Predicts the target of samples, such as the similarity of pairs."""

    def predict(self, X: ArrayLike, /) -> Any:
        """One value for each sample."""


class Index(Protocol):
    """Finds the nearest neighbours of vectors; `partial_fit` to add is optional."""

    def fit(self, X: Vectors, /) -> Any:
        """Index vectors of shape (n, d)."""

    def kneighbors(self, X: Vectors, n_neighbors: int, return_distance: bool) -> Any:
        """Rows of the neighbours, shape (n_queries, n_neighbors)."""


@runtime_checkable
class Searcher(Protocol):
    """A fitted search, such as `SemanticSearch`."""

    def search(self, queries: Texts, k: int) -> Any:
        """Hits by column, each of shape (n_queries, k), the best first."""
