"""Pairs of texts with graded scores."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase._typing import Encoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.supervision._examples import (
    Arranged,
    Axes,
    Examples,
    Names,
    Rows,
    Shape,
    Weights,
)
from skparaphrase.text import TokenBatch


class GradedPairs(Examples):
    """Pairs whose order by similarity is learnt."""

    name, noun, default_loss = "scores", "graded pairs", "cosent"
    metric = "Pearson's r"

    @classmethod
    def matches(cls, shape: Shape, y: ArrayLike | None, names: Names) -> bool:
        """For pairs with other targets than 0 and 1, or if only the order is learnt."""
        if y is None or shape[1:] != (2,) or not shape[0]:
            return False
        scores = read_scores(y)
        if "pairs" in names and np.isin(scores, (0, 1)).all():
            return False
        if "scores" not in names and len(scores) == shape[0]:
            raise ValueError(
                f"y contains scores between {scores.min():g} and {scores.max():g}. Set "
                "loss='cosent' (or 'auto') to learn their order, or mark paraphrases, "
                "such as y >= 4."
            )
        return True

    @classmethod
    def check(cls, rows: Rows, y: ArrayLike | None, weights: Weights) -> Self:
        """The pairs with their scores, of which two differ."""
        scores = read_scores(y)
        check_consistent_length(rows, scores)
        if scores.min() == scores.max():
            raise ValueError(
                f"All scores are {scores.min():g}: there is no order to learn."
            )
        return cls(rows, scores, weights)

    def validate(self, encoder: Encoder, train: Self) -> Any:
        """Pearson's r of the cosines with the scores."""
        return pearson_scorer(encoder, self.rows, self.targets)

    def arrange(self, batch: TokenBatch, rng: RandomState, axes: Axes) -> Arranged:
        """Pairs with their scores, or ranks if single precision merges scores."""
        scores = self.targets.astype(np.float32)
        distinct, ranks = np.unique(self.targets, return_inverse=True)
        if len(np.unique(scores)) < len(distinct):  # such as times in seconds
            scores = ranks.astype(np.float32)
        weights = self.normalized_weights
        return Arranged(batch, self.indices, scores=scores, weights=weights)


def read_scores(y: ArrayLike | None) -> NDArray[np.float64]:
    """Scores, or marks of paraphrases, as a vector of finite numbers."""
    labels = np.asarray(y)
    if labels.dtype.kind in "UTO" and any(isinstance(y_i, str) for y_i in labels.flat):
        raise ValueError(
            "y contains str; mark paraphrases with booleans, such as y == 'entailment'."
        )
    scores: NDArray[np.float64] = column_or_1d(
        check_array(
            y, ensure_2d=False, dtype=np.float64, input_name="y", ensure_min_samples=0
        )
    )
    if np.isin(scores, (-1, 1)).all() and -1 in scores:
        raise ValueError(
            "y contains -1 and 1; mark paraphrases with 1 and other pairs with 0, such "
            "as y > 0."
        )
    return scores
