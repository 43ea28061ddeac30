"""Encoders in pipelines and searches, and packages that are missing."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase import inspection
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import WordTokenizer


def test_neighbors_of_all_ways_to_give_an_encoder(ways):
    queries = ["king", "not bad"]
    candidates = ["queen", "good", "train", "kings", "terrible"]
    expected = inspection.neighbors(ways["transformer"], queries, candidates)
    plain = inspection.neighbors(ways["pipeline"][0], queries, candidates)
    assert not np.allclose(expected["similarity"], plain["similarity"])
    for estimator in ways.values():
        found = inspection.neighbors(estimator, queries, candidates)
        assert_array_equal(found["neighbor"], expected["neighbor"])
        assert_allclose(found["similarity"], expected["similarity"], atol=1e-6)
    words = inspection.neighbors(ways["search"], ["king"], n_neighbors=2)
    assert words["neighbor"][0] == "kings"


def test_scores_of_all_ways_to_give_an_estimator(bundled, ways):
    pairs, gold = bundled
    predicted = ways["pipeline"].predict(pairs)
    lengths = [max(map(len, WordTokenizer().tokenize(list(pair)))) for pair in pairs]
    expected = inspection.grouped_scores(gold, predicted, lengths, bins=[5, 7, 9])
    for name in ("pipeline", "frozen", "search", "transformer", "features"):
        found = inspection.scores_by_length(ways[name], pairs, gold, bins=[5, 7, 9])
        assert_array_equal(found["n_pairs"], expected["n_pairs"])
        assert_allclose(found["pearson"], expected["pearson"], atol=1e-6)
    encoder = ways["pipeline"][0]
    plain = make_pipeline(FrozenEstimator(encoder), PairSimilarity()).fit(pairs)
    of_encoder = inspection.scores_by_length(encoder, pairs, gold)
    assert_allclose(of_encoder, inspection.scores_by_length(plain, pairs, gold))


def test_other_estimators(letters):
    flat = make_pipeline(FunctionTransformer(lambda X: np.ones(len(X))))
    for estimator, kind, message in (
        (ParagramEncoder(), NotFittedError, "not fitted"),
        (LogisticRegression(), TypeError, "LogisticRegression, which has no transform"),
        (flat, ValueError, r"Expected vectors of shape \(1, 'dim'\)"),
    ):
        with pytest.raises(kind, match=message):
            inspection.neighbors(estimator, ["a"], ["b"])
    with pytest.raises(TypeError, match=r"no table of words; .*candidates="):
        inspection.neighbors(letters, ["a"])
    with pytest.raises(TypeError, match="vocabulary="):
        inspection.scores_by_unknown(letters, [("a", "b")], [1])
    with pytest.raises(TypeError, match="got LogisticRegression"):
        inspection.nearest_units(LogisticRegression(), ["a"])
    for unfitted in (SIFEncoder(), type(letters)()):
        with pytest.raises(NotFittedError):
            inspection.token_weights(unfitted)


def test_missing_packages_are_named(vectors, pairs, gold, monkeypatch):
    displays = [
        inspection.FrequencyWeightsDisplay(["the"], [0.5], [0.1]),
        inspection.SimilarityDisplay(gold, gold),
    ]
    for name in ("pandas", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    for name, *arguments in (
        *(("neighbors", ["w1"]), ("nearest_units", ["w1"]), ("token_weights",)),
        *(("scores_by_unknown", pairs, gold), ("margins", pairs)),
    ):
        with pytest.raises(ImportError, match=f"{name} requires pandas"):
            getattr(inspection, name)(AverageEncoder(vectors), *arguments)
    for display in displays:
        match = f"{type(display).__name__}.plot requires matplotlib.*pip install"
        with pytest.raises(ImportError, match=match):
            display.plot()
