"""Scores of a search over one parameter and over two, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from skparaphrase.inspection import GridSearchDisplay
from skparaphrase.vectors import WordVectors

GRID = {"b": [1, 3, 2], "a": [1e-2, 1e-4, 1.0]}
SORTED = {"a": [1e-4, 1e-2, 1.0], "b": [1, 2, 3]}
draw = GridSearchDisplay.from_estimator


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


class Known(BaseEstimator):
    """An estimator whose score follows from its parameters and the test part."""

    def __init__(self, a=1.0, b=1, c=0, d=None):
        self.a, self.b, self.c, self.d = a, b, c, d

    def fit(self, X, y=None):
        if self.b == "fails":
            raise ValueError("as asked for")
        self.fitted_ = len(X)
        return self

    def score(self, X, y=None):
        return value(self.a, self.b, self.c) + 0.01 * (X.min() > 0)


def value(a, b, c):
    return round(np.log10(a) / 10 + b / 4 + (c - b) ** 2 / 50, 6)


def mean(a, b, c=0):
    """Mean score: the first of two test parts holds 0, the other scores 0.01 more."""
    return value(a, b, c) + 0.005


def searched(grid, kind=GridSearchCV, **options):
    X = np.arange(24.0).reshape(-1, 1)
    return kind(Known(), grid, **{"cv": 2, **options}).fit(X, np.zeros(24))


def test_heat_map():
    display = draw(searched(GRID), name="known")
    ax = display.ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    assert labels(ax.xaxis) == ["0.0001", "0.01", "1"]
    assert labels(ax.yaxis) == ["1", "2", "3"]
    expected = np.array([[mean(a, b) for a in SORTED["a"]] for b in SORTED["b"]])
    assert_allclose(display.im_.get_array(), expected)
    assert_allclose(display.stds, np.full((3, 3), 0.005))
    texts = [f"{number:.3f}" for number in expected.flat]
    assert [text.get_text() for text in display.texts_] == texts
    assert display.texts_[1].get_position() == (1, 0)
    (frame,) = display.best_.get_paths()
    assert_allclose(frame.get_extents().get_points().mean(axis=0), [2, 2])
    assert ax.get_title() == f"known: best score {expected[2][2]:.3f}"
    assert display.figure_.axes[-1].get_ylabel() == "score"


def test_values_are_readable():
    display = draw(searched(GRID))
    assert display.texts_[0].get_color() == "white"
    assert display.texts_[8].get_color() == "black"
    display.figure_.draw_without_rendering()
    cell = np.ptp(display.ax_.transData.transform([(0, 0), (1, 1)]), axis=0)
    for text in display.texts_:
        assert (text.get_window_extent().size < np.abs(cell)).all()
    for label in (display.ax_.yaxis.label, display.ax_.xaxis.label, display.ax_.title):
        box, all_of_it = label.get_window_extent(), display.figure_.bbox
        assert all_of_it.contains(*box.min) and all_of_it.contains(*box.max)


def test_axes_by_name_and_the_rest():
    search = searched({**GRID, "c": [0, 9]})
    with pytest.raises(ValueError, match=r"pass x and y of \['a', 'b', 'c'\]"):
        draw(search)
    display = draw(search, x="b", y="c")
    expected = [[mean(1, b, c) for b in SORTED["b"]] for c in (0, 9)]
    assert_allclose(display.means, expected)
    assert display.best == np.unravel_index(np.argmax(expected), (2, 3)) == (1, 0)
    with pytest.raises(ValueError, match="others must be one of"):
        draw(search, x="b", others="mean")


@pytest.mark.parametrize("others", ["max", "best"])
def test_cells_without_a_score_are_empty(others):
    grid = {"a": [1, 10, 100], "b": [1, 2, 3], "c": [0, 1, 2]}
    search = searched(grid, RandomizedSearchCV, n_iter=9, random_state=0)
    tried = [tuple(params[n] for n in "abc") for params in search.cv_results_["params"]]
    if others == "best":
        tried = [key for key in tried if key[2] == search.best_params_["c"]]
    display = draw(search, x="a", y="b", others=others)
    cells = {key[:2]: max(mean(*k) for k in tried if k[:2] == key[:2]) for key in tried}
    expected = [
        [cells.get((a, b), np.nan) for a in display.x_values] for b in display.y_values
    ]
    assert_allclose(display.means, expected)
    n_cells = len(cells)
    assert display.im_.get_array().mask.sum() == display.means.size - n_cells > 0
    assert len(display.texts_) == n_cells


def test_fits_that_fail():
    with pytest.warns((FitFailedWarning, UserWarning)):
        search = searched({"b": [1, "fails"], "a": [1, 10]})
    display = draw(search, x="a", y="b")
    assert labels(display.ax_.yaxis) == ["1", "fails"]
    assert np.isnan(display.means[1]).all()
    assert display.best == (0, 1)
    search.cv_results_["mean_test_score"][:] = np.nan
    with pytest.raises(ValueError, match="every fit failed"):
        draw(search)


def test_halving_counts_the_last_round():
    options = {"factor": 2, "random_state": 0, "min_resources": 6}
    grid = {"a": [1, 10, 100, 1000], "b": [1, 2]}
    search = searched(grid, HalvingGridSearchCV, **options)
    results = search.cv_results_
    assert results["iter"].max() >= 1
    candidates = [tuple(params.values()) for params in results["params"]]
    last = dict(zip(candidates, results["mean_test_score"], strict=True))
    display = draw(search, x="a", y="b")
    expected = [[last[a, b] for a in display.x_values] for b in display.y_values]
    assert_array_equal(display.means, expected)
    a, b = display.x_values[display.best[1]], display.y_values[display.best[0]]
    assert {"a": a, "b": b} == search.best_params_


def both(estimator, X, y):
    score = value(estimator.a, estimator.b, estimator.c)
    return {"up": score, "down": -score}


def test_several_metrics():
    search = searched(GRID, scoring=both, refit="down")
    display = draw(search)
    assert (display.metric, display.best) == ("down", (0, 0))
    assert display.figure_.axes[-1].get_ylabel() == "down"
    display = draw(search, metric="up")
    assert display.best == (2, 2)
    assert_allclose(display.means[2, 2], value(1, 3, 0))
    with pytest.raises(ValueError, match=r"one of \['up', 'down'\]; got 'r2'"):
        draw(search, metric="r2")
    search = searched(GRID, scoring=both, refit=False)
    assert draw(search, metric="up").best == (2, 2)
    with pytest.raises(ValueError, match=r"metric must be one of \['up', 'down'\]"):
        draw(search)
    search = searched(GRID, scoring=both, refit=lambda results: 4)  # its choice
    params = search.cv_results_["params"][4]
    best = SORTED["b"].index(params["b"]), SORTED["a"].index(params["a"])
    assert draw(search, metric="up").best == best


def test_one_parameter_is_a_line():
    search = searched({"a": [1e-3, 1, 1e-2], "b": [2]})
    display = draw(search, errorbar_kwargs={"color": "C2"})
    line, _, (bars,) = display.errorbar_
    expected = [mean(a, 2) for a in (1e-3, 1e-2, 1)]
    assert_allclose(line.get_xdata(), [1e-3, 1e-2, 1])
    assert_allclose(line.get_ydata(), expected)
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert_allclose(ends, [(score - 0.005, score + 0.005) for score in expected])
    assert line.get_color() == "C2"
    assert display.ax_.get_xscale() == "log"
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("a", "score")
    assert_allclose(display.best_.get_data(), [[1], [expected[2]]])
    assert (display.im_, display.texts_) == (None, None)
    assert draw(searched({"b": [1, 2, 3]})).ax_.get_xscale() == "linear"
    search = searched({"a": [10], "b": [2]})
    assert (draw(search).x_name, draw(search).y_name) == ("a", None)
    assert draw(search, x="a", y="b").means.shape == (1, 1)
    with pytest.raises(ValueError, match="Not one or two parameters vary"):
        draw(searched({}))


def test_labels_of_values():
    values = [StandardScaler(), None, "", 3, True, StandardScaler(with_std=False)]
    values += [2.0, MinMaxScaler, np.float64(1e-5), False, "long" * 20, (1, 2), sorted]
    values += [Pipeline([("first", StandardScaler()), ("second", MinMaxScaler())])]
    values += [16384, 10**12, 1e5 + 0.5]
    values += [WordVectors(["a"], np.ones((1, 2))) for _ in range(2)]
    display = draw(searched({"d": values, "b": [1, 2]}))
    *found, first, second = labels(display.ax_.yaxis)
    assert found == [
        *("1e-05", "2", "3", "16384", "1e+05", "1e+12"),
        *("StandardScaler()", "None", "''", "True", "StandardScaler(with_std=False)"),
        *("MinMaxScaler", "False", ("long" * 20)[:39] + "…", "(1, 2)", "sorted"),
        "Pipeline",
    ]
    assert first.endswith("(1)") and second.endswith("(2)")
    assert labels(display.ax_.xaxis) == ["1", "2"]
    line = draw(searched({"d": values[:3]}))
    assert labels(line.ax_.xaxis) == ["StandardScaler()", "None", "''"]
    assert line.errorbar_[0].get_linestyle() == "None"


def test_equal_values_share_a_place():
    first, second = np.zeros(2000), np.eye(1, 2000, 1000)[0]
    grids = [
        {"d": [StandardScaler()], "b": [1], "a": [1, 10]},
        {"d": [StandardScaler()], "b": [1.0, 2], "c": [2]},
        {"d": [first, second, first.copy()], "b": [2]},
    ]
    search = searched(grids)
    assert draw(search, x="d", y="b").means.shape == (2, 3)
    display = draw(search, x="a", y="c")
    assert labels(display.ax_.xaxis) == ["1", "10", "not set"]
    assert labels(display.ax_.yaxis) == ["2", "not set"]
    assert_array_equal(np.isnan(display.means), [[1, 1, 0], [0, 0, 0]])


def test_options_of_searches():
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3))
    options = {"include_std": True, "values_format": ".1f", "colorbar": False}
    options |= {"cmap": "cividis", "im_kwargs": {"vmin": 0, "vmax": 2}}
    display = draw(searched(GRID), x="b", y="a", ax=axes[1], **options)
    assert display.ax_ is axes[1]
    assert figure.get_size_inches().tolist() == [7, 3]
    assert (*display.im_.get_clim(), display.im_.get_cmap().name) == (0, 2, "cividis")
    assert display.texts_[0].get_text() == f"{mean(1e-4, 1):.1f}\n±0.0"
    assert display.plot(axes[0], include_values=False).texts_ is None
    display = draw(searched({"a": np.geomspace(1, 2, 15), "b": range(14)}))
    assert display.texts_ is None
    assert len(display.plot(include_values=True).texts_) == 210


def test_other_and_bad_searches():
    with pytest.raises(NotFittedError):
        draw(GridSearchCV(Known(), GRID))
    with pytest.raises(TypeError, match=r"has cv_results_.*got Known"):
        draw(Known())
    search = searched(GRID)
    other = SimpleNamespace(**vars(search))  # not one of scikit-learn's searches
    assert_array_equal(draw(other).means, draw(search).means)
    with pytest.raises(ValueError, match=r"of shape \(1, 2\)"):
        GridSearchDisplay([[1, 3, 2]], [[0, 0, 0]], "a", [1, 2])
    for x, y in (("e", None), ("a", "a"), ("a", "e")):
        with pytest.raises(ValueError, match=rf"two of \['a', 'b'\]; got '{x}' and"):
            draw(search, x=x, y=y)
    with pytest.raises(ValueError, match="y requires x"):
        draw(search, y="a")
