"""The loop over epochs and batches by which all trained estimators are fitted."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skparaphrase._estimator import warn_caller
from skparaphrase._progress import print_line, progress_bar
from skparaphrase._threads import (
    available_threads,
    limit_torch_threads,
    prefetch,
)
from skparaphrase._typing import Arrays
from skparaphrase.training._distributed import share_steps
from skparaphrase.training._trainer import Trainer

NO_LOSS = 1e-6  # below it, a constant output is correct
LEAST_STEPS = 30  # after fewer, a high loss does not justify a warning
LEAST_EPOCHS = 3  # after fewer, the first steps may dominate the mean over an epoch,
ENOUGH_STEPS = 100  # unless it equals a constant's loss after so many
CONSTANT_LOSS_TOLERANCE = 0.01  # of a constant's loss
LEAST_EXAMPLES = 50  # with fewer, all may be connected by chance


class DivergedError(ValueError):
    """The loss is not finite."""


@dataclass
class History:
    """The epochs of a fit, and its final arrays.

    Attributes
    ----------
    loss_curve : list of float
        Mean loss of each epoch, including the epochs of earlier fits that this one
        resumes.
    validation_scores : list of float or None
        None without validation. The last score belongs to the last epoch. The first one
        belongs to the start, epoch 0, unless earlier fits were not validated.
    best_epoch : int or None
        With validation, the epoch that `arrays` belong to.
    start_score, best_score : float or None
        With validation, the scores of the start of this fit and of `arrays`.
    arrays : dict of str to ndarray
        The trainer's arrays after the best epoch, or without validation after the last
        one.
    n_new_epochs : int
        Number of complete epochs of this fit.
    has_steps : bool
        Whether this fit has taken steps, that is, whether `arrays` differ from the
        start.
    """

    loss_curve: list[float] = field(default_factory=list)
    validation_scores: list[float] | None = None
    best_epoch: int | None = None
    start_score: float | None = None
    best_score: float | None = None
    arrays: Arrays = field(default_factory=dict)
    n_new_epochs: int = 0
    has_steps: bool = False

    @property
    def n_epochs(self) -> int:
        """Total number of epochs."""
        return len(self.loss_curve)

    def last_epoch(self) -> dict[str, float]:
        """Number, loss and validation score of the last epoch."""
        epoch = {"epoch": self.n_epochs, "loss": self.loss_curve[-1]}
        if self.validation_scores is not None:
            epoch["validation_score"] = self.validation_scores[-1]
        return epoch


class Callbacks(Protocol):
    """Callbacks of a fit."""

    def begin(self, epoch: dict[str, float], history: Callable[[], History]) -> None:
        """Called before the first epoch, with the figures of the start."""

    def begin_epoch(self) -> None:
        """Called before an epoch."""

    def end_epoch(
        self, epoch: dict[str, float], history: Callable[[], History]
    ) -> bool:
        """Called after an epoch, with its figures; returns whether to stop.

        `history` returns the history as if training had ended with this epoch.
        """

    def end(self, history: Callable[[], History]) -> None:
        """Called after the last epoch."""


@dataclass
class _BestEpoch:
    """Validate the start and each epoch, and keep the arrays of the best.

    The start is also a candidate. With equal scores, an epoch is preferred to the
    start.
    """

    validate: Callable[[Arrays], float]
    trainer: Trainer
    history: History
    patience: int | None
    prefer_later_on_ties: bool

    def begin(self, earlier: History) -> None:
        """Score the start."""
        history = self.history
        self.since = self.start = history.n_epochs  # patience counts from `since`
        if earlier.best_epoch is not None:  # it may have been chosen on other examples
            self.start = earlier.best_epoch
        score = history.start_score = self.validate(self.trainer.arrays())
        history.validation_scores = [*(earlier.validation_scores or [score])]
        self._keep(self.start, score)

    def _keep(self, epoch: int, score: float) -> None:
        self.history.best_epoch, self.history.best_score = epoch, score
        self.history.arrays = _copies(self.trainer)

    def end_epoch(self) -> bool:
        """Score the trainer's arrays, keep the best, and return whether to stop."""
        history = self.history
        score, best = self.validate(self.trainer.arrays()), history.best_score
        assert history.validation_scores is not None and best is not None
        history.validation_scores.append(score)
        is_tie = score == best
        beats_start = is_tie and history.best_epoch == self.start
        if score > best or np.isnan(best) or beats_start:
            self.since = history.n_epochs
            self._keep(history.n_epochs, score)
        elif is_tie and self.prefer_later_on_ties:
            self._keep(history.n_epochs, score)
        waited = history.n_epochs - self.since
        return self.patience is not None and waited >= self.patience


def fit_epochs(
    trainer: Trainer,
    max_epochs: int,
    *,
    name: str,
    on_interrupt: Callable[[History], object],
    earlier: History | None = None,
    validate: Callable[[Arrays], float] | None = None,
    patience: int | None = None,
    prefer_later_on_ties: bool = False,
    callbacks: Callbacks | None = None,
    small_steps: bool = True,
    verbose: bool | int = False,
) -> History:
    """Train for some epochs and keep the best or the last one.

    Parameters
    ----------
    trainer : Trainer
    max_epochs : int
    name : str
        Name of the model, for messages.
    on_interrupt : callable
        Called with the history so far if training is interrupted, before the error is
        raised again. It is not called if trained parameters are not finite.
    earlier : History, default=None
        History of the fit that this one resumes.
    validate : callable, default=None
        Returns the score of the trainer's arrays; higher is better.
    patience : int, default=None
        Number of epochs without a better score before training stops.
    prefer_later_on_ties : bool, default=False
        If epochs have equal scores, keep the last one.
    callbacks : Callbacks, default=None
    small_steps : bool, default=True
        Whether more than two threads would slow steps down.
    verbose : bool or int, default=False
        Print the loss of every epoch, and with validation the score of the start.

    Returns
    -------
    history : History

    Raises
    ------
    DivergedError
        If the loss of an epoch or a trained parameter is not finite.
    """
    share_steps(trainer, max_epochs)
    earlier = earlier or History()
    history, best = History([*earlier.loss_curve]), None
    if validate is not None:
        best = _BestEpoch(validate, trainer, history, patience, prefer_later_on_ties)
        best.begin(earlier)
    start: dict[str, float] = {"epoch": history.n_epochs}
    if history.start_score is not None:
        start["validation_score"] = history.start_score
        if verbose:
            print_line(_line(name, start))
    if callbacks is not None:
        callbacks.begin(start, partial(_current, history, trainer))
    bar = progress_bar(max_epochs * len(trainer.slices()), "Training", "step")
    try:
        with limit_torch_threads(small_steps=small_steps), bar as advance:
            advance(0, **start)
            for epoch in range(max_epochs):
                if callbacks is not None:
                    callbacks.begin_epoch()
                history.has_steps = True
                loss = train_epoch(trainer, epoch, max_epochs, advance)
                if not (np.isfinite(loss) and _is_finite(trainer)):
                    raise DivergedError(
                        f"The loss of epoch {history.n_epochs + 1} is {loss}: training "
                        "diverged. Use a lower learning_rate, or an Optimizer with "
                        f"clip_norm. {name} is unchanged."
                    )
                history.loss_curve.append(loss)
                history.n_new_epochs += 1
                stops = best is not None and best.end_epoch()
                figures = history.last_epoch()
                if verbose:
                    print_line(_line(name, figures))
                advance(0, **figures)
                if callbacks is not None:
                    current = partial(_current, history, trainer)
                    stops = callbacks.end_epoch(figures, current) or stops
                if stops:
                    break
            if callbacks is not None:
                callbacks.end(partial(_ended, history, trainer))
    except DivergedError:
        raise
    except BaseException:
        if history.best_epoch is not None or _is_finite(trainer):
            on_interrupt(_ended(history, trainer))
        raise
    return _ended(history, trainer)


def _line(name: str, figures: dict[str, float]) -> str:
    """Format the figures of an epoch for printing."""
    values = [
        f"{key.replace('_', ' ')} {value:.4f}"
        for key, value in figures.items()
        if key != "epoch"
    ]
    return f"[{name}] epoch {figures['epoch']}: {', '.join(values)}"


def _ended(history: History, trainer: Trainer) -> History:
    """The history with the arrays of the last epoch, unless a better one was kept."""
    if history.best_epoch is None:
        history.arrays = trainer.arrays()
    return history


def _current(history: History, trainer: Trainer) -> History:
    """The history as if training had ended with this epoch."""
    best = None if history.best_epoch is None else history.n_epochs
    return replace(history, best_epoch=best, arrays=_copies(trainer))


def _copies(trainer: Trainer) -> Arrays:
    return {name: array.copy() for name, array in trainer.arrays().items()}


def _is_finite(trainer: Trainer) -> bool:
    """Whether all trained numbers are finite."""
    return all(np.isfinite(array).all() for array in trainer.arrays().values())


def train_epoch(
    trainer: Trainer, epoch: int, n_epochs: int, advance: Callable[[int], object]
) -> float:
    """Take a step on every batch and return the mean loss per example.

    Parameters
    ----------
    trainer : Trainer
    epoch : int
        Counted from 0. With `n_epochs`, it determines the rate of a schedule.
    n_epochs : int
    advance : callable
        Called with 1 after each step.
    """
    slices = trainer.slices()
    order = np.arange(trainer.n_examples)
    if epoch or not trainer.ordered_first_epoch:
        order = trainer.random_state.permutation(trainer.n_examples)
    chosen = map(order.__getitem__, slices)
    batches: Any = nullcontext(map(trainer.make, chosen))
    # Batches are prefetched if a step leaves a core for that.
    if trainer.device.type != "cpu" or available_threads() > 2:
        batches = closing(prefetch(trainer.make, chosen))
    total: Any = 0.0
    with batches as made:
        for i, batch in enumerate(made):
            if trainer.optimizer.schedule == "linear":
                left = 1 - (epoch * len(slices) + i) / (n_epochs * len(slices))
                trainer.rule.learning_rate = trainer.learning_rate * left
            total += trainer.step(batch) * (slices[i].stop - slices[i].start)
            advance(1)
    trainer.end_epoch()
    return float(total) / trainer.n_examples


def report_gain(history: History, name: str, measure: str, gain: Any = None) -> None:
    """Print the gain of a fit, and how it was measured.

    Parameters
    ----------
    history : History
    name : str
        Name of the model.
    measure : str
        Name of the validation score.
    gain : Gain, default=None
        The gain measured by cross-validation instead.
    """
    start, best, epoch = history.start_score, history.best_score, history.best_epoch
    if gain is not None:
        line = str(gain)
    elif start is None or best is None or epoch is None:
        line = (
            "gain not measured: to measure it on held-out examples, set "
            "validation_fraction=0.1 or pass X_val and y_val"
        )
    elif epoch <= history.n_epochs - history.n_new_epochs:
        line = f"{measure}: {start:.4f} at the start, which is kept; no epoch is better"
    else:
        line = (
            f"{measure}: {start:.4f} at the start, {best:.4f} after epoch {epoch}, "
            f"which is kept; gain {best - start:+.4f}"
        )
    print_line(f"[{name}] {line}")


def warn_if_a_constant_is_better(trainer: Trainer, history: History, name: str) -> None:
    """Warn if the loss of a fit is not below the loss of a constant output."""
    n_epochs = history.n_new_epochs
    if not n_epochs:
        return
    curve = history.loss_curve[-n_epochs:]
    slices = trainer.slices()
    constant = trainer.objective.constant_loss(np.arange(slices[0].stop))
    if max(constant, *curve) <= NO_LOSS and slices[-1].stop >= LEAST_EXAMPLES:
        warn_caller(
            f"{name} has learnt nothing: shared texts connect all examples, so no two "
            "texts are known to differ. Add examples about other topics.",
            ConvergenceWarning,
        )
        return
    is_short = n_epochs < LEAST_EPOCHS
    if n_epochs * len(slices) < (ENOUGH_STEPS if is_short else LEAST_STEPS):
        return
    gain = (constant - curve[-1]) / constant if constant > NO_LOSS else np.nan
    tolerance = CONSTANT_LOSS_TOLERANCE
    if gain <= tolerance and (gain >= -tolerance or not is_short):
        plural = "s" if n_epochs > 1 else ""
        warn_caller(
            f"The loss of {name} went from {curve[0]:.3g} to {curve[-1]:.3g} in "
            f"{n_epochs} epoch{plural}; a constant output for all texts would have a "
            f"loss of {constant:.3g}. Check the columns that were passed as texts and "
            "targets. If they are right, train for more epochs, or change "
            f"{trainer.objective.parameters_to_change()}.",
            ConvergenceWarning,
        )
