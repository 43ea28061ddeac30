"""What models learn: scores on a scale, labels, right answers, tags of tokens."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit
from sklearn.utils import (
    check_array,
    column_or_1d,
    compute_sample_weight,
)
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase._lazy import training
from skparaphrase.encoders import check_labels
from skparaphrase.metrics import (
    check_relevance,
    pearson_score,
    query_codes,
    split_queries,
)

_MAX_STEPS = 1000  # more levels are hardly a scale of ratings


@dataclass(frozen=True)
class LabelledTexts:
    """Texts and what is to be learnt from each.

    Attributes
    ----------
    texts : ndarray of shape (n_samples,) or (n_samples, 2), dtype object
    targets : ndarray of shape (n_samples, ...)
    weights : ndarray of shape (n_samples,), or None for equal weights
    """

    texts: NDArray[np.object_]
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, chosen: NDArray[Any]) -> "LabelledTexts":
        """Some examples, by row indices or a mask."""
        weights = None if self.weights is None else self.weights[chosen]
        return LabelledTexts(self.texts[chosen], self.targets[chosen], weights)

    def with_weight(self) -> "LabelledTexts":
        """The examples whose weights are not zero."""
        return self if self.weights is None else self.take(self.weights > 0)

    def weighted_by_class(self, class_weight: Any) -> "LabelledTexts":
        """The same with weights that are multiplied by those of labels."""
        by_class = compute_sample_weight(class_weight, self.targets)
        if not (np.isfinite(by_class).all() and by_class.min() >= 0 < by_class.max()):
            raise ValueError(
                "class_weight must be finite, not negative, and positive for some "
                f"label of the examples; got {class_weight!r}."
            )
        weights = 1.0 if self.weights is None else self.weights
        return replace(self, weights=weights * by_class)

    def normalized_weights(self) -> NDArray[np.float32] | None:
        """The weights, divided by their mean."""
        if self.weights is None:
            return None
        return (self.weights / self.weights.mean()).astype(np.float32)


Parts = tuple[LabelledTexts, LabelledTexts]


@dataclass(frozen=True)
class Targets(ABC):
    """What the outputs of a network mean.

    Parameters
    ----------
    outputs : ndarray of shape (n_outputs,)
        The level or the label that each output represents. A model keeps them as the
        fitted attribute that `attribute` names.
    """

    outputs: NDArray[Any]

    attribute: ClassVar[str] = "classes_"
    loss: ClassVar[str]  # of `training`

    @staticmethod
    @abstractmethod
    def read(y: Any, texts: NDArray[np.object_]) -> NDArray[Any]:
        """Check `y` alone, and return it as an array."""

    @classmethod
    @abstractmethod
    def fit(cls, examples: LabelledTexts, settings: Any) -> Self:
        """Find the outputs that examples need; `settings` has the parameters."""

    @abstractmethod
    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """What the softmax should return, shape (n_samples, n_outputs)."""

    @abstractmethod
    def decode(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """Predictions, given the outputs of the softmax."""

    def check(self, examples: LabelledTexts) -> None:
        """Raise if training on examples cannot resume with these outputs."""
        return  # any examples will do, by default

    def check_validation(self, examples: LabelledTexts) -> None:
        """Raise if examples cannot be used for validation."""
        return

    def split(self, examples: LabelledTexts, fraction: float, rng: Any) -> Parts:
        """Examples to train on, and a random share to validate on."""
        return training.split_off(examples, fraction, rng)

    @property
    def n_outputs(self) -> int:
        """Units of the softmax."""
        return len(self.outputs)


class Graded(Targets):
    """Scores on a scale, whose evenly spaced levels are the outputs."""

    attribute = "levels_"
    loss = "divergence"

    @staticmethod
    def read(y: Any, texts: Any = None) -> NDArray[np.float64]:
        """Scores as a vector of finite numbers."""
        scores = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        found: NDArray[np.float64] = column_or_1d(scores, warn=True)
        return found

    @classmethod
    def fit(cls, examples: LabelledTexts, settings: Any) -> Self:
        """The levels of a scale, which the parameters or the scores determine.

        Raises
        ------
        ValueError
            If the range is empty, is not a whole number of steps, or excludes scores.
        """
        scores, n_levels = examples.targets, settings.n_levels
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

    def check(self, examples: LabelledTexts) -> None:
        """Raise if a score is outside of the scale."""
        _check_in_range(examples.targets, self.outputs[0], self.outputs[-1])

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


class Class(Targets):
    """Labels of any type; the distinct ones, sorted, are the outputs."""

    loss = "cross_entropy"

    @staticmethod
    def read(y: Any, texts: Any = None) -> NDArray[Any]:
        """Labels as a vector."""
        return check_labels(y)

    @staticmethod
    def labels(targets: NDArray[Any]) -> NDArray[Any]:
        """The label of everything that gets one."""
        return targets

    @classmethod
    def fit(cls, examples: LabelledTexts, settings: Any = None) -> Self:
        """Find the labels."""
        labels = np.unique(cls.labels(examples.targets))
        if len(labels) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{len(labels)} class."
            )
        return cls(labels)

    def check(self, examples: LabelledTexts) -> None:
        """Raise if a label is new."""
        new = np.setdiff1d(self.labels(examples.targets), self.outputs)
        if len(new):
            raise ValueError(
                f"y contains the labels {new.tolist()}, but training started with "
                f"{self.outputs.tolist()}. Fit a clone to start again."
            )

    def check_validation(self, examples: LabelledTexts) -> None:
        """Raise if all labels are new."""
        if not np.isin(examples.targets, self.outputs).any():
            raise ValueError(
                f"y_val contains the labels {np.unique(examples.targets).tolist()}, "
                f"none of which occurs in y: {self.outputs.tolist()}."
            )

    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """One-hot rows."""
        return np.eye(self.n_outputs)[np.searchsorted(self.outputs, targets)]

    def decode(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """The most probable label."""
        return self.outputs[probabilities.argmax(axis=1)]

    def split(self, examples: LabelledTexts, fraction: float, rng: Any) -> Parts:
        """Split so that both parts have about the same shares of the labels."""
        return training.split_off(examples, fraction, rng, examples.targets)


class Relevance(Targets):
    """Wrong and right answers to questions: columns of relevance and of the question.

    A question is a number; without a second column in `y`, its text identifies it.
    """

    loss = "hinge"

    @staticmethod
    def read(y: Any, texts: NDArray[np.object_]) -> NDArray[np.intp]:
        """Relevance, 0 or 1, and numbers of the questions."""
        relevance, queries = split_queries(y)
        right = check_relevance(relevance).astype(np.intp)
        queries = texts[:, 0] if queries is None else queries
        return np.column_stack([right, query_codes(queries)])

    @classmethod
    def fit(cls, examples: LabelledTexts, settings: Any = None) -> Self:
        """Raise unless there are right and wrong answers to train on."""
        relevance = examples.with_weight().targets[:, 0]
        if len(np.unique(relevance)) < 2:
            raise ValueError(
                "PairwiseInteractionRanker needs right and wrong answers to learn "
                f"from; all {len(relevance)} are "
                f"{'right' if relevance[0] else 'wrong'}."
            )
        return cls(np.arange(2))

    def check_validation(self, examples: LabelledTexts) -> None:
        """Raise if there are weights, or if every epoch would score 0."""
        if examples.weights is not None:
            raise ValueError(
                "The mean reciprocal rank takes no weights: sample_weight_val must be "
                "None."
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
        """1 where an answer is more likely right than wrong."""
        return (probabilities[:, 1] > probabilities[:, 0]).astype(np.intp)

    def split(self, examples: LabelledTexts, fraction: float, rng: Any) -> Parts:
        """Split off all answers to a random share of the questions."""
        questions = examples.targets[:, 1]
        if len(np.unique(questions)) < 2:
            raise ValueError(
                "validation_fraction splits off whole questions, but there is only one "
                "question: pass X_val and y_val, or set it to None."
            )
        splitter = GroupShuffleSplit(1, test_size=fraction, random_state=rng)
        ((train, held_out),) = splitter.split(questions, groups=questions)
        trained_on = examples.take(np.sort(train))
        self.fit(trained_on)
        validation = replace(examples.take(np.sort(held_out)), weights=None)
        self.check_validation(validation)
        return trained_on, validation


class Tag(Class):
    """Tags of the tokens of sentences; the targets of a sentence are an array."""

    @staticmethod
    def labels(targets: NDArray[Any]) -> NDArray[Any]:
        """The tags of all tokens, end to end."""
        tags: NDArray[Any] = np.concatenate(targets)
        check_classification_targets(tags)
        return tags

    def check_validation(self, examples: LabelledTexts) -> None:
        """Tags that are new count as errors."""

    def distributions(self, targets: NDArray[Any]) -> NDArray[np.intp]:
        """The output of each token's tag, end to end; the loss smooths them."""
        return np.searchsorted(self.outputs, np.concatenate(targets))

    def split(self, examples: LabelledTexts, fraction: float, rng: Any) -> Parts:
        """Split off a random share of the sentences."""
        order = rng.permutation(len(examples))
        n_held = max(round(fraction * len(order)), 1)
        if len(order) <= n_held:
            raise ValueError(
                f"validation_fraction={fraction} leaves none of {len(order)} sentences "
                "to train on."
            )
        held_out, kept = np.sort(order[:n_held]), np.sort(order[n_held:])
        return examples.take(kept), examples.take(held_out)


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


def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
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
