"""What the displays share: options under any name, and scikit-learn's own display."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from matplotlib.colors import same_color
from numpy.testing import assert_allclose
from sklearn.model_selection import LearningCurveDisplay, ShuffleSplit

from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import ParagramEncoder
from skparaphrase.inspection import (
    FrequencyWeightsDisplay,
    SimilarityDisplay,
)
from skparaphrase.metrics import STSScorer

OPTIONS = [{"lw": 3}, {"linewidth": 3}, {"c": "red"}, {"color": "red"}, {"ls": ":"}]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("groups", [None, [0, 1] * 3])
def test_options_under_any_name(options, groups):
    scores = np.arange(6.0)
    similarity = SimilarityDisplay(scores, scores**2, groups=groups)
    weights = FrequencyWeightsDisplay(["the"], [0.5], [0.1])
    lines = similarity.plot(line_kwargs=options).lines_
    lines += weights.plot(line_kwargs=options).lines_
    points = similarity.plot(scatter_kwargs=options).scatters_
    points.append(weights.plot(scatter_kwargs=options).scatter_)
    (value,) = options.values()
    for line in lines:
        assert value in (line.get_linewidth(), line.get_linestyle(), line.get_color())
    for artist in points:
        if value == "red":
            assert same_color(artist.get_facecolor()[0][:3], "red")
        else:
            assert value == ":" or artist.get_linewidth() == [3]


def test_faces_of_groups():
    display = SimilarityDisplay(np.arange(4), np.arange(4), groups=[0, 1] * 2)
    for name in ("facecolor", "facecolors", "fc"):
        for points in display.plot(scatter_kwargs={name: "red"}).scatters_:
            assert same_color(points.get_facecolor()[0][:3], "red")


def test_learning_curve_over_training_pairs(graded):
    pairs, scorer = load_paraphrases().data[:200], STSScorer(graded)
    encoder = ParagramEncoder(loss="infonce", max_epochs=2, random_state=0)
    options = {"cv": ShuffleSplit(1, test_size=0.5, random_state=0), "scoring": scorer}
    sizes = [10, 100]
    display = LearningCurveDisplay.from_estimator(
        encoder, pairs, None, train_sizes=sizes, **options
    )
    ((train, _),) = options["cv"].split(pairs)
    expected = [scorer(encoder.fit(pairs[train[:size]])) for size in sizes]
    assert_allclose(display.test_scores[:, 0], expected, rtol=1e-6)
