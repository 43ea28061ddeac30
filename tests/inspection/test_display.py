"""Displays of gold scores against predictions, and of training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
import pytest
from matplotlib.colors import same_color
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import pearsonr, spearmanr
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.datasets import load_pos_tags
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.inspection import SimilarityErrorDisplay, TrainingCurveDisplay
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervised import (
    SequenceTagger,
    SimilarityRegressor,
)

TRUE = np.array([0.0, 1.0, 2.0, 5.0, 3.0, 3.0])
PREDICTED = np.array([0.1, 0.4, 0.2, 0.9, 0.5, 0.7])


def test_points_line_and_title():
    display = SimilarityErrorDisplay.from_predictions(TRUE, PREDICTED)
    points, line = display.scatter_, display.line_
    assert_array_equal(points.get_offsets(), np.column_stack([TRUE, PREDICTED]))
    slope, start = np.polyfit(TRUE, PREDICTED, 1)
    assert_allclose(line.get_xdata(), [0, 5])
    assert_allclose(line.get_ydata(), [start, start + 5 * slope])
    r, rho = pearsonr(TRUE, PREDICTED)[0], spearmanr(TRUE, PREDICTED)[0]
    assert_allclose([display.pearson_, display.spearman_], [r, rho])
    title = f"Pearson's r {r:.2f}, Spearman's \u03c1 {rho:.2f}"
    assert display.ax_.get_title() == title


def test_of_estimators(graded):
    pairs, gold = graded
    encoder = SIFEncoder().fit(pairs)
    u, v = np.moveaxis(encoder.transform(pairs).astype(float), 1, 0)
    expected = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    pipe = make_pipeline(encoder, PairSimilarity()).fit(pairs)
    for model, name in ((encoder, None), (pipe, None), (pipe, "SIF")):
        display = SimilarityErrorDisplay.from_estimator(model, pairs, gold, name=name)
        points = display.scatter_.get_offsets()
        assert_allclose(points, np.column_stack([gold, expected]), rtol=1e-5, atol=1e-6)
        title = f"{name or 'SIFEncoder'}: Pearson's r "
        assert display.ax_.get_title().startswith(title)


def test_options_replace_defaults():
    options = {"color": "red", "linewidth": 3}
    display = SimilarityErrorDisplay(TRUE, PREDICTED)
    display.plot(line_kwargs=options, scatter_kwargs=options)
    assert display.line_.get_color() == "red"
    assert same_color(display.scatter_.get_facecolor()[0][:3], "red")
    assert display.line_.get_linewidth() == display.scatter_.get_linewidth()[0] == 3
    display.plot(display.ax_)
    assert len(display.ax_.collections) == 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_no_line_through_gold_scores_that_are_all_the_same():
    display = SimilarityErrorDisplay.from_predictions([2.0, 2.0], [0.1, 0.4])
    assert display.line_ is None and display.pearson_ == 0


PAIR = [("a cat", "a dog")], [1.0]
of_pairs = SimilarityErrorDisplay.from_estimator
of_a_fit = TrainingCurveDisplay.from_estimator
late_best_epoch = partial(TrainingCurveDisplay, best_epoch=1)


@pytest.mark.parametrize(
    ("draw", "arguments", "error", "message"),
    [
        (SimilarityErrorDisplay, (TRUE, [1]), ValueError, "inconsistent numbers"),
        (SimilarityErrorDisplay, (TRUE, TRUE * np.nan), ValueError, "y_pred contains"),
        (of_pairs, (SIFEncoder(), *PAIR), NotFittedError, "not fitted"),
        (of_a_fit, [make_pipeline(SIFEncoder())], TypeError, "loss_curve_; got Pipe"),
        (TrainingCurveDisplay, ([1], [1, 2, 3]), ValueError, "3 scores of 1 epochs"),
        (late_best_epoch, ([2, 1], [1]), ValueError, "best_epoch=1 has no score"),
    ],
)
def test_errors(draw, arguments, error, message):
    with pytest.raises(error, match=message):
        draw(*arguments)


# Training

SHORT = {"max_epochs": 3, "device": "cpu", "random_state": 0}


def check(display, losses, scores, best):
    """The lines and the ring are at the given epochs, counted from 1."""
    assert_array_equal(display.line_.get_xdata(), np.arange(len(losses)) + 1)
    assert_array_equal(display.line_.get_ydata(), losses)
    first = len(losses) - len(scores) + 1
    assert_array_equal(display.score_line_.get_xdata(), np.arange(len(scores)) + first)
    assert_array_equal(display.score_line_.get_ydata(), scores)
    assert display.score_line_.axes is display.score_ax_ is not display.ax_
    ring = [best], [scores[best - first]]
    assert_array_equal(display.best_.get_data(), ring)
    assert f"best epoch {best} of {len(losses)}" in display.ax_.get_title()
    assert (display.start_line_ is None) == (first > 0)
    if not first:
        assert_array_equal(display.start_line_.get_ydata(), [scores[0]] * 2)
        assert f"gain {scores[best] - scores[0]:+.3f}" in display.ax_.get_title()


def test_curves_of_validation(paraphrases, bundled):
    pairs, gold = bundled
    options = {**SHORT, "validation_fraction": 0.3}
    encoder = ParaphraseEncoder(**options).fit(paraphrases[:100])
    tagged = SequenceTagger(**options).fit(*load_pos_tags(return_X_y=True))
    regressor = SimilarityRegressor(AverageEncoder(), **options)
    measures = {
        "mean reciprocal rank": encoder,
        "accuracy": tagged,
        "Pearson's r": regressor.fit(pairs[:60], gold[:60]),
    }
    for measure, model in measures.items():
        display = TrainingCurveDisplay.from_estimator(model)
        scores = model.validation_scores_
        assert model.best_epoch_ == max(range(1, 4), key=scores.__getitem__)
        check(display, model.loss_curve_, scores, model.best_epoch_)
        assert display.score_ax_.get_ylabel() == measure
        assert display.ax_.get_title().startswith(type(model).__name__)
    pipe = make_pipeline(FrozenEstimator(encoder), PairSimilarity()).fit(pairs)
    within = TrainingCurveDisplay.from_estimator(FrozenEstimator(pipe), name="mine")
    check(within, encoder.loss_curve_, encoder.validation_scores_, encoder.best_epoch_)
    assert within.ax_.get_title().startswith("mine: best epoch")


def test_losses_alone_and_styles(trained):
    display = TrainingCurveDisplay.from_estimator(trained, line_kwargs={"color": "red"})
    assert display.score_ax_ is display.score_line_ is display.best_ is None
    assert display.line_.get_color() == "red"
    assert display.ax_.get_title() == "ParaphraseEncoder: 2 epochs"
    X = np.arange(40.0).reshape(20, 2)
    other = MLPClassifier((3,), max_iter=500, early_stopping=True, random_state=0)
    pipe = make_pipeline(FunctionTransformer(), make_pipeline(other))
    display = TrainingCurveDisplay.from_estimator(pipe.fit(X, X[:, 0] > 20))
    scores = pipe[1][0].validation_scores_
    assert_array_equal(display.score_line_.get_ydata(), scores)
    assert display.score_ax_.get_ylabel() == "validation score"
    start = TrainingCurveDisplay([2.0, 1.0], [0.6, 0.5, 0.4], best_epoch=0).plot()
    assert_array_equal(start.best_.get_data(), [[0], [0.6]])
    assert start.ax_.get_title() == "no epoch of 2 is better than the start"
    later = TrainingCurveDisplay([3.0, 2.0, 1.0], [0.1, 0.5], best_epoch=3).plot()
    check(later, [3.0, 2.0, 1.0], [0.1, 0.5], 3)
    diverged = TrainingCurveDisplay([1.0, np.inf], [np.nan], best_epoch=2).plot()
    assert diverged.best_.get_xdata() == [2]
