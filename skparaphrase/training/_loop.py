"""The loop over epochs and batches that fits every trained estimator."""

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
LEAST_STEPS = 30  # after fewer, a high loss is no reason to warn
LEAST_EPOCHS = 3  # after fewer, the mean over an epoch may be that of its first steps,
ENOUGH_STEPS = 100  # unless it equals a constant's loss after so many
CONSTANT_LOSS_TOLERANCE = 0.01  # of a constant's loss
LEAST_EXAMPLES = 50  # fewer may all be connected by chance


class DivergedError(ValueError):
    """The loss is not finite."""


@dataclass
class History:
    """The epochs of a fit, and the arrays that it ends with.

    Attributes
    ----------
    loss_curve : list of float
        Mean loss of each epoch, those of earlier fits that this one continues included.
    validation_scores : list of float or None
        None without validation. The last one is that of the last epoch; the first one
        is that of the start, epoch 0, unless earlier fits were not validated.
    best_epoch : int or None
        With validation, the epoch that `arrays` belong to.
    start_score, best_score : float or None
        With validation, those of the start of this fit and of `arrays`.
    arrays : dict of str to ndarray
        What the trainer had after the best epoch, or else after the last one.
    n_new_epochs : int
        Epochs of this fit that are complete.
    has_steps : bool
        Whether this fit has taken steps, so that `arrays` are not those of its start.
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
        """Epochs in all."""
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
        """Called before the first epoch with the figures of the start."""

    def begin_epoch(self) -> None:
        """Called before an epoch."""

    def end_epoch(
        self, epoch: dict[str, float], history: Callable[[], History]
    ) -> bool:
        """Called after an epoch with its figures; returns whether to stop.

        `history` gives the history as if training had ended with this epoch.
        """

    def end(self, history: Callable[[], History]) -> None:
        """Called after the last epoch."""


@dataclass
class _BestEpoch:
    """Validation of the start and of each epoch, which keeps the arrays of the best.

    The start is a candidate, too. What is trained beats a start that is as good.
    """

    validate: Callable[[Arrays], float]
    trainer: Trainer
    history: History
    patience: int | None
    prefer_later_on_ties: bool

    def begin(self, earlier: History) -> None:
        """Score the start."""
        history = self.history
        self.since = self.start = history.n_epochs  # `since`: patience counts from it
        if earlier.best_epoch is not None:  # other examples may have chosen it
            self.start = earlier.best_epoch
        score = history.start_score = self.validate(self.trainer.arrays())
        history.validation_scores = [*(earlier.validation_scores or [score])]
        self._keep(self.start, score)

    def _keep(self, epoch: int, score: float) -> None:
        self.history.best_epoch, self.history.best_score = epoch, score
        self.history.arrays = _copies(self.trainer)

    def end_epoch(self) -> bool:
        """Score the arrays of the trainer, keep the best; return if patience ended."""
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
    """Train for some epochs, and keep the best or the last one.

    Parameters
    ----------
    trainer : Trainer
    max_epochs : int
    name : str
        Of the model, for messages.
    on_interrupt : callable
        Called with the history so far if training is interrupted, before the error is
        raised again. Not called if what is trained is not finite.
    earlier : History, default=None
        That of the fit which this one continues.
    validate : callable, default=None
        Returns the score of the trainer's arrays; higher is better.
    patience : int, default=None
        Number of epochs without a better score before training stops.
    prefer_later_on_ties : bool, default=False
        Of epochs with equal scores, keep the last one.
    callbacks : Callbacks, default=None
    small_steps : bool, default=True
        More than two threads slow such steps down.
    verbose : bool or int, default=False
        Print the loss of every epoch, and with validation the score of the start.

    Returns
    -------
    history : History

    Raises
    ------
    DivergedError
        If the loss of an epoch, or what is trained, is not finite.
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
                        f"clip_norm. {name} is as before."
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
    """The figures of an epoch, to be printed."""
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
    """Whether all numbers that are trained are finite."""
    return all(np.isfinite(array).all() for array in trainer.arrays().values())


def train_epoch(
    trainer: Trainer, epoch: int, n_epochs: int, advance: Callable[[int], object]
) -> float:
    """Take a step on every batch, and return the mean loss of an example.

    Parameters
    ----------
    trainer : Trainer
    epoch : int
        From 0. Together with `n_epochs`, it determines the rate of a schedule.
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
    # Batches are prefetched if a core is left for that besides those of a step.
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
    """Print what a fit gained, and on what that was measured.

    Parameters
    ----------
    history : History
    name : str
        Of the model.
    measure : str
        What the validation scores are.
    gain : Gain, default=None
        What was measured by cross-validation instead.
    """
    start, best, epoch = history.start_score, history.best_score, history.best_epoch
    if gain is not None:
        line = str(gain)
    elif start is None or best is None or epoch is None:
        line = (
            "gain not measured: validation_fraction=0.1, or X_val and y_val, measures "
            "it on held-out examples"
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
    """Compare the losses of a fit with that of an output which ignores the text."""
    n_epochs = history.n_new_epochs
    if not n_epochs:
        return
    curve = history.loss_curve[-n_epochs:]
    slices = trainer.slices()
    constant = trainer.objective.constant_loss(np.arange(slices[0].stop))
    if max(constant, *curve) <= NO_LOSS and slices[-1].stop >= LEAST_EXAMPLES:
        warn_caller(
            f"{name} has learnt nothing: shared texts connect all examples, so that no "
            "two texts are known to differ. Add examples about other things.",
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
            f"{n_epochs} epoch{plural}; the same output for every text would have "
            f"{constant:.3g}. Check the columns that were passed as texts and targets. "
            "If they are right, train for more epochs, or with another "
            f"{trainer.objective.parameters_to_change()}.",
            ConvergenceWarning,
        )
