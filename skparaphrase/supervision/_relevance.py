"""Right and wrong answers to questions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupShuffleSplit

from skparaphrase.metrics import check_relevance, query_codes, split_queries
from skparaphrase.supervision._targets import Parts, Samples, Targets


class Relevance(Targets):
    """Wrong and right answers to questions: columns of relevance and of the question.

    A question is a number; without a second column in `y`, its text identifies it.
    """

    default_loss, metric = "hinge", "mean reciprocal rank"

    @staticmethod
    def read(y: ArrayLike, texts: NDArray[np.object_]) -> NDArray[np.intp]:
        """Relevance, 0 or 1, and numbers of the questions."""
        relevance, queries = split_queries(y)
        right = check_relevance(relevance).astype(np.intp)
        queries = texts[:, 0] if queries is None else queries
        return np.column_stack([right, query_codes(queries)])

    @classmethod
    def fit(cls, samples: Samples, levels: ArrayLike | None = None) -> Self:
        """Raise unless there are right and wrong answers to train on."""
        relevance = samples.with_weight().targets[:, 0]
        if len(np.unique(relevance)) < 2:
            raise ValueError(
                f"Both right and wrong answers are needed to learn from; all "
                f"{len(relevance)} are {'right' if relevance[0] else 'wrong'}."
            )
        return cls(np.arange(2))

    def check_validation(self, samples: Samples) -> None:
        """Raise if there are weights, or if every epoch would score 0."""
        if samples.weights is not None:
            raise ValueError(
                "The mean reciprocal rank takes no weights: sample_weight_val must be "
                "None."
            )
        if not samples.targets[:, 0].any():
            raise ValueError(
                f"None of the {len(samples)} validation answers is right: there is no "
                "reciprocal rank to select an epoch by."
            )

    def distributions(self, targets: NDArray[np.intp]) -> NDArray[np.float64]:
        """One-hot rows."""
        return np.eye(2)[targets[:, 0]]

    def decode(self, probabilities: NDArray[Any]) -> NDArray[np.intp]:
        """1 where an answer is more likely right than wrong."""
        return (probabilities[:, 1] > probabilities[:, 0]).astype(np.intp)

    def split(self, samples: Samples, fraction: float, rng: RandomState) -> Parts:
        """Split off all answers to a random share of the questions."""
        questions = samples.targets[:, 1]
        if len(np.unique(questions)) < 2:
            raise ValueError(
                "validation_fraction splits off whole questions, but there is only one "
                "question: pass X_val and y_val, or set it to None."
            )
        splitter = GroupShuffleSplit(1, test_size=fraction, random_state=rng)
        ((train, held_out),) = splitter.split(questions, groups=questions)
        trained_on = samples.take(np.sort(train))
        self.fit(trained_on)
        validation = replace(samples.take(np.sort(held_out)), weights=None)
        self.check_validation(validation)
        return trained_on, validation
