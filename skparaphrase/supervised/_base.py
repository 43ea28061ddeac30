"""The base of supervised models: encoders with heads, word interaction, taggers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from copy import copy, deepcopy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin
from sklearn.utils import Tags, check_consistent_length

from skparaphrase._compat import check_weights, fit_context, with_callbacks
from skparaphrase._estimator import DocumentedOnline, PaperSettings
from skparaphrase._fit import random_states, run_fit
from skparaphrase._lazy import training
from skparaphrase._threads import own_torch
from skparaphrase._typing import Arrays, Texts
from skparaphrase.encoders import TableRows
from skparaphrase.metrics import pearson_score
from skparaphrase.optimizers import TRAINING_CONSTRAINTS, Optimizer, check_optimizer
from skparaphrase.storage import save
from skparaphrase.supervision import Samples, Targets
from skparaphrase.text import check_pairs, check_texts


class TrainedModel(PaperSettings, CallbackSupportMixin, BaseEstimator):
    """Base class of models that are trained on labelled examples.

    A subclass names the kind of its targets, initialises its fitted state, makes a
    trainer of `training`, and turns the trainer's arrays into fitted attributes.
    """

    loss_curve_: list[float]
    n_epochs_: int
    validation_scores_: list[float]
    best_epoch_: int

    _words: TableRows | None = None  # the rows of a table that a fit trains

    _kind: ClassVar[type[Targets]]
    _n_texts: ClassVar[int]  # of an example
    _fitted_names: ClassVar[tuple[str, ...]]  # attributes of any fit, then of some
    _optimizer: ClassVar[Optimizer]  # with `optimizer=None`
    _refused: ClassVar[tuple[str, ...]] = ()  # parameters of an optimizer
    _small_steps: ClassVar[bool] = True  # see `fit_epochs`
    _later_wins: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = TRAINING_CONSTRAINTS

    # Not a base: fewer classes are easier to follow.
    _doc_link_module = DocumentedOnline._doc_link_module
    _doc_link_template = DocumentedOnline._doc_link_template

    save = save

    @abstractmethod
    def _initialize(self, samples: Samples, rng: RandomState) -> None:
        """Set the fitted state that training starts from, on a new model."""

    @abstractmethod
    def _trainer(self, samples: Samples, rng: RandomState) -> "training.BaseTrainer":
        """A trainer of `training`, which starts from the fitted state."""

    @abstractmethod
    def _fitted_state(self, arrays: Arrays) -> dict[str, Any]:
        """Fitted attributes, given the arrays of a trainer."""

    @abstractmethod
    def _validation_score(self, examples: Samples) -> float:
        """The score of validation examples; higher is better."""

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Texts,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_val: Texts | None = None,
        y_val: ArrayLike | None = None,
        sample_weight_val: ArrayLike | None = None,
    ) -> Self:
        """Train on labelled texts or pairs of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            Texts for :class:`~skparaphrase.supervised.SentenceClassifier`, pairs for
            the other models.
        y : array-like of shape (n_samples,), (n_samples, n_labels) or (n_samples, 2)
            Scores, or labels. For several labels a text, an indicator matrix, dense or
            sparse. For a ranker 1 for right answers and 0 for wrong ones, and
            optionally a second column that identifies the question.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each example in the loss. Only ratios matter; examples of weight 0
            are ignored.
        X_val : array-like of str, default=None
            Examples to score after every epoch; the best epoch is kept.
        y_val : array-like, default=None
            Their scores or labels, in the form of `y`.
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

    @own_torch()
    def _fit(
        self,
        X: Texts,
        y: ArrayLike | None,
        weights: ArrayLike | None,
        validation: tuple[Any, Any, Any],
    ) -> Self:
        name = type(self).__name__
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None."
            )
        context = self._init_callback_context(max_subtasks=self.max_epochs)
        resume = self.warm_start and self.__sklearn_is_fitted__()
        rng, split_rng = random_states(self, resume=resume)
        kind = type(self._targets) if resume else self._kind_of(y)
        samples = self._read(X, y, weights, "X", kind)
        if resume:
            targets = self._targets
            targets.check(samples)
        else:
            targets = kind.fit(samples, self._outputs_of(y))
        train = samples.with_weight()
        held_out = self._read_validation(targets, *validation)
        if self.validation_fraction is not None:
            train, held_out = targets.split(
                train, self.validation_fraction, deepcopy(split_rng)
            )
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            train = train.weighted_by_class(class_weight)
        start = self._copy_at_start(targets, train, rng, resume=resume)
        trainer = start._trainer(train, rng)
        history = run_fit(
            self,
            trainer,
            start._fitted_attributes,
            max_epochs=self.max_epochs,
            resume=resume,
            split_state=split_rng,
            keep_moments=self.warm_start,
            optional_names=self._fitted_names,
            rows=start._words,
            context=context,
            arguments=(X, y),
            validate=None if held_out is None else partial(start._score, held_out),
            prefer_later_on_ties=self._later_wins,
            small_steps=self._small_steps,
            verbose=self.verbose,
        )
        if self.verbose:
            n_held_out = 0 if held_out is None else len(held_out)
            measure = f"{targets.metric} on {n_held_out} held-out examples"
            how_to = "validation_fraction=0.1 (or X_val and y_val)"
            training.report_gain(history, name, measure, how_to)
        training.warn_if_a_constant_is_better(trainer, history, name)
        return self

    def _copy_at_start(
        self, targets: Targets, samples: Samples, rng: RandomState, *, resume: bool
    ) -> Self:
        """A copy of the model in the state that training starts from."""
        if resume:
            return copy(self)
        start = type(self)(**self.get_params(deep=False))
        start._set_targets(targets)
        start._initialize(samples, rng)
        return start

    def _fitted_attributes(self, history: "training.History") -> dict[str, Any]:
        """The fitted attributes of a model that started like this one."""
        names = self._kind.attribute, *self._fitted_names
        attributes = {k: getattr(self, k) for k in names if hasattr(self, k)}
        if self.max_epochs:  # else it is as it started
            attributes |= self._fitted_state(history.arrays)
        return attributes

    def _score(self, held_out: Samples, arrays: Arrays) -> float:
        """The validation score of the arrays of a trainer."""
        model = copy(self)
        for name, value in self._fitted_state(arrays).items():
            setattr(model, name, value)
        return model._validation_score(held_out)

    def _kind_of(self, y: ArrayLike) -> type[Targets]:
        """The kind of targets that `y` holds."""
        return self._kind

    def _outputs_of(self, y: ArrayLike) -> ArrayLike | None:
        """What `y` or a parameter says that the outputs mean; None: `y` is searched."""
        return getattr(self, "levels", None)

    def _set_targets(self, targets: Targets) -> None:
        """Store what is learnt as fitted attributes."""
        setattr(self, targets.attribute, targets.outputs)

    @property
    def _targets(self) -> Targets:
        """What is learnt, restored from the fitted attribute."""
        return self._kind(getattr(self, self._kind.attribute))

    def _read(
        self,
        X: Texts,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        name: str,
        kind: type[Targets],
    ) -> Samples:
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
        return Samples(texts, kind.read(y, texts), weights)

    def _read_validation(
        self, targets: Targets, X: Any, y: Any, weights: Any
    ) -> Samples | None:
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
        patience = self._checked_optimizer().patience
        training.check_patience(patience, validates=validates)
        if X is None:
            return None
        held_out = self._read(X, y, weights, "X_val", type(targets))
        targets.check_validation(held_out)
        return held_out

    def _checked_optimizer(self) -> Optimizer:
        return check_optimizer(self.optimizer, self._optimizer, self._refused)

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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_names[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = self._n_texts == 1
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def score(
    self: Any, X: Texts, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
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
