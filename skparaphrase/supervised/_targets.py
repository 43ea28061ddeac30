"""Scores and labels as distributions over the outputs of a softmax."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d

_MAX_STEPS = 1000  # a scale with more whole numbers is no scale of ratings
EPSILON = 1e-6  # added to every class, as in the code of Wieting et al. (2016)


def sparse_targets(
    scores: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distributions over levels whose expectation is the score.

    Tai et al. (2015), equation 16: a score between two levels gives each of them the
    share that its distance from the other says; a score on a level is all that level.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        From the lowest to the highest level.
    levels : ndarray of shape (n_levels,)
        Rising, evenly spaced.

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


def one_hot(codes: NDArray[np.integer], n_classes: int) -> NDArray[np.float64]:
    """Ones at the classes, shape (n_samples, n_classes)."""
    return np.eye(n_classes)[codes]


def softened(targets: NDArray[np.float64]) -> NDArray[np.float32]:
    """Targets as the papers' code has them: a little of every class, not normed."""
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
    """The scores that the outputs of the softmax stand for.

    Raises
    ------
    ValueError
        For a range that is empty, has no whole number of levels, or leaves scores out.
    """
    if score_range is None:
        low, high = np.floor(scores.min()), np.ceil(scores.max())
        if low == high:
            raise ValueError(
                f"All scores are {low:g}: give score_range=(lowest, highest) of the "
                "scale."
            )
    else:
        low, high = _check_range(score_range)
        check_in_range(scores, low, high)
    if n_levels is None:
        n_steps = round(high - low)
        if not np.isclose(high - low, n_steps, rtol=0, atol=1e-9) or n_steps == 0:
            raise ValueError(
                f"score_range=({low:g}, {high:g}) holds no whole number of steps of 1; "
                "say with n_levels how many levels it has."
            )
        if n_steps > _MAX_STEPS:
            raise ValueError(
                f"The scores range from {low:g} to {high:g}, which asks for "
                f"{n_steps + 1} outputs: say with n_levels how many there shall be."
            )
        n_levels = n_steps + 1
    return np.linspace(low, high, n_levels)


def check_in_range(scores: NDArray[np.float64], low: float, high: float) -> None:
    """Raise for a score outside of the range; the message has its index."""
    outside = np.flatnonzero((scores < low) | (scores > high))
    if len(outside):
        raise ValueError(
            f"{len(outside)} of {len(scores)} scores lie outside of score_range="
            f"({low:g}, {high:g}), the first, {scores[outside[0]]:g}, at index "
            f"{outside[0]}: the levels beyond would have no output."
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
            f"score_range must be (lowest, highest), finite and rising; got "
            f"{score_range!r}."
        )
    return low, high
