"""Gold scores against predicted similarity, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from scipy.stats import linregress
from sklearn.utils import check_consistent_length, column_or_1d

from skparaphrase.inspection._display import (
    Display,
    draw_legend,
    draw_points,
    merge_style,
)
from skparaphrase.inspection._estimators import pair_similarities
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.metrics._similarity import check_columns
from skparaphrase.text import check_pairs

_KINDS = ("auto", "scatter", "hexbin")
_MANY = 5000  # pairs from which points would hide each other
_MARKERS = "os^Dv<>P"
# Okabe and Ito: also distinct for colour-blind people
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


class SimilarityDisplay(Display):
    """Gold scores of pairs against predicted similarity, with the correlations.

    Create one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_pairs,)
        Gold scores, and predictions on any scale.
    groups : array-like of shape (n_pairs,), default=None
        The data set, or another group, of each pair.
    name : str, default=None
        Name of the estimator, for the title.

    Attributes
    ----------
    pearson_, spearman_ : float
        Correlation of all pairs; with `groups`, the unweighted mean over the groups of
        at least two pairs, as in the STS tasks.
    group_scores_ : dict of group to tuple (pearson, spearman), or None
        In order of appearance.
    scatters_, lines_ : list of matplotlib PathCollection and of Line2D
        Points of each group, empty for hexagons; line of least squares of each group
        whose gold scores are not all the same.
    hexbin_ : matplotlib PolyCollection or None
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import SimilarityDisplay
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> encoder = SIFEncoder().fit(pairs)
    >>> display = SimilarityDisplay.from_estimator(encoder, pairs, gold, name="SIF")
    >>> round(display.pearson_, 2)
    0.71
    >>> plt.close(display.figure_)
    """

    pearson_: float
    spearman_: float
    group_scores_: dict[Any, tuple[float, float]] | None

    def __init__(
        self, y_true: Any, y_pred: Any, *, groups: Any = None, name: str | None = None
    ) -> None:
        self.y_true, self.y_pred = check_columns({"y_true": y_true, "y_pred": y_pred})
        self.groups = None if groups is None else column_or_1d(groups)
        check_consistent_length(self.y_true, self.groups)
        if self.groups is not None and (self.groups != self.groups).any():
            raise ValueError("groups contains NaN.")
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Predict the similarity of pairs, and draw the predictions.

        Parameters
        ----------
        estimator, X, y
            As in :func:`scores_by_length`.
        groups, name
            As in :class:`SimilarityDisplay`. None takes the name of the class.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SimilarityDisplay
        """
        predicted = pair_similarities(estimator, check_pairs(X))
        name = type(estimator).__name__ if name is None else name
        return cls(y, predicted, groups=groups, name=name).plot(**plot_options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        groups: Any = None,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred, groups, name
            As in :class:`SimilarityDisplay`.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SimilarityDisplay
        """
        return cls(y_true, y_pred, groups=groups, name=name).plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "auto",
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
        hexbin_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the pairs.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        kind : {"auto", "scatter", "hexbin"}, default="auto"
            A point for each pair, or hexagons coloured by the number of pairs in them.
            "auto" draws hexagons, which cannot show groups, for over 5,000 pairs.
        scatter_kwargs, line_kwargs, hexbin_kwargs : dict, default=None
            Passed to matplotlib's `scatter`, `plot` and `hexbin`, for all groups.

        Returns
        -------
        display : SimilarityDisplay
        """
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {_KINDS}; got {kind!r}.")
        if kind == "hexbin" and self.groups is not None:
            raise ValueError("kind='hexbin' cannot show groups; use kind='scatter'.")
        if kind == "auto":
            many = len(self.y_true) > _MANY and self.groups is None
            kind = "hexbin" if many else "scatter"
        ax = self._make_axes(ax)
        from matplotlib import colormaps

        self.hexbin_ = self.group_scores_ = None
        self.scatters_: list[Any] = []
        self.lines_: list[Any] = []
        groups = np.zeros(len(self.y_true)) if self.groups is None else self.groups
        distinct = list(dict.fromkeys(groups.tolist()))
        colors: Any = _COLORS
        if len(distinct) > len(_COLORS):
            colors = colormaps["viridis"](np.linspace(0, 0.95, len(distinct)))
        alpha = float(np.clip(20 / np.sqrt(len(groups)), 0.1, 0.7))
        scores, label = [], None
        for i, group in enumerate(distinct):
            true, predicted = self.y_true[groups == group], self.y_pred[groups == group]
            r, rho = pearson_score(true, predicted), spearman_score(true, predicted)
            scores.append((r, rho))
            color = "C3" if kind == "hexbin" else "black"
            if self.groups is not None:
                label, color = f"{group}: r {r:.3f}, \u03c1 {rho:.3f}", colors[i]
            if kind == "hexbin":
                self._draw_hexagons(hexbin_kwargs)
            else:
                own = {"color": colors[i], "marker": _MARKERS[i % len(_MARKERS)]}
                own |= {"s": 14, "alpha": alpha, "label": label}
                points = draw_points(ax, (true, predicted), scatter_kwargs, **own)
                self.scatters_.append(points)
            if np.ptp(true) > 0:
                slope, intercept = linregress(true, predicted)[:2]
                ends = np.array([true.min(), true.max()])
                style = merge_style(line_kwargs, color=color, linewidth=1.5)
                self.lines_ += ax.plot(ends, intercept + slope * ends, **style)
        known = [pair for pair in scores if not np.isnan(pair[0])]
        means = np.mean(known or [(np.nan, np.nan)], axis=0)
        self.pearson_, self.spearman_ = means.tolist()
        mean = "" if self.groups is None else "mean "
        if self.groups is not None:
            self.group_scores_ = dict(zip(distinct, scores, strict=True))
            # "best" would compare with every point.
            draw_legend(ax, "lower right")
        ax.set(xlabel="gold score", ylabel="predicted similarity")
        self._set_title(f"{mean}r {self.pearson_:.3f}, \u03c1 {self.spearman_:.3f}")
        return self

    def _draw_hexagons(self, options: Mapping[str, Any] | None) -> None:
        # Hexagons narrower than the steps of the gold scores would leave columns empty.
        columns = int(np.clip((len(np.unique(self.y_true)) - 1) // 2, 5, 40))
        shape = {"gridsize": (columns, 20), "mincnt": 1, "bins": "log"}
        style = merge_style(options, linewidth=0.2, **shape)
        self.hexbin_ = self.ax_.hexbin(self.y_true, self.y_pred, **style)
        self.figure_.colorbar(self.hexbin_, ax=self.ax_, label="pairs")
