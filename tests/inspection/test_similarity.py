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
    points, line = display.scatter_, display.line_
    assert_array_equal(points.get_offsets(), np.column_stack([TRUE, PREDICTED]))
    slope, start = np.polyfit(TRUE, PREDICTED, 1)
    assert_allclose(line.get_xdata(), [0, 5])
    assert_allclose(line.get_ydata(), [start, start + 5 * slope])
    r, rho = pearsonr(TRUE, PREDICTED)[0], spearmanr(TRUE, PREDICTED)[0]
    assert_allclose([display.pearson_, display.spearman_], [r, rho])
    assert display.ax_.get_title() == f"r {r:.3f}, \u03c1 {rho:.3f}"


def test_of_estimators(graded):
    pairs, gold = graded
    encoder = SIFEncoder().fit(pairs)
    u, v = np.moveaxis(encoder.transform(pairs).astype(float), 1, 0)
    expected = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    pipe = make_pipeline(encoder, PairSimilarity()).fit(pairs)
    for model, name in ((encoder, None), (pipe, None), (pipe, "SIF")):
        display = SimilarityDisplay.from_estimator(model, pairs, gold, name=name)
        points = display.scatter_.get_offsets()
        assert_allclose(points, np.column_stack([gold, expected]), rtol=1e-5, atol=1e-6)
        name = name or type(model).__name__
        assert display.ax_.get_title().startswith(f"{name}: r ")


def test_options_under_any_name():
    display = SimilarityDisplay(TRUE, PREDICTED)
    for options in ({"c": "red", "lw": 3}, {"color": "red", "linewidth": 3}):
        display.plot(line_kwargs=options, scatter_kwargs=options)
        assert display.line_.get_color() == "red"
        assert same_color(display.scatter_.get_facecolor()[0][:3], "red")
        assert display.line_.get_linewidth() == display.scatter_.get_linewidth()[0] == 3
    display.plot(display.ax_)
    assert len(display.ax_.collections) == 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_no_line_through_gold_scores_that_are_all_the_same():
    display = SimilarityDisplay.from_predictions([2.0, 2.0], [0.1, 0.4])
    assert display.line_ is None and display.pearson_ == 0


def test_bad_similarities(graded):
    for y_pred, message in (
        (PREDICTED[1:], "inconsistent numbers of samples"),
        (PREDICTED * np.nan, "y_pred contains NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            SimilarityDisplay.from_predictions(TRUE, y_pred)
    with pytest.raises(NotFittedError):
        SimilarityDisplay.from_estimator(SIFEncoder(), *graded)
