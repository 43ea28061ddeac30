"""Pairs of texts: paraphrases, hard negatives, graded scores."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase._frames import without_masks
from skparaphrase._math import cosine
from skparaphrase._typing import Encoder
from skparaphrase.metrics import RetrievalScorer, pearson_scorer
from skparaphrase.supervision._examples import Axes, EncodedExamples, Examples, Lesson
from skparaphrase.text._lookup import TokenBatch


class Paraphrases(Lesson):
    """Paraphrase pairs."""

    name, noun, default_loss = "pairs", "paraphrases", "infonce"
    metric = "mean reciprocal rank"

    def read(self, examples: Examples, y: ArrayLike | None) -> Examples:
        """The pairs; if `y` is given, all of them are marked with 1."""
        if y is not None:
            check_consistent_length(examples.texts, y)
        return examples

    def validate(self, encoder: Encoder, held_out: Examples, train: Examples) -> Any:
        """Mean reciprocal rank of the paraphrase, with hard negatives as candidates."""
        return RetrievalScorer()(encoder, held_out.texts)


class MarkedPairs(Paraphrases):
    """Paraphrases, and pairs that are not paraphrases."""

    name, noun, metric = "marks", "marked pairs", "average precision"

    def read(self, examples: Examples, y: ArrayLike | None) -> Examples:
        """The pairs with their marks."""
        marks = read_scores(y) > 0
        check_consistent_length(examples.texts, marks)
        return replace(examples, targets=marks)

    def strata(self, examples: Examples) -> Any:
        """The marks, if both parts can have both values."""
        n_paraphrases = int(examples.targets.sum())
        is_rare = min(n_paraphrases, len(examples) - n_paraphrases) < 2
        return None if is_rare else examples.targets

    def check_part(self, examples: Examples, where: str) -> None:
        """Raise an error unless some pairs are marked with 1."""
        if not examples.targets.any():
            raise ValueError(
                f"y marks no pair {where} with 1: there are no paraphrases to find. "
                "(partial_fit takes batches of pairs marked 0.)"
            )

    def validate(self, encoder: Encoder, held_out: Examples, train: Examples) -> float:
        """Average precision of the cosines, if there are pairs marked 0."""
        if held_out.targets.all():
            return float(super().validate(encoder, held_out, train))
        first, second = np.asarray(encoder.transform(held_out.texts)).swapaxes(0, 1)
        return float(average_precision_score(held_out.targets, cosine(first, second)))

    def encode(
        self, examples: Examples, batch: TokenBatch, rng: RandomState, axes: Axes
    ) -> EncodedExamples:
        """Encode the paraphrases, followed by the other pairs.

        The mean weight of the paraphrases is 1, so a negative pair of weight 2 counts
        as two.
        """
        order = np.argsort(~examples.targets, kind="stable")
        n_negative = int((~examples.targets).sum())
        weights = examples.weights
        if weights is not None:
            weights = weights[order].astype(np.float32)
            weights /= weights[: len(order) - n_negative or None].mean()
        return EncodedExamples(
            batch, examples.indices[order], weights=weights, n_negative=n_negative
        )


class Triplets(Paraphrases):
    """Texts with paraphrases and hard negatives."""

    name = noun = "triplets"

    def read(self, examples: Examples, y: ArrayLike | None) -> Examples:
        """The triplets; they have no `y`."""
        if y is not None:
            raise ValueError("X has triplets, shape (n_triplets, 3): omit y.")
        return examples


class GradedPairs(Lesson):
    """Pairs with scores, whose order by similarity is learnt."""

    name, noun, default_loss = "scores", "graded pairs", "cosent"
    metric = "Pearson's r"
    advice = " Or mark paraphrases, such as y >= 4."

    def read(self, examples: Examples, y: ArrayLike | None) -> Examples:
        """The pairs with their scores, which are not all equal."""
        scores = read_scores(y)
        check_consistent_length(examples.texts, scores)
        if scores.min() == scores.max():
            raise ValueError(
                f"All scores are {scores.min():g}: there is no order to learn."
            )
        return replace(examples, targets=scores)

    def validate(self, encoder: Encoder, held_out: Examples, train: Examples) -> Any:
        """Pearson's r of the cosines with the scores."""
        return pearson_scorer(encoder, held_out.texts, held_out.targets)

    def encode(
        self, examples: Examples, batch: TokenBatch, rng: RandomState, axes: Axes
    ) -> EncodedExamples:
        """Encode pairs with scores, or with ranks if single precision merges scores."""
        scores = examples.targets.astype(np.float32)
        distinct, ranks = np.unique(examples.targets, return_inverse=True)
        if len(np.unique(scores)) < len(distinct):  # such as times in seconds
            scores = ranks.astype(np.float32)
        weights = examples.normalized_weights()
        return EncodedExamples(batch, examples.indices, scores, weights)


def read_scores(y: ArrayLike | None) -> NDArray[np.float64]:
    """Scores, or marks of paraphrases, as a vector of finite numbers."""
    y = without_masks(y)
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
