"""Supervised training: the estimator around the loop of `nn`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from copy import deepcopy
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.callback import with_callbacks
from sklearn.utils import Tags

from skparaphrase._compat import HasMethods, Interval, StrOptions, fit_context
from skparaphrase._epochs import check_one_validation
from skparaphrase._paper import PaperSettings
from skparaphrase._saving import SavedInFolders
from skparaphrase.supervised._examples import (
    Examples,
    check_not_empty,
    check_weights,
    split,
)
from skparaphrase.supervised._network import Network
from skparaphrase.supervised._settings import SETTINGS


class SupervisedModel(PaperSettings, SavedInFolders, Network):
    """Base of models that learn scores or classes of texts or pairs through an encoder.

    A subclass says what the targets of the head are, and what its outputs mean.
    """

    _settings = SETTINGS

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["transform"]), None],
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "projection_dim": [Interval(Integral, 1, None, closed="left"), None],
        "train_projection": ["boolean"],
        "normalize": ["boolean"],
        "scale": [Interval(Real, 0, None, closed="neither"), None],
        "freeze": [StrOptions({"vectors", "encoder"}), None],
        "prior": [StrOptions({"universal"}), None],
        "optimizer": [StrOptions({"adagrad", "adam", "sgd"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_epochs": [Interval(Integral, 0, None, closed="left")],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "vectors_penalty": [Interval(Real, 0, None, closed="left")],
        "composition_penalty": [Interval(Real, 0, None, closed="left")],
        "head_penalty": [Interval(Real, 0, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "sparse_updates": ["boolean"],
        "warm_start": ["boolean"],
        "device": [str],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(self, **params: Any) -> None:
        self.__dict__.update(params)

    @abstractmethod
    def _check_targets(self, y: Any, *, reset: bool) -> NDArray[Any]:
        """Check the targets of `fit`, and learn what they may be if `reset`."""

    @abstractmethod
    def _check_held_out(self, y: Any) -> NDArray[Any]:
        """Check the targets of validation."""

    @abstractmethod
    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        """What the softmax should give for checked targets, (n_samples, n_outputs)."""

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
            Texts for :class:`SentenceClassifier`, pairs for the other models.

        y : array-like of shape (n_samples,)
            Scores, or labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each example in the loss. Only their ratios matter; examples of
            weight 0 are left out.

        X_val : array-like of str, default=None
            Examples to score after every epoch; the best epoch is kept.

        y_val : array-like of shape (n_val_samples,), default=None
            Their scores or labels.

        sample_weight_val : array-like of shape (n_val_samples,), default=None
            Their weights in the score.

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
        goes_on = self.warm_start and hasattr(self, "head_")
        with self._unchanged_on_error():
            self._begin_randomness(goes_on)
            examples = self._check_examples(X, y, sample_weight, reset=not goes_on)
            validation = self._check_validation(X_val, y_val, sample_weight_val)
            if self.validation_fraction is not None:
                examples, validation = split(
                    examples,
                    self.validation_fraction,
                    deepcopy(self._split_state),
                    stratify=is_classifier(self),
                )
            examples = self._weigh(examples)
            if not goes_on:
                self._start_over(examples.texts)
            train = self._training(X, y, examples, validation)
        train()
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
        return hasattr(self, "head_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = self._n_texts == 1
        tags.input_tags.two_d_array = False
        return tags
