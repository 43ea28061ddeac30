"""Scores on a scale, which are learnt as distributions over its levels."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d

from skparaphrase.supervision._targets import Samples, Targets

_MAX_STEPS = 1000  # more levels are hardly a scale of ratings


class Scores(Targets):
    """Scores on a scale, whose evenly spaced levels are the outputs."""

    attribute = "levels_"
    default_loss = "divergence"

    @staticmethod
    def read(y: Any, texts: Any = None) -> NDArray[np.float64]:
        """Scores as a vector of finite numbers."""
        scores = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        found: NDArray[np.float64] = column_or_1d(scores, warn=True)
        return found

    @classmethod
    def fit(cls, samples: Samples, settings: Any) -> Self:
        """The levels of a scale, which the parameters or the scores determine.

        Raises
        ------
        ValueError
            If the range is empty, is not a whole number of steps, or excludes scores.
        """
        scores, n_levels = samples.targets, settings.n_levels
        if settings.score_range is None:
            low, high = np.floor(scores.min()), np.ceil(scores.max())
            if low == high:
                raise ValueError(
                    f"All scores are {low:g}: pass score_range=(lowest, highest) of "
                    "the scale."
                )
        else:
            low, high = _check_range(settings.score_range)
            _check_in_range(scores, low, high)
        if n_levels is None:
            n_steps = round(high - low)
            if not np.isclose(high - low, n_steps, rtol=0, atol=1e-9) or n_steps == 0:
                raise ValueError(
                    f"score_range=({low:g}, {high:g}) is not a whole number of steps "
                    "of 1; set n_levels."
                )
            if n_steps > _MAX_STEPS:
                raise ValueError(
                    f"The scores range from {low:g} to {high:g}, which would take "
                    f"{n_steps + 1} outputs: set n_levels."
                )
            n_levels = n_steps + 1
        return cls(np.linspace(low, high, n_levels))

    def check(self, samples: Samples) -> None:
        """Raise if a score is outside of the scale."""
        _check_in_range(samples.targets, self.outputs[0], self.outputs[-1])

    def distributions(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distributions over levels whose expectation is the score.

        Tai et al. (2015), equation 16: the score is interpolated linearly between the
        two levels next to it.
        """
        levels = self.outputs
        position = (targets - levels[0]) / (levels[1] - levels[0])
        below = np.minimum(np.floor(position).astype(np.intp), len(levels) - 2)
        found = np.zeros((len(targets), len(levels)))
        rows = np.arange(len(targets))
        found[rows, below + 1] = position - below
        found[rows, below] = 1 - found[rows, below + 1]
        return found

    def decode(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected level."""
        found = probabilities @ self.outputs
        return np.clip(found, self.outputs[0], self.outputs[-1])


def _check_in_range(scores: NDArray[np.float64], low: float, high: float) -> None:
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
