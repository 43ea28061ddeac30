"""Scores of groups of pairs, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any, Self

from skparaphrase.inspection._display import Display, merge_style
from skparaphrase.inspection._scores import (
    QUANTILES,
    grouped_scores,
    scores_by_length,
    scores_by_unknown,
)
from skparaphrase.metrics._similarity import CORRELATIONS

_LABELS = {"length": "words of the longer text", "unknown": "unknown words of the pair"}
_SYMBOLS = {"pearson": "Pearson's r", "spearman": "Spearman's rho"}


class GroupedScoresDisplay(Display):
    """Correlation with the gold scores by length, or by number of unknown words.

    Create one with :meth:`from_estimator` or :meth:`from_predictions`. To compare
    estimators, draw them on the same axes.

    Parameters
    ----------
    scores : DataFrame
        Result of :func:`grouped_scores` or of the functions that call it.
    xlabel, name : str, default=None
        Meaning of the groups, and name of the estimator for the legend.

    Attributes
    ----------
    line_, all_line_ : matplotlib Line2D
        Scores of the groups, and of all pairs, dashed; None if `scores` has no "all".
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import GroupedScoresDisplay
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> display = GroupedScoresDisplay.from_estimator(AverageEncoder(), pairs, gold)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self, scores: Any, *, xlabel: str | None = None, name: str | None = None
    ) -> None:
        missing = [
            column for column in ("n_pairs", *CORRELATIONS) if column not in scores
        ]
        if missing:
            raise ValueError(f"scores has no columns {missing}; use grouped_scores.")
        self.scores, self.xlabel, self.name = scores, xlabel, name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        by: str = "length",
        name: str | None = None,
        metric: str = "pearson",
        min_pairs: int = 10,
        ax: Any = None,
        line_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Score an estimator, and draw the scores.

        Parameters
        ----------
        estimator, X, y
            As in :func:`scores_by_length`.
        by : {"length", "unknown"}, default="length"
            Group by :func:`scores_by_length`, with `bins=5`, or by
            :func:`scores_by_unknown`.
        name : str, default=None
            None takes the name of the estimator's class.
        metric, min_pairs, ax, line_kwargs
            As in :meth:`plot`.
        **options : dict
            Passed to the function, such as `bins` and `tokenizer`.

        Returns
        -------
        display : GroupedScoresDisplay
        """
        if by not in _LABELS:
            raise ValueError(f"by must be one of {list(_LABELS)}; got {by!r}.")
        if by == "length":
            options = {"bins": QUANTILES, **options}
            scores = scores_by_length(estimator, X, y, **options)
        else:
            scores = scores_by_unknown(estimator, X, y, **options)
        name = type(estimator).__name__ if name is None else name
        display = cls(scores, xlabel=_LABELS[by], name=name)
        return display.plot(
            ax, metric=metric, min_pairs=min_pairs, line_kwargs=line_kwargs
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        values: Any,
        *,
        bins: int | Sequence[float] = QUANTILES,
        xlabel: str | None = None,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Score predictions, and draw the scores.

        Parameters
        ----------
        y_true, y_pred, values, bins
            As in :func:`grouped_scores`.
        xlabel, name : str, default=None
            As in :class:`GroupedScoresDisplay`.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : GroupedScoresDisplay
        """
        scores = grouped_scores(y_true, y_pred, values, bins=bins)
        return cls(scores, xlabel=xlabel, name=name).plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        metric: str = "pearson",
        min_pairs: int = 10,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure. Displays on the same axes need the same groups.
        metric : {"pearson", "spearman"}, default="pearson"
        min_pairs : int, default=10
            Groups of fewer pairs, whose correlation is unreliable, are not drawn.
        line_kwargs : dict, default=None
            Passed to matplotlib's `plot`.

        Returns
        -------
        display : GroupedScoresDisplay
        """
        if metric not in CORRELATIONS:
            known = list(CORRELATIONS)
            raise ValueError(f"metric must be one of {known}; got {metric!r}.")
        groups = self.scores.drop(index=["any", "all"], errors="ignore")
        groups = groups[groups["n_pairs"] >= min_pairs]
        if groups.empty:
            raise ValueError(f"No group has {min_pairs} pairs; pass fewer bins.")
        ax = self._make_axes(ax)
        ticks = []
        for group, n in groups["n_pairs"].items():
            text = group.replace("<=", "\u2264").replace(">=", "\u2265")
            ticks.append(f"{text.replace('-', chr(0x2013))}\n{n}")
        if ax.lines and ticks != [tick.get_text() for tick in ax.get_xticklabels()]:
            raise ValueError("The axes show other groups, or groups of other pairs.")
        label, self.all_line_ = self.name, None
        total = self.scores[metric].get("all")
        if total is not None:
            label = f"{label} (all {total:.3f})" if label else f"all {total:.3f}"
        style = merge_style(line_kwargs, marker="o", label=label)
        (self.line_,) = ax.plot(range(len(groups)), groups[metric], **style)
        if total is not None:
            color = self.line_.get_color()
            self.all_line_ = ax.axhline(total, c=color, ls="--", lw=1, alpha=0.6)
        ax.set_xticks(range(len(groups)), ticks)
        ax.set_xlabel(f"{self.xlabel or 'group'} (second line: number of pairs)")
        ax.set_ylabel(_SYMBOLS.get(metric, metric))
        if label is not None:
            ax.legend(loc="best")
        return self
