"""What the classifiers share: labels."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite, column_or_1d, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase._compat import StrOptions
from skparaphrase.supervised._base import SupervisedModel
from skparaphrase.supervised._examples import Examples
from skparaphrase.supervised._targets import one_hot, softened


class LabelModel(ClassifierMixin, SupervisedModel):
    """Base of classifiers: labels of any type."""

    class_weight: Mapping[Any, float] | str | None

    classes_: NDArray[Any]

    _loss = "cross_entropy"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupervisedModel._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each example.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            As in :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        codes = self._probabilities(X).argmax(axis=1)
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each label.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            As in :meth:`fit`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._probabilities(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            As in `predict_proba`.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return np.log(self.predict_proba(X))

    def _check_targets(self, y: Any, *, reset: bool) -> NDArray[Any]:
        labels = _check_labels(y)
        found = np.unique(labels)
        if reset:
            if len(found) < 2:
                raise ValueError(
                    "The number of classes has to be greater than one; got "
                    f"{len(found)} class."
                )
            self.classes_ = found
        elif not np.isin(found, self.classes_).all():
            new = found[~np.isin(found, self.classes_)]
            raise ValueError(
                f"y holds the labels {new.tolist()}, but training began with "
                f"{self.classes_.tolist()}. Fit a clone to start anew."
            )
        return labels

    def _check_held_out(self, y: Any) -> NDArray[Any]:
        labels = _check_labels(y)
        if not np.isin(labels, self.classes_).any():
            raise ValueError(
                f"y_val holds the labels {np.unique(labels).tolist()}, none of which y "
                f"has: {self.classes_.tolist()}."
            )
        return labels

    def _weigh(self, examples: Examples) -> Examples:
        if self.class_weight is None:
            return examples
        by_class = compute_sample_weight(self.class_weight, examples.targets)
        if not (np.isfinite(by_class).all() and by_class.min() >= 0 < by_class.max()):
            raise ValueError(
                "class_weight must be finite, not negative, and above 0 for some label "
                f"of the examples; got {self.class_weight!r}."
            )
        return examples.weighed(by_class)

    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        codes = np.searchsorted(self.classes_, targets)
        return softened(one_hot(codes, self._n_outputs))

    @property
    def _n_outputs(self) -> int:
        return len(self.classes_)


def _check_labels(y: Any) -> NDArray[Any]:
    """Labels as a vector."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels
