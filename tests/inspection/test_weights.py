"""Weights of words, and their display."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline

from skparaphrase.encoders import SIFEncoder, TfidfEncoder
from skparaphrase.inspection import TokenWeightsDisplay, token_weights
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors


def test_token_weights_by_hand():
    table = WordVectors(["a", "b", "c"], [[3, -4], [0, 1], [1, 1]])
    found = token_weights(table, {"a": 6, "b": 2}, a=0.25)
    assert found.index.tolist() == ["a", "b", "c"]
    expected = [[7, 1, 2], [5, 1, np.sqrt(2)], [6, 2, 0], [0.75, 0.25, 0]]
    assert_allclose(found.T, [*expected, [0.25, 0.5, 1]])
    assert [*found] == ["l1", "l2", "count", "frequency", "sif"]


def test_token_weights_of_letters_have_no_frequencies(letters):
    frame = token_weights(letters)
    assert frame[["count", "frequency", "sif"]].isna().all(axis=None)
    assert token_weights(letters, {"a": 2})["count"].tolist() == [2] + [0] * 9


@pytest.mark.parametrize("make", [SIFEncoder, TfidfEncoder])
def test_token_weights_of_weighted_averages(bundled, make):
    encoder = make_pipeline(make(), PairSimilarity()).fit(bundled[0])
    frame = token_weights(encoder)
    vectors = encoder[0].transform(["the", "cat"])
    for column, order in (("l1", 1), ("l2", 2)):
        expected = np.linalg.norm(vectors, order, axis=1)
        assert_allclose(frame.loc[["the", "cat"], column], expected, rtol=1e-5)


def test_token_weights_display(trained):
    frame = token_weights(trained)
    display = TokenWeightsDisplay.from_estimator(trained, column="l1")
    occurring = frame[frame["frequency"] > 0]
    points = display.scatter_.get_offsets()
    assert_allclose(points, occurring[["frequency", "l1"]])
    assert display.texts_ == []
    x, y = display.line_.get_data()
    logs = np.log(occurring["frequency"])
    low, high = np.linspace(logs.min(), logs.max(), 26)[:2]
    assert_allclose(np.log(x[0]), (low + high) / 2)
    assert_allclose(y[0], occurring["l1"][logs < high].median())
    again = TokenWeightsDisplay(frame, column="sif").plot(
        display.ax_, words=["the", "cat"], scatter_kwargs={"c": "red", "lw": 1}
    )
    assert [text.get_text() for text in again.texts_] == ["the", "cat"]
    assert_allclose(again.texts_[0].xy, frame.loc["the", ["frequency", "sif"]])


def test_bad_token_weights(letters):
    frame = token_weights(letters, {"a": 2})
    for call, message in (
        (lambda: TokenWeightsDisplay(frame, column="l3"), "column must be"),
        (lambda: TokenWeightsDisplay(frame).plot(words=["q"]), r"\['q'\] are not in"),
        (lambda: TokenWeightsDisplay.from_estimator(letters), "pass frequencies"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert TokenWeightsDisplay(frame).plot(words=["a", "b"]).texts_[0].get_text() == "a"
    with pytest.raises(TypeError, match="frequencies must be"):
        token_weights(letters, frequencies="corpus")
