"""The base of displays, and displays of scores and of training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import linregress
from sklearn.pipeline import Pipeline

from skparaphrase._compat import check_matplotlib_support
from skparaphrase._typing import Encoder, Predictor, Texts
from skparaphrase.inspection._pipelines import (
    find_encoder,
    pair_similarities,
    unwrap,
)
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.metrics._similarity import check_columns
from skparaphrase.text import check_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIGNS = ("#2166ac", "#b2182b")  # negative, positive, as the ends of RdBu_r
_N_RASTERIZED = 5000  # more points are an image in a vector graphic


class Display:
    """Base of the displays: an optional name, axes and a title."""

    name: str | None = None
    ax_: Axes
    figure_: Any

    def _make_axes(self, ax: Axes | None, figsize: Any = None) -> Axes:
        """Store and return `ax`, or the axes of a new figure if it is None."""
        check_matplotlib_support(f"{type(self).__name__}.plot")
        from matplotlib import pyplot

        if ax is None:
            ax = pyplot.subplots(layout="constrained", figsize=figsize)[1]
        self.ax_ = ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def _set_title(self, text: str) -> None:
        """Write a title that begins with the name of the display."""
        self.ax_.set_title(text if self.name is None else f"{self.name}: {text}")

    def _draw_bars(
        self, ax: Axes | None, labels: Sequence[str], values: NDArray[Any], **style: Any
    ) -> Any:
        """Draw bars with the strongest value on top, in a colour for each sign."""
        strongest = np.argsort(-np.abs(values), kind="stable")
        ax = self._make_axes(ax, figsize=(6, 1 + 0.32 * max(len(values), 3)))
        style = {"color": [_SIGNS[int(v > 0)] for v in values[strongest]], **style}
        bars = ax.barh(range(len(values)), values[strongest], **style)
        ax.bar_label(bars, fmt="%+.2f", padding=3, fontsize="small")
        ax.set_yticks(
            range(len(values)), [labels[i] for i in strongest], parse_math=False
        )
        ax.invert_yaxis()
        ax.axvline(0, color="black", linewidth=0.8)
        ax.margins(x=0.15)  # room for the values
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params("y", length=0)
        return bars


class SimilarityErrorDisplay(Display):
    """Gold scores of pairs against predicted similarity, with the correlations.

    Create one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_pairs,)
        Gold scores, and predictions on any scale.
    name : str, default=None
        Name of the estimator, for the title.

    Attributes
    ----------
    pearson_, spearman_ : float
    scatter_ : matplotlib PathCollection
    line_ : matplotlib Line2D or None
        Least-squares line; None if all gold scores are the same.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import SimilarityErrorDisplay
    >>> pairs, gold = load_graded_pairs(return_X_y=True)
    >>> encoder = SIFEncoder().fit(pairs)
    >>> display = SimilarityErrorDisplay.from_estimator(encoder, pairs, gold)
    >>> round(display.pearson_, 2)
    0.71
    >>> plt.close(display.figure_)
    """

    def __init__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, name: str | None = None
    ) -> None:
        self.y_true, self.y_pred = check_columns({"y_true": y_true, "y_pred": y_pred})
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Encoder | Predictor,
        X: Texts,
        y: ArrayLike,
        *,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Predict the similarity of pairs, and draw the predictions.

        Parameters
        ----------
        estimator : estimator
            A fitted pipeline or search that predicts the similarity of pairs; or an
            encoder, whose vectors are compared by cosine.
        X : array-like of str of shape (n_pairs, 2)
        y : array-like of shape (n_pairs,)
            Gold scores.
        name : str, default=None
            None uses the name of the encoder's class.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SimilarityErrorDisplay
        """
        predicted = pair_similarities(estimator, check_pairs(X))
        name = type(find_encoder(estimator)).__name__ if name is None else name
        return cls(y, predicted, name=name).plot(**plot_options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred, name
            As in :class:`SimilarityErrorDisplay`.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SimilarityErrorDisplay
        """
        return cls(y_true, y_pred, name=name).plot(**plot_options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the pairs.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        scatter_kwargs, line_kwargs : dict, default=None
            Passed to matplotlib's `scatter` and `plot`.

        Returns
        -------
        display : SimilarityErrorDisplay
        """
        ax = self._make_axes(ax)
        self.pearson_ = pearson_score(self.y_true, self.y_pred)
        self.spearman_ = spearman_score(self.y_true, self.y_pred)
        alpha = float(np.clip(20 / np.sqrt(len(self.y_true)), 0.1, 0.7))
        style: dict[str, Any] = {"s": 14, "alpha": alpha, "linewidth": 0}
        style["rasterized"] = len(self.y_true) > _N_RASTERIZED
        style |= scatter_kwargs or {}
        self.scatter_ = ax.scatter(self.y_true, self.y_pred, **style)
        self.line_ = None
        if np.ptp(self.y_true) > 0:
            slope, intercept = linregress(self.y_true, self.y_pred)[:2]
            ends = np.array([self.y_true.min(), self.y_true.max()])
            heights = intercept + slope * ends
            style = {"color": "black", **(line_kwargs or {})}
            (self.line_,) = ax.plot(ends, heights, **style)
        ax.set(xlabel="gold score", ylabel="predicted similarity")
        self._set_title(
            f"Pearson's r {self.pearson_:.2f}, Spearman's \u03c1 {self.spearman_:.2f}"
        )
        return self


class TrainingCurveDisplay(Display):
    """Loss and validation score of every epoch, from the start to the best one.

    Create one with :meth:`from_estimator`, or from the scores that a
    :class:`~skparaphrase.callback.ScoreMonitor` has recorded.

    Parameters
    ----------
    losses : array-like of shape (n_epochs,)
    scores : array-like of shape (n_scores,), default=None
        Scores after the last `n_scores` epochs. One more than there are losses begins
        with the start of the training, epoch 0. None draws only the losses.
    best_epoch : int, default=None
        The epoch to mark, counted from 1, or 0 for the start; it must have a score.
    score_name : str, default="validation score"
        What the scores are, for the label of their axis.
    name : str, default=None
        Name of the model, for the title.

    Attributes
    ----------
    line_, score_line_ : matplotlib Line2D
        Losses and scores; `score_line_` is None without scores.
    best_ : matplotlib Line2D or None
        Ring around the score of the best epoch.
    start_line_ : matplotlib Line2D or None
        The score of the start, as far as the last epoch; None if it is unknown.
    ax_, score_ax_, figure_ : matplotlib Axes and Figure
        The scores have their own axes on the right; None without scores.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> from skparaphrase.inspection import TrainingCurveDisplay
    >>> encoder = ParaphraseEncoder(max_epochs=3, validation_fraction=0.2)
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
        score_name: str = "validation score",
        name: str | None = None,
    ) -> None:
        options = {"ensure_all_finite": False}  # training may diverge
        (self.losses,) = check_columns({"losses": losses}, **options)
        self.scores, n_scores, n_epochs = None, 0, len(self.losses)
        if scores is not None:
            (self.scores,) = check_columns({"scores": scores}, **options)
            n_scores = len(self.scores)
        if n_scores > n_epochs + 1:
            raise ValueError(f"There are {n_scores} scores of {n_epochs} epochs.")
        first = n_epochs - n_scores + 1
        if best_epoch is not None and not first <= best_epoch <= n_epochs:
            raise ValueError(f"best_epoch={best_epoch} has no score.")
        self.best_epoch, self.score_name, self.name = best_epoch, score_name, name

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
            score_name=getattr(model, "_validation_metric", "validation score"),
            name=type(model).__name__ if name is None else name,
        )
        return display.plot(**plot_options)

    def plot(
        self,
        ax: Axes | None = None,
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
        style |= line_kwargs or {}
        (self.line_,) = ax.plot(epochs, self.losses, **style)
        ax.set_xlabel("epoch")
        ax.set_ylabel("loss", color=self.line_.get_color())
        ax.locator_params(axis="x", integer=True)
        self.score_ax_ = self.score_line_ = self.best_ = self.start_line_ = None
        title = f"{n_epochs} epochs"
        if self.scores is not None:
            self.score_ax_ = twin = ax.twinx()
            twin.spines["right"].set_visible(True)
            epochs = np.arange(n_epochs + 1)[-len(self.scores) :]
            style = {"color": "#b34700", "marker": "s", "markersize": 3}
            style |= score_kwargs or {}
            (self.score_line_,) = twin.plot(epochs, self.scores, **style)
            twin.set_ylabel(self.score_name, color=self.score_line_.get_color())
            start = self.scores[0] if epochs[0] == 0 else None
            if start is not None:
                style = {"color": self.score_line_.get_color(), "ls": ":", "lw": 1}
                (self.start_line_,) = twin.plot([0, n_epochs], [start] * 2, **style)
            if self.best_epoch is not None:
                score = self.scores[self.best_epoch - epochs[0]]
                ring: dict[str, Any] = {"ms": 12, "mfc": "none", "mec": "black"}
                (self.best_,) = twin.plot(self.best_epoch, score, "o", mew=1.5, **ring)
                title = f"best epoch {self.best_epoch} of {n_epochs}, score {score:.3f}"
                if start is not None:
                    title += f", gain {score - start:+.3f}"
            if self.best_epoch == 0:
                title = f"no epoch of {n_epochs} is better than the start"
        self._set_title(title)
        return self


def _find_trained(estimator: Any) -> Any:
    """The estimator, or the last step of a pipeline, that has a loss curve."""
    model = unwrap(estimator)
    if isinstance(model, Pipeline):
        steps = (_find_trained(step) for _, step in reversed(model.steps))
        return next((step for step in steps if step is not None), None)
    return model if hasattr(model, "loss_curve_") else None
