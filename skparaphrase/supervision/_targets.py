"""Targets of supervised models: scores, classes and label sets."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.utils import check_array, column_or_1d, compute_sample_weight

from skparaphrase._frames import without_masks
from skparaphrase.supervision._examples import Examples, Kind
from skparaphrase.supervision._labels import check_known, check_labels
from skparaphrase.text._check import describe

_MAX_STEPS = 1000  # more levels are unlikely to be a scale of ratings
_HINT = "MultiLabelBinarizer().fit_transform(y) encodes lists of labels."


@dataclass(frozen=True)
class Targets(Kind, ABC):
    """Base class of kinds of targets, which give outputs of a network a meaning.

    Parameters
    ----------
    outputs : ndarray of shape (n_outputs,)
        The level or the label that each output represents. A model stores them in the
        fitted attribute named by `attribute`.
    """

    outputs: NDArray[Any]

    attribute: ClassVar[str] = "classes_"
    default_loss: ClassVar[str]  # name of a loss in `training`

    @staticmethod
    @abstractmethod
    def read(y: ArrayLike, texts: NDArray[np.object_]) -> NDArray[Any]:
        """Check `y` alone, and return it as an array."""

    @classmethod
    @abstractmethod
    def fit(cls, examples: Examples, levels: ArrayLike | None = None) -> Self:
        """Find the outputs for examples; `levels` are given outputs, or names."""

    @abstractmethod
    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """The targets of :meth:`probabilities`, shape (n_samples, n_outputs)."""

    def probabilities(self, logits: NDArray[np.floating]) -> NDArray[np.floating]:
        """Probability of each output; by default, exactly one is correct."""
        return softmax(logits, axis=1)

    @abstractmethod
    def decode(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """Compute predictions from the probabilities of the outputs."""

    def check_resumed(self, examples: Examples) -> None:
        """Raise an error if training on examples cannot resume with these outputs."""
        return  # by default, any examples are accepted

    def check_validation(self, examples: Examples) -> None:
        """Raise an error if examples cannot be used for validation."""
        return

    @property
    def n_outputs(self) -> int:
        """Number of units of the last layer."""
        return len(self.outputs)


class Scores(Targets):
    """Scores on a scale; the outputs are its evenly spaced levels."""

    attribute = "levels_"
    default_loss, metric = "divergence", "Pearson's r"

    @staticmethod
    def read(y: ArrayLike, texts: object = None) -> NDArray[np.float64]:
        """Scores as a vector of finite numbers."""
        y = without_masks(y)
        scores = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        column: NDArray[np.float64] = column_or_1d(scores, warn=True)
        return column

    @classmethod
    def fit(cls, examples: Examples, levels: ArrayLike | None = None) -> Self:
        """The levels of the scale; None: the integers around the scores.

        Raises
        ------
        ValueError
            If levels are not evenly spaced, or exclude scores.
        """
        scores = examples.targets
        if levels is not None:
            scale = cls(_check_levels(levels))
            scale.check_resumed(examples)
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

    def check_resumed(self, examples: Examples) -> None:
        """Raise an error if a score is outside the scale."""
        scores, low, high = examples.targets, self.outputs[0], self.outputs[-1]
        outside = np.flatnonzero((scores < low) | (scores > high))
        if len(outside):
            raise ValueError(
                f"{len(outside)} of {len(scores)} scores are outside the levels, "
                f"{low:g} to {high:g}; the first is {scores[outside[0]]:g} at index "
                f"{outside[0]}."
            )

    def check_validation(self, examples: Examples) -> None:
        """Raise an error if all scores are equal: there would be no correlation."""
        if np.ptp(examples.targets) == 0:
            raise ValueError(
                f"All scores in y_val are {examples.targets[0]:g}: there is no "
                "correlation to select an epoch by."
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


class Classes(Targets):
    """Labels of any type; the outputs are the distinct labels, sorted."""

    default_loss, metric = "cross_entropy", "accuracy"

    @staticmethod
    def read(y: ArrayLike, texts: object = None) -> NDArray[Any]:
        """Labels as a vector."""
        return check_labels(y)

    @staticmethod
    def labels(targets: NDArray[Any]) -> NDArray[Any]:
        """Labels to stratify by: the labels themselves."""
        return targets

    @classmethod
    def fit(cls, examples: Examples, levels: ArrayLike | None = None) -> Self:
        """Find the labels."""
        labels = np.unique(cls.labels(examples.targets))
        if len(labels) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{len(labels)} class."
            )
        return cls(labels)

    def check_resumed(self, examples: Examples) -> None:
        """Raise an error if a label is new."""
        new = np.setdiff1d(self.labels(examples.targets), self.outputs)
        if len(new):
            raise ValueError(
                f"y contains the labels {new.tolist()}, but training started with "
                f"{self.outputs.tolist()}. Fit a clone to start again."
            )

    def check_validation(self, examples: Examples) -> None:
        """Raise an error if all labels are new."""
        check_known(examples.targets, self.outputs)

    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """One-hot rows."""
        rows = np.zeros((len(targets), self.n_outputs))
        rows[np.arange(len(targets)), np.searchsorted(self.outputs, targets)] = 1
        return rows

    def decode(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """The most probable label."""
        return self.outputs[probabilities.argmax(axis=1)]

    def strata(self, examples: Examples) -> NDArray[Any] | None:
        """The labels."""
        labels: NDArray[Any] = examples.targets
        return labels


class LabelSets(Targets):
    """Columns of 0 and 1, one per label; the outputs are their names or indices."""

    default_loss, metric = "binary_cross_entropy", "accuracy of the sets of labels"

    @staticmethod
    def matches(y: Any) -> bool:
        """Whether `y` has several columns; raise an error for lists of labels."""
        rows = y if hasattr(y, "shape") else np.array(y, dtype=object)
        if len(rows.shape) != 1:
            return len(rows.shape) > 1 and rows.shape[1] > 1
        return any(isinstance(row, (list, tuple, set, frozenset)) for row in rows)

    @staticmethod
    def read(y: Any, texts: object = None) -> NDArray[np.int8]:
        """An indicator matrix as an array."""
        if sparse.issparse(y):
            y = y.toarray()
        y = without_masks(y)
        rows = np.asarray(y) if hasattr(y, "shape") else np.array(y, dtype=object)
        if rows.ndim != 2 or rows.shape[1] < 2:
            raise ValueError(
                "y must be an indicator matrix of labels, shape (n_samples, "
                f"n_labels); got shape {rows.shape}. {_HINT}"
            )
        wrong = np.argwhere(~np.isin(rows, (0, 1)))
        if len(wrong):
            row, column = wrong[0].tolist()
            raise ValueError(
                "y must contain only 0 and 1 for several labels; "
                f"y[{row}, {column}] is {describe(rows[row].tolist()[column])}. {_HINT}"
            )
        return rows.astype(np.int8)

    @classmethod
    def fit(cls, examples: Examples, levels: ArrayLike | None = None) -> Self:
        """The names of the columns; by default, their indices."""
        indices = np.arange(examples.targets.shape[1])
        return cls(indices if levels is None else np.asarray(levels))

    def check_resumed(self, examples: Examples) -> None:
        """Raise an error if the number of labels differs."""
        n_labels = examples.targets.shape[1]
        if n_labels != self.n_outputs:
            raise ValueError(
                f"y has {n_labels} labels, but training started with "
                f"{self.n_outputs}. Fit a clone to start again."
            )

    check_validation = check_resumed

    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """The probability of each label, 0 or 1."""
        return targets.astype(np.float64)

    def probabilities(self, logits: NDArray[np.floating]) -> NDArray[np.floating]:
        """Probability of each label, independent of the others."""
        return expit(logits)

    def decode(self, probabilities: NDArray[Any]) -> NDArray[np.intp]:
        """The labels that are more probable than not."""
        return (probabilities > 0.5).astype(np.intp)


def _check_levels(levels: ArrayLike) -> NDArray[np.float64]:
    """The levels as a vector; raise an error unless they rise in equal steps."""
    vector = np.asarray(levels, dtype=np.float64)
    if vector.ndim == 1 and len(vector) > 1 and np.isfinite(vector).all():
        even = np.linspace(vector[0], vector[-1], len(vector))
        if vector[0] < vector[-1] and np.allclose(vector, even, rtol=0, atol=1e-9):
            return even
    raise ValueError(
        "levels must be at least two evenly spaced, increasing scores, such as "
        f"range(1, 6); got {levels!r}."
    )


def weighted_by_class(
    examples: Examples, class_weight: Mapping[Any, float] | str
) -> Examples:
    """Multiply the weights of examples by the weights of their labels.

    If texts have several labels, each label is a problem of two classes, 0 and 1.
    """
    if examples.targets.ndim == 1:
        by_class = compute_sample_weight(class_weight, examples.targets)
    else:
        columns = [compute_sample_weight(class_weight, y) for y in examples.targets.T]
        by_class = np.column_stack(columns)
    if not (np.isfinite(by_class).all() and by_class.min() >= 0 < by_class.max()):
        raise ValueError(
            "class_weight must be finite, not negative, and positive for some "
            f"label of the examples; got {class_weight!r}."
        )
    weights = 1.0 if examples.weights is None else examples.weights
    return replace(examples, weights=(weights * by_class.T).T)
