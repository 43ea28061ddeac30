"""Scores on a scale, which are learnt as distributions over its levels."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d

from skparaphrase.supervision._targets import Samples, Targets

_MAX_STEPS = 1000  # more levels are hardly a scale of ratings


class Scores(Targets):
    """Scores on a scale, whose evenly spaced levels are the outputs."""

    attribute = "levels_"
    default_loss, metric = "divergence", "Pearson's r"

    @staticmethod
    def read(y: ArrayLike, texts: object = None) -> NDArray[np.float64]:
        """Scores as a vector of finite numbers."""
        scores = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        column: NDArray[np.float64] = column_or_1d(scores, warn=True)
        return column

    @classmethod
    def fit(cls, samples: Samples, levels: ArrayLike | None = None) -> Self:
        """The levels of the scale; None: the integers around the scores.

        Raises
        ------
        ValueError
            If levels are not evenly spaced, or exclude scores.
        """
        scores = samples.targets
        if levels is not None:
            scale = cls(_check_levels(levels))
            scale.check(samples)
            return scale
        low, high = np.floor(scores.min()), np.ceil(scores.max())
        if low == high:
            raise ValueError(
                f"All scores are {low:g}: pass the levels of the scale, such as "
                "levels=range(6)."
            )
        if high - low > _MAX_STEPS:
            raise ValueError(
                f"The scores range from {low:g} to {high:g}, which would take "
                f"{high - low + 1:g} outputs: pass fewer levels, such as "
                f"levels=np.linspace({low:g}, {high:g}, 11)."
            )
        return cls(np.arange(low, high + 1))

    def check(self, samples: Samples) -> None:
        """Raise if a score is outside of the scale."""
        scores, low, high = samples.targets, self.outputs[0], self.outputs[-1]
        outside = np.flatnonzero((scores < low) | (scores > high))
        if len(outside):
            raise ValueError(
                f"{len(outside)} of {len(scores)} scores are outside of the levels, "
                f"{low:g} to {high:g}; the first is {scores[outside[0]]:g} at index "
                f"{outside[0]}."
            )

    def distributions(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distributions over levels whose expectation is the score.

        Tai et al. (2015), equation 16: the score is interpolated linearly between the
        two levels next to it.
        """
        levels = self.outputs
        position = (targets - levels[0]) / (levels[1] - levels[0])
        below = np.minimum(np.floor(position).astype(np.intp), len(levels) - 2)
        shares = np.zeros((len(targets), len(levels)))
        rows = np.arange(len(targets))
        shares[rows, below + 1] = position - below
        shares[rows, below] = 1 - shares[rows, below + 1]
        return shares

    def decode(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected level."""
        scores = probabilities @ self.outputs
        return np.clip(scores, self.outputs[0], self.outputs[-1])


def _check_levels(levels: ArrayLike) -> NDArray[np.float64]:
    """The levels as a vector; raise unless they rise in equal steps."""
    vector = np.asarray(levels, dtype=np.float64)
    if vector.ndim == 1 and len(vector) > 1 and np.isfinite(vector).all():
        even = np.linspace(vector[0], vector[-1], len(vector))
        if vector[0] < vector[-1] and np.allclose(vector, even, rtol=0, atol=1e-9):
            return even
    raise ValueError(
        "levels must be at least two evenly spaced, increasing scores, such as "
        f"range(1, 6); got {levels!r}."
    )
