"""Scores of a search over one parameter and over two, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import SIFEncoder
from skparaphrase.inspection import GridSearchDisplay
from skparaphrase.metrics import pearson_scorer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors

matplotlib.use("Agg")
pytestmark = pytest.mark.usefixtures("close_figures")

X4 = np.arange(24.0).reshape(-1, 1)
Y4 = np.zeros(24)


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


class Known(BaseEstimator):
    """An estimator whose score is told by its parameters and the test part."""

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


def searched(grid, kind=GridSearchCV, **options):
    options = {"cv": 2, **options}
    return kind(Known(), grid, **options).fit(X4, Y4)


GRID = {"b": [1, 3, 2], "a": [1e-2, 1e-4, 1.0]}


def test_heat_map():
    display = GridSearchDisplay.from_estimator(searched(GRID), name="known")
    ax = display.ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    assert labels(ax.xaxis) == ["0.0001", "0.01", "1"]
    assert labels(ax.yaxis) == ["1", "2", "3"]
    # the first of two test parts holds 0, the other scores 0.01 more
    expected = [[value(a, b, 0) + 0.005 for a in (1e-4, 1e-2, 1)] for b in (1, 2, 3)]
    assert_allclose(display.im_.get_array(), expected)
    assert not display.im_.get_array().mask.any()
    assert_allclose(display.stds, np.full((3, 3), 0.005))
    texts = [f"{number:.3f}" for row in expected for number in row]
    assert [text.get_text() for text in display.texts_] == texts
    places = [(j, i) for i in range(3) for j in range(3)]
    assert [text.get_position() for text in display.texts_] == places
    (frame,) = display.best_.get_paths()
    assert_allclose(frame.get_extents().get_points().mean(axis=0), [2, 2])
    assert ax.get_title() == f"known: best score {expected[2][2]:.3f}"
    assert display.figure_.axes[-1].get_ylabel() == "score"
    assert display.errorbar_ is None


def test_values_are_to_be_read():
    display = GridSearchDisplay.from_estimator(searched(GRID))
    dark, light = (
        np.dot(display.im_.to_rgba(score)[:3], [0.299, 0.587, 0.114])
        for score in (display.means.min(), display.means.max())
    )
    assert dark < 0.5 < light
    assert display.texts_[0].get_color() == "white"
    assert display.texts_[8].get_color() == "black"
    display.figure_.draw_without_rendering()
    for text in display.texts_:
        x, y = text.get_position()
        corners = display.ax_.transData.transform([(x - 0.5, y), (x + 0.5, y)])
        width = text.get_window_extent().width
        assert width < np.ptp(corners[:, 0])
    for label in (display.ax_.yaxis.label, display.ax_.xaxis.label, display.ax_.title):
        box = label.get_window_extent()
        assert display.figure_.bbox.contains(box.x0, box.y0)
        assert display.figure_.bbox.contains(box.x1, box.y1)


def test_axes_by_name_and_the_rest():
    grid = {**GRID, "c": [0, 9]}
    search = searched(grid)
    with pytest.raises(ValueError, match=r"two as x and y: \['a', 'b', 'c'\]"):
        GridSearchDisplay.from_estimator(search)
    display = GridSearchDisplay.from_estimator(search, x="b", y="c")
    expected = [[value(1, b, c) + 0.005 for b in (1, 2, 3)] for c in (0, 9)]
    assert_allclose(display.means, expected)
    assert display.best == np.unravel_index(np.argmax(expected), (2, 3)) == (1, 0)
    # over c, the best is 9; at the best candidate's a, the same
    top = GridSearchDisplay.from_estimator(search, x="a", y="b", others="max")
    slow = [
        [max(value(a, b, c) for c in (0, 9)) + 0.005 for a in (1e-4, 1e-2, 1)]
        for b in (1, 2, 3)
    ]
    assert_allclose(top.means, slow)


def test_others_at_their_best_or_greatest():
    # at b=1 the score is greater with c=3, at the best b it is with c=-9
    search = searched({"b": [1, 3], "c": [4, -5]})
    scores = {(b, c): value(1, b, c) + 0.005 for b in (1, 3) for c in (4, -5)}
    assert max(scores, key=scores.get) == (3, -5)
    greatest = GridSearchDisplay.from_estimator(search, x="b")
    assert_allclose(
        greatest.means[0], [max(scores[b, c] for c in (4, -5)) for b in (1, 3)]
    )
    best = GridSearchDisplay.from_estimator(search, x="c", others="best")
    assert_allclose(best.means[0], [scores[3, -5], scores[3, 4]])
    with pytest.raises(ValueError, match="others must be one of"):
        GridSearchDisplay.from_estimator(search, others="mean")


def test_others_at_best_leave_cells_empty():
    search = searched(
        {"a": [1, 10, 100], "b": [1, 2, 3], "c": [0, 1, 2]},
        RandomizedSearchCV,
        n_iter=9,
        random_state=0,
    )
    tried = [tuple(p[n] for n in "abc") for p in search.cv_results_["params"]]
    c = search.best_params_["c"]
    display = GridSearchDisplay.from_estimator(search, x="a", y="b", others="best")
    expected = {(a, b) for a, b, third in tried if third == c}
    rows, columns = np.nonzero(~np.isnan(display.means))
    found = zip(np.array(display.x_values)[columns], rows + 1, strict=True)
    assert set(found) == expected


def test_cells_that_were_not_tried():
    search = searched(GRID, RandomizedSearchCV, n_iter=5, random_state=0)
    display = GridSearchDisplay.from_estimator(search, x="a", y="b")
    tried = {(p["a"], p["b"]) for p in search.cv_results_["params"]}
    for (i, j), score in np.ndenumerate(display.means):
        a, b = display.x_values[j], display.y_values[i]
        assert np.isnan(score) == ((a, b) not in tried)
        if (a, b) in tried:
            assert_allclose(score, value(a, b, 0) + 0.005)
    assert display.im_.get_array().mask.sum() == display.means.size - 5
    assert len(display.texts_) == 5


def test_fits_that_fail():
    with pytest.warns((FitFailedWarning, UserWarning)):
        search = searched({"b": [1, "fails"], "a": [1, 10]})
    display = GridSearchDisplay.from_estimator(search, x="a", y="b")
    assert labels(display.ax_.yaxis) == ["1", "fails"]
    assert np.isnan(display.means[1]).all()
    assert display.best == (0, 1)
    search.cv_results_["mean_test_score"][:] = np.nan
    with pytest.raises(ValueError, match="every fit failed"):
        GridSearchDisplay.from_estimator(search)


def test_halving_counts_the_last_round():
    grid = {"a": [1, 10, 100, 1000], "b": [1, 2]}
    search = searched(
        grid, HalvingGridSearchCV, factor=2, random_state=0, min_resources=6
    )
    results = search.cv_results_
    assert results["iter"].max() >= 1
    last = {}
    for params, score in zip(
        results["params"], results["mean_test_score"], strict=True
    ):
        last[params["a"], params["b"]] = score  # later rounds come later
    display = GridSearchDisplay.from_estimator(search, x="a", y="b")
    for (i, j), score in np.ndenumerate(display.means):
        assert score == last[display.x_values[j], display.y_values[i]]
    best = search.best_params_
    assert (display.x_values[display.best[1]], display.y_values[display.best[0]]) == (
        best["a"],
        best["b"],
    )


def both(estimator, X, y):
    score = value(estimator.a, estimator.b, estimator.c)
    return {"up": score, "down": -score}


def test_several_metrics():
    search = searched(GRID, scoring=both, refit="down")
    display = GridSearchDisplay.from_estimator(search)
    assert display.metric == "down"
    assert display.best == (0, 0)
    assert display.figure_.axes[-1].get_ylabel() == "down"
    display = GridSearchDisplay.from_estimator(search, metric="up")
    assert display.best == (2, 2)
    assert_allclose(display.means[2, 2], value(1, 3, 0))
    with pytest.raises(ValueError, match=r"one of \['up', 'down'\]; got 'r2'"):
        GridSearchDisplay.from_estimator(search, metric="r2")
    search = searched(GRID, scoring=both, refit=False)
    assert GridSearchDisplay.from_estimator(search, metric="up").best == (2, 2)
    with pytest.raises(ValueError, match=r"give one as metric: \['up', 'down'\]"):
        GridSearchDisplay.from_estimator(search)


def test_refit_by_a_function_marks_its_choice():
    search = searched(GRID, scoring=both, refit=lambda results: 4)
    params = search.cv_results_["params"][4]
    row, column = GridSearchDisplay.from_estimator(search, metric="up").best
    assert (column, row) == (
        [1e-4, 1e-2, 1].index(params["a"]),
        [1, 2, 3].index(params["b"]),
    )
    single = GridSearchDisplay.from_estimator(searched(GRID, refit=False))
    assert single.best == (2, 2)


def test_one_parameter_is_a_line():
    search = searched({"a": [1e-3, 1, 1e-2], "b": [2]})
    display = GridSearchDisplay.from_estimator(search, errorbar_kwargs={"color": "C2"})
    line, _, (bars,) = display.errorbar_
    expected = [value(a, 2, 0) + 0.005 for a in (1e-3, 1e-2, 1)]
    assert_allclose(line.get_xdata(), [1e-3, 1e-2, 1])
    assert_allclose(line.get_ydata(), expected)
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert_allclose(ends, [(score - 0.005, score + 0.005) for score in expected])
    assert line.get_color() == "C2"
    assert display.ax_.get_xscale() == "log"
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("a", "score")
    assert_allclose(display.best_.get_data(), [[1], [expected[2]]])
    assert (display.im_, display.texts_) == (None, None)
    narrow = GridSearchDisplay.from_estimator(searched({"b": [1, 2, 3]}))
    assert narrow.ax_.get_xscale() == "linear"


def test_one_value_each():
    display = GridSearchDisplay.from_estimator(searched({"a": [10], "b": [2]}))
    assert (display.x_name, display.y_name, display.x_values) == ("a", None, [10])
    display = GridSearchDisplay.from_estimator(
        searched({"a": [10], "b": [2]}), x="a", y="b"
    )
    assert display.means.shape == (1, 1)
    with pytest.raises(ValueError, match="no parameter"):
        GridSearchDisplay.from_estimator(searched({}))


def test_names_of_values():
    values = [StandardScaler(), None, "", 3, True, StandardScaler(with_std=False)]
    values += [2.0, MinMaxScaler, np.float64(1e-5), False, "long" * 20, (1, 2), sorted]
    values += [Pipeline([("first", StandardScaler()), ("second", MinMaxScaler())])]
    values += [WordVectors(["a"], np.ones((1, 2))) for _ in range(2)]
    display = GridSearchDisplay.from_estimator(searched({"d": values, "b": [1, 2]}))
    assert labels(display.ax_.yaxis)[:5] == [
        "1e-05",
        "2",
        "3",
        "StandardScaler()",
        "None",
    ]
    assert labels(display.ax_.yaxis)[5:8] == [
        "''",
        "True",
        "StandardScaler(with_std=False)",
    ]
    rest = labels(display.ax_.yaxis)[8:]
    assert rest[:2] == ["MinMaxScaler", "False"]
    assert len(rest[2]) == 40 and rest[2].endswith("…")
    assert rest[3:6] == ["(1, 2)", "sorted", "Pipeline"]
    assert rest[6].endswith("(1)") and rest[7].endswith("(2)")
    assert labels(display.ax_.xaxis) == ["1", "2"]
    line = GridSearchDisplay.from_estimator(searched({"d": values[:3]}))
    assert labels(line.ax_.xaxis) == ["StandardScaler()", "None", "''"]
    assert line.errorbar_[0].get_linestyle() == "None"


def test_whole_numbers_are_written_out():
    display = GridSearchDisplay.from_estimator(
        searched({"d": [16384, 100000, 10**12, 1e5 + 0.5], "b": [1, 2]})
    )
    assert labels(display.ax_.yaxis) == ["16384", "100000", "1e+05", "1e+12"]


def test_long_arrays_are_told_apart():
    first, second = np.zeros(2000), np.eye(1, 2000, 1000)[0]
    search = searched({"d": [first, second, first.copy()], "b": [1, 2]})
    display = GridSearchDisplay.from_estimator(search, x="b", y="d")
    assert display.means.shape == (2, 2)


def test_equal_values_share_a_place():
    grids = [
        {"d": [StandardScaler()], "b": [1], "a": [1, 10]},
        {"d": [StandardScaler()], "b": [1.0, 2], "c": [2]},
    ]
    search = searched(grids)
    display = GridSearchDisplay.from_estimator(search, x="d", y="b")
    assert display.means.shape == (2, 1)
    display = GridSearchDisplay.from_estimator(search, x="a", y="c")
    assert labels(display.ax_.xaxis) == ["1", "10", "not set"]
    assert labels(display.ax_.yaxis) == ["2", "not set"]
    assert_array_equal(np.isnan(display.means), [[1, 1, 0], [0, 0, 1]])


def test_options_of_searches():
    from matplotlib import pyplot

    search = searched(GRID)
    figure, axes = pyplot.subplots(1, 2)
    size = figure.get_size_inches().copy()
    display = GridSearchDisplay.from_estimator(
        search,
        x="b",
        y="a",
        include_std=True,
        values_format=".1f",
        cmap="cividis",
        colorbar=False,
        ax=axes[1],
        im_kwargs={"vmin": 0, "vmax": 2},
    )
    assert display.ax_ is axes[1]
    assert len(figure.axes) == 2
    assert_array_equal(figure.get_size_inches(), size)
    assert display.im_.get_clim() == (0, 2)
    assert display.im_.get_cmap().name == "cividis"
    first = value(1e-4, 1, 0) + 0.005
    assert display.texts_[0].get_text() == f"{first:.1f}\n±0.0"
    assert display.plot(axes[0], include_values=False).texts_ is None
    large = searched({"a": np.geomspace(1, 2, 15), "b": range(14)})
    display = GridSearchDisplay.from_estimator(large)
    assert display.texts_ is None
    assert len(display.plot(include_values=True).texts_) == 210


def test_own_tables():
    display = GridSearchDisplay([[1, 3]], [[0, 0]], "a", [1, 2], "b", [5]).plot()
    assert display.best == (0, 1)
    with pytest.raises(ValueError, match=r"of shape \(1, 2\)"):
        GridSearchDisplay([[1, 3, 2]], [[0, 0, 0]], "a", [1, 2])


def test_what_is_no_search():
    with pytest.raises(NotFittedError):
        GridSearchDisplay.from_estimator(GridSearchCV(Known(), GRID))
    with pytest.raises(TypeError, match=r"has cv_results_.*got Known"):
        GridSearchDisplay.from_estimator(Known())
    search = searched(GRID)
    with pytest.raises(ValueError, match=r"parameters \['a', 'b'\]; got 'e'"):
        GridSearchDisplay.from_estimator(search, x="e")
    with pytest.raises(ValueError, match="x and y are both 'a'"):
        GridSearchDisplay.from_estimator(search, x="a", y="a")
    with pytest.raises(ValueError, match="Give x with y"):
        GridSearchDisplay.from_estimator(search, y="a")


def test_search_over_a_pipeline(graded):
    grid = {
        "sifencoder__a": [1e-4, 1e-2],
        "commoncomponentremoval__n_components": [0, 1, 2],
    }
    pipe = make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity())
    search = GridSearchCV(pipe, grid, scoring=pearson_scorer, cv=2).fit(*graded)
    display = GridSearchDisplay.from_estimator(search)
    scores = search.cv_results_["mean_test_score"].reshape(3, 2)
    assert_array_equal(display.means, scores.T)
    assert display.ax_.get_xlabel() == "commoncomponentremoval__n_components"
