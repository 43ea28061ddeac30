"""Gold scores against predictions, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from matplotlib.colors import same_color
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import pearsonr, spearmanr
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from skparaphrase.encoders import SIFEncoder
from skparaphrase.inspection import SimilarityDisplay
from skparaphrase.pairs import PairSimilarity

TRUE = np.array([0.0, 1.0, 2.0, 5.0, 3.0, 3.0])
PREDICTED = np.array([0.1, 0.4, 0.2, 0.9, 0.5, 0.7])


def test_points_line_and_title():
    display = SimilarityDisplay.from_predictions(TRUE, PREDICTED)
    (points,), (line,) = display.scatters_, display.lines_
    assert_array_equal(points.get_offsets(), np.column_stack([TRUE, PREDICTED]))
    slope, start = np.polyfit(TRUE, PREDICTED, 1)
    assert_allclose(line.get_xdata(), [0, 5])
    assert_allclose(line.get_ydata(), [start, start + 5 * slope])
    r, rho = pearsonr(TRUE, PREDICTED)[0], spearmanr(TRUE, PREDICTED)[0]
    assert_allclose([display.pearson_, display.spearman_], [r, rho])
    assert display.ax_.get_title() == f"r {r:.3f}, \u03c1 {rho:.3f}"
    assert display.ax_.get_legend() is None
    assert (display.group_scores_, display.hexbin_) == (None, None)
    again = display.plot(display.ax_, scatter_kwargs={"c": TRUE})
    assert_array_equal(again.scatters_[0].get_array(), TRUE)
    assert len(again.ax_.collections) == 2


def test_of_estimators(graded):
    pairs, gold = graded
    encoder = SIFEncoder().fit(pairs)
    u, v = np.moveaxis(encoder.transform(pairs).astype(float), 1, 0)
    expected = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    pipe = make_pipeline(encoder, PairSimilarity()).fit(pairs)
    for model, name in ((encoder, None), (pipe, None), (pipe, "SIF")):
        display = SimilarityDisplay.from_estimator(model, pairs, gold, name=name)
        points = display.scatters_[0].get_offsets()
        assert_allclose(points, np.column_stack([gold, expected]), rtol=1e-5, atol=1e-6)
        name = name or type(model).__name__
        assert display.ax_.get_title().startswith(f"{name}: r ")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_groups_are_data_sets():
    rng = np.random.default_rng(0)
    groups = np.array(["b", "a", "b", "a", "b", "c"] * 5)[:26]  # c: 4 pairs
    groups = np.append(groups, "one")
    true, predicted = rng.normal(size=27), rng.normal(size=27)
    true[groups == "c"] = 2.0
    display = SimilarityDisplay.from_predictions(true, predicted, groups=groups)
    scores = display.group_scores_
    assert list(scores) == ["b", "a", "c", "one"]
    for name in "ab":
        mask = groups == name
        expected = [f(true[mask], predicted[mask])[0] for f in (pearsonr, spearmanr)]
        assert_allclose(scores[name], expected)
    assert scores["c"] == (0, 0)  # constant
    assert np.isnan(scores["one"]).all()
    means = np.mean([scores[name] for name in "bac"], axis=0)
    assert_allclose([display.pearson_, display.spearman_], means)
    assert display.ax_.get_title().startswith(f"mean r {means[0]:.3f}")
    for points, name in zip(display.scatters_, scores, strict=True):
        expected = np.column_stack([true, predicted])[groups == name]
        assert_array_equal(points.get_offsets(), expected)
    assert len(display.lines_) == 2  # no line through gold scores that are all the same
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend[0] == "b: r {:.3f}, \u03c1 {:.3f}".format(*scores["b"])
    assert legend[3] == "one: r nan, \u03c1 nan"
    colors = [tuple(points.get_facecolor()[0][:3]) for points in display.scatters_]
    assert len(set(colors)) == 4
    assert same_color(display.lines_[0].get_color(), colors[0])
    x, groups = np.arange(24), np.arange(24) % 12
    display = SimilarityDisplay.from_predictions(x, x**2, groups=groups)
    colors = {tuple(points.get_facecolor()[0]) for points in display.scatters_}
    assert len(colors) == 12


def test_many_pairs_are_hexagons():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 26, 6000) / 5
    predicted = true + rng.normal(size=6000)
    display = SimilarityDisplay.from_predictions(true, predicted)
    assert display.scatters_ == []
    assert display.hexbin_.get_array().sum() == 6000
    assert display.hexbin_.get_array().min() >= 1
    assert display.figure_.axes[-1].get_ylabel() == "pairs"
    display = display.plot(kind="scatter")
    assert display.hexbin_ is None
    assert len(display.scatters_[0].get_offsets()) == 6000
    grouped = SimilarityDisplay(true, predicted, groups=true > 2)
    assert len(grouped.plot().scatters_) == 2
    with pytest.raises(ValueError, match="cannot show groups"):
        grouped.plot(kind="hexbin")
    display = display.plot(kind="hexbin", hexbin_kwargs={"cmap": "magma"})
    assert display.hexbin_.get_cmap().name == "magma"


def test_bad_similarities(graded):
    for y_pred, options, message in (
        (PREDICTED, {"kind": "box"}, r"one of \('auto'.*got 'box'"),
        (PREDICTED[1:], {}, "inconsistent numbers of samples"),
        (PREDICTED, {"groups": [1, 2]}, "inconsistent numbers of samples"),
        (PREDICTED, {"groups": [1, 2, np.nan, 1, 2, 2]}, "groups contains NaN"),
        (PREDICTED * np.nan, {}, "y_pred contains NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            SimilarityDisplay.from_predictions(TRUE, y_pred, **options)
    with pytest.raises(NotFittedError):
        SimilarityDisplay.from_estimator(SIFEncoder(), *graded)
