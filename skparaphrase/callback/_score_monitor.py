"""Scores after every epoch, and stopping when they no longer rise."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from typing import Any

from skparaphrase._threads import process_rank

Scores = dict[str, float]


class ScoreMonitor:
    """Score an encoder after every epoch of its training.

    scikit-learn's :class:`~sklearn.callback.ScoringMonitor` scores on the training
    data and needs `y`; paraphrases have none, and what one wants to see is similarity.

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
        """Forget the scores of an earlier fit.

        Parameters
        ----------
        estimator : encoder
            The encoder that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.
        """
        self.scores_ = []

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to do.

        Parameters
        ----------
        estimator : encoder
            The encoder that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.
        """

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to do.

        Parameters
        ----------
        estimator : encoder
            The encoder that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.
        """

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Score after an epoch.

        Parameters
        ----------
        estimator : encoder
            The encoder that trains.

        context : CallbackContext
            Which task ends; scikit-learn makes it.

        fitted_estimator : encoder, default=None
            The encoder as if training had ended.

        Returns
        -------
        stop : bool
            False, so that training goes on.
        """
        if context.task_name == "epoch":
            self._record(fitted_estimator)
        return False

    def _get_state(self, estimator: Any) -> tuple[dict[str, Any], Any]:
        """What a checkpoint keeps: for JSON, and a fitted state or None."""
        return {"scores_": self.scores_}, None

    def _set_state(self, kept: dict[str, Any], fitted: Any) -> None:
        """Go on from a checkpoint; `fitted` has the attributes of the fitted state."""
        self.scores_ = kept["scores_"]

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
    """Stop training when the score no longer rises, and keep the best epoch.

    Parameters
    ----------
    scorer : callable
        As in :class:`ScoreMonitor`. More is better.

    patience : int, default=2
        Epochs without a better score before training stops.

    min_delta : float, default=0.0
        A score must rise by more than this to count as better.

    name : str, default=None
        Which of the scorer's scores to watch. By default "mean" where there is one,
        else the only one.

    verbose : bool, default=False
        Print the scores.

    Attributes
    ----------
    scores_ : list of dict
        As in :class:`ScoreMonitor`.

    best_epoch_ : int
        Epoch with the best score, from 1. The encoder is left with its parameters.

    best_score_ : float

    Notes
    -----
    `n_epochs_` and `loss_curve_` of the encoder tell of all epochs that were run. An
    encoder with `warm_start` goes on from the best epoch, with the optimiser's state
    of the last one.

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
        """Forget an earlier fit.

        Parameters
        ----------
        estimator : encoder
            The encoder that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.
        """
        super().setup(estimator, context)
        self.best_epoch_ = 0
        self.best_score_ = float("-inf")
        self._best: Any = None

    def teardown(self, estimator: Any, context: Any) -> None:
        """Give the encoder the parameters of the best epoch.

        Parameters
        ----------
        estimator : encoder
            The encoder that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.
        """
        if self._best is not None:
            estimator._restore(self._best)
            self._best = None

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Score after an epoch.

        Parameters
        ----------
        estimator : encoder
            The encoder that trains.

        context : CallbackContext
            Which task ends; scikit-learn makes it.

        fitted_estimator : encoder, default=None
            The encoder as if training had ended.

        Returns
        -------
        stop : bool
            True when training should stop.
        """
        if context.task_name != "epoch":
            return False
        score = self._watched(self._record(fitted_estimator))
        if score > self.best_score_ + self.min_delta:
            self.best_epoch_ = len(self.scores_)
            self.best_score_ = score
            self._best = fitted_estimator
        return len(self.scores_) - self.best_epoch_ >= self.patience

    def _get_state(self, estimator: Any) -> tuple[dict[str, Any], Any]:
        kept, state = super()._get_state(estimator)
        kept.update(best_epoch_=self.best_epoch_, best_score_=self.best_score_)
        if self._best is not None and self.best_epoch_ < len(self.scores_):
            state = {name: getattr(self._best, name) for name in estimator._trained}
        return kept, state

    def _set_state(self, kept: dict[str, Any], fitted: Any) -> None:
        super()._set_state(kept, fitted)
        self.best_epoch_ = kept["best_epoch_"]
        self.best_score_ = kept["best_score_"]
        self._best = fitted if self.best_epoch_ else None

    def _watched(self, scores: Scores) -> float:
        names = [name for name in scores if name != "epoch"]
        name = self.name
        if name is None:
            name = "mean" if "mean" in names or len(names) != 1 else names[0]
        if name not in names:
            raise ValueError(
                f"The scorer returned {names}; name= must say which to watch."
            )
        return scores[name]
