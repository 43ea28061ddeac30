"""Gold scores against predicted similarity, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase.inspection._estimators import pair_similarities
from skparaphrase.inspection._optional import make_axes
from skparaphrase.inspection._style import line_style, point_style
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.text import check_pairs

_KINDS = ("auto", "scatter", "hexbin")
_MANY = 5000  # pairs, of which points would hide one another
_MARKERS = "os^Dv<>P"
# Okabe and Ito: told apart by people who are colour-blind, too
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


class SimilarityDisplay:
    """Gold scores of pairs against predicted similarity, with the correlations.

    Make one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    y_true : array-like of shape (n_pairs,)
        Gold scores.

    y_pred : array-like of shape (n_pairs,)
        Predictions, on any scale.

    groups : array-like of shape (n_pairs,), default=None
        The data set, or another group, of each pair.

    name : str, default=None
        Of the estimator, for the title.

    Attributes
    ----------
    pearson_, spearman_ : float
        Correlation of all pairs; with `groups`, the unweighted mean over the groups, as
        in the STS tasks. Groups of one pair are left out of it.

    group_scores_ : dict of group to tuple (pearson, spearman), or None
        In the order in which the groups come first.

    scatters_ : list of matplotlib PathCollection
        One for each group; empty for hexagons.

    lines_ : list of matplotlib Line2D
        Line of least squares of each group. A group whose gold scores are all the same
        has none.

    hexbin_ : matplotlib PolyCollection or None

    ax_ : matplotlib Axes

    figure_ : matplotlib Figure

    See Also
    --------
    GroupedScoresDisplay : The correlation by length, or by unknown words.

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
    0.7
    >>> plt.close(display.figure_)
    """

    def __init__(
        self, y_true: Any, y_pred: Any, *, groups: Any = None, name: str | None = None
    ) -> None:
        self.y_true, self.y_pred = (
            column_or_1d(
                check_array(y, ensure_2d=False, dtype=np.float64, input_name=label)
            )
            for y, label in ((y_true, "y_true"), (y_pred, "y_pred"))
        )
        self.groups = None if groups is None else column_or_1d(groups)
        check_consistent_length(self.y_true, self.y_pred, self.groups)
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
        kind: str = "auto",
        name: str | None = None,
        ax: Any = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
        hexbin_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Predict the similarity of pairs, and draw.

        Parameters
        ----------
        estimator : estimator
            A fitted pipeline or search that predicts the similarity of pairs; or an
            encoder, whose vectors are compared by cosine.

        X : array-like of str of shape (n_pairs, 2)

        y : array-like of shape (n_pairs,)
            Gold scores.

        groups : array-like of shape (n_pairs,), default=None
            The data set, or another group, of each pair.

        kind : {"auto", "scatter", "hexbin"}, default="auto"
            As of :meth:`plot`.

        name : str, default=None
            By default the name of the estimator's class.

        ax, scatter_kwargs, line_kwargs, hexbin_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : SimilarityDisplay
        """
        predicted = pair_similarities(estimator, check_pairs(X))
        return cls.from_predictions(
            y,
            predicted,
            groups=groups,
            kind=kind,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            scatter_kwargs=scatter_kwargs,
            line_kwargs=line_kwargs,
            hexbin_kwargs=hexbin_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        groups: Any = None,
        kind: str = "auto",
        name: str | None = None,
        ax: Any = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
        hexbin_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_pairs,)
            Gold scores and predictions.

        groups : array-like of shape (n_pairs,), default=None
            The data set, or another group, of each pair.

        kind : {"auto", "scatter", "hexbin"}, default="auto"
            As of :meth:`plot`.

        name : str, default=None
            For the title.

        ax, scatter_kwargs, line_kwargs, hexbin_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : SimilarityDisplay
        """
        return cls(y_true, y_pred, groups=groups, name=name).plot(
            ax,
            kind=kind,
            scatter_kwargs=scatter_kwargs,
            line_kwargs=line_kwargs,
            hexbin_kwargs=hexbin_kwargs,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "auto",
        name: str | None = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
        hexbin_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        kind : {"auto", "scatter", "hexbin"}, default="auto"
            A point for each pair, or hexagons coloured by how many pairs are in them.
            "auto" takes hexagons for more than 5,000 pairs without groups.

        name : str, default=None
            By default that of the display.

        scatter_kwargs, line_kwargs, hexbin_kwargs : dict, default=None
            For matplotlib's `scatter`, `plot` and `hexbin`. The first two count for
            every group.

        Returns
        -------
        display : SimilarityDisplay

        Raises
        ------
        ValueError
            If `kind` is another, or hexagons are to show groups.
        """
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {list(_KINDS)}; got {kind!r}.")
        if kind == "hexbin" and self.groups is not None:
            raise ValueError("kind='hexbin' cannot show groups; use kind='scatter'.")
        if kind == "auto":
            many = len(self.y_true) > _MANY and self.groups is None
            kind = "hexbin" if many else "scatter"
        ax = make_axes(ax, "SimilarityDisplay.plot")
        self._score()
        self.scatters_: list[Any] = []
        self.lines_: list[Any] = []
        self.hexbin_ = None
        everything = np.ones(len(self.y_true), dtype=bool)
        if kind == "hexbin":
            self._draw_hexagons(ax, hexbin_kwargs or {})
            self._draw_line(ax, everything, "C3", line_kwargs or {})
        elif self.group_scores_ is None:
            self._draw_points(ax, everything, {}, scatter_kwargs or {})
            self._draw_line(ax, everything, "black", line_kwargs or {})
        else:
            self._draw_groups(ax, scatter_kwargs or {}, line_kwargs or {})
        ax.set_xlabel("gold score")
        ax.set_ylabel("predicted similarity")
        name = self.name if name is None else name
        mean = "" if self.group_scores_ is None else "mean "
        scores = f"{mean}r {self.pearson_:.3f}, \u03c1 {self.spearman_:.3f}"
        ax.set_title(scores if name is None else f"{name}: {scores}")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _score(self) -> None:
        """Correlations of all pairs, or of each group and their means."""
        self.group_scores_ = None
        if self.groups is None:
            self.pearson_, self.spearman_ = _correlations(self.y_true, self.y_pred)
            return
        self.group_scores_ = {
            group: _correlations(
                self.y_true[self.groups == group], self.y_pred[self.groups == group]
            )
            for group in dict.fromkeys(self.groups.tolist())
        }
        known = [s for s in self.group_scores_.values() if not np.isnan(s[0])]
        means = np.mean(known, axis=0) if known else np.full(2, np.nan)
        self.pearson_, self.spearman_ = means.tolist()

    def _draw_groups(
        self, ax: Any, points: Mapping[str, Any], line: Mapping[str, Any]
    ) -> None:
        """Points and a line of each group, in colours and shapes of their own."""
        from matplotlib import colormaps

        scores = self.group_scores_ or {}
        colors: Any = _COLORS
        if len(scores) > len(_COLORS):
            colors = colormaps["viridis"](np.linspace(0, 0.95, len(scores)))
        for i, (group, (pearson, spearman)) in enumerate(scores.items()):
            mask = self.groups == group
            label = f"{group}: r {pearson:.3f}, \u03c1 {spearman:.3f}"
            own = {"color": colors[i], "marker": _MARKERS[i % len(_MARKERS)]}
            self._draw_points(ax, mask, {**own, "label": label}, points)
            self._draw_line(ax, mask, colors[i], line)
        # "best" looks at every point, and finds no room beside thousands.
        legend = ax.legend(loc="lower right", fontsize="small")
        for handle in legend.legend_handles:
            handle.set_alpha(1)

    def _draw_points(
        self,
        ax: Any,
        mask: NDArray[np.bool_],
        own: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        alpha = float(np.clip(20 / np.sqrt(len(mask)), 0.1, 0.7))
        defaults = {"s": 14, "alpha": alpha, "linewidth": 0, "color": _COLORS[0]}
        defaults["rasterized"] = len(mask) > _MANY  # smaller as SVG or PDF
        style = point_style({**defaults, **own}, options)
        self.scatters_.append(ax.scatter(self.y_true[mask], self.y_pred[mask], **style))

    def _draw_line(
        self, ax: Any, mask: NDArray[np.bool_], color: Any, options: Mapping[str, Any]
    ) -> None:
        true, predicted = self.y_true[mask], self.y_pred[mask]
        ends = np.array([true.min(), true.max()])
        if ends[0] == ends[1]:
            return
        centred = true - true.mean()
        slope = centred @ predicted / (centred @ centred)
        heights = predicted.mean() + slope * (ends - true.mean())
        style = line_style({"linewidth": 1.5, "color": color}, options)
        self.lines_.extend(ax.plot(ends, heights, **style))

    def _draw_hexagons(self, ax: Any, options: Mapping[str, Any]) -> None:
        # no narrower than the steps of the gold scores, or columns stay empty
        columns = int(np.clip((len(np.unique(self.y_true)) - 1) // 2, 5, 40))
        defaults = {"gridsize": (columns, 20), "mincnt": 1, "bins": "log"}
        style = point_style({**defaults, "linewidth": 0.2}, options)
        self.hexbin_ = ax.hexbin(self.y_true, self.y_pred, **style)
        ax.figure.colorbar(self.hexbin_, ax=ax, label="pairs")


def _correlations(
    true: NDArray[np.float64], predicted: NDArray[np.float64]
) -> tuple[float, float]:
    return pearson_score(true, predicted), spearman_score(true, predicted)
