"""Weights of words, and their displays."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline

from skparaphrase.encoders import (
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.inspection import (
    TokenWeightsDisplay,
    token_weights,
)
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors

COUNTS = {"the": 600, "cat": 300, "sat": 99, "zebra": 1}
PAIRS = [("the cat", "cat sat"), ("zebra", "sat the")]


@pytest.fixture(scope="module")
def vectors():
    matrix = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    return WordVectors(["cat", "the", "zebra", "sat", "unseen"], matrix)


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_token_weights_by_hand():
    start = WordVectors(["a", "b", "c"], [[3, -4], [0, 1], [1, 1]])
    counts = {"a": 6, "b": 2}
    encoder = ParagramEncoder(start)
    encoder.vectors_ = start.replace(np.array([[0, -4.0], [0, 2], [1, 1]]))
    found = token_weights(encoder, counts, a=0.25)
    assert found.index.tolist() == ["a", "b", "c"]
    expected = [[4, 2, 2], [4, 2, np.sqrt(2)], [6, 2, 0], [0.75, 0.25, 0]]
    assert_allclose(found.T, [*expected, [0.25, 0.5, 1], [3, 1, 0]])
    assert [*found] == ["l1", "l2", "count", "frequency", "sif", "distance"]
    other = start.replace(np.zeros((3, 2)))
    assert_allclose(token_weights(encoder, counts, other)["distance"], found["l2"])
    assert_allclose(token_weights(start, counts)["l1"], [7, 1, 2])


def test_token_weights_where_the_start_is_unknown(letters):
    frame = token_weights(letters)
    assert frame[["count", "frequency", "sif", "distance"]].isna().all(axis=None)
    assert token_weights(letters, {"a": 2})["count"].tolist() == [2] + [0] * 9
    started = ParagramEncoder(max_epochs=0).fit(PAIRS)
    start = token_weights(started, initial=started.vectors_)
    assert (start["distance"] == 0).all()


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
    named = [text.get_text() for text in display.texts_]
    assert {occurring["l1"].idxmax(), occurring["l1"].idxmin()} < set(named)
    x, y = display.line_.get_data()
    assert (np.diff(x) > 0).all()
    assert (min(y) > frame["l1"].min()) and (max(y) < frame["l1"].max())
    again = TokenWeightsDisplay(frame, column="sif").plot(
        display.ax_, words=["the", "cat"], scatter_kwargs={"c": "red", "lw": 1}
    )
    assert [text.get_text() for text in again.texts_] == ["cat", "the"]
    assert_allclose(again.texts_[1].xy, frame.loc["the", ["frequency", "sif"]])


def test_bad_token_weights(letters):
    frame = token_weights(letters, {"a": 2})
    assert len(TokenWeightsDisplay(frame).plot().texts_) == 1
    other = WordVectors(["a"], [[1.0]])
    for call, message in (
        (lambda: TokenWeightsDisplay(frame, column="l3"), "column must be"),
        (lambda: TokenWeightsDisplay(frame[["l2"]]), r"no columns \['frequency'\]"),
        (lambda: TokenWeightsDisplay(frame).plot(words=["q"]), r"\['q'\] are not in"),
        (lambda: TokenWeightsDisplay.from_estimator(letters), "pass frequencies"),
        (lambda: token_weights(letters, initial=other), "initial and the table differ"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="frequencies must be"):
        token_weights(letters, frequencies="corpus")
