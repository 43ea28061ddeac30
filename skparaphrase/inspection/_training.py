"""Loss and validation score of every epoch of training, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from skparaphrase.inspection._display import Display, draw_line
from skparaphrase.inspection._estimators import unwrap
from skparaphrase.metrics import check_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class TrainingCurveDisplay(Display):
    """Loss and validation score of every epoch, with the best epoch marked.

    Create one with :meth:`from_estimator`, or from the scores that a
    :class:`~skparaphrase.callback.ScoreMonitor` has recorded.

    Parameters
    ----------
    losses : array-like of shape (n_epochs,)
    scores : array-like of shape (n_scores,), default=None
        Scores after the last `n_scores` epochs. None draws only the losses.
    best_epoch : int, default=None
        The epoch to mark, counted from 1; it must have a score. 0 is the start of the
        training, which only the title mentions.
    name : str, default=None
        Name of the model, for the title.

    Attributes
    ----------
    line_, score_line_ : matplotlib Line2D
        Losses and scores; `score_line_` is None without scores.
    best_ : matplotlib Line2D or None
        Ring around the score of the best epoch.
    ax_, score_ax_, figure_ : matplotlib Axes and Figure
        The scores have their own axes on the right; None without scores.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.inspection import TrainingCurveDisplay
    >>> encoder = ParagramEncoder(max_epochs=3, validation_fraction=0.2, random_state=0)
    >>> encoder = encoder.fit(load_paraphrases().data[:200])
    >>> display = TrainingCurveDisplay.from_estimator(encoder)
    >>> display.best_epoch == encoder.best_epoch_
    True
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        losses: ArrayLike,
        scores: ArrayLike | None = None,
        *,
        best_epoch: int | None = None,
        name: str | None = None,
    ) -> None:
        options = {"ensure_all_finite": False}  # training may diverge
        (self.losses,) = check_columns({"losses": losses}, **options)
        self.scores, n_scores, n_epochs = None, 0, len(self.losses)
        if scores is not None:
            (self.scores,) = check_columns({"scores": scores}, **options)
            n_scores = len(self.scores)
        if n_scores > n_epochs:
            raise ValueError(f"There are {n_scores} scores of {n_epochs} epochs.")
        first = n_epochs - n_scores + 1
        if best_epoch and not first <= best_epoch <= n_epochs:
            raise ValueError(f"best_epoch={best_epoch} has no score.")
        self.best_epoch, self.name = best_epoch, name

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, name: str | None = None, **plot_options: Any
    ) -> Self:
        """Draw how an estimator was trained.

        Parameters
        ----------
        estimator : estimator
            A fitted model with `loss_curve_`, such as a trained encoder or a supervised
            model; or a search or a pipeline, of which the last such step is drawn. The
            scores are its `validation_scores_`.
        name : str, default=None
            None uses the name of the estimator's class.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : TrainingCurveDisplay

        Raises
        ------
        TypeError
            If nothing in `estimator` was trained by epochs, or it is not fitted.
        """
        model = _find_trained(estimator)
        if model is None:
            raise TypeError(
                "Expected a model that was trained by epochs, which has loss_curve_; "
                f"got {type(estimator).__name__}."
            )
        display = cls(
            model.loss_curve_,
            getattr(model, "validation_scores_", None) or None,
            best_epoch=getattr(model, "best_epoch_", None),
            name=type(model).__name__ if name is None else name,
        )
        return display.plot(**plot_options)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        line_kwargs: Mapping[str, Any] | None = None,
        score_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        line_kwargs, score_kwargs : dict, default=None
            Passed to matplotlib's `plot` for the losses and for the scores.

        Returns
        -------
        display : TrainingCurveDisplay
        """
        ax = self._make_axes(ax)
        n_epochs = len(self.losses)
        epochs = np.arange(1, n_epochs + 1)
        style: dict[str, Any] = {"color": "C0", "marker": "o", "markersize": 3}
        self.line_ = draw_line(ax, epochs, self.losses, line_kwargs, **style)
        ax.set_xlabel("epoch")
        ax.set_ylabel("loss", color=self.line_.get_color())
        ax.locator_params(axis="x", integer=True)
        self.score_ax_ = self.score_line_ = self.best_ = None
        title = f"{n_epochs} epochs"
        if self.scores is not None:
            self.score_ax_ = twin = ax.twinx()
            epochs = epochs[-len(self.scores) :]
            style = {"color": "C1", "marker": "s", "markersize": 3}
            self.score_line_ = draw_line(
                twin, epochs, self.scores, score_kwargs, **style
            )
            twin.set_ylabel("validation score", color=self.score_line_.get_color())
            if self.best_epoch == 0:
                title = f"the start is better than all {n_epochs} epochs"
            elif self.best_epoch is not None:
                score = self.scores[self.best_epoch - epochs[0]]
                ring: dict[str, Any] = {"ms": 12, "mfc": "none", "mec": "C3"}
                (self.best_,) = twin.plot(self.best_epoch, score, "o", mew=1.5, **ring)
                title = f"best epoch {self.best_epoch} of {n_epochs}, score {score:.3f}"
        self._set_title(title)
        return self


def _find_trained(estimator: Any) -> Any:
    """The estimator, or the last step of a pipeline, that has a loss curve."""
    model = unwrap(estimator)
    if isinstance(model, Pipeline):
        steps = (_find_trained(step) for _, step in reversed(model.steps))
        return next((step for step in steps if step is not None), None)
    return model if hasattr(model, "loss_curve_") else None
