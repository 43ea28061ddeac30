"""Texts with class labels, of which an encoder learns that texts of one are alike."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import (
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
)
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase._math import unit_vectors
from skparaphrase._nearest import nearest
from skparaphrase._typing import Encoder
from skparaphrase.supervision._examples import (
    Arranged,
    Axes,
    Examples,
    Names,
    Rows,
    Shape,
    Weights,
)
from skparaphrase.text import TokenBatch, is_missing

N_PARTNERS = 2  # of a text that has a label


class LabelledTexts(Examples):
    """Texts with labels; those of one class are paraphrases of each other."""

    name, noun, default_loss = "labels", "labelled texts", "infonce"
    metric = "nearest-neighbour accuracy"
    n_min = 0  # see `check_classes`
    has_order = False  # partners are drawn

    @classmethod
    def matches(cls, shape: Shape, y: ArrayLike | None, names: Names) -> bool:
        """For single texts."""
        return len(shape) == 1 and shape[0] > 0

    @classmethod
    def check(cls, rows: Rows, y: ArrayLike | None, weights: Weights) -> Self:
        """Texts with indices of their labels."""
        if y is None:
            raise ValueError(
                f"X has shape {tuple(rows.shape)} and y is None, so that there is "
                "nothing to learn from. fit takes paraphrase pairs, shape "
                "(n_pairs, 2), or texts with class labels or a teacher's vectors. In a "
                "pipeline of single texts, FrozenEstimator(encoder) keeps an encoder "
                "that is already trained."
            )
        labels = check_labels(y)
        check_consistent_length(rows, labels)
        classes = np.unique(labels, return_inverse=True)[1]
        check_classes(classes)
        return cls(rows, classes, weights)

    def _check_split(self, train: Self, held_out: Self, fraction: float) -> None:
        check_classes(train.targets, " to train on")

    def validate(self, encoder: Encoder, train: Self) -> float:
        """The share of texts whose nearest training text has their label."""
        trained_on, held_out = (
            unit_vectors(np.asarray(encoder.transform(np.asarray(part.rows))))
            for part in (train, self)
        )
        rows = nearest(held_out, trained_on, 1)[1]
        return float((train.targets[rows] == self.targets).mean())

    def arrange(self, batch: TokenBatch, rng: RandomState, axes: Axes) -> Arranged:
        """Pairs of texts of one class; a text may occur with several labels.

        A pair has the weight of its first text.
        """
        texts = batch.take(self.indices)
        pairs, weights = partners(self.targets, rng), self.normalized_weights
        return Arranged(
            texts,
            pairs,
            identities=self.targets,
            has_classes=True,
            weights=None if weights is None else weights[pairs[:, 0]],
        )


def check_labels(y: ArrayLike) -> NDArray[Any]:
    """Class labels as a vector, of which none is missing."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype.kind == "T":  # StringDType, which scikit-learn does not know
        labels = labels.astype(object)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    elif labels.dtype.kind == "O":
        for i, label in enumerate(labels):
            if is_missing(label):
                raise ValueError(f"y[{i}] is {label!r}: drop examples without a label.")
    if not all(isinstance(label, str) for label in labels):  # else they may all differ
        check_classification_targets(labels)
    return labels


def check_classes(classes: NDArray[np.intp], where: str = "") -> None:
    """Raise unless two classes have two texts; `where` is added to the message."""
    n_classes = int((np.bincount(classes) > 1).sum())
    if n_classes < 2:
        raise ValueError(
            "Labels teach that texts of one class are similar and those of different "
            f"classes are not: two classes of at least two texts are needed{where}; "
            f"got {n_classes}."
        )


def partners(labels: NDArray[np.intp], rng: RandomState) -> NDArray[np.intp]:
    """Pairs of texts of one class, as rows of texts, shape (n_pairs, 2).

    Each text is the first of up to `N_PARTNERS` pairs, each with another text of its
    class: the next ones in a random circle of the class.
    """
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    counts = np.bincount(labels)
    size = counts[labels[order]]
    start = (np.cumsum(counts) - counts)[labels[order]]
    place = np.arange(len(order)) - start
    steps = []
    for step in range(1, N_PARTNERS + 1):
        pairs = np.column_stack([order, order[start + (place + step) % size]])
        steps.append(pairs[size > step])
    return np.concatenate(steps)
