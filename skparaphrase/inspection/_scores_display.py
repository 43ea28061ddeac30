"""Scores of groups of pairs, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from skparaphrase.inspection._estimators import Tokenizer
from skparaphrase.inspection._optional import make_axes
from skparaphrase.inspection._scores import (
    LENGTH_BINS,
    UNKNOWN_BINS,
    grouped_scores,
    scores_by_length,
    scores_by_unknown,
)
from skparaphrase.vectors import WordVectors

_LABELS = {
    "length": "words of the longer text",
    "unknown": "unknown words of the pair",
}
_TOTALS = ("any", "all")
_METRICS = {"pearson": "Pearson's r", "spearman": "Spearman's rho"}


class GroupedScoresDisplay:
    """Correlation with the gold scores by length, or by number of unknown words.

    Make one with :meth:`from_estimator` or :meth:`from_predictions`, or from a frame of
    :func:`scores_by_length`, :func:`scores_by_unknown` or :func:`grouped_scores`.
    Several on the same axes compare estimators: give `ax` and `name`.

    Parameters
    ----------
    scores : DataFrame
        Rows are groups, columns "n_pairs", "pearson" and "spearman".

    xlabel : str, default=None
        What the groups are.

    name : str, default=None
        Of the estimator, for the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        Scores of the groups.

    all_line_ : matplotlib Line2D or None
        Score of all pairs, dashed.

    ax_ : matplotlib Axes

    figure_ : matplotlib Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import AverageEncoder, SIFEncoder
    >>> from skparaphrase.inspection import GroupedScoresDisplay
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> display = GroupedScoresDisplay.from_estimator(
    ...     AverageEncoder(), pairs, gold, bins=[5, 6, 7, 8, 9], name="average"
    ... )
    >>> display = GroupedScoresDisplay.from_estimator(
    ...     SIFEncoder().fit(pairs), pairs, gold, bins=[5, 6, 7, 8, 9], name="SIF",
    ...     ax=display.ax_,
    ... )
    >>> plt.close(display.figure_)
    """

    def __init__(
        self, scores: Any, *, xlabel: str | None = None, name: str | None = None
    ) -> None:
        lacking = [c for c in ("n_pairs", *_METRICS) if c not in scores]
        if lacking:
            raise ValueError(
                f"scores lacks the columns {lacking}; give what grouped_scores returns."
            )
        self.scores = scores
        self.xlabel = xlabel
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        by: str = "length",
        bins: Sequence[int] | None = None,
        vocabulary: Iterable[str] | WordVectors | None = None,
        tokenizer: Tokenizer | None = None,
        metric: str = "pearson",
        name: str | None = None,
        ax: Any = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Score an estimator, and draw.

        Parameters
        ----------
        estimator, X, y
            As of :func:`scores_by_length`.

        by : {"length", "unknown"}, default="length"
            Group by :func:`scores_by_length` or by :func:`scores_by_unknown`.

        bins, vocabulary, tokenizer
            As of these. `vocabulary` is for "unknown" only.

        metric : {"pearson", "spearman"}, default="pearson"

        name : str, default=None
            By default the name of the estimator's class.

        ax, line_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : GroupedScoresDisplay
        """
        if by == "length":
            bins = LENGTH_BINS if bins is None else bins
            scores = scores_by_length(estimator, X, y, bins=bins, tokenizer=tokenizer)
        elif by == "unknown":
            scores = scores_by_unknown(
                estimator,
                X,
                y,
                vocabulary=vocabulary,
                bins=UNKNOWN_BINS if bins is None else bins,
                tokenizer=tokenizer,
            )
        else:
            raise ValueError(f"by must be 'length' or 'unknown'; got {by!r}.")
        name = type(estimator).__name__ if name is None else name
        display = cls(scores, xlabel=_LABELS[by], name=name)
        return display.plot(ax, metric=metric, line_kwargs=line_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        values: Any,
        *,
        bins: Sequence[int] = LENGTH_BINS,
        xlabel: str | None = None,
        metric: str = "pearson",
        name: str | None = None,
        ax: Any = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Score predictions, and draw.

        Parameters
        ----------
        y_true, y_pred, values, bins
            As of :func:`grouped_scores`.

        xlabel : str, default=None
            What `values` are.

        metric : {"pearson", "spearman"}, default="pearson"

        name : str, default=None

        ax, line_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : GroupedScoresDisplay
        """
        scores = grouped_scores(y_true, y_pred, values, bins=bins)
        display = cls(scores, xlabel=xlabel, name=name)
        return display.plot(ax, metric=metric, line_kwargs=line_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        metric: str = "pearson",
        name: str | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure. Of several displays on the same axes, all
            must have the same groups.

        metric : {"pearson", "spearman"}, default="pearson"

        name : str, default=None
            By default that of the display.

        line_kwargs : dict, default=None
            For matplotlib's `plot`.

        Returns
        -------
        display : GroupedScoresDisplay

        Raises
        ------
        ValueError
            If the axes show other groups.
        """
        if metric not in _METRICS:
            raise ValueError(f"metric must be one of {list(_METRICS)}; got {metric!r}.")
        ax = make_axes(ax, "GroupedScoresDisplay.plot")
        groups = self.scores.drop(index=list(_TOTALS), errors="ignore")
        ticks = [
            f"{label}\n{n}"
            for label, n in zip(
                map(_pretty, groups.index), groups["n_pairs"], strict=True
            )
        ]
        shown = [label.get_text() for label in ax.get_xticklabels()]
        if ax.lines and shown != ticks:
            raise ValueError(
                "The axes show other groups: displays on the same axes must be of the "
                "same pairs, bins, tokenizer and vocabulary."
            )
        name = self.name if name is None else name
        total = self.scores[metric].get("all")
        label = name
        if total is not None:
            label = f"{name} (all {total:.3f})" if name else f"all {total:.3f}"
        (self.line_,) = ax.plot(
            range(len(groups)),
            groups[metric],
            **{"marker": "o", "label": label, **(line_kwargs or {})},
        )
        self.all_line_ = None
        if total is not None:
            self.all_line_ = ax.axhline(
                total,
                color=self.line_.get_color(),
                linestyle="--",
                linewidth=1,
                alpha=0.6,
            )
        ax.set_xticks(range(len(groups)), ticks)
        ax.set_xlabel(f"{self.xlabel or 'group'} (second line: number of pairs)")
        ax.set_ylabel(_METRICS[metric])
        if label is not None:
            ax.legend(loc="best")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _pretty(group: str) -> str:
    return group.replace("<=", "\u2264").replace(">=", "\u2265").replace("-", "\u2013")
