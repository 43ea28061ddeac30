"""Scores after every epoch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from skparaphrase._threads import process_rank
from skparaphrase._typing import Scorer


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

    See Also
    --------
    Checkpoint : Save the encoder after every epoch.

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

    def __init__(self, scorer: Scorer, *, verbose: bool = False) -> None:
        self.scorer = scorer
        self.verbose = verbose
        self.scores_: list[dict[str, float]] = []

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
        if context.task_name != "epoch":
            return False
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
        return False
