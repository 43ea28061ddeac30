"""The fit of every trained model: encoders, heads, word interaction, taggers.

`TrainedEstimator._fit` reads as the method. A model defines its steps::

    _read        supervision/: what X and y teach
    _start       what training starts from: a table, rows of it, a network
    _trainer     training/: the objective, and the steps
    _attributes  what the estimator is after some epochs

and `fit_epochs` of `training/_loop.py` goes over epochs, batches and validation. If
training is interrupted, the best epoch so far is stored, or what the last step left; if
it diverges, nothing is.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable
from copy import copy, deepcopy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from sklearn.callback import CallbackSupportMixin
from sklearn.utils import check_random_state

from skparaphrase._estimator import PaperSettings
from skparaphrase._lazy import training
from skparaphrase._threads import own_torch
from skparaphrase._typing import Arrays
from skparaphrase.optimizers import Optimizer, check_optimizer
from skparaphrase.supervision._examples import Examples

Attributes = dict[str, Any]
Validation = tuple[Any, Any, Any]  # X_val, y_val, sample_weight_val


class EpochCallbacks:
    """scikit-learn's callbacks of a fit, as the loop over epochs calls them.

    Parameters
    ----------
    estimator : estimator instance
    context : CallbackContext
    X, y : object
        The arguments of `fit`.
    fitted_attributes : callable
        Returns the attributes of the estimator after the epochs of a history.
    """

    def __init__(
        self,
        estimator: Any,
        context: Any,
        X: Any,
        y: Any,
        fitted_attributes: Callable[[Any], dict[str, Any]],
    ) -> None:
        self.context = context
        self.arguments = {"estimator": estimator, "X": X, "y": y}
        self.fitted_attributes = fitted_attributes

    def begin(self, epoch: dict[str, float], history: Callable[[], Any]) -> None:
        """Call them before the first epoch, with the start as epoch 0."""
        self.context.call_on_fit_task_begin(
            **self.arguments,
            metadata=epoch,
            reconstruction_attributes=lambda: self.fitted_attributes(history()),
        )

    def begin_epoch(self) -> None:
        """Call them before an epoch."""
        self.epoch = self.context.subcontext(task_name="epoch")
        self.epoch.call_on_fit_task_begin(**self.arguments)

    def end_epoch(self, epoch: dict[str, float], history: Callable[[], Any]) -> bool:
        """Call them after an epoch, and return whether one asks to stop."""
        stops: bool = self.epoch.call_on_fit_task_end(
            **self.arguments,
            metadata=epoch,
            reconstruction_attributes=lambda: self.fitted_attributes(history()),
        )
        return stops

    def end(self, history: Callable[[], Any]) -> None:
        """Call them after the last epoch."""
        self.context.call_on_fit_task_end(
            **self.arguments,
            reconstruction_attributes=lambda: self.fitted_attributes(history()),
        )


class TrainedEstimator(PaperSettings, CallbackSupportMixin):
    """Base class of estimators that are trained by epochs.

    A subclass defines the steps of :meth:`_fit`.
    """

    loss_curve_: list[float]
    n_epochs_: int
    validation_scores_: list[float]
    best_epoch_: int

    _fitted_names: ClassVar[tuple[str, ...]]  # attributes of any fit, then of some
    _optimizer: ClassVar[Optimizer]  # with `optimizer=None`
    _refused: ClassVar[tuple[str, ...]] = ()  # parameters of an optimizer
    _small_steps: ClassVar[bool] = True  # see `fit_epochs`
    _later_wins: ClassVar[bool] = False  # of epochs with equal scores

    __metadata_request__fit: ClassVar = {"groups": False}  # those of splitters

    # Parameters
    optimizer: str | Optimizer | None
    learning_rate: float
    batch_size: int
    max_epochs: int
    validation_fraction: float | None
    patience: int | None
    warm_start: bool
    random_state: Any
    verbose: bool | int

    @abstractmethod
    def _read(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, *, resume: bool
    ) -> Examples:
        """Check examples, and find out what they teach."""

    @abstractmethod
    def _read_validation(self, train: Examples, X: Any, y: Any, weights: Any) -> Any:
        """Check examples for validation, of the kind of those to train on."""

    @abstractmethod
    def _start(self, train: Examples, steps: "training.Steps", *, resume: bool) -> Any:
        """What training starts from: a value with `rows`, those of a table, or None."""

    @abstractmethod
    def _trainer(
        self,
        start: Any,
        train: Examples,
        steps: "training.Steps",
        split_state: RandomState,
    ) -> "training.Trainer":
        """What takes the steps, on parts of `start`."""

    @abstractmethod
    def _attributes(
        self, start: Any, arrays: Arrays, *, is_scratch: bool = False
    ) -> Attributes:
        """The fitted attributes, given the arrays of a trainer.

        Those that are `is_scratch` last until the next ones. Without `arrays`, the
        attributes of the start.
        """

    @abstractmethod
    def _validation_score(self, held_out: Examples, train: Examples) -> float:
        """The score of this fitted model on held-out examples; higher is better."""

    def _fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        validation: Validation = (None, None, None),
        *,
        is_partial: bool = False,
    ) -> Examples:
        """Train, store the result, and return the examples that were trained on.

        One that `is_partial` takes one epoch, without validation and callbacks, and
        continues from the fitted state.
        """
        name, context = type(self).__name__, None
        max_epochs = 1 if is_partial else self.max_epochs
        resume = (is_partial or self.warm_start) and self.__sklearn_is_fitted__()
        if not is_partial:
            self._check_validation(*validation)
            context = self._init_callback_context(max_subtasks=max_epochs)
        with own_torch():
            rng, split_rng = random_states(self, resume=resume)
            examples = self._read(X, y, sample_weight, groups, resume=resume)
            optimizer = self._optimizer_for(examples)
            train, held_out = examples, None
            if not is_partial:
                train, held_out = self._hold_out(examples, validation, split_rng)
            steps = training.Steps(optimizer, self.learning_rate, self.batch_size, rng)
            start = self._start(train, steps, resume=resume)
            if not (is_partial or self.warm_start or held_out is not None):
                start = self._with_gain(start, train, steps, split_rng)
            trainer = self._trainer(start, train, steps, deepcopy(split_rng))
            earlier, moments = self._earlier(trainer, start, resume=resume)
            results = partial(self._results, start)
            keep = is_partial or self.warm_start
            store = partial(self._store, start, trainer, split_rng, moments, keep)
            callbacks = validate = None
            if context is not None:
                callbacks = EpochCallbacks(self, context, X, y, results)
            if held_out is not None:
                validate = partial(self._score, start, train, held_out)
            history = training.fit_epochs(
                trainer,
                max_epochs,
                name=name,
                earlier=earlier,
                validate=validate,
                patience=self.patience,
                prefer_later_on_ties=self._later_wins,
                callbacks=callbacks,
                on_interrupt=store,
                small_steps=self._small_steps,
                verbose=self.verbose,
            )
            store(history)
            if not is_partial:
                if self.verbose:
                    n_held_out = 0 if held_out is None else len(held_out)
                    measure = f"{train.kind.metric} on {n_held_out} held-out examples"
                    gain = getattr(start, "gain", None)
                    training.report_gain(history, name, measure, gain)
                training.warn_if_a_constant_is_better(trainer, history, name)
        return train

    def _with_gain(
        self,
        start: Any,
        train: Examples,
        steps: "training.Steps",
        split_state: RandomState,
    ) -> Any:
        """The start with what training gains on unseen examples, if that counts."""
        return start

    def _optimizer_for(self, examples: Examples) -> Optimizer:
        """The optimizer, resolved and checked."""
        return check_optimizer(self.optimizer, self._optimizer, self._refused)

    def _check_validation(self, X_val: Any, y_val: Any, weights: Any) -> None:
        """Raise unless there is one way to validate, or none."""
        if X_val is None and y_val is not None:
            raise ValueError("X_val and y_val must be given together.")
        if X_val is None and weights is not None:
            raise ValueError("sample_weight_val needs X_val and y_val.")
        if X_val is not None and self.validation_fraction is not None:
            raise ValueError(
                "validation_fraction splits examples off X; set it to None to pass "
                "X_val and y_val."
            )
        validates = X_val is not None or self.validation_fraction is not None
        if self.patience is not None and not validates:
            raise ValueError(
                f"patience={self.patience} needs validation scores: set "
                "validation_fraction, or pass X_val and y_val to fit."
            )

    def _hold_out(
        self, examples: Examples, validation: Validation, split_state: RandomState
    ) -> tuple[Examples, Examples | None]:
        """The examples to train on, and those to validate on, or None."""
        if self.validation_fraction is not None:
            return examples.split(self.validation_fraction, deepcopy(split_state))
        if validation[0] is None:
            return examples, None
        return examples, self._read_validation(examples, *validation)

    def _earlier(
        self, trainer: "training.Trainer", start: Any, *, resume: bool
    ) -> "tuple[training.History, Attributes]":
        """The history and the moments of the fit that this one resumes."""
        if not resume:
            return training.History(), {}
        earlier = training.History(
            self.loss_curve_,
            getattr(self, "validation_scores_", None),
            getattr(self, "best_epoch_", None),
        )
        if earlier.n_epochs:
            trainer.ordered_first_epoch = False
        moments = getattr(self, "_moments", {}).get(trainer.optimizer.name, {})
        if moments:
            selected = moments if start.rows is None else start.rows.select(moments)
            trainer.rule.load_state_dict(deepcopy(selected), trainer.device)
        return earlier, moments

    def _results(self, start: Any, history: "training.History") -> Attributes:
        """The fitted attributes after the epochs of a history."""
        arrays = history.arrays if history.has_steps else {}
        results = self._attributes(start, arrays)
        results |= {
            "loss_curve_": [*history.loss_curve],
            "n_epochs_": history.n_epochs,
        }
        if history.validation_scores is not None:
            results["validation_scores_"] = [*history.validation_scores]
            results["best_epoch_"] = history.best_epoch
        return results

    def _store(
        self,
        start: Any,
        trainer: "training.Trainer",
        split_state: RandomState,
        moments: Attributes,
        keep_moments: bool,
        history: "training.History",
    ) -> None:
        """Store the results of a fit, and what another one needs to resume."""
        results = self._results(start, history)
        for name in (*self._fitted_names, "validation_scores_", "best_epoch_"):
            if name not in results and hasattr(self, name):
                delattr(self, name)
        for name, value in results.items():
            setattr(self, name, value)
        self._random_state = trainer.random_state
        self._split_state = split_state
        self._moments: Attributes = {}
        if keep_moments:
            state = trainer.rule.state_dict()
            state = state if start.rows is None else start.rows.merge(state, moments)
            self._moments = {str(trainer.optimizer.name): state}

    def _with(self, attributes: Attributes) -> Self:
        """A copy with other fitted attributes."""
        fitted = copy(self)
        for name, value in attributes.items():
            setattr(fitted, name, value)
        return fitted

    def _score(
        self, start: Any, train: Examples, held_out: Examples, arrays: Arrays
    ) -> float:
        """The validation score of the arrays of a trainer."""
        model = self._with(self._attributes(start, arrays, is_scratch=True))
        return model._validation_score(held_out, train)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_names[0])


def random_states(estimator: Any, *, resume: bool) -> tuple[RandomState, RandomState]:
    """The random states of a fit, and of what it holds out for validation.

    A fit that resumes takes copies of those of the last one: it splits off the same
    examples. Files do not hold them.
    """
    if resume and hasattr(estimator, "_random_state"):
        return deepcopy(estimator._random_state), estimator._split_state
    seed = check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max)
    return RandomState(seed), RandomState(seed)
