"""Texts with class labels: an encoder learns that texts of one class are similar."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import (
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
)
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase._estimator import warn_caller
from skparaphrase._frames import without_masks
from skparaphrase._math import unit_vectors
from skparaphrase._nearest import nearest
from skparaphrase._typing import Encoder
from skparaphrase.supervision._examples import Axes, EncodedExamples, Examples, Lesson
from skparaphrase.text._check import is_missing
from skparaphrase.text._lookup import TokenBatch

N_PARTNERS = 2  # maximum number of partners of a text with a label


class LabelledTexts(Lesson):
    """Texts with labels; texts of one class are paraphrases of each other."""

    name, noun, default_loss = "labels", "labelled texts", "infonce"
    metric = "nearest-neighbour accuracy"
    n_min = 0  # see `check_classes`

    def read(self, examples: Examples, y: ArrayLike | None) -> Examples:
        """Texts with their labels."""
        if y is None:
            raise ValueError(
                f"X has shape {tuple(examples.texts.shape)} and y is None, so there is "
                "nothing to learn from. Pass paraphrase pairs, shape (n_pairs, 2), or "
                "texts with class labels or a teacher's vectors. In a pipeline of "
                "single texts, FrozenEstimator(encoder) keeps an encoder that is "
                "already trained."
            )
        labels = check_labels(y)
        check_consistent_length(examples.texts, labels)
        check_classes(labels)
        _warn_of_texts(labels)
        return replace(examples, targets=labels)

    def check_split(self, train: Examples, held_out: Examples, fraction: float) -> None:
        """Raise an error unless two classes are left to train on."""
        check_classes(train.targets, " to train on")

    def check_validation(self, held_out: Examples, train: Examples) -> None:
        """Raise an error if all labels are new."""
        check_known(held_out.targets, np.unique(train.targets))

    def validate(self, encoder: Encoder, held_out: Examples, train: Examples) -> float:
        """The share of texts whose nearest training text has their label."""
        known, queries = (
            unit_vectors(np.asarray(encoder.transform(np.asarray(part.texts))))
            for part in (train, held_out)
        )
        rows = nearest(queries, known, 1)[1]
        return float((train.targets[rows] == held_out.targets).mean())

    def encode(
        self, examples: Examples, batch: TokenBatch, rng: RandomState, axes: Axes
    ) -> EncodedExamples:
        """Pairs of texts of one class; a text may occur with several labels.

        A pair has the weight of its first text.
        """
        classes = np.unique(examples.targets, return_inverse=True)[1]
        pairs, weights = partners(classes, rng), examples.normalized_weights()
        return EncodedExamples(
            batch.take(examples.indices),
            pairs,
            weights=None if weights is None else weights[pairs[:, 0]],
            identities=classes,
            has_classes=True,
        )


def _warn_of_texts(labels: NDArray[Any]) -> None:
    """Warn if labels look like the second texts of pairs."""
    if len(labels) < 20 or not isinstance(labels[0], str):
        return
    classes = np.unique(labels)
    n_words = sum(len(label.split()) for label in classes) / len(classes)
    if len(classes) > len(labels) / 2 and n_words >= 3:
        warn_caller(
            f"y has {len(classes)} classes for {len(labels)} texts, such as "
            f"{classes[0]!r}. If X and y are the texts of pairs, pass "
            "list(zip(X, y)) as X, and scores as y."
        )


def check_labels(y: ArrayLike) -> NDArray[Any]:
    """Check that no class label is missing, and return them as a vector."""
    labels: NDArray[Any] = column_or_1d(without_masks(y), warn=True)
    if labels.dtype.kind == "T":  # StringDType, which scikit-learn does not know
        labels = labels.astype(object)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    elif labels.dtype.kind == "O":
        for i, label in enumerate(labels):
            if is_missing(label):
                raise ValueError(f"y[{i}] is {label!r}: drop examples without a label.")
    if not all(isinstance(label, str) for label in labels):  # str may all differ
        check_classification_targets(labels)
    return labels


def check_known(labels: NDArray[Any], known: NDArray[Any]) -> None:
    """Raise an error if all labels for validation are new."""
    if not np.isin(labels, known).any():
        raise ValueError(
            f"y_val contains the labels {np.unique(labels).tolist()}, none of which "
            f"occurs in y: {known.tolist()}."
        )


def check_classes(labels: NDArray[Any], where: str = "") -> None:
    """Raise an error unless two classes have two texts; `where` ends the message."""
    n_classes = int((np.unique(labels, return_counts=True)[1] > 1).sum())
    if n_classes < 2:
        raise ValueError(
            "Labels teach that texts of one class are similar and texts of different "
            f"classes are not: two classes of at least two texts are needed{where}; "
            f"got {n_classes}."
        )


def partners(labels: NDArray[np.intp], rng: RandomState) -> NDArray[np.intp]:
    """Pairs of texts of one class, as rows of texts, shape (n_pairs, 2).

    Each text is the first of up to `N_PARTNERS` pairs. The second texts are the next
    ones in a random circle of its class.
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
