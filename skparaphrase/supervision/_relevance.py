"""Right and wrong answers to questions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skparaphrase.metrics._ranking import check_relevance, query_codes, split_queries
from skparaphrase.supervision._examples import Examples
from skparaphrase.supervision._targets import Targets


class Relevance(Targets):
    """Wrong and right answers to questions: columns for relevance and the question.

    Questions are numbers. Without a second column in `y`, their texts identify them.
    """

    default_loss, metric = "hinge", "mean reciprocal rank"
    splits_groups = True

    @staticmethod
    def read(y: ArrayLike, texts: NDArray[np.object_]) -> NDArray[np.intp]:
        """Relevance, 0 or 1, and numbers of the questions."""
        relevance, queries = split_queries(y)
        right = check_relevance(relevance).astype(np.intp)
        queries = texts[:, 0] if queries is None else queries
        return np.column_stack([right, query_codes(queries)])

    @classmethod
    def fit(cls, examples: Examples, levels: ArrayLike | None = None) -> Self:
        """Raise an error unless there are right and wrong answers to train on."""
        relevance = examples.with_weight().targets[:, 0]
        if len(np.unique(relevance)) < 2:
            raise ValueError(
                f"Both right and wrong answers are needed to learn from; all "
                f"{len(relevance)} are {'right' if relevance[0] else 'wrong'}."
            )
        return cls(np.arange(2))

    def check_validation(self, examples: Examples) -> None:
        """Raise an error if there are weights, or if every epoch would score 0."""
        if examples.weights is not None:
            raise ValueError(
                "The mean reciprocal rank does not support weights: sample_weight_val "
                "must be None."
            )
        if not examples.targets[:, 0].any():
            raise ValueError(
                f"None of the {len(examples)} validation answers is right: there is no "
                "reciprocal rank to select an epoch by."
            )

    def distributions(self, targets: NDArray[np.intp]) -> NDArray[np.float64]:
        """One-hot rows."""
        return np.eye(2)[targets[:, 0]]

    def decode(self, probabilities: NDArray[Any]) -> NDArray[np.intp]:
        """1 for answers that are more likely right than wrong."""
        return (probabilities[:, 1] > probabilities[:, 0]).astype(np.intp)

    def links(self, examples: Examples) -> NDArray[np.intp]:
        """All answers to a question stay together; `y` may identify the question."""
        return examples.targets[:, 1:]

    def check_split(self, train: Examples, held_out: Examples, fraction: float) -> None:
        """Raise an error if a part lacks right or wrong answers."""
        self.fit(train)
        self.check_validation(replace(held_out, weights=None))
