"""The fit of every trained model: encoders, heads, word interaction, taggers.

`TrainedEstimator._fit` calls steps that a model defines::

    _read        checks X and y, and finds out what they teach (supervision/)
    _start       prepares what training starts from: word vectors and a network
    _trainer     combines them with the examples, a loss and an update rule (training/)
    _attributes  turns trained arrays into fitted attributes

`fit_epochs` of `training/_loop.py` runs the trainer over epochs and batches, and
validates. If training is interrupted, the best epoch so far is stored, or without
validation the parameters reached so far; if it diverges, nothing is stored. Models
derive from `encoders._trained.TrainedEncoder` or `supervised._base.SupervisedModel`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable
from copy import copy, deepcopy
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from skparaphrase._compat import CallbackSupportMixin
from skparaphrase._estimator import PaperSettings
from skparaphrase._lazy import training
from skparaphrase._threads import own_torch
from skparaphrase._typing import Arrays
from skparaphrase.optimizers import Optimizer, check_optimizer
from skparaphrase.supervision._examples import Examples

Attributes = dict[str, Any]
Validation = tuple[Any, Any, Any]  # X_val, y_val, sample_weight_val


class FitSettings(NamedTuple):
    """Settings that all steps of a fit share.

    Attributes
    ----------
    steps : Steps
        Optimizer, learning rate, batch size and random state.
    seed : int
        For what a resumed fit must draw again: the validation split, and partners of
        labelled texts.
    resume : bool
        Whether training continues from the fitted state.
    """

    steps: "training.Steps"
    seed: int
    resume: bool


class EpochCallbacks:
    """Adapts scikit-learn's callbacks to the loop over epochs.

    `results` returns the fitted attributes, given a history.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, results: Callable[[Any], Attributes]
    ) -> None:
        max_epochs = estimator.max_epochs
        self.context = estimator._init_callback_context(max_subtasks=max_epochs)
        self.arguments = {"estimator": estimator, "X": X, "y": y}
        self.results = results

    def _as_of(self, history: Callable[[], Any]) -> dict[str, Any]:
        """Arguments of callbacks, which may ask for the fitted attributes."""
        attributes = {"reconstruction_attributes": lambda: self.results(history())}
        return self.arguments | attributes

    def begin(self, epoch: dict[str, float], history: Callable[[], Any]) -> None:
        """Call them before the first epoch, with the start as epoch 0."""
        self.context.call_on_fit_task_begin(metadata=epoch, **self._as_of(history))

    def begin_epoch(self) -> None:
        """Call them before an epoch."""
        self.epoch = self.context.subcontext(task_name="epoch")
        self.epoch.call_on_fit_task_begin(**self.arguments)

    def end_epoch(self, epoch: dict[str, float], history: Callable[[], Any]) -> bool:
        """Call them after an epoch, and return whether one asks to stop."""
        given = self._as_of(history)
        return bool(self.epoch.call_on_fit_task_end(metadata=epoch, **given))

    def end(self, history: Callable[[], Any]) -> None:
        """Call them after the last epoch."""
        self.context.call_on_fit_task_end(**self._as_of(history))


class TrainedEstimator(PaperSettings, CallbackSupportMixin):
    """Base class of estimators that are trained; a subclass defines the steps."""

    loss_curve_: list[float]
    n_epochs_: int
    validation_scores_: list[float]
    best_epoch_: int

    _fitted_names: ClassVar[tuple[str, ...]]  # of a fit; the first is always set
    _optimizer: ClassVar[Optimizer]  # for `optimizer=None`
    _refused: ClassVar[tuple[str, ...]] = ()  # parameters of an optimizer
    _small_steps: ClassVar[bool] = True  # both: see `fit_epochs`
    _prefer_later_on_ties: ClassVar[bool] = False

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
        """Check the training examples, and find out what they teach."""

    @abstractmethod
    def _read_validation(self, train: Examples, X: Any, y: Any, weights: Any) -> Any:
        """Check the validation examples, which must be of the same kind."""

    @abstractmethod
    def _start(self, train: Examples, settings: FitSettings) -> Any:
        """What training starts from; `rows` are the table rows to train, or None."""

    @abstractmethod
    def _trainer(
        self, start: Any, train: Examples, settings: FitSettings
    ) -> "training.Trainer":
        """The trainer, which updates the network of `start` in place."""

    @abstractmethod
    def _attributes(
        self, start: Any, arrays: Arrays, *, is_scratch: bool = False
    ) -> Attributes:
        """The fitted attributes, given the arrays of a trainer.

        Without `arrays`, those of the start. With `is_scratch`, the next call may
        overwrite them: tables share memory.
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
    ) -> None:
        """Train, and store the result.

        With `is_partial`, train for one epoch, without validation and callbacks, and
        resume from the fitted state.
        """
        name, held_out = type(self).__name__, None
        keeps_state = is_partial or self.warm_start
        resume = keeps_state and self.__sklearn_is_fitted__()
        if not is_partial:
            self._check_validation(*validation)
        with own_torch():
            rng, seed = random_states(self, resume=resume)
            train = self._read(X, y, sample_weight, groups, resume=resume)
            optimizer = self._optimizer_for(train)
            if not is_partial:
                train, held_out = self._hold_out(train, validation, seed)
            steps = training.Steps(optimizer, self.learning_rate, self.batch_size, rng)
            settings = FitSettings(steps, seed, resume)
            start = self._start(train, settings)
            if held_out is None and not keeps_state:
                start = self._shrink(start, train, settings)
            trainer = self._trainer(start, train, settings)
            store = partial(self._store, start, trainer, seed, keeps_state)
            callbacks = validate = None
            # Of scikit-learn's `set_callbacks`, or of a search around this model.
            if getattr(self, "_skl_callbacks", None) and not is_partial:
                callbacks = EpochCallbacks(self, X, y, partial(self._results, start))
            if held_out is not None:
                validate = partial(self._score, start, train, held_out)
            history = training.fit_epochs(
                trainer,
                1 if is_partial else self.max_epochs,
                name=name,
                earlier=self._resume(trainer, start) if resume else None,
                validate=validate,
                patience=self.patience,
                prefer_later_on_ties=self._prefer_later_on_ties,
                callbacks=callbacks,
                on_interrupt=store,
                small_steps=self._small_steps,
                verbose=self.verbose,
            )
            store(history)
            self._validation_metric = train.kind.metric
            if self.verbose and not is_partial:
                n_held_out = 0 if held_out is None else len(held_out)
                measure = f"{train.kind.metric} on {n_held_out} held-out examples"
                gain = getattr(start, "gain", None)
                training.report_gain(history, name, measure, gain)
            if not is_partial:
                training.warn_if_a_constant_is_better(trainer, history, name)

    def _shrink(self, start: Any, train: Examples, settings: FitSettings) -> Any:
        """The start, with its `shrinkage` estimated; by default, there is none."""
        return start

    def _optimizer_for(self, examples: Examples) -> Optimizer:
        """The checked optimizer for these examples."""
        return check_optimizer(self.optimizer, self._optimizer, self._refused)

    def _check_validation(self, X_val: Any, y_val: Any, weights: Any) -> None:
        """Raise unless there is at most one way to validate."""
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
        self, examples: Examples, validation: Validation, seed: int
    ) -> tuple[Examples, Examples | None]:
        """The examples to train on, and those to validate on, or None."""
        if self.validation_fraction is not None:
            return examples.split(self.validation_fraction, RandomState(seed))
        if validation[0] is None:
            return examples, None
        return examples, self._read_validation(examples, *validation)

    def _resume(self, trainer: "training.Trainer", start: Any) -> "training.History":
        """Load the last fit's moments into a trainer, and return that fit's history."""
        earlier = training.History(
            self.loss_curve_,
            getattr(self, "validation_scores_", None),
            getattr(self, "best_epoch_", None),
        )
        if earlier.n_epochs:
            trainer.ordered_first_epoch = False
        if moments := self._moments_of(trainer.optimizer):
            if start.rows is not None:
                moments = start.rows.select(moments)
            trainer.rule.load_state_dict(deepcopy(moments), trainer.device)
        return earlier

    def _moments_of(self, optimizer: Optimizer) -> Attributes:
        """The moments that the last fit stored, if its optimizer had this name."""
        moments: Attributes = getattr(self, "_moments", {}).get(optimizer.name, {})
        return moments

    def _results(self, start: Any, history: "training.History") -> Attributes:
        """The fitted attributes, given a history."""
        results = self._attributes(start, history.arrays if history.has_steps else {})
        results["loss_curve_"] = [*history.loss_curve]
        results["n_epochs_"] = history.n_epochs
        if history.validation_scores is not None:
            results["validation_scores_"] = [*history.validation_scores]
            results["best_epoch_"] = history.best_epoch
        return results

    def _store(
        self,
        start: Any,
        trainer: "training.Trainer",
        seed: int,
        keeps_state: bool,
        history: "training.History",
    ) -> None:
        """Store the fitted attributes, and what another fit needs to resume."""
        results, moments = self._results(start, history), {}
        if keeps_state:
            moments = trainer.rule.state_dict()
            if start.rows is not None:
                moments = start.rows.merge(moments, self._moments_of(trainer.optimizer))
        for name in (*self._fitted_names, "validation_scores_", "best_epoch_"):
            self.__dict__.pop(name, None)
        self.__dict__.update(results)
        self._random_state, self._seed = trainer.random_state, seed
        self._moments = {trainer.optimizer.name: moments} if keeps_state else {}

    def _with(self, attributes: Attributes) -> Self:
        """A copy with other fitted attributes."""
        fitted = copy(self)
        fitted.__dict__.update(attributes)
        return fitted

    def _score(
        self, start: Any, train: Examples, held_out: Examples, arrays: Arrays
    ) -> float:
        """The validation score, given the arrays of a trainer."""
        model = self._with(self._attributes(start, arrays, is_scratch=True))
        return model._validation_score(held_out, train)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_names[0])


def random_states(estimator: Any, *, resume: bool) -> tuple[RandomState, int]:
    """The random state and the seed of a fit, see `FitSettings`.

    A resumed fit takes those of the last fit, so that it holds out the same examples,
    unless the model was loaded from a file.
    """
    if resume and hasattr(estimator, "_random_state"):
        return deepcopy(estimator._random_state), estimator._seed
    seed = check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max)
    return RandomState(seed), seed
