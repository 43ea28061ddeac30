"""Scores of a fitted search over one or two parameters, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Hashable, Mapping
from numbers import Integral, Real
from typing import Any, Self

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import BaseSearchCV
from skparaphrase.inspection._display import (
    Display,
    draw_heat_map,
    merge_style,
    shorten,
)

_MEAN = "mean_test_"  # begins the names of mean scores in cv_results_
_OTHERS = ("max", "best")
_UNSET = "not set"  # value of a parameter that only other grids of a list have
_MOST_VALUES = 200  # cells into which values are written by default
_LONGEST = 40  # letters of a label
_WIDE_RANGE = 50  # ratio of the largest to the least number on a log axis


class GridSearchDisplay(Display):
    """Scores of a fitted search over two parameters, or over one.

    Two parameters make a heat map with a frame around the best cell; one makes a line
    with error bars. Create one with :meth:`from_estimator`.

    Parameters
    ----------
    means, stds : array-like of shape (n_y, n_x)
        Mean and standard deviation of the scores over the splits, or NaN.
    x_name, x_values : str and list
        The parameter of the columns and its n_x values.
    y_name, y_values : str and list, default=None
        The parameter of the rows and its n_y values. None makes a line, with n_y = 1.
    metric, name : str
        Name of the score, and of what was searched or None.
    best : tuple (row, column), default=None
        Cell to mark. None takes the one with the highest mean.

    Attributes
    ----------
    im_, errorbar_ : matplotlib AxesImage and ErrorbarContainer
        The heat map, masked where there is no score, or the line; else None.
    texts_ : list of matplotlib Text, or None
        Scores of the cells, in reading order.
    best_ : matplotlib PatchCollection or Line2D
        The frame of the best cell, or the ring around the best point.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import GridSearchDisplay
    >>> from skparaphrase.metrics import pearson_scorer
    >>> from skparaphrase.pairs import PairSimilarity
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> grid = {"sifencoder__a": [1e-2, 1e-3]}
    >>> pipe = make_pipeline(SIFEncoder(), PairSimilarity())
    >>> search = GridSearchCV(pipe, grid, scoring=pearson_scorer, cv=2)
    >>> display = GridSearchDisplay.from_estimator(search.fit(pairs, gold))
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        means: Any,
        stds: Any,
        x_name: str,
        x_values: list[Any],
        y_name: str | None = None,
        y_values: list[Any] | None = None,
        *,
        metric: str = "score",
        name: str | None = None,
        best: tuple[int, int] | None = None,
    ) -> None:
        self.means, self.stds = (np.asarray(a, dtype=np.float64) for a in (means, stds))
        shape = 1 if y_name is None else len(y_values or ()), len(x_values)
        if not self.means.shape == self.stds.shape == shape:
            shapes = f"{self.means.shape} and {self.stds.shape}"
            raise ValueError(f"means and stds must be of shape {shape}; got {shapes}.")
        if best is None:
            best = divmod(int(np.nanargmax(self.means)), shape[1])
        self.x_name, self.x_values = x_name, x_values
        self.y_name, self.y_values = y_name, y_values
        self.metric, self.best, self.name = metric, best, name

    @classmethod
    def from_estimator(
        cls,
        search: Any,
        *,
        x: str | None = None,
        y: str | None = None,
        metric: str | None = None,
        others: str = "max",
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the scores of a fitted search.

        Parameters
        ----------
        search : estimator
            A fitted search, such as `GridSearchCV` or `RandomizedSearchCV`. A halving
            search counts the last round of each candidate.
        x, y : str, default=None
            Names of parameters; `x` alone makes a line. None takes the one or two that
            have several values.
        metric : str, default=None
            One of several scores. None takes the one that selected the best candidate.
        others : {"max", "best"}, default="max"
            Which values other parameters take: those of the highest score, or those of
            the best candidate.
        name : str, default=None
            As in :class:`GridSearchDisplay`.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : GridSearchDisplay

        Raises
        ------
        ValueError
            If a parameter or metric does not exist, `x` and `y` are needed, or every
            fit failed.
        """
        if isinstance(search, BaseSearchCV):
            check_is_fitted(search, "cv_results_")
        elif not hasattr(search, "cv_results_"):
            found = type(search).__name__
            raise TypeError(f"Expected a search that has cv_results_; got {found}.")
        if others not in _OTHERS:
            raise ValueError(f"others must be one of {_OTHERS}; got {others!r}.")
        metric = _find_metric(search, metric)
        results = search.cv_results_
        candidates = results["params"]
        scores = np.asarray(results[_MEAN + metric], dtype=np.float64)
        if np.isnan(scores).all():
            raise ValueError("No candidate has a score: every fit failed.")
        x, y = _find_axes(candidates, x, y)
        columns, x_values = _find_places(candidates, x)
        rows, y_values = _find_places(candidates, y) if y else ([0] * len(scores), None)
        best, chosen = _rank_candidates(search, metric, scores)
        if others == "best":
            rest = [
                {k: _key(v) for k, v in params.items() if k not in (x, y)}
                for params in candidates
            ]
            chosen = [i for i in chosen if rest[i] == rest[best]]
        means = np.full((max(rows) + 1, len(x_values)), np.nan)
        stds = means.copy()
        for i in [*chosen, best]:  # a better candidate overwrites a worse one
            means[rows[i], columns[i]] = scores[i]
            stds[rows[i], columns[i]] = results[f"std_test_{metric}"][i]
        cell = rows[best], columns[best]
        display = cls(
            means, stds, x, x_values, y, y_values, metric=metric, best=cell, name=name
        )
        return display.plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        include_values: bool | None = None,
        include_std: bool = False,
        colorbar: bool = True,
        values_format: str = ".3f",
        cmap: Any = "viridis",
        im_kwargs: Mapping[str, Any] | None = None,
        errorbar_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure, whose size depends on the number of cells.
        include_values, include_std, colorbar : bool
            Write the scores into the cells, with standard deviations; draw a colour
            bar. `include_values=None` writes the scores of up to 200 cells.
        values_format, cmap : str
            Format of the scores; colour map of matplotlib.
        im_kwargs, errorbar_kwargs : dict, default=None
            Passed to matplotlib's `imshow`, and to `errorbar`, which draws the line.

        Returns
        -------
        display : GridSearchDisplay
        """
        new, ax = ax is None, self._make_axes(ax)
        self.im_ = self.errorbar_ = self.texts_ = None
        if self.y_values is None:
            self._draw_line(errorbar_kwargs)
        else:
            if include_values is None:
                include_values = self.means.size <= _MOST_VALUES
            std = f"\n\u00b1{{:{values_format}}}" if include_std else ""
            text = f"{{:{values_format}}}{std}".format
            values = map(text, self.means.flat, self.stds.flat)
            ax.set(xlabel=self.x_name, ylabel=self.y_name)
            self.im_, self.best_, self.texts_ = draw_heat_map(
                ax,
                self.means,
                _make_labels(self.y_values),
                _make_labels(self.x_values),
                framed=[self.best],
                values=list(values) if include_values else None,
                bar_label=self.metric if colorbar else None,
                new=new,
                options={"cmap": cmap, **(im_kwargs or {})},
            )
        self._set_title(f"best {self.metric} {self.means[self.best]:{values_format}}")
        return self

    def _draw_line(self, options: Mapping[str, Any] | None) -> None:
        """Draw the scores of one parameter, at its values if they are numbers."""
        numeric = all(map(_is_number, self.x_values))
        n = len(self.x_values)
        places = np.array(self.x_values if numeric else range(n), dtype=np.float64)
        known = ~np.isnan(self.means[0])
        points = places[known], self.means[0, known], self.stds[0, known]
        line = "-" if numeric else "none"
        style = merge_style(options, marker="o", capsize=3, color="C0", linestyle=line)
        self.errorbar_ = self.ax_.errorbar(*points, **style)
        if not numeric:
            labels = _make_labels(self.x_values)
            crowded = max(map(len, labels)) > 8 or n > 12
            slant: dict[str, Any] = {"rotation": 30, "ha": "right"} if crowded else {}
            self.ax_.set_xticks(places, labels, parse_math=False, **slant)
            self.ax_.set_xlim(-0.5, n - 0.5)
        elif places[0] > 0 and places[-1] >= _WIDE_RANGE * places[0]:
            self.ax_.set_xscale("log")
        ring: dict[str, Any] = {"ms": 12, "mfc": "none", "mec": "C3", "mew": 1.5}
        x, y = places[self.best[1]], self.means[self.best]
        (self.best_,) = self.ax_.plot(x, y, "o", label="best", **ring)
        self.ax_.set(xlabel=self.x_name, ylabel=self.metric)


def _find_metric(search: Any, metric: str | None) -> str:
    """The given metric, or the one that selected the best candidate."""
    results = search.cv_results_
    names = [key.removeprefix(_MEAN) for key in results if key.startswith(_MEAN)]
    if metric is None:
        metric = names[0] if len(names) == 1 else search.refit
    if metric not in names:
        raise ValueError(f"metric must be one of {names}; got {metric!r}.")
    return str(metric)


def _find_axes(
    candidates: list[Mapping[str, Any]], x: str | None, y: str | None
) -> tuple[str, str | None]:
    """The given parameters, or those that have several values."""
    names = list(dict.fromkeys(name for params in candidates for name in params))
    if x is not None:
        if x not in names or x == y or y not in (*names, None):
            raise ValueError(f"x and y must be two of {names}; got {x!r} and {y!r}.")
        return x, y
    if y is not None:
        raise ValueError("y requires x.")
    varied = [name for name in names if len(_find_places(candidates, name)[1]) > 1]
    varied = varied or names[:1]
    if not 1 <= len(varied) <= 2:
        raise ValueError(f"Not one or two parameters vary: pass x and y of {varied}.")
    return varied[0], varied[1] if len(varied) == 2 else None


def _rank_candidates(
    search: Any, metric: str, scores: NDArray[np.float64]
) -> tuple[int, list[int]]:
    """The best candidate, and all that have a score from the worst to the best.

    Later rounds of a halving search, which use more resources, rank above earlier ones.
    """
    rounds = search.cv_results_.get("iter", np.zeros(len(scores)))
    ranked = np.lexsort((-np.arange(len(scores)), scores, rounds))
    order: list[int] = ranked[~np.isnan(scores[ranked])].tolist()
    selected = getattr(search, "best_index_", None)
    by_metric = callable(search.refit) or search.refit == metric
    if selected is not None and (by_metric or not search.multimetric_):
        return int(selected), order
    return order[-1], order


def _find_places(
    candidates: list[Mapping[str, Any]], name: str
) -> tuple[list[int], list[Any]]:
    """Place of each candidate on the axis of a parameter, and its distinct values.

    Numbers come first, rising; other values follow in order of appearance.
    """
    values = [params.get(name, _UNSET) for params in candidates]
    keys = [_key(value) for value in values]
    distinct = dict(zip(reversed(keys), reversed(values), strict=True))
    order = sorted(
        dict.fromkeys(keys),
        key=lambda key: distinct[key] if _is_number(distinct[key]) else np.inf,
    )
    return [order.index(key) for key in keys], [distinct[key] for key in order]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _key(value: Any) -> Hashable:
    """Key that is equal for values such as 1 and 1.0, or estimators with equal ones."""
    if _is_number(value):
        return "number", float(value)
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value), _key(sorted(value.get_params(deep=False).items()))
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_key, value))
    return type(value), value if isinstance(value, Hashable) else joblib.hash(value)


def _make_labels(values: list[Any]) -> list[str]:
    """Short labels of parameter values, all different."""
    labels = [_make_label(value) for value in values]
    return [
        f"{text} ({labels[: i + 1].count(text)})" if labels.count(text) > 1 else text
        for i, text in enumerate(labels)
    ]


def _make_label(value: Any) -> str:
    if _is_number(value):
        whole = isinstance(value, Integral) and abs(int(value)) < 10**9
        return f"{value}" if whole else f"{value:.4g}"
    if isinstance(value, str):
        return shorten(value, _LONGEST) or "''"
    text = " ".join(repr(value).split())
    if hasattr(value, "get_params") and not isinstance(value, type):
        return text if len(text) <= _LONGEST else type(value).__name__
    return shorten(getattr(value, "__name__", text), _LONGEST)
