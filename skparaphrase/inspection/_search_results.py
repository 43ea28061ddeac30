"""Scores of a fitted search over one parameter or two, as tables."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Hashable, Mapping
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import BaseSearchCV

_MEAN, _STD = "mean_test_", "std_test_"
_LONGEST = 40  # letters of a label
_UNSET = "not set"  # parameters that only other grids of a list have
OTHERS = ("max", "best")


def search_scores(
    search: Any,
    *,
    x: str | None = None,
    y: str | None = None,
    metric: str | None = None,
    others: str = "max",
) -> Bunch:
    """What :class:`GridSearchDisplay` draws; the parameters are described there.

    Returns
    -------
    found : Bunch
        - `means`, `stds`: float64 of shape (n_y, n_x), NaN where nothing was tried or
          the fit failed; n_y is 1 if there is no `y`.
        - `x_name`, `y_name`: parameters.
        - `x_values`, `y_values`: lists of their values, numbers in rising order and
          then all else in the order in which it came. None, as its name, for no `y`.
        - `metric`: name of the score.
        - `best`: (row, column) of the best candidate.
    """
    if isinstance(search, BaseSearchCV):
        check_is_fitted(search, "cv_results_")
    elif not hasattr(search, "cv_results_"):
        raise TypeError(
            "Expected a fitted search that has cv_results_, such as GridSearchCV; got "
            f"{type(search).__name__}."
        )
    if others not in OTHERS:
        raise ValueError(f"others must be one of {list(OTHERS)}; got {others!r}.")
    results = search.cv_results_
    metric = _find_metric(search, metric)
    means = np.asarray(results[_MEAN + metric], dtype=np.float64)
    stds = np.asarray(results[_STD + metric], dtype=np.float64)
    if np.isnan(means).all():
        raise ValueError("No candidate has a score: every fit failed.")
    candidates = results["params"]
    x, y = _find_axes(candidates, x, y)
    best, order = _find_best(search, metric, means)
    columns, x_values = _places([params.get(x, _UNSET) for params in candidates])
    rows, y_values = [0] * len(candidates), None
    if y is not None:
        rows, y_values = _places([params.get(y, _UNSET) for params in candidates])
    chosen = order.tolist()
    if others == "best":
        rest = [
            {name: _key(value) for name, value in params.items() if name not in (x, y)}
            for params in candidates
        ]
        chosen = [i for i in chosen if rest[i] == rest[best]]
    shape = max(rows) + 1, len(x_values)
    table, spread = np.full(shape, np.nan), np.full(shape, np.nan)
    for i in [*chosen, best]:  # from the worst to the best, and what the search chose
        table[rows[i], columns[i]] = means[i]
        spread[rows[i], columns[i]] = stds[i]
    return Bunch(
        means=table,
        stds=spread,
        x_name=x,
        y_name=y,
        x_values=x_values,
        y_values=y_values,
        metric=metric,
        best=(rows[best], columns[best]),
    )


def _find_metric(search: Any, metric: str | None) -> str:
    """The metric asked for, or that by which the search chose.

    Raises
    ------
    ValueError
        Names the metrics that there are.
    """
    names = [
        key.removeprefix(_MEAN) for key in search.cv_results_ if key.startswith(_MEAN)
    ]
    if metric is None:
        if len(names) == 1:
            return names[0]
        if isinstance(search.refit, str):
            return search.refit
        raise ValueError(f"Of several scores, give one as metric: {names}.")
    if metric not in names:
        raise ValueError(f"metric must be one of {names}; got {metric!r}.")
    return metric


def _find_axes(
    candidates: list[Mapping[str, Any]], x: str | None, y: str | None
) -> tuple[str, str | None]:
    """The parameters of the axes: as asked for, or those that vary.

    Raises
    ------
    ValueError
        If there is no such parameter, or it is not clear which are meant.
    """
    names = list(dict.fromkeys(name for params in candidates for name in params))
    for name in (x, y):
        if name is not None and name not in names:
            raise ValueError(f"The search has the parameters {names}; got {name!r}.")
    if x is not None:
        if x == y:
            raise ValueError(f"x and y are both {x!r}.")
        return x, y
    if y is not None:
        raise ValueError("Give x with y.")
    varied = [
        name
        for name in names
        if len({_key(params.get(name, _UNSET)) for params in candidates}) > 1
    ] or names[:1]
    if len(varied) > 2:
        raise ValueError(
            f"More than two parameters vary: give two as x and y: {varied}."
        )
    if not varied:
        raise ValueError("The search has no parameter to draw the scores by.")
    return varied[0], varied[1] if len(varied) == 2 else None


def _find_best(
    search: Any, metric: str, means: NDArray[np.float64]
) -> tuple[int, NDArray[np.intp]]:
    """The best candidate, and all that have a score from the worst to the best.

    Later rounds of a halving search, of more resources, count before earlier ones.
    """
    rounds = search.cv_results_.get("iter", np.zeros(len(means)))
    order = np.lexsort((-np.arange(len(means)), means, rounds))
    order = order[~np.isnan(means[order])]
    chosen = getattr(search, "best_index_", None)
    by_this = callable(search.refit) or search.refit == metric
    if chosen is not None and (by_this or not search.multimetric_):
        return int(chosen), order
    return int(order[-1]), order


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _key(value: Any) -> Hashable:
    """Equal for values that mean the same, such as 1 and 1.0 or equal estimators."""
    if is_number(value):
        return "number", float(value)
    if hasattr(value, "get_params") and not isinstance(value, type):
        params = value.get_params(deep=False)
        return type(value), tuple((name, _key(params[name])) for name in sorted(params))
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_key, value))
    if isinstance(value, Hashable):
        return type(value), value
    return type(value), joblib.hash(value)


def _places(values: list[Any]) -> tuple[list[int], list[Any]]:
    """Place of each value on an axis, and the distinct values in their order."""
    keys = [_key(value) for value in values]
    distinct = dict(zip(reversed(keys), reversed(values), strict=True))
    order = [key for key in dict.fromkeys(keys) if is_number(distinct[key])]
    order.sort(key=lambda key: float(distinct[key]))
    order += [key for key in dict.fromkeys(keys) if not is_number(distinct[key])]
    return [order.index(key) for key in keys], [distinct[key] for key in order]


def value_labels(values: list[Any]) -> list[str]:
    """Short labels of parameter values, no two the same."""
    labels = [_label(value) for value in values]
    return [
        f"{label} ({labels[: i + 1].count(label)})"
        if labels.count(label) > 1
        else label
        for i, label in enumerate(labels)
    ]


def _label(value: Any) -> str:
    if is_number(value):
        whole = isinstance(value, Integral) and abs(int(value)) < 10**9
        return f"{value}" if whole else f"{value:.4g}"
    if isinstance(value, str):
        return _short(value) or "''"
    if hasattr(value, "get_params") and not isinstance(value, type):
        text = " ".join(repr(value).split())
        return text if len(text) <= _LONGEST else type(value).__name__
    return _short(getattr(value, "__name__", None) or " ".join(repr(value).split()))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\u2026"
