"""Pairs of texts that mean the same, with or without a hard negative."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from skparaphrase._typing import Encoder
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.supervision._examples import (
    Examples,
    Names,
    Rows,
    Shape,
    Weights,
)
from skparaphrase.supervision._graded import read_scores


class Paraphrases(Examples):
    """Paraphrase pairs; where `y` is given, it marks them with 1 and others with 0."""

    name, noun, default_loss = "pairs", "paraphrases", "infonce"
    metric = "mean reciprocal rank"

    @classmethod
    def matches(cls, shape: Shape, y: ArrayLike | None, names: Names) -> bool:
        """For pairs, and where there are no examples."""
        return True

    @classmethod
    def check(cls, rows: Rows, y: ArrayLike | None, weights: Weights) -> Self:
        """The pairs that `y` marks, or all."""
        if y is None or not len(rows):
            return cls(rows, weights=weights)
        marks = read_scores(y)
        check_consistent_length(rows, marks)
        return cls(rows, weights=weights).take(np.flatnonzero(marks))

    def validate(self, encoder: Encoder, train: Self) -> Any:
        """Mean reciprocal rank of the paraphrase, with hard negatives among others."""
        return RetrievalScorer()(encoder, self.rows)


class Triplets(Paraphrases):
    """Texts, paraphrases of them, and hard negatives."""

    name = noun = "triplets"

    @classmethod
    def matches(cls, shape: Shape, y: ArrayLike | None, names: Names) -> bool:
        """For rows of three texts."""
        return shape[1:] == (3,)

    @classmethod
    def check(cls, rows: Rows, y: ArrayLike | None, weights: Weights) -> Self:
        """The triplets, which have no `y`."""
        if y is not None:
            raise ValueError("X has triplets, shape (n_triplets, 3): leave out y.")
        return cls(rows, weights=weights)
