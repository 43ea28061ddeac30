"""Scores on a scale: their levels, and distributions over them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import check_array, column_or_1d

from skparaphrase.metrics import pearson_score

_MAX_STEPS = 1000  # more levels are hardly a scale of ratings
EPSILON = 1e-6  # added to every class, as in the code of Wieting et al. (2016)


class GradedScores(RegressorMixin):
    """Regressors whose softmax represents the levels of a scale.

    A subclass predicts.
    """

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Pearson correlation of predictions with graded scores.

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
        """The expected level."""
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


def sparse_targets(
    scores: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distributions over levels whose expectation is the score.

    Tai et al. (2015), equation 16: the score is interpolated linearly between the two
    levels next to it.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        From the lowest to the highest level.
    levels : ndarray of shape (n_levels,)
        Increasing, evenly spaced.

    Returns
    -------
    targets : ndarray of shape (n_samples, n_levels)
    """
    position = (scores - levels[0]) / (levels[1] - levels[0])
    below = np.minimum(np.floor(position).astype(np.intp), len(levels) - 2)
    targets = np.zeros((len(scores), len(levels)))
    rows = np.arange(len(scores))
    targets[rows, below + 1] = position - below
    targets[rows, below] = 1 - targets[rows, below + 1]
    return targets


def smooth_targets(targets: NDArray[np.float64]) -> NDArray[np.float32]:
    """Add a small constant to every class, without normalising, as the papers' code."""
    return (targets + EPSILON).astype(np.float32)


def check_scores(y: Any) -> NDArray[np.float64]:
    """Scores as a vector of finite numbers."""
    scores: NDArray[np.float64] = column_or_1d(
        check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"), warn=True
    )
    return scores


def check_levels(
    scores: NDArray[np.float64],
    score_range: tuple[float, float] | None,
    n_levels: int | None,
) -> NDArray[np.float64]:
    """The scores that the outputs of the softmax represent.

    Raises
    ------
    ValueError
        If the range is empty, is not a whole number of steps, or excludes scores.
    """
    if score_range is None:
        low, high = np.floor(scores.min()), np.ceil(scores.max())
        if low == high:
            raise ValueError(
                f"All scores are {low:g}: pass score_range=(lowest, highest) of the "
                "scale."
            )
    else:
        low, high = _check_range(score_range)
        check_in_range(scores, low, high)
    if n_levels is None:
        n_steps = round(high - low)
        if not np.isclose(high - low, n_steps, rtol=0, atol=1e-9) or n_steps == 0:
            raise ValueError(
                f"score_range=({low:g}, {high:g}) is not a whole number of steps of 1; "
                "set n_levels."
            )
        if n_steps > _MAX_STEPS:
            raise ValueError(
                f"The scores range from {low:g} to {high:g}, which would take "
                f"{n_steps + 1} outputs: set n_levels."
            )
        n_levels = n_steps + 1
    return np.linspace(low, high, n_levels)


def check_in_range(scores: NDArray[np.float64], low: float, high: float) -> None:
    """Raise if a score is outside of the range."""
    outside = np.flatnonzero((scores < low) | (scores > high))
    if len(outside):
        raise ValueError(
            f"{len(outside)} of {len(scores)} scores are outside of score_range="
            f"({low:g}, {high:g}); the first is {scores[outside[0]]:g} at index "
            f"{outside[0]}."
        )


def _check_range(score_range: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(bound) for bound in score_range)
    except (TypeError, ValueError):
        raise ValueError(
            f"score_range must be (lowest, highest); got {score_range!r}."
        ) from None
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(
            f"score_range must be (lowest, highest), finite and increasing; got "
            f"{score_range!r}."
        )
    return low, high
