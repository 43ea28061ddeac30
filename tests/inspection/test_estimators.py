"""Encoders in pipelines and searches, and packages that are missing."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase import inspection
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder


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


def test_similarity_of_all_ways_to_give_an_estimator(bundled, ways):
    pairs, gold = bundled
    predicted = ways["pipeline"].predict(pairs)
    for name in ("pipeline", "frozen", "search", "transformer", "features"):
        display = inspection.SimilarityDisplay.from_estimator(ways[name], pairs, gold)
        assert_allclose(display.y_pred, predicted, atol=1e-6)


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
    with pytest.raises(TypeError, match="got LogisticRegression"):
        inspection.token_weights(LogisticRegression())
    for unfitted in (SIFEncoder(), type(letters)()):
        with pytest.raises(NotFittedError):
            inspection.token_weights(unfitted)


def test_missing_packages_are_named(vectors, gold, monkeypatch):
    display = inspection.SimilarityDisplay(gold, gold)
    for name in ("pandas", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    encoder = AverageEncoder(vectors)
    for name, *arguments in (
        ("neighbors", encoder, ["w1"]),
        ("token_weights", encoder),
        ("explain_similarity", "w1", "w2", encoder),
    ):
        with pytest.raises(ImportError, match=f"{name} needs pandas: pip install"):
            getattr(inspection, name)(*arguments)
    match = "SimilarityDisplay.plot requires matplotlib.*pip install"
    with pytest.raises(ImportError, match=match):
        display.plot()
