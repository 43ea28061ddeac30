"""Scores after every epoch, and early stopping."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from typing import Any

from skparaphrase._threads import process_rank

Scores = dict[str, float]


class ScoreMonitor:
    """Score an encoder after every epoch of its training.

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
        One per epoch of the last `fit`: "epoch" (from 1), and each score by its name
        ("score" where the scorer returns a number).

    Examples
    --------
    >>> from skparaphrase.callback import ScoreMonitor
    >>> from skparaphrase.datasets import load_paraphrases, load_similarity
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.metrics import STSScorer
    >>> monitor = ScoreMonitor(STSScorer(load_similarity(return_X_y=True)))
    >>> encoder = ParagramEncoder(max_epochs=2, random_state=0).set_callbacks(monitor)
    >>> encoder = encoder.fit(load_paraphrases().data)
    >>> [scores["epoch"] for scores in monitor.scores_]
    [1, 2]
    """

    def __init__(
        self, scorer: Callable[[Any], float | Scores], *, verbose: bool = False
    ) -> None:
        self.scorer = scorer
        self.verbose = verbose
        self.scores_: list[Scores] = []

    def setup(self, estimator: Any, context: Any) -> None:
        """Clear the scores of an earlier fit."""
        self.scores_ = []

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    on_fit_task_begin = teardown

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Score after an epoch."""
        if context.task_name == "epoch":
            self._record(fitted_estimator)
        return False

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint.

        Returns
        -------
        state : dict
        """
        return {"scores_": self.scores_}

    def load_state_dict(self, state: dict[str, Any], training: Any) -> None:
        """Continue from a checkpoint.

        Parameters
        ----------
        state : dict
        training : Training
            The running fit.
        """
        self.scores_ = state["scores_"]

    def _record(self, fitted_estimator: Any) -> Scores:
        found = self.scorer(fitted_estimator)
        scores = dict(found) if isinstance(found, dict) else {"score": float(found)}
        scores = {"epoch": len(self.scores_) + 1, **scores}
        self.scores_.append(scores)
        if self.verbose and process_rank() == 0:
            print(
                ", ".join(
                    f"{name} {value:d}" if name == "epoch" else f"{name} {value:.4f}"
                    for name, value in scores.items()
                )
            )
        return scores


class EarlyStopping(ScoreMonitor):
    """Stop training when the score no longer improves, and restore the best epoch.

    Parameters
    ----------
    scorer : callable
        As in :class:`ScoreMonitor`. Higher is better.
    patience : int, default=2
        Number of epochs without improvement before training stops.
    min_delta : float, default=0.0
        The smallest change that counts as an improvement.
    name : str, default=None
        The score to monitor. By default "mean" if there is one, otherwise the only
        score.
    verbose : bool, default=False
        Print the scores.

    Attributes
    ----------
    scores_ : list of dict
        As in :class:`ScoreMonitor`.
    best_epoch_ : int
        Epoch with the best score, from 1. Its parameters are restored after training.
    best_score_ : float

    Notes
    -----
    `n_epochs_` and `loss_curve_` of the model cover all epochs that were run. With
    `warm_start`, training resumes from the best epoch with the optimizer's state of the
    last one.

    Examples
    --------
    >>> from skparaphrase.callback import EarlyStopping
    >>> from skparaphrase.datasets import load_paraphrases, load_similarity
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.metrics import STSScorer
    >>> stopping = EarlyStopping(STSScorer(load_similarity(return_X_y=True)))
    >>> encoder = ParagramEncoder(random_state=0).set_callbacks(stopping)
    >>> encoder = encoder.fit(load_paraphrases().data)
    >>> stopping.best_epoch_ <= encoder.n_epochs_ <= stopping.best_epoch_ + 2
    True
    """

    def __init__(
        self,
        scorer: Callable[[Any], float | Scores],
        *,
        patience: int = 2,
        min_delta: float = 0.0,
        name: str | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(scorer, verbose=verbose)
        if patience < 1:
            raise ValueError(f"patience must be at least 1; got {patience}.")
        self.patience = patience
        self.min_delta = min_delta
        self.name = name

    def setup(self, estimator: Any, context: Any) -> None:
        """Clear the state of an earlier fit."""
        super().setup(estimator, context)
        self.best_epoch_ = 0
        self.best_score_ = float("-inf")
        self._best: Any = None
        self._training: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_best": None, "_training": None}

    def teardown(self, estimator: Any, context: Any) -> None:
        """Restore the parameters of the best epoch."""
        if self._best is not None:
            self._training.restore(self._best)
        self._best = self._training = None

    def on_fit_task_end(
        self,
        estimator: Any,
        context: Any,
        *,
        metadata: Any = None,
        fitted_estimator: Any = None,
    ) -> bool:
        """Score after an epoch; True stops training."""
        if context.task_name != "epoch":
            return False
        score = watched_score(self._record(fitted_estimator), self.name)
        if score > self.best_score_ + self.min_delta:
            self._training, self._best = metadata["training"], None  # frees memory
            self.best_epoch_ = len(self.scores_)
            self.best_score_ = score
            self._best = self._training.snapshot()
        return len(self.scores_) - self.best_epoch_ >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint.

        Returns
        -------
        state : dict
        """
        is_current = self.best_epoch_ == len(self.scores_)
        return {
            **super().state_dict(),
            "best_epoch_": self.best_epoch_,
            "best_score_": self.best_score_,
            "best": {} if is_current or self._best is None else self._best,
        }

    def load_state_dict(self, state: dict[str, Any], training: Any) -> None:
        """Continue from a checkpoint.

        Parameters
        ----------
        state : dict
        training : Training
            The running fit.
        """
        super().load_state_dict(state, training)
        self.best_epoch_ = state["best_epoch_"]
        self.best_score_ = state["best_score_"]
        self._training = training
        if self.best_epoch_:
            self._best = state["best"] or training.snapshot()


def watched_score(scores: Scores, name: str | None) -> float:
    """Return a score by name; None is "mean" if there is one, else the only score."""
    names = [name for name in scores if name != "epoch"]
    if name is None:
        name = "mean" if "mean" in names or len(names) != 1 else names[0]
    if name not in names:
        raise ValueError(f"The scorer returned {names}; select one of them with name=.")
    return scores[name]
