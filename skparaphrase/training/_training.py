"""The loop over epochs and batches that fits every trained estimator."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state

from skparaphrase._estimator import Arrays, warn_caller
from skparaphrase._threads import (
    limit_torch_threads,
    n_processes,
    process_rank,
)
from skparaphrase.training._distributed import share_steps
from skparaphrase.training._loop import DivergedError, train_epoch

_NO_LOSS = 1e-6  # a constant output that has less is right
_FEW_STEPS = 30  # after fewer, a high loss says nothing
_FEW_EPOCHS = 3  # after fewer, the mean over an epoch may be that of its first steps,
_MANY_STEPS = 100  # unless it equals a constant's loss after so many
_NEAR = 0.01  # of a constant's loss
_FEW_EXAMPLES = 50  # that fewer are all connected says nothing


@dataclass
class Best:
    """The best epoch so far.

    Attributes
    ----------
    score : float
    epoch : int
    since : int
        The epoch that patience counts from.
    arrays : dict of str to ndarray
        A copy of what the trainer had.
    """

    score: float
    epoch: int
    since: int
    arrays: Arrays


@dataclass(eq=False, repr=False)
class Training:
    """A fit by epochs: losses, validation, callbacks, and the best epoch.

    After an epoch, callbacks get a dict `metadata` with its "epoch" (from 1), "loss"
    and, if there is validation, "validation_score".

    Parameters
    ----------
    estimator : estimator with `max_epochs`, `random_state`, `verbose`, `warm_start`
    trainer : BaseTrainer
    fitted_state : callable
        Returns the fitted attributes, given arrays as of `trainer.arrays()`.
    validate : callable, default=None
        Returns the validation score of the estimator; higher is better.
    small_steps : bool, default=True
        More than two threads slow such steps down.
    later_wins : bool, default=False
        Of epochs with equal validation scores, keep the last one.

    Attributes
    ----------
    n_epochs : int
        Epochs of this fit that are done.
    stopped : bool
        Whether patience or a callback ended training before `max_epochs`.
    """

    estimator: Any
    trainer: Any
    fitted_state: Callable[[Arrays], dict[str, Any]]
    _: KW_ONLY
    validate: Callable[[], float] | None = None
    small_steps: bool = True
    later_wins: bool = False
    n_epochs: int = field(default=0, init=False)
    stopped: bool = field(default=False, init=False)
    best: Best | None = field(default=None, init=False)
    first_epoch: int = field(default=0, init=False)  # of the first candidate
    # Arguments of callbacks, and where they are called, while the fit runs.
    hook: dict[str, Any] = field(default_factory=dict, init=False)
    context: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.trainer.is_shareable and n_processes() > 1:
            share_steps(self.trainer, self.estimator.max_epochs)
        trainer = self.trainer
        if memory := self.estimator._optimizer_state.get(trainer.optimizer.name):
            trainer.rule.load_state_dict(memory, trainer.device)

    def begin(self, context: Any, X: Any, y: Any) -> None:
        """Start the callbacks with `X` and `y`; they may raise."""
        estimator = self.estimator
        if self.validate is None:
            forget_scores(estimator)
        else:  # the start is a candidate; other examples may have chosen its epoch
            last = estimator.n_epochs_
            self.first_epoch = epoch = getattr(estimator, "best_epoch_", last)
            self.best = Best(self._score(), epoch, last, self.snapshot())
        self.context = context
        self.hook = {"estimator": estimator, "X": X, "y": y}
        context.call_on_fit_task_begin(**self.hook)

    def fit_epochs(self, before: dict[str, Any]) -> None:
        """Train, after :meth:`begin`; store the best or the last epoch.

        If training diverges, the attributes are those `before`.
        """
        estimator, context, hook = self.estimator, self.context, self.hook
        with self._storing_result(before, keep_optimizer=estimator.warm_start):
            while self.n_epochs < estimator.max_epochs and not self.stopped:
                epoch = context.subcontext(task_name="epoch")
                epoch.call_on_fit_task_begin(**hook)
                loss = train_epoch(self.trainer, self.n_epochs, estimator.max_epochs)
                is_last = self._end_epoch(loss)
                self.n_epochs += 1
                stops = epoch.call_on_fit_task_end(
                    **hook,
                    metadata=self._last_epoch(),
                    reconstruction_attributes=self._reconstruction,
                )
                self.stopped = is_last or stops
            context.call_on_fit_task_end(**hook, reconstruction_attributes=dict)
        self._warn_if_a_constant_is_better()

    def fit_once(self, before: dict[str, Any]) -> None:
        """Train for one epoch, without callbacks, and remember the optimizer."""
        forget_scores(self.estimator)
        with self._storing_result(before, keep_optimizer=True):
            self._end_epoch(train_epoch(self.trainer, 0, 1))

    def snapshot(self) -> Arrays:
        """Copies of all arrays that are trained."""
        return {name: array.copy() for name, array in self.trainer.arrays().items()}

    @contextmanager
    def _storing_result(
        self, before: dict[str, Any], *, keep_optimizer: bool
    ) -> Iterator[None]:
        try:
            with limit_torch_threads(small_steps=self.small_steps):
                yield
        except DivergedError:
            _put_back(self.estimator, before)
            # The trainer has changed the moments, and they may not be finite.
            if "_optimizer_state" in before:
                self.estimator._optimizer_state = {}
            raise
        except BaseException:
            self.estimator._optimizer_state = {}
            try:
                self._store_result(keep_optimizer)
            except ValueError:  # of vectors that diverged
                _put_back(self.estimator, before)
            raise
        self._store_result(keep_optimizer)

    def _store_result(self, keep_optimizer: bool) -> None:
        best, trainer = self.best, self.trainer
        arrays = trainer.arrays() if best is None else best.arrays
        vars(self.estimator).update(self.fitted_state(arrays))
        self.estimator._optimizer_state = {}
        if keep_optimizer:
            name = trainer.optimizer.name
            self.estimator._optimizer_state = {name: trainer.rule.state_dict()}

    def _warn_if_a_constant_is_better(self) -> None:
        """Compare the losses with that of an output which ignores the text."""
        if not self.n_epochs:
            return
        curve = self.estimator.loss_curve_[-self.n_epochs :]
        slices = self.trainer.slices()
        constant = self.trainer.constant_loss()
        if max(constant, *curve) <= _NO_LOSS and slices[-1].stop >= _FEW_EXAMPLES:
            warn_caller(
                f"{type(self.estimator).__name__} has learnt nothing: shared texts "
                "connect all examples, so that no two texts are known to differ. Add "
                "examples about other things.",
                ConvergenceWarning,
            )
            return
        n_steps = self.n_epochs * len(slices)
        is_short = self.n_epochs < _FEW_EPOCHS
        if n_steps < (_MANY_STEPS if is_short else _FEW_STEPS):
            return
        gain = (constant - curve[-1]) / constant if constant > _NO_LOSS else np.nan
        if gain <= _NEAR and (gain >= -_NEAR or not is_short):
            plural = "s" if self.n_epochs > 1 else ""
            warn_caller(
                f"The loss of {type(self.estimator).__name__} went from {curve[0]:.3g} "
                f"to {curve[-1]:.3g} in {self.n_epochs} epoch{plural}; the same output "
                f"for every text would have {constant:.3g}. Check the columns that "
                "were passed as texts and targets. If they are right, train for more "
                f"epochs, or with another {self.trainer.parameters_to_change()}.",
                ConvergenceWarning,
            )

    def _last_epoch(self) -> dict[str, float]:
        """What callbacks are told after an epoch."""
        estimator = self.estimator
        found = {"epoch": estimator.n_epochs_, "loss": estimator.loss_curve_[-1]}
        if self.validate is not None:
            found["validation_score"] = estimator.validation_scores_[-1]
        return found

    def _reconstruction(self) -> dict[str, Any]:
        """Attributes of the estimator as if training had ended."""
        estimator = self.estimator
        state = self.fitted_state(self.snapshot())
        state["loss_curve_"] = list(estimator.loss_curve_)
        if self.validate is not None:
            state["validation_scores_"] = list(estimator.validation_scores_)
            state["best_epoch_"] = estimator.n_epochs_  # whose arrays these are
        return state

    def _score(self) -> float:
        assert self.validate is not None
        vars(self.estimator).update(self.fitted_state(self.trainer.arrays()))
        return self.validate()

    def _end_epoch(self, loss: float) -> bool:
        """Record loss and score; return whether patience is exhausted."""
        estimator = self.estimator
        estimator.loss_curve_.append(loss)
        estimator.n_epochs_ = n_epochs = estimator.n_epochs_ + 1
        if not np.isfinite(loss):
            raise DivergedError(
                f"The loss of epoch {n_epochs} is {loss}: training diverged. Use a "
                "lower learning_rate, or an Optimizer with clip_norm. "
                f"{type(estimator).__name__} is as before."
            )
        line = f"[{type(estimator).__name__}] epoch {n_epochs}: loss {loss:.4f}"
        is_last = False
        if self.validate is not None:
            score = self._score()
            line += f", validation score {score:.4f}"
            vars(estimator).setdefault("validation_scores_", []).append(score)
            best = self.best
            if (
                best is None
                or score > best.score
                or np.isnan(best.score)
                # What is trained beats a start that is as good.
                or (score == best.score and best.epoch == self.first_epoch)
            ):
                best = Best(score, n_epochs, n_epochs, self.snapshot())
            elif self.later_wins and score == best.score:
                best = Best(score, n_epochs, best.since, self.snapshot())
            self.best, estimator.best_epoch_ = best, best.epoch
            patience = self.trainer.optimizer.patience
            is_last = patience is not None and n_epochs - best.since >= patience
        if estimator.verbose and process_rank() == 0:
            print(line)
        return is_last


def begin_randomness(estimator: Any, *, resume: bool) -> None:
    """Give the estimator a random state of its own, which it keeps and pickles.

    A fit that resumes splits off the same validation examples as the first one.
    """
    if resume and hasattr(estimator, "_random_state"):  # not if loaded from a folder
        return
    seed = check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max)
    estimator._random_state = np.random.RandomState(seed)
    estimator._split_state = deepcopy(estimator._random_state)
    estimator._optimizer_state = {}


def forget_epochs(estimator: Any) -> None:
    """Start to count epochs from zero."""
    estimator.loss_curve_ = []
    estimator.n_epochs_ = 0
    forget_scores(estimator)


def forget_scores(estimator: Any) -> None:
    """Remove the scores of an earlier validation."""
    for name in ("validation_scores_", "best_epoch_"):
        estimator.__dict__.pop(name, None)


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[dict[str, Any]]:
    """Leave an estimator as it was if the block raises.

    Yields what it was, with copies of what training changes in place: lists, random
    states, and the encoders in models.
    """
    attributes = vars(estimator).copy()
    before = {
        name: copy(value) if name.endswith("_") and _is_changed(value) else value
        for name, value in attributes.items()
    }
    if "_random_state" in before:
        before["_random_state"] = deepcopy(estimator._random_state)
    try:
        yield before
    except BaseException:
        _put_back(estimator, attributes)
        raise


def _is_changed(value: Any) -> bool:
    return isinstance(value, (list, TransformerMixin)) and not isinstance(
        value, FrozenEstimator
    )


def _put_back(estimator: Any, before: dict[str, Any]) -> None:
    estimator.__dict__.clear()
    estimator.__dict__.update(before)
