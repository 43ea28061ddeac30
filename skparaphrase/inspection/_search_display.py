"""Scores of a fitted search over two parameters, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from skparaphrase.inspection._heat_map import frame_cells, write_cells
from skparaphrase.inspection._optional import make_axes
from skparaphrase.inspection._search_results import (
    is_number,
    search_scores,
    value_labels,
)
from skparaphrase.inspection._style import line_style

_MOST_VALUES = 200  # cells that values are written into unasked
_LETTER = 0.085  # inches, of a label
_WIDE_RANGE = 50  # from the least to the greatest number of a log axis


class GridSearchDisplay:
    """Scores of a fitted search over two parameters, or over one.

    A heat map with the best cell framed; a line with error bars for one parameter. Make
    one with :meth:`from_estimator`.

    Parameters
    ----------
    means, stds : ndarray of shape (n_y, n_x)
        Mean and standard deviation of the scores over the splits; NaN where there is
        no score. A line is drawn if `y_name` is None, and n_y is 1 then.

    x_name, x_values : str and list
        The parameter across and its n_x values.

    y_name, y_values : str and list, default=None
        The parameter down and its n_y values.

    metric : str, default="score"

    best : tuple (row, column), default=None
        Cell to mark. None takes the one with the greatest mean.

    name : str, default=None
        Of what was searched, for the title.

    Attributes
    ----------
    im_ : matplotlib AxesImage or None
        Masked where there is no score, which leaves a cell grey.

    texts_ : list of matplotlib Text, or None
        Of the cells that have a score, in reading order.

    best_ : matplotlib PatchCollection or Line2D
        The frame of the best cell, or the ring around the best point.

    errorbar_ : matplotlib ErrorbarContainer or None
        Of one parameter.

    ax_ : matplotlib Axes

    figure_ : matplotlib Figure

    See Also
    --------
    sklearn.model_selection.ValidationCurveDisplay : One parameter, scored anew.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.decomposition import CommonComponentRemoval
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import GridSearchDisplay
    >>> from skparaphrase.metrics import pearson_scorer
    >>> from skparaphrase.pairs import PairSimilarity
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> search = GridSearchCV(
    ...     make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity()),
    ...     {
    ...         "sifencoder__a": [1e-2, 1e-3, 1e-4],
    ...         "commoncomponentremoval__n_components": [0, 1],
    ...     },
    ...     scoring=pearson_scorer, cv=2,
    ... ).fit(pairs, gold)
    >>> display = GridSearchDisplay.from_estimator(search)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['0.0001', '0.001', '0.01']
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        means: NDArray[np.float64],
        stds: NDArray[np.float64],
        x_name: str,
        x_values: list[Any],
        y_name: str | None = None,
        y_values: list[Any] | None = None,
        *,
        metric: str = "score",
        best: tuple[int, int] | None = None,
        name: str | None = None,
    ) -> None:
        self.means, self.stds = (np.asarray(a, dtype=np.float64) for a in (means, stds))
        shape = 1 if y_name is None else len(y_values or ()), len(x_values)
        if not self.means.shape == self.stds.shape == shape:
            raise ValueError(
                f"Expected means and stds of shape {shape}, as many as there are "
                f"values; got {self.means.shape} and {self.stds.shape}."
            )
        self.x_name, self.x_values = x_name, x_values
        self.y_name, self.y_values = y_name, y_values
        self.metric = metric
        if best is None:
            row, column = np.unravel_index(np.nanargmax(self.means), shape)
            best = int(row), int(column)
        self.best = best
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        search: Any,
        *,
        x: str | None = None,
        y: str | None = None,
        metric: str | None = None,
        others: str = "max",
        include_values: bool | None = None,
        include_std: bool = False,
        values_format: str = ".3f",
        cmap: Any = "viridis",
        colorbar: bool = True,
        name: str | None = None,
        ax: Any = None,
        im_kwargs: Mapping[str, Any] | None = None,
        errorbar_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the scores of a fitted search.

        Parameters
        ----------
        search : estimator
            A fitted search of scikit-learn: `GridSearchCV`, `RandomizedSearchCV`, or
            one with halving, of which each candidate counts as in its last round.

        x, y : str, default=None
            Names of parameters. Without them, the one or two that have more than one
            value. `x` alone makes a line.

        metric : str, default=None
            One of several scores. None takes the one by which the search chose.

        others : {"max", "best"}, default="max"
            What to do with further parameters: draw the best score over their values,
            or the score at the values of the best candidate.

        include_values, include_std, values_format, cmap, colorbar
            As of :meth:`plot`.

        name : str, default=None
            Of what was searched, for the title.

        ax, im_kwargs, errorbar_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : GridSearchDisplay

        Raises
        ------
        NotFittedError
            If the search is not fitted.
        ValueError
            If there is no such parameter or metric, more than two parameters vary and
            none are named, or no candidate has a score.
        """
        found: Bunch = search_scores(search, x=x, y=y, metric=metric, others=others)
        display = cls(name=name, **found)
        return display.plot(
            ax,
            include_values=include_values,
            include_std=include_std,
            values_format=values_format,
            cmap=cmap,
            colorbar=colorbar,
            im_kwargs=im_kwargs,
            errorbar_kwargs=errorbar_kwargs,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        include_values: bool | None = None,
        include_std: bool = False,
        values_format: str = ".3f",
        cmap: Any = "viridis",
        colorbar: bool = True,
        im_kwargs: Mapping[str, Any] | None = None,
        errorbar_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure, as large as the cells need.

        include_values : bool, default=None
            Write the scores into the cells. None does so for up to 200 cells.

        include_std : bool, default=False
            Write the standard deviations below them.

        values_format : str, default=".3f"

        cmap : str or matplotlib Colormap, default="viridis"

        colorbar : bool, default=True

        im_kwargs : dict, default=None
            For matplotlib's `imshow`.

        errorbar_kwargs : dict, default=None
            For matplotlib's `errorbar`, which draws one parameter.

        Returns
        -------
        display : GridSearchDisplay
        """
        new = ax is None
        ax = make_axes(ax, "GridSearchDisplay.plot")
        self.im_ = self.errorbar_ = None
        self.texts_: list[Any] | None = None
        if self.y_name is None:
            self._draw_line(ax, errorbar_kwargs or {})
        else:
            rows, columns = (
                value_labels(v or []) for v in (self.y_values, self.x_values)
            )
            if new:
                size = self._size(rows, columns, include_std, colorbar)
                ax.figure.set_size_inches(*size)
            options = {"cmap": cmap, "aspect": "auto", **(im_kwargs or {})}
            self.im_ = ax.imshow(np.ma.masked_invalid(self.means), **options)
            self._label(ax, rows, columns)
            if colorbar:
                high = ax.get_window_extent().height / ax.figure.dpi
                ax.figure.colorbar(
                    self.im_, ax=ax, label=self.metric, aspect=max(20, 5 * high)
                )
            self.best_ = frame_cells(self.im_, [self.best])
            if include_values or (
                include_values is None and self.means.size <= _MOST_VALUES
            ):
                self._write(values_format, include_std)
        ax.set_xlabel(self.x_name)
        top = f"best {self.metric} {self.means[self.best]:{values_format}}"
        ax.set_title(top if self.name is None else f"{self.name}: {top}")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _size(
        self, rows: list[str], columns: list[str], tall: bool, colorbar: bool
    ) -> tuple[float, float]:
        """Width and height of a figure in inches, no more than a screen has."""
        wide, below = max(map(len, rows)), max(map(len, columns))
        width = 0.62 * len(columns) + _LETTER * wide + 0.8 + 1.1 * colorbar
        height = (0.6 if tall else 0.45) * len(rows) + 1.0
        height = max(height, _LETTER * len(self.y_name or "") + 0.7)
        height += 0.7 * _LETTER * below if _slants(columns) else 0.3
        return float(np.clip(width, 4.5, 14)), float(np.clip(height, 3.0, 12))

    def _label(self, ax: Any, rows: list[str], columns: list[str]) -> None:
        """Values of the parameters; long ones across slant."""
        slant: dict[str, Any] = {}
        if _slants(columns):
            slant = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(columns)), columns, parse_math=False, **slant)
        ax.set_yticks(range(len(rows)), rows, parse_math=False)
        ax.set_ylabel(self.y_name)
        ax.set_facecolor("0.85")

    def _write(self, values_format: str, include_std: bool) -> None:
        labels = np.empty(self.means.shape, dtype=object)
        for cell in np.ndindex(*labels.shape):
            labels[cell] = format(self.means[cell], values_format)
            if include_std:
                labels[cell] += f"\n\u00b1{self.stds[cell]:{values_format}}"
        self.texts_ = write_cells(self.im_, self.means, labels)

    def _draw_line(self, ax: Any, options: Mapping[str, Any]) -> None:
        """Scores of one parameter, at its values if they are numbers."""
        numbers = all(map(is_number, self.x_values))
        places = np.arange(len(self.x_values), dtype=np.float64)
        if numbers:
            places = np.array(self.x_values, dtype=np.float64)
        known = ~np.isnan(self.means[0])
        defaults = {"marker": "o", "capsize": 3, "color": "C0"}
        if not numbers:
            defaults["linestyle"] = "none"
        self.errorbar_ = ax.errorbar(
            places[known],
            self.means[0, known],
            self.stds[0, known],
            **line_style(defaults, options),
        )
        if numbers and places[0] > 0 and places[-1] >= _WIDE_RANGE * places[0]:
            ax.set_xscale("log")
        elif not numbers:
            labels = value_labels(self.x_values)
            slant = {"rotation": 30, "ha": "right"} if _slants(labels) else {}
            ax.set_xticks(places, labels, parse_math=False, **slant)
            ax.set_xlim(-0.5, len(labels) - 0.5)
        best = self.best[1]
        (self.best_,) = ax.plot(
            places[best],
            self.means[self.best],
            marker="o",
            markersize=12,
            markerfacecolor="none",
            markeredgecolor="C3",
            markeredgewidth=1.5,
            linestyle="none",
            label="best",
        )
        ax.set_ylabel(self.metric)


def _slants(labels: list[str]) -> bool:
    return max(map(len, labels)) > 8 or len(labels) > 12
