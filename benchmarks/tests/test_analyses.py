"""Margins and grouped scores against loops and SciPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import pearsonr, spearmanr

from _lib.grouped_scores import grouped_scores, scores_by_length, scores_by_unknown
from _lib.margins import margins
from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.encoders import AverageEncoder
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors


def test_margins_of_batches():
    """Each batch by itself; a single pair at the end joins the last batch."""
    pairs = load_paraphrases().data[:21]
    encoder = AverageEncoder()
    found = margins(encoder, pairs, batch_size=10, random_state=0)
    order = np.arange(21)
    np.random.RandomState(0).shuffle(order)
    similarity = PairSimilarity()
    for batch in (order[:10], order[10:]):
        for row in batch:
            others = np.concatenate([pairs[other] for other in batch if other != row])
            for side, column in enumerate(["negative1", "negative2"]):
                both = [(pairs[row, side], other) for other in others]
                cosines = similarity.predict(encoder.transform(both))
                assert_allclose(found[column][row], max(cosines), atol=1e-5)
    positive = similarity.predict(encoder.transform(pairs))
    assert_allclose(found["positive"], positive, atol=1e-6)
    negatives = found["negative1"] + found["negative2"]
    assert_allclose(found["margin"], 2 * positive - negatives, atol=1e-6)


def test_grouped_scores_are_those_of_scipy():
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 200))
    values = rng.integers(0, 13, size=200)
    found = grouped_scores(true, predicted, values, [0, 3, 4, 10])
    assert found.index.tolist() == ["0", "1-3", "4", "5-10", ">=11", "all"]
    limits = [(0, 0), (1, 3), (4, 4), (5, 10), (11, 99), (0, 99)]
    for row, (low, high) in zip(found.itertuples(), limits, strict=True):
        inside = (values >= low) & (values <= high)
        assert row.n_pairs == inside.sum()
        assert_allclose(row.pearson, pearsonr(true[inside], predicted[inside])[0])
        assert_allclose(row.spearman, spearmanr(true[inside], predicted[inside])[0])
    few = grouped_scores([1, 2, 3], [1, 2, 4], [1, 1, 2], [1, 2])
    assert few["pearson"].isna().tolist() == [False, True, True, False]


def test_groups_of_lengths_and_of_unknown_words():
    pairs, gold = load_graded_pairs(return_X_y=True)
    known = WordVectors("the a is in of on to and".split(), np.eye(8))
    encoder = AverageEncoder()
    lengths = scores_by_length(encoder, pairs, gold, bins=(10, 20))
    assert lengths["n_pairs"].sum() == 2 * len(pairs)
    found = scores_by_unknown(encoder, pairs, gold, known)
    assert found.index.tolist() == ["0", "1", "2", ">=3", "any", "all"]
    counts = found["n_pairs"]
    assert counts["any"] == counts["all"] - counts["0"] == counts[1:4].sum()
