"""Encoders in pipelines and searches, and packages that are missing."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase import inspection
from skparaphrase.encoders import AverageEncoder


def test_neighbors_of_all_ways_to_give_an_encoder(ways):
    queries = ["king", "not bad"]
    candidates = ["queen", "good", "train", "kings", "terrible"]
    expected = inspection.nearest_texts(ways["transformer"], queries, candidates)
    plain = inspection.nearest_texts(ways["pipeline"][0], queries, candidates)
    assert not np.allclose(expected["similarity"], plain["similarity"])
    for estimator in ways.values():
        found = inspection.nearest_texts(estimator, queries, candidates)
        assert_array_equal(found["neighbor"], expected["neighbor"])
        assert_allclose(found["similarity"], expected["similarity"], atol=1e-6)
    words = inspection.nearest_texts(ways["search"], ["king"], k=2)
    assert words["neighbor"][0] == "kings"


def test_similarity_of_all_ways_to_give_an_estimator(bundled, ways):
    pairs, gold = bundled
    predicted = ways["pipeline"].predict(pairs)
    for name in ("pipeline", "frozen", "search", "transformer", "features"):
        display = inspection.SimilarityErrorDisplay.from_estimator(
            ways[name], pairs, gold
        )
        assert_allclose(display.y_pred, predicted, atol=1e-6)


def test_missing_packages_are_named(vectors, gold, monkeypatch):
    display = inspection.SimilarityErrorDisplay(gold, gold)
    for name in ("pandas", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    encoder = AverageEncoder(vectors)
    for name, *arguments in (
        ("nearest_texts", encoder, ["w1"]),
        ("token_weights", encoder),
        ("explain_similarity", "w1", "w2", encoder),
    ):
        with pytest.raises(ImportError, match=f"{name} needs pandas: pip install"):
            getattr(inspection, name)(*arguments)
    match = "SimilarityErrorDisplay.plot requires matplotlib.*pip install"
    with pytest.raises(ImportError, match=match):
        display.plot()
