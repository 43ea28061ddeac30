"""Base of supervised models: encoders with heads, word interaction, taggers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_consistent_length

from skparaphrase._compat import check_weights, fit_context, with_callbacks
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._trained import Attributes, TrainedEstimator, Validation
from skparaphrase._typing import Texts
from skparaphrase.optimizers import TRAINING_CONSTRAINTS
from skparaphrase.storage._models import save
from skparaphrase.supervision._examples import Examples
from skparaphrase.supervision._supervise import check_groups
from skparaphrase.supervision._targets import Targets, weighted_by_class
from skparaphrase.text import check_pairs, check_texts


class SupervisedModel(TrainedEstimator, BaseEstimator):
    """Base class of models that are trained on labelled examples.

    A subclass defines the kind of its targets.
    """

    _kind: ClassVar[type[Targets]]
    _n_texts: ClassVar[int]  # number of texts of an example

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = TRAINING_CONSTRAINTS

    # Assigned instead of inherited: fewer base classes are easier to follow.
    _doc_link_module = DocumentedOnline._doc_link_module
    _doc_link_template = DocumentedOnline._doc_link_template

    save = save

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Texts,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        X_val: Texts | None = None,
        y_val: ArrayLike | None = None,
        sample_weight_val: ArrayLike | None = None,
    ) -> Self:
        """Train on labelled texts or pairs of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            Texts for :class:`~skparaphrase.supervised.TextClassifier`, pairs for
            the other models.
        y : array-like of shape (n_samples,), (n_samples, n_labels) or (n_samples, 2)
            Scores, or labels. For several labels per text, an indicator matrix, dense
            or sparse. For a ranker, 1 for right answers and 0 for wrong ones, and
            optionally a second column that identifies the question.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each example in the loss. Only ratios matter; examples of weight 0
            are ignored.
        groups : array-like of shape (n_samples,), default=None
            Examples of one group stay together in the split of `validation_fraction`,
            as do examples that share a text.
        X_val : array-like of str, default=None
            Examples to score after every epoch; the best epoch is kept.
        y_val : array-like, default=None
            Their scores or labels, in the form of `y`.
        sample_weight_val : array-like of shape (n_val_samples,), default=None
            Their weights in the score; not supported by a ranker.

        Returns
        -------
        self : estimator instance

        Raises
        ------
        TypeError, ValueError
            If texts, scores or labels are invalid; the message names the problem and
            its position.

        Notes
        -----
        If training is interrupted (Ctrl-C, an error in a callback), the best epoch is
        kept, or without validation the parameters reached so far. With
        `warm_start=True`, another `fit` resumes.
        """
        self._fit(X, y, sample_weight, groups, (X_val, y_val, sample_weight_val))
        return self

    def _read(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, *, resume: bool
    ) -> Examples:
        """Check examples; examples of weight 0 only help to determine the outputs."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None."
            )
        kind = type(self._targets) if resume else self._kind_of(y)
        examples = self._read_rows(X, y, sample_weight, "X", kind)
        targets = self._targets if resume else kind.fit(examples, self._outputs_of(y))
        self._check_columns(targets, y, "y")
        groups = check_groups(groups, len(examples))
        return replace(examples, kind=targets, groups=groups).with_weight()

    def _read_validation(self, train: Examples, X: Any, y: Any, weights: Any) -> Any:
        if y is None:
            raise ValueError("X_val and y_val must be given together.")
        kind = train.kind
        held_out = self._read_rows(X, y, weights, "X_val", type(kind))
        self._check_columns(kind, y, "y_val")
        kind.check_validation(held_out)
        return replace(held_out, kind=kind)

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, name: str, kind: type[Targets]
    ) -> Examples:
        """Check examples: weights must be finite, not negative, and not all zero."""
        texts = self._check_texts(X)
        if len(texts) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) in {name} while a minimum of 1 is "
                f"required by {type(self).__name__}."
            )
        check_consistent_length(texts, y)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, len(texts))
        return Examples(texts, kind.read(y, texts), weights)

    def _hold_out(
        self, examples: Examples, validation: Validation, seed: int
    ) -> tuple[Examples, Examples | None]:
        train, held_out = super()._hold_out(examples, validation, seed)
        if self.warm_start and self.__sklearn_is_fitted__():
            train.kind.check_resumed(train)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            train = weighted_by_class(train, class_weight)
        return train, held_out

    def _kind_of(self, y: ArrayLike) -> type[Targets]:
        """The kind of targets that `y` holds."""
        return self._kind

    def _outputs_of(self, y: ArrayLike) -> ArrayLike | None:
        """The outputs named by a parameter or by the columns of `y`, if any."""
        return getattr(self, "levels", None)

    def _check_columns(self, targets: Targets, y: Any, name: str) -> None:
        """Raise an error if the columns of `y` and the outputs have different names."""

    def _target_attributes(self, targets: Targets) -> Attributes:
        """The fitted attributes from which :attr:`_targets` restores targets."""
        return {targets.attribute: targets.outputs}

    @property
    def _targets(self) -> Targets:
        """The targets, restored from the fitted attribute."""
        return self._kind(getattr(self, self._kind.attribute))

    def _check_texts(self, X: Texts) -> NDArray[np.object_]:
        if self._n_texts == 2:
            return check_pairs(X)
        texts = check_texts(X)
        if texts.ndim != 1:
            raise ValueError(
                f"Expected texts of shape (n_texts,); got pairs, shape {texts.shape}. "
                "Use PairClassifier for pairs."
            )
        return texts

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = self._n_texts == 1
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
