"""Callbacks for models that train: scores and checkpoints.

The protocol is scikit-learn's (:mod:`sklearn.callback`), whose `ProgressBar` works with
the models here as well. After an epoch, the hook `on_fit_task_end` gets a dict
`metadata` with the number of the "epoch" (from 1), its "loss" and, if there is
validation, the "validation_score". Before the first epoch, `on_fit_task_begin` gets
those of the start, epoch 0, which has no loss.

Callbacks need scikit-learn 1.9 or later.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from os import PathLike
from typing import Any

from skparaphrase._progress import print_line
from skparaphrase._typing import Scorer

__all__ = ["Checkpoint", "ScoreMonitor"]


class Checkpoint:
    """Save a model to a folder while it trains, to resume if the fit is interrupted.

    To resume, load the model, set `warm_start=True` and `max_epochs` to the number of
    epochs that are left, and call `fit`. The attribute `n_epochs_` counts those that
    are done.

    Parameters
    ----------
    folder : path-like
        Always holds a complete model, for :func:`skparaphrase.load`: that of the last
        epoch that was saved.
    every_n_epochs : int, default=1
        Save after each multiple of this number of epochs.

    Raises
    ------
    TypeError
        By `fit`, of an estimator that is not trained by epochs.
    ValueError
        By `fit`, if the folder holds something else, or if a parameter cannot be saved
        (see the method `save` of the model).

    See Also
    --------
    ScoreMonitor : Score an encoder after every epoch.

    Notes
    -----
    The folder holds what `save` does, and so neither the state of the optimizer nor
    random states. Training that is resumed therefore is not bit-identical to training
    that was not interrupted: the moments of the optimizer start from zero, the order of
    examples is drawn anew, and a linear schedule starts again. With
    an int as `random_state`, the same examples are held out for validation.

    With validation, the folder holds the last epoch, and not the best one so far.

    Saving takes the time of `save` after each epoch. If `torchrun` has started several
    processes, set it in the first one. Fits of a grid search share their callbacks, and
    would overwrite each other's folder. `partial_fit` calls no callbacks.

    Examples
    --------
    >>> import tempfile
    >>> import skparaphrase
    >>> from skparaphrase.callback import Checkpoint
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> pairs = load_paraphrases().data
    >>> encoder = ParaphraseEncoder(max_epochs=2, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     encoder = encoder.set_callbacks(Checkpoint(f"{folder}/run")).fit(pairs)
    ...     resumed = skparaphrase.load(f"{folder}/run")
    >>> n_left = 5 - resumed.n_epochs_
    >>> resumed.set_params(warm_start=True, max_epochs=n_left).fit(pairs).n_epochs_
    5
    """

    def __init__(self, folder: str | PathLike[str], *, every_n_epochs: int = 1) -> None:
        if every_n_epochs < 1:
            raise ValueError(
                f"every_n_epochs must be at least 1; got {every_n_epochs}."
            )
        self.folder = folder
        self.every_n_epochs = every_n_epochs

    def setup(self, estimator: Any, context: Any) -> None:
        """Refuse estimators that are not trained by epochs."""
        if not hasattr(estimator, "save"):
            raise TypeError(
                f"{type(estimator).__name__} is not trained by epochs: set the "
                "Checkpoint on the model of skparaphrase inside it."
            )

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    on_fit_task_begin = teardown

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Save after an epoch."""
        if context.task_name == "epoch":
            if fitted_estimator.n_epochs_ % self.every_n_epochs == 0:
                fitted_estimator.save(self.folder)
        return False


class ScoreMonitor:
    """Score an encoder before its training and after every epoch.

    scikit-learn's :class:`~sklearn.callback.ScoringMonitor` scores on the training data
    and needs `y`, which paraphrase pairs do not have.

    Parameters
    ----------
    scorer : callable
        Called as `scorer(encoder)` with the encoder as if training had ended; returns
        a number or a dict of numbers, such as a
        :class:`~skparaphrase.metrics.STSScorer`.
    verbose : bool, default=False
        Print the scores.

    Attributes
    ----------
    scores_ : list of dict
        One for the start of the last `fit`, and one for each of its epochs: "epoch"
        (0 is the start), and each score by its name ("score" where the scorer returns a
        number).

    See Also
    --------
    Checkpoint : Save the encoder after every epoch.

    Examples
    --------
    >>> from skparaphrase.callback import ScoreMonitor
    >>> from skparaphrase.datasets import load_paraphrases, load_graded_pairs
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> from skparaphrase.metrics import STSScorer
    >>> monitor = ScoreMonitor(STSScorer(load_graded_pairs(return_X_y=True)))
    >>> encoder = ParaphraseEncoder(max_epochs=2, random_state=0).set_callbacks(monitor)
    >>> encoder = encoder.fit(load_paraphrases().data)
    >>> [scores["epoch"] for scores in monitor.scores_]
    [0, 1, 2]
    """

    def __init__(self, scorer: Scorer, *, verbose: bool = False) -> None:
        self.scorer = scorer
        self.verbose = verbose
        self.scores_: list[dict[str, float]] = []

    def setup(self, estimator: Any, context: Any) -> None:
        """Clear the scores of an earlier fit."""
        self.scores_ = []

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    def on_fit_task_begin(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> None:
        """Score the start."""
        if fitted_estimator is not None:
            self._score(fitted_estimator)

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Score after an epoch."""
        if context.task_name == "epoch":
            self._score(fitted_estimator)
        return False

    def _score(self, fitted_estimator: Any) -> None:
        """Add an entry."""
        value = self.scorer(fitted_estimator)
        scores = dict(value) if isinstance(value, dict) else {"score": float(value)}
        scores = {"epoch": len(self.scores_), **scores}
        self.scores_.append(scores)
        if self.verbose:
            print_line(
                ", ".join(
                    f"{name} {value:d}" if name == "epoch" else f"{name} {value:.4f}"
                    for name, value in scores.items()
                )
            )
