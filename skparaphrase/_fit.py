"""What fits of all trained models share: randomness, callbacks, stored results.

A fit of an encoder or of a supervised model goes this way::

    fit                  encoders/_trained.py, supervised/_base.py
      supervise, read    supervision/: what X and y teach, and what is held out
      _start             encoders/_start.py: table, rows of the words in texts, network
      _trainer           training/_trainer.py, _supervised.py: takes plain arguments
      run_fit            here; stores the result, nothing before
        fit_epochs       training/_loop.py: epochs, validation, patience
          train_epoch    batches; trainer.step: loss, gradient
            update       training/_update_rules.py

If training is interrupted, the best epoch so far is stored, or what the last step left;
if it diverges, nothing is.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Protocol

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from skparaphrase._lazy import training

Attributes = dict[str, Any]
Moments = dict[str, dict[str, Any]]  # of an optimizer, by the name of a tensor


class Rows(Protocol):
    """The rows of a table that a fit trains."""

    def select(self, moments: Moments, /) -> Moments:
        """An optimizer's moments of these rows."""

    def merge(self, moments: Moments, before: Moments, /) -> Moments:
        """Those of these rows and of others."""


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


def random_states(estimator: Any, *, resume: bool) -> tuple[RandomState, RandomState]:
    """The random states of a fit, and of what it holds out for validation.

    A fit that resumes takes copies of those of the last one: it splits off the same
    examples. Files do not hold them.
    """
    if resume and hasattr(estimator, "_random_state"):
        return deepcopy(estimator._random_state), estimator._split_state
    seed = check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max)
    return RandomState(seed), RandomState(seed)


def run_fit(
    estimator: Any,
    trainer: "training.BaseTrainer",
    fitted_attributes: "Callable[[training.History], Attributes]",
    *,
    max_epochs: int,
    resume: bool,
    split_state: RandomState,
    keep_moments: bool,
    optional_names: tuple[str, ...] = (),
    rows: Rows | None = None,
    context: Any = None,
    arguments: tuple[Any, Any] = (None, None),
    **options: Any,
) -> "training.History":
    """Train by epochs, and store the result; nothing is stored if training diverges.

    Parameters
    ----------
    estimator : estimator instance
    trainer : BaseTrainer
    fitted_attributes : callable
        Returns the attributes that the arrays of a history determine.
    max_epochs : int
    resume : bool
        Whether this fit continues the last one.
    split_state : RandomState
        What draws the examples that are held out.
    keep_moments : bool
        Whether the estimator keeps the optimizer's moments, for a fit that resumes.
    optional_names : tuple of str, default=()
        Fitted attributes that not every fit sets.
    rows : Rows, default=None
        The rows that the trainer has of a table.
    context : CallbackContext, default=None
        Without it, no callback is called.
    arguments : tuple
        `X` and `y`, which callbacks may ask for.
    **options : dict
        Passed to :func:`skparaphrase.training.fit_epochs`.
    """
    earlier, moments = training.History(), {}
    optimizer = trainer.optimizer.name
    if resume:
        earlier = training.History(
            estimator.loss_curve_,
            getattr(estimator, "validation_scores_", None),
            getattr(estimator, "best_epoch_", None),
        )
        moments = getattr(estimator, "_moments", {}).get(optimizer, {})
    if earlier.n_epochs:
        trainer.ordered_first_epoch = False
    if moments:
        selected = moments if rows is None else rows.select(moments)
        trainer.rule.load_state_dict(deepcopy(selected), trainer.device)

    def attributes(history: "training.History") -> Attributes:
        curve = {"loss_curve_": [*history.loss_curve], "n_epochs_": history.n_epochs}
        if history.validation_scores is not None:
            curve["validation_scores_"] = [*history.validation_scores]
            curve["best_epoch_"] = history.best_epoch
        return {**fitted_attributes(history), **curve}

    def store(history: "training.History") -> None:
        new = attributes(history)
        for name in (*optional_names, "validation_scores_", "best_epoch_"):
            if name not in new and hasattr(estimator, name):
                delattr(estimator, name)
        for name, value in new.items():
            setattr(estimator, name, value)
        estimator._random_state = trainer.random_state
        estimator._split_state = split_state
        estimator._moments = {}
        if keep_moments:
            state = trainer.rule.state_dict()
            state = state if rows is None else rows.merge(state, moments)
            estimator._moments = {optimizer: state}

    callbacks = None
    if context is not None:
        callbacks = EpochCallbacks(estimator, context, *arguments, attributes)
    history = training.fit_epochs(
        trainer,
        max_epochs,
        name=type(estimator).__name__,
        earlier=earlier,
        callbacks=callbacks,
        on_interrupt=store,
        **options,
    )
    store(history)
    return history
