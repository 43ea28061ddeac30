"""Fitting on examples: checks, weights, validation."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.callback import with_callbacks

from skparaphrase._compat import fit_context
from skparaphrase._epochs import FitsByEpochs, check_one_validation
from skparaphrase.callback._checkpoint import Run
from skparaphrase.supervised._examples import (
    Examples,
    check_not_empty,
    check_weights,
    split,
)


class FitsExamples(FitsByEpochs):
    """Base of estimators that learn from texts, or pairs of texts, and targets.

    A subclass says what texts and targets may be, how it starts, and how it trains.
    """

    device: str
    validation_fraction: float | None

    @abstractmethod
    def _check_texts(self, X: Any) -> NDArray[np.object_]:
        """Texts of shape (n_samples,), or pairs of shape (n_samples, 2)."""

    @abstractmethod
    def _start_over(self, texts: NDArray[np.object_]) -> None:
        """Make the fitted state that training begins with."""

    @abstractmethod
    def _training(
        self, X: Any, y: Any, examples: Examples, validation: Examples | None
    ) -> Callable[[Run], None]:
        """What goes on from the fitted state, and updates it however it ends.

        `X` and `y` are those of `fit`, for callbacks.
        """

    @abstractmethod
    def _check_targets(self, y: Any, *, reset: bool) -> NDArray[Any]:
        """Check the targets of `fit`, and learn what they may be if `reset`."""

    @abstractmethod
    def _check_held_out(self, y: Any) -> NDArray[Any]:
        """Check the targets of validation."""

    @abstractmethod
    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        """What the softmax should give for checked targets, (n_samples, n_outputs)."""

    def _split(self, examples: Examples) -> tuple[Examples, Examples]:
        """Examples to train on, and a random share of them to validate with."""
        assert self.validation_fraction is not None
        return split(
            examples,
            self.validation_fraction,
            deepcopy(self._split_state),
            stratify=is_classifier(self),
        )

    def _weigh(self, examples: Examples) -> Examples:
        """Examples with the weights that the loss takes."""
        return examples

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Train on texts, or pairs of texts, and what they should give.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            Texts for :class:`~skparaphrase.supervised.SentenceClassifier`, pairs for
            the other models.

        y : array-like of shape (n_samples,) or (n_samples, 2)
            Scores, or labels. For a ranker 1 for right answers and 0 for wrong ones,
            and in a second column, if there is one, what question they belong to.

        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each example in the loss. Only their ratios matter; examples of
            weight 0 are left out.

        X_val : array-like of str, default=None
            Examples to score after every epoch; the best epoch is kept.

        y_val : array-like of shape (n_val_samples,) or (n_val_samples, 2), default=None
            Their scores or labels.

        sample_weight_val : array-like of shape (n_val_samples,), default=None
            Their weights in the score; a ranker takes none.

        Returns
        -------
        self : estimator instance

        Raises
        ------
        TypeError, ValueError
            For texts, scores or labels that cannot be learnt from; the message says
            what is wrong, and where.

        Notes
        -----
        When training is interrupted (Ctrl-C, an error in a callback), the best epoch
        is kept, or without validation the parameters reached so far, and with
        `warm_start=True` another `fit` goes on.
        """
        from skparaphrase.nn import resolve_device

        resolve_device(self.device)
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        with self._unchanged_on_error():
            self._begin_randomness(goes_on)
            examples = self._check_examples(X, y, sample_weight, reset=not goes_on)
            validation = self._check_validation(X_val, y_val, sample_weight_val)
            data = {"the examples": examples, "the validation examples": validation}
            if self.validation_fraction is not None:
                examples, validation = self._split(examples)
            examples = self._weigh(examples)
            if not goes_on:
                self._start_over(examples.texts)
            train = self._training(X, y, examples, validation)
            run = self._open_run(data, goes_on=goes_on)
        with run:
            train(run)
        return self

    def _check_examples(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> Examples:
        texts = self._check_texts(X)
        check_not_empty(texts, y, type(self).__name__)
        weights = check_weights(sample_weight, len(texts))
        examples = Examples(texts, self._check_targets(y, reset=reset), weights)
        return examples if weights is None else examples.take(weights > 0)

    def _check_validation(
        self, X_val: Any, y_val: Any, sample_weight: Any
    ) -> Examples | None:
        check_one_validation(
            X_val,
            y_val,
            sample_weight,
            fraction=self.validation_fraction,
            patience=self.patience,
        )
        if X_val is None:
            return None
        texts = self._check_texts(X_val)
        check_not_empty(texts, y_val, type(self).__name__, "X_val")
        targets = self._check_held_out(y_val)
        return Examples(texts, targets, check_weights(sample_weight, len(texts)))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._trained[-1])
