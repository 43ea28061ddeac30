"""Fitting by epochs: callbacks, losses, validation, and the best epoch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from sklearn.callback import CallbackSupportMixin
from sklearn.utils import check_random_state

from skparaphrase._threads import process_rank
from skparaphrase.callback import Checkpoint
from skparaphrase.callback._checkpoint import Run

State = dict[str, Any]


class _Best(NamedTuple):
    """The best epoch so far."""

    score: float
    epoch: int
    state: State
    since: int  # the epoch that patience counts from


def check_one_validation(
    X_val: Any,
    y_val: Any,
    sample_weight: Any = None,
    *,
    fraction: float | None,
    patience: int | None,
) -> None:
    """Raise unless validation is asked for in one way, or not at all."""
    if (X_val is None) != (y_val is None):
        raise ValueError("X_val and y_val must be given together.")
    if X_val is None and sample_weight is not None:
        raise ValueError("sample_weight_val needs X_val and y_val.")
    if X_val is not None and fraction is not None:
        raise ValueError(
            "validation_fraction takes examples from X; set it to None to give X_val "
            "and y_val."
        )
    if X_val is None and fraction is None and patience is not None:
        raise ValueError(
            f"patience={patience} has nothing to go by: set validation_fraction, or "
            "give X_val and y_val to fit."
        )


class FitsByEpochs(CallbackSupportMixin):
    """Base of estimators whose `fit` goes over its examples many times.

    Fitted state is what a function gives, in arrays of its own: a dict of attributes.
    """

    _small_steps = True  # for which more than two threads are too many
    _later_wins = False  # of epochs with the same score of validation

    max_epochs: int
    patience: int | None = None
    warm_start: bool
    random_state: Any
    verbose: bool | int

    loss_curve_: list[float]
    n_epochs_: int
    validation_scores_: list[float]
    best_epoch_: int

    _seed: int
    _random_state: np.random.RandomState
    _split_state: np.random.RandomState
    _optimizer_state: dict[str, Any]
    _best: _Best | None

    def _new_random_state(self) -> np.random.RandomState:
        """One of our own, to keep and to pickle."""
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        for checkpoint in self._checkpoints() if self.random_state is None else ():
            seed = checkpoint._seed(seed)
        self._seed = int(seed)
        return np.random.RandomState(self._seed)

    def _checkpoints(self) -> list[Checkpoint]:
        callbacks = getattr(self, "_skl_callbacks", [])
        return [each for each in callbacks if isinstance(each, Checkpoint)]

    def _open_run(self, data: dict[str, Any], *, goes_on: bool) -> Run:
        """Checkpoints of a fit, where a callback asks for them.

        Parameters
        ----------
        data : dict of str to object
            What the fit learns from; with the parameters, the seed, and the fitted
            state if it `goes_on`, all that decides its result.

        Raises
        ------
        ValueError
            If the folder is in use, or has a checkpoint of another fit.
        """
        checkpoints = self._checkpoints()
        if len(checkpoints) > 1:
            raise ValueError("A fit can have one Checkpoint; got several.")
        start = None
        if goes_on:
            names = (*self._trained, "_random_state", "_optimizer_state", "n_epochs_")
            start = {name: getattr(self, name, None) for name in names}
        return Run(
            checkpoints[0] if checkpoints else None, self, start=start, data=data
        )

    def _begin_randomness(self, goes_on: bool) -> None:
        """Random numbers of this fit; a fit that goes on splits as the first did."""
        if goes_on and hasattr(self, "_random_state"):  # not loaded from a folder
            return
        self._random_state = self._new_random_state()
        self._split_state = deepcopy(self._random_state)
        self._optimizer_state = {}

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        """An estimator that cannot begin to train stays as it was."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _forget_epochs(self) -> None:
        """Begin to count anew."""
        self.loss_curve_ = []
        self.n_epochs_ = 0
        self._forget_scores()

    def _forget_scores(self) -> None:
        for name in ("validation_scores_", "best_epoch_"):
            self.__dict__.pop(name, None)

    @contextmanager
    def _best_kept(
        self, state: Callable[[], State], validate: Callable[[], float] | None
    ) -> Iterator[None]:
        """However the block ends, take the state of the best epoch, or the last one."""
        self._best = None
        if validate is None:
            self._forget_scores()  # of an earlier fit, that this one goes on from
        elif hasattr(self, "best_epoch_"):  # which may have seen other examples
            self._best = _Best(validate(), self.best_epoch_, state(), self.n_epochs_)
        try:
            yield
        finally:
            best = self._best
            del self._best
            self.__dict__.update(state() if best is None else best.state)

    def _fit_epochs(
        self,
        X: Any,
        y: Any,
        trainer: Any,
        losses: Iterator[float],
        state: Callable[[], State],
        validate: Callable[[], float] | None,
        run: Run,
    ) -> None:
        """Run the epochs of a trainer of `nn`, and keep what comes of it.

        However training ends, the fitted state is that of the best epoch, or of the
        last one; with `warm_start` the optimiser is remembered.
        """
        from skparaphrase.nn import few_threads

        threads = few_threads(small_steps=self._small_steps)
        try:
            with threads, self._best_kept(state, validate):
                self._run_epochs(X, y, trainer, losses, state, validate, run)
        finally:
            self._optimizer_state = {}
            if self.warm_start:
                name = trainer.options.optimizer
                self._optimizer_state = {name: trainer.optimizer.numpy()}

    def _run_epochs(
        self,
        X: Any,
        y: Any,
        trainer: Any,
        losses: Iterator[float],
        state: Callable[[], State],
        validate: Callable[[], float] | None,
        run: Run,
    ) -> None:
        """Train, and tell callbacks of every epoch.

        Parameters
        ----------
        X, y
            As given to `fit`, for callbacks.
        trainer : Loop
        losses : iterator of float
            Trains for an epoch, and gives its mean loss.
        state : callable
            Gives the fitted state after the last epoch.
        validate : callable or None
            Gives the score of that state; more is better.
        run : Run
            Where it has a checkpoint, training goes on from it.
        """
        context = self._init_callback_context(max_subtasks=self.max_epochs)
        ended = run.resume(self, trainer, state, _Best)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        for done in range(trainer.first_epoch, 0 if ended else self.max_epochs):
            epoch = context.subcontext(task_name="epoch")
            epoch.call_on_fit_task_begin(estimator=self, X=X, y=y)
            is_last = self._end_epoch(next(losses), state, validate)
            stops = epoch.call_on_fit_task_end(
                estimator=self,
                X=X,
                y=y,
                reconstruction_attributes=lambda: {
                    **state(),
                    "loss_curve_": list(self.loss_curve_),
                },
            )
            ended = stops or is_last
            run.end_epoch(self, trainer, done + 1, ended=ended)
            if ended:
                break
        context.call_on_fit_task_end(
            estimator=self, X=X, y=y, reconstruction_attributes=dict
        )

    def _end_epoch(
        self,
        loss: float,
        state: Callable[[], State] = dict,
        validate: Callable[[], float] | None = None,
    ) -> bool:
        """Note loss and score; True if patience has come to its end."""
        self.loss_curve_.append(loss)
        self.n_epochs_ += 1
        if not np.isfinite(loss):
            raise ValueError(
                f"The loss of epoch {self.n_epochs_} is {loss}: training diverged. "
                "Take a lower learning_rate, or set clip_norm."
            )
        line = f"[{type(self).__name__}] epoch {self.n_epochs_}: loss {loss:.4f}"
        is_last = False
        if validate is not None:
            score = validate()
            line += f", validation score {score:.4f}"
            self.__dict__.setdefault("validation_scores_", []).append(score)
            best = self._best
            if best is None or score > best.score or np.isnan(best.score):
                best = _Best(score, self.n_epochs_, state(), self.n_epochs_)
            elif self._later_wins and score == best.score:
                best = _Best(score, self.n_epochs_, state(), best.since)
            self._best, self.best_epoch_ = best, best.epoch
            waited = self.n_epochs_ - best.since
            is_last = self.patience is not None and waited >= self.patience
        if self.verbose and process_rank() == 0:
            print(line)
        return is_last

    def _restore(self, fitted: Any) -> None:
        """Take over the state that a callback was shown; see `EarlyStopping`."""
        for name in self._trained:
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        self.__dict__.pop("best_epoch_", None)  # of validation, no longer that

    _trained: tuple[str, ...]  # names of the attributes of the state
