"""Similarity of the two vectors of a pair, as the last step of a pipeline."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags, check_array, check_consistent_length, column_or_1d

from skparaphrase._compat import StrOptions, fit_context
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._math import cosine, dot
from skparaphrase._output import check_pair_vectors
from skparaphrase.metrics import pearson_score

_METRICS: dict[str, Callable[..., NDArray[np.floating]]] = {
    "cosine": cosine,
    "dot": dot,
    "euclidean": lambda first, second: -np.linalg.norm(first - second, axis=-1),
    "manhattan": lambda first, second: -np.abs(first - second).sum(axis=-1),
}


class PairSimilarity(RegressorMixin, DocumentedOnline, BaseEstimator):
    """Predict the similarity of each pair from its two vectors.

    Use it as the last step of a pipeline that maps pairs of texts to scores. Nothing is
    learnt: `fit` only checks the vectors, and `predict` and `score` work without it.

    Parameters
    ----------
    metric : {"cosine", "dot", "euclidean", "manhattan"}, default="cosine"
        Distances are negated, so that higher is more similar. The cosine with a zero
        vector is 0.

    Attributes
    ----------
    n_features_in_ : int
        Length of the vectors; only after `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.pairs import PairSimilarity
    >>> vectors = np.array([[[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]])
    >>> PairSimilarity().predict(vectors).round(2)
    array([0.71, 0.  ])
    """

    n_features_in_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "metric": [StrOptions(set(_METRICS))]
    }

    def __init__(self, metric: str = "cosine") -> None:
        self.metric = metric

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Check the vectors.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, d)
        y : array-like of shape (n_pairs,), default=None
            Only checked.

        Returns
        -------
        self : PairSimilarity
        """
        vectors = check_pair_vectors(X, self, reset=True)
        if y is not None:
            y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
            check_consistent_length(vectors, column_or_1d(y, warn=True))
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.floating]:
        """Compute the similarity of each pair.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, d)

        Returns
        -------
        similarities : ndarray of shape (n_pairs,)
        """
        self._validate_params()
        vectors = check_pair_vectors(X, self, reset=False)
        return _METRICS[self.metric](vectors[:, 0], vectors[:, 1])

    def score(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Compute Pearson's correlation of the similarities with graded scores.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, d)
        y : array-like of shape (n_pairs,)
            Graded similarity of each pair.
        sample_weight : array-like of shape (n_pairs,), default=None

        Returns
        -------
        r : float
        """
        return pearson_score(y, self.predict(X), sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        tags.regressor_tags.poor_score = True
        return tags
