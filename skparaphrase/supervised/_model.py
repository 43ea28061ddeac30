"""The base of supervised, interaction and tagging models."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.callback import CallbackSupportMixin
from sklearn.utils import Tags, check_consistent_length

from skparaphrase._compat import check_sample_weight, fit_context, with_callbacks
from skparaphrase._estimator import Arrays, DocumentedOnline, PaperSettings
from skparaphrase._lazy import training
from skparaphrase.optimizers import TRAINING_CONSTRAINTS, Optimizer, check_optimizer
from skparaphrase.storage._models import save


@dataclass(frozen=True)
class Examples:
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

    def take(self, chosen: NDArray[Any]) -> "Examples":
        """Some examples, by row numbers or a mask."""
        weights = None if self.weights is None else self.weights[chosen]
        return Examples(self.texts[chosen], self.targets[chosen], weights)

    def reweight(self, factors: NDArray[np.float64]) -> "Examples":
        """The same examples with weights multiplied by factors."""
        weights = factors if self.weights is None else self.weights * factors
        return Examples(self.texts, self.targets, weights)

    def normalized_weights(self) -> NDArray[np.float32] | None:
        """The weights, divided by their mean."""
        if self.weights is None:
            return None
        return (self.weights / self.weights.mean()).astype(np.float32)


class TrainedModel(PaperSettings, CallbackSupportMixin, BaseEstimator):
    """Base class of models that are trained on labelled examples.

    A subclass checks texts and targets, initialises its fitted state, makes a trainer
    of `training`, and turns the trainer's arrays into fitted attributes.
    """

    _optimizer_state: dict[str, Any]

    # Checks of texts, of targets, and of the targets of validation; not needed by a
    # model that overrides `_check_examples` and `_held_out_examples`.
    _check_texts: Callable[[Any], NDArray[np.object_]]
    _check_targets: Callable[..., NDArray[Any]]
    _check_held_out: Callable[[Any], NDArray[Any]]

    _fitted_names: ClassVar[tuple[str, ...]]  # attributes of `_fitted_state`
    _optimizer_settings: ClassVar[dict[str, Any]] = {}  # of a name
    _small_steps: ClassVar[bool] = True  # see `Training`
    _later_wins: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = TRAINING_CONSTRAINTS

    # Not a base, which would make the chain of bases longer.
    _doc_link_module = DocumentedOnline._doc_link_module
    _doc_link_template = DocumentedOnline._doc_link_template

    save = save

    @property
    @abstractmethod
    def _n_outputs(self) -> int:
        """Units of the softmax, if examples have distributions over them."""

    @abstractmethod
    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        """What the softmax should give, shape (n_samples, n_outputs)."""

    @abstractmethod
    def _initialize(self, examples: Examples) -> None:
        """Set the fitted state that training starts from."""

    @abstractmethod
    def _trainer(self, examples: Examples) -> Any:
        """A trainer of `training`, which starts from the fitted state."""

    @abstractmethod
    def _fitted_state(self, arrays: Arrays) -> dict[str, Any]:
        """Fitted attributes, given the arrays of a trainer."""

    @abstractmethod
    def _validation_score(self, examples: Examples) -> float:
        """The score of validation examples; higher is better."""

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
        """Train on labelled texts or pairs of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            Texts for :class:`~skparaphrase.supervised.SentenceClassifier`, pairs for
            the other models.
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Scores, or labels. For a ranker 1 for right answers and 0 for wrong ones,
            and optionally a second column that identifies the question.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each example in the loss. Only ratios matter; examples of weight 0
            are ignored.
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
            For invalid texts, scores or labels; the message says what is wrong and
            where.

        Notes
        -----
        If training is interrupted (Ctrl-C, an error in a callback), the best epoch is
        kept, or without validation the parameters reached so far, and with
        `warm_start=True` another `fit` resumes.
        """
        return self._fit(X, y, sample_weight, (X_val, y_val, sample_weight_val))

    def _fit(self, X: Any, y: Any, weights: Any, validation: tuple[Any, ...]) -> Self:
        if y is None:
            model = type(self).__name__
            raise ValueError(
                f"{model} requires y to be passed, but the target y is None."
            )
        resume = self.warm_start and self.__sklearn_is_fitted__()
        context = self._init_callback_context(max_subtasks=self.max_epochs)
        with training.unchanged_on_error(self):
            kept = (*self._fitted_names, "n_epochs_")
            kept += ("_random_state", "_optimizer_state")
            start = {k: getattr(self, k, None) for k in kept} if resume else None
            training.begin_randomness(self, resume=resume)
            examples = self._check_examples(X, y, weights, reset=not resume)
            held_out = self._check_validation(*validation)
            data = {
                "the examples": examples,
                "the validation examples": held_out,
                "the fitted state that it resumes from": start,
            }
            if self.validation_fraction is not None:
                examples, held_out = self._split(
                    examples, self.validation_fraction, deepcopy(self._split_state)
                )
            examples = self._reweight(examples)
            if not resume:
                self._initialize(examples)
            validate = None
            if held_out is not None:
                validate = partial(self._validation_score, held_out)
            run = training.Training(
                self,
                self._trainer(examples),
                self._fitted_state,
                validate=validate,
                data=data,
                small_steps=self._small_steps,
                later_wins=self._later_wins,
            )
            run.begin(context, X, y)
        run.fit_epochs()
        return self

    def _check_examples(self, X: Any, y: Any, weights: Any, *, reset: bool) -> Examples:
        texts, weights = self._check_inputs(X, y, weights, "X")
        examples = Examples(texts, self._check_targets(y, reset=reset), weights)
        return examples if weights is None else examples.take(weights > 0)

    def _check_validation(self, X: Any, y: Any, weights: Any) -> Examples | None:
        if (X is None) != (y is None):
            raise ValueError("X_val and y_val must be given together.")
        if X is None and weights is not None:
            raise ValueError("sample_weight_val needs X_val and y_val.")
        if X is not None and self.validation_fraction is not None:
            raise ValueError(
                "validation_fraction splits examples off X; set it to None to pass "
                "X_val and y_val."
            )
        validates = X is not None or self.validation_fraction is not None
        training.check_patience(self.patience, validates)
        if X is None:
            return None
        return self._held_out_examples(X, y, weights)

    def _held_out_examples(self, X: Any, y: Any, weights: Any) -> Examples:
        texts, weights = self._check_inputs(X, y, weights, "X_val")
        return Examples(texts, self._check_held_out(y), weights)

    def _check_inputs(
        self, X: Any, y: Any, sample_weight: Any, name: str
    ) -> tuple[NDArray[np.object_], NDArray[np.float64] | None]:
        """Texts, and weights that are not negative, finite, and not all zero."""
        texts = self._check_texts(X)
        if len(texts) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) in {name} while a minimum of 1 is "
                f"required by {type(self).__name__}."
            )
        check_consistent_length(texts, y)
        if sample_weight is None:
            return texts, None
        weights: NDArray[np.float64] = check_sample_weight(
            sample_weight,
            np.empty((len(texts), 0)),
            dtype=np.float64,
            ensure_non_negative=True,
        )
        return texts, weights

    def _split(
        self, examples: Examples, fraction: float, random_state: np.random.RandomState
    ) -> tuple[Examples, Examples]:
        """Examples to train on, and a random share to validate on."""
        stratify = examples.targets if is_classifier(self) else None
        return training.split_off(examples, fraction, random_state, stratify)

    def _reweight(self, examples: Examples) -> Examples:
        """Apply weights that depend on the targets."""
        return examples

    def _resolved_optimizer(self) -> Optimizer:
        return check_optimizer(self.optimizer, **self._optimizer_settings)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_names[-1])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
