"""Scores of groups of pairs against SciPy, and their display."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import pearsonr, spearmanr
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_word_vectors
from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import (
    grouped_scores,
    pair_lengths,
    scores_by_length,
    scores_by_unknown,
    unknown_words,
)
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors


def test_lengths_and_unknown_words_by_hand():
    pairs = [("a b, c", "a"), ("", "A  d d"), ("x-y a-x", "e'e")]
    assert pair_lengths(pairs).tolist() == [4, 3, 2]
    assert pair_lengths(pairs, tokenizer=str.split).tolist() == [3, 3, 2]
    assert pair_lengths(pairs, tokenizer=lambda text: text).tolist() == [6, 6, 7]
    known = ["a", "b", ","]
    assert unknown_words(pairs, known).tolist() == [1, 2, 2]
    assert unknown_words([pair[0] for pair in pairs], known).tolist() == [1, 0, 1]
    assert unknown_words(["the qzxv, 9000"]).tolist() == [2]
    whole = WordTokenizer(split_compounds=False, lowercase=False)
    assert unknown_words(pairs, known, tokenizer=whole).tolist() == [1, 3, 3]
    assert unknown_words(pairs, WordVectors(known, np.eye(3))).tolist() == [1, 2, 2]
    assert unknown_words(pairs, WordFrequencies({"a": 1})).tolist() == [3, 2, 2]
    assert len(pair_lengths([])) == len(unknown_words([], known)) == 0
    with pytest.raises(TypeError, match="got the str 'abc'"):
        unknown_words(pairs, "abc")


def test_grouped_scores_are_those_of_scipy():
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 200))
    values = rng.integers(0, 13, size=200)
    found = grouped_scores(true, predicted, values, bins=[0, 3, 4, 10])
    assert found.index.tolist() == ["0", "1-3", "4", "5-10", ">=11", "all"]
    limits = [(0, 0), (1, 3), (4, 4), (5, 10), (11, 99), (0, 99)]
    for row, (low, high) in zip(found.itertuples(), limits, strict=True):
        inside = (values >= low) & (values <= high)
        assert row.n_pairs == inside.sum()
        assert_allclose(row.pearson, pearsonr(true[inside], predicted[inside])[0])
        assert_allclose(row.spearman, spearmanr(true[inside], predicted[inside])[0])


def test_groups_of_one_and_none_are_nan():
    found = grouped_scores([1, 2, 3], [1, 2, 4], [1, 1, 2], bins=[1, 2, 5])
    assert found["n_pairs"].tolist() == [2, 1, 0, 0, 3]
    assert found["pearson"].isna().tolist() == [False, True, True, True, False]
    none = grouped_scores([], [], [], bins=[1])
    assert none["n_pairs"].tolist() == [0, 0, 0]


def test_groups_of_quantiles():
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 200))
    shares = rng.permutation(200) / 8 - 10  # -10 to 14.875, all different
    found = grouped_scores(true, predicted, shares)
    names = ["<=-5.125", "(-5.125, -0.125]", "(-0.125, 4.875]", "(4.875, 9.875]"]
    assert found.index.tolist() == [*names, ">9.875", "all"]
    assert found["n_pairs"].tolist() == [40] * 5 + [200]
    second = (shares > -5.125) & (shares <= -0.125)
    expected = pearsonr(true[second], predicted[second])[0]
    assert_allclose(found.loc["(-5.125, -0.125]", "pearson"], expected)
    counts = np.repeat([0, 3, 5], [130, 60, 10])  # of each of 5 quantiles: 0 0 0 3 3
    found = grouped_scores(true, predicted, counts)
    assert found["n_pairs"].to_dict() == {"0": 130, "1-3": 60, ">=4": 10, "all": 200}
    found = grouped_scores(true, predicted, np.full(200, 7), bins=3)
    assert found["n_pairs"].to_dict() == {"<=7": 200, ">=8": 0, "all": 200}
    large = grouped_scores(true, predicted, np.arange(200) + 1_234_500, bins=2)
    assert large["n_pairs"].tolist() == [200, 0, 200]  # equal to four digits
    assert grouped_scores([], [], [])["n_pairs"].tolist() == [0, 0, 0]


def test_bad_groups():
    for bins in ([], [3, 3], [4, 2], [1, np.nan]):
        with pytest.raises(ValueError, match="bins must be increasing numbers"):
            grouped_scores([1, 2], [1, 2], [1, 2], bins=bins)
    with pytest.raises(ValueError, match="bins must be at least 2; got 1"):
        grouped_scores([1, 2], [1, 2], [1, 0.5], bins=1)
    with pytest.raises(ValueError, match="y_pred contains NaN"):
        grouped_scores([1, 2], [1, np.nan], [1, 2])


def test_scores_use_the_tokenizer_of_the_encoder(bundled):
    pairs, gold = bundled
    encoder = AverageEncoder(tokenizer=lambda text: [*text])
    found = scores_by_length(encoder, pairs, gold, bins=[20, 40])
    lengths = np.array([max(map(len, pair)) for pair in pairs])
    assert found.loc["<=20", "n_pairs"] == (lengths <= 20).sum()
    assert found.loc[">=41", "n_pairs"] == (lengths > 40).sum()
    words = scores_by_length(encoder, pairs, gold, tokenizer=str.split)
    lengths = np.array([max(len(text.split()) for text in pair) for pair in pairs])
    assert words.loc["<=4", "n_pairs"] == (lengths <= 4).sum()


def test_scores_by_unknown_words(bundled, letters):
    pairs, gold = bundled
    vocabulary = set("the a is in of on to and . , ?".split())
    vocabulary |= {word for text in pairs[:300, 0] for word in text.lower().split()}
    tokens = WordTokenizer(split_compounds=False)
    counts = np.array(
        [
            sum(word not in vocabulary for text in texts for word in text)
            for texts in map(tokens.tokenize, pairs.tolist())
        ]
    )
    encoder = AverageEncoder()
    predicted = make_pipeline(encoder, PairSimilarity()).fit(pairs).predict(pairs)
    options = {"vocabulary": vocabulary, "tokenizer": tokens}
    found = scores_by_unknown(encoder, pairs, gold, **options)
    assert found.index.tolist() == ["0", "1", "2", ">=3", "any", "all"]
    groups = [counts == 0, counts == 1, counts == 2, counts >= 3, counts > 0]
    for group, row in zip(groups, found.itertuples(), strict=False):
        assert row.n_pairs == group.sum() > 2
        expected = pearsonr(gold[group], predicted[group])[0]
        assert_allclose(row.pearson, expected, rtol=1e-5)
    own = scores_by_unknown(encoder, pairs, gold, bins=[0])
    lacking = unknown_words(pairs, load_word_vectors())
    assert own.loc["0", "n_pairs"] == (lacking == 0).sum()
    assert own.loc["any", "n_pairs"] == own.loc[">=1", "n_pairs"] == (lacking > 0).sum()
    assert len(scores_by_unknown(letters, pairs, gold, vocabulary=vocabulary)) == 6


def test_groups_of_large_numbers_have_names_of_their_own():
    values = 1_700_000_000.5 + np.arange(6)
    edges = [values[1], values[3], values[4]]
    table = grouped_scores(np.arange(6), np.arange(6), values, bins=edges)
    assert table["n_pairs"].tolist() == [2, 2, 1, 1, 6]
    assert table.index[0] == "<=1700000001.5"
