"""Scores on a scale: what the models share that predict the expected level."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from skparaphrase.metrics import pearson_score
from skparaphrase.supervised._targets import (
    check_in_range,
    check_levels,
    check_scores,
)


class GradedScores(RegressorMixin):
    """Base of regressors whose softmax stands for the levels of a scale.

    A subclass predicts.
    """

    score_range: tuple[float, float] | None
    n_levels: int | None

    levels_: NDArray[np.float64]

    predict: Any

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Pearson's correlation of predictions with graded scores.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        y : array-like of shape (n_pairs,)

        sample_weight : array-like of shape (n_pairs,), default=None

        Returns
        -------
        r : float
        """
        return pearson_score(y, self.predict(X), sample_weight=sample_weight)

    def _expected(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expectations of the level."""
        found = probabilities @ self.levels_
        return np.clip(found, self.levels_[0], self.levels_[-1])

    def _check_targets(self, y: Any, *, reset: bool) -> NDArray[np.float64]:
        scores = check_scores(y)
        if reset:
            self.levels_ = check_levels(scores, self.score_range, self.n_levels)
        else:
            check_in_range(scores, self.levels_[0], self.levels_[-1])
        return scores

    def _check_held_out(self, y: Any) -> NDArray[np.float64]:
        return check_scores(y)

    @property
    def _n_outputs(self) -> int:
        return len(self.levels_)
