"""The display of grouped scores."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline

from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.inspection import (
    GroupedScoresDisplay,
    pair_lengths,
    scores_by_length,
)
from skparaphrase.pairs import PairSimilarity


def test_grouped_scores_display(bundled):
    pairs, gold = bundled
    average, sif = AverageEncoder(), SIFEncoder().fit(pairs)
    every = {"bins": [5, 9], "min_pairs": 0}
    first = GroupedScoresDisplay.from_estimator(average, pairs, gold, **every)
    scores = scores_by_length(average, pairs, gold, bins=[5, 9])
    assert_allclose(first.line_.get_ydata(), scores["pearson"][:-1])
    assert_allclose(first.all_line_.get_ydata(), scores.loc["all", "pearson"])
    groups = zip(["\u22645", "6\u20139", "\u226510"], scores["n_pairs"], strict=False)
    ticks = [label.get_text() for label in first.ax_.get_xticklabels()]
    assert ticks == [f"{group}\n{n}" for group, n in groups]
    predicted = make_pipeline(sif, PairSimilarity()).fit(pairs).predict(pairs)
    options = {"metric": "spearman", "name": "SIF", "line_kwargs": {"ls": ":"}}
    second = GroupedScoresDisplay.from_predictions(
        gold, predicted, pair_lengths(pairs), ax=first.ax_, **every, **options
    )
    assert second.line_.get_linestyle() == ":"
    legend = [text.get_text() for text in second.ax_.get_legend().get_texts()]
    assert legend[0].startswith("AverageEncoder (all 0.")
    assert legend[1].startswith("SIF (all 0.")
    assert first.line_.get_color() != second.line_.get_color()
    with pytest.raises(ValueError, match="other groups"):
        GroupedScoresDisplay.from_estimator(average, pairs, gold, ax=first.ax_)
    options = {"by": "unknown", "vocabulary": ["the", "a"], **every}
    unknown = GroupedScoresDisplay.from_estimator(average, pairs, gold, **options)
    assert len(unknown.line_.get_ydata()) == 3
    assert GroupedScoresDisplay(scores[:-1]).plot().all_line_ is None
    few = scores["n_pairs"].tolist()
    assert few[0] < 10 < min(few[1:])
    hidden = GroupedScoresDisplay(scores).plot()
    assert_allclose(hidden.line_.get_ydata(), scores["pearson"][1:3])
    assert hidden.ax_.get_xticklabels()[0].get_text().startswith("6\u20139")
    numbers = GroupedScoresDisplay.from_estimator(average, pairs, gold)
    fifths = scores_by_length(average, pairs, gold, bins=5)["pearson"][:-1]
    assert_allclose(numbers.line_.get_ydata(), fifths)
    with pytest.raises(ValueError, match="No group has 600 pairs"):
        numbers.plot(min_pairs=600)
    with pytest.raises(ValueError, match="by must be"):
        GroupedScoresDisplay.from_estimator(average, pairs, gold, by="words")
    with pytest.raises(ValueError, match="metric must be"):
        first.plot(metric="kendall")
    with pytest.raises(ValueError, match="no columns"):
        GroupedScoresDisplay(scores[["pearson"]])
