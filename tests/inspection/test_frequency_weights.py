"""Weights of words against their frequencies, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_word_frequencies
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    DeepAveragingEncoder,
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.inspection import (
    FrequencyWeightsDisplay,
)
from skparaphrase.vectors import WordVectors

COUNTS = {"the": 600, "cat": 300, "sat": 99, "zebra": 1}
PAIRS = [("the cat", "cat sat"), ("zebra", "sat the")]


@pytest.fixture(scope="module")
def vectors():
    matrix = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    return WordVectors(["cat", "the", "zebra", "sat", "unseen"], matrix)


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_curves_and_words(vectors):
    encoder = SIFEncoder(vectors, a=0.1, frequencies=COUNTS).fit(["the cat"])
    display = FrequencyWeightsDisplay.from_estimator(encoder, a=[0.5, 0.02])
    share = np.array([0.3, 0.6, 0.001, 0.099])
    weight = 0.1 / (0.1 + share)
    assert_allclose(display.scatter_.get_offsets(), np.column_stack([share, weight]))
    for line, a in zip(display.lines_, (0.02, 0.5), strict=True):
        x, y = line.get_data()
        assert_allclose([x.min(), x.max()], [0.001, 0.6])
        assert_allclose(y, a / (a + x))
    assert legend(display) == ["SIFEncoder", "a = 0.02", "a = 0.5"]
    assert display.ax_.get_xscale() == "log"
    named = {text.get_text(): text.xy for text in display.texts_}
    assert set(named) == {"the", "sat", "zebra"}  # the has cat in its step
    assert_allclose(named["sat"], (0.099, 0.1 / 0.199))
    display.plot(subsampling=1e-2)
    share, kept = display.subsampling_line_.get_data()
    assert_array_equal(share, display.lines_[0].get_xdata())
    assert (kept[share <= 0.01] == 1).all()
    assert_allclose(kept[-1], np.sqrt(0.01 / 0.6))
    assert legend(display)[-1] == "word2vec, 0.01"
    assert display.plot().subsampling_line_ is None


def test_shares_of_a_corpus_and_of_others(vectors):
    encoder = SIFEncoder(vectors, frequencies="corpus").fit(["the cat", "the sat"])
    display = FrequencyWeightsDisplay.from_estimator(encoder, words=["the", "zebra"])
    assert_allclose(display.frequency, [0.25, 0.5, 0, 0.25, 0], atol=1e-12)
    assert [text.get_text() for text in display.texts_] == ["the"]
    display = FrequencyWeightsDisplay.from_estimator(encoder, COUNTS, name="SIF")
    assert_allclose(display.frequency, [0.3, 0.6, 0.001, 0.099, 0])
    assert_allclose(display.weight, encoder.weights_)
    assert legend(display) == ["SIF", "a = 0.001"]


@pytest.mark.parametrize("start", ["vectors", "sif"])
@pytest.mark.parametrize("wrap", [lambda encoder: encoder, make_pipeline])
def test_learnt_weights(vectors, start, wrap):
    initial = vectors
    given = {"vectors": vectors}
    if start == "sif":  # its weights are those of the start, and not learnt
        sif = SIFEncoder(vectors, a=0.1, frequencies=COUNTS).fit(["the cat"])
        initial = vectors.replace(vectors.matrix * sif.weights_[:, np.newaxis])
        given = {"init": sif}
    encoder = ParagramEncoder(**given, random_state=0, max_epochs=0).fit(PAIRS)
    display = FrequencyWeightsDisplay.from_estimator(wrap(encoder), COUNTS)
    assert_allclose(display.frequency, [0.3, 0.6, 0.001, 0.099, 0])
    assert_allclose(display.weight, np.ones(5), rtol=1e-5)
    encoder.set_params(max_epochs=3, learning_rate=0.1).fit(PAIRS)
    lengths = np.linalg.norm(encoder.vectors_.matrix, axis=1)
    expected = lengths / np.linalg.norm(initial.matrix, axis=1)
    learnt = FrequencyWeightsDisplay.from_estimator(wrap(encoder), COUNTS)
    assert_allclose(learnt.weight, expected, rtol=1e-4)
    assert not np.allclose(learnt.weight, 1)


def test_odd_vectors_and_words():
    vectors = WordVectors(["the", "cat"], np.array([[0, 0], [1, 0]], np.float32))
    encoder = DeepAveragingEncoder(vectors, max_epochs=1, random_state=0)
    encoder.fit([("the cat", "cat"), ("the", "cat cat")])
    display = FrequencyWeightsDisplay.from_estimator(encoder)
    assert np.isnan(display.weight[0])
    assert len(display.scatter_.get_offsets()) == 1
    display = FrequencyWeightsDisplay(["the", "$x$"], [0.5, 0.1], [0.1, 0.6])
    display.plot(words=["the", "$x$"], scatter_kwargs={"s": 40})
    assert [text.get_text() for text in display.texts_] == ["$x$", "the"]
    assert display.scatter_.get_sizes() == [40]
    display.figure_.draw_without_rendering()


def test_encoders_that_go_on_from_others(vectors, tmp_path):
    first = ParagramEncoder(vectors, max_epochs=2, random_state=0).fit(PAIRS)
    second = ParagramEncoder(init=first, max_epochs=1, random_state=0).fit(PAIRS)
    display = FrequencyWeightsDisplay.from_estimator(second, COUNTS)
    expected = np.linalg.norm(second.vectors_.matrix, axis=1)
    expected /= np.linalg.norm(vectors.matrix, axis=1)
    assert_allclose(display.weight, expected, rtol=1e-5)
    second.save(tmp_path / "encoder")
    second = skparaphrase.load(tmp_path / "encoder")  # without init
    with pytest.raises(ValueError, match="training started are unknown"):
        FrequencyWeightsDisplay.from_estimator(second, COUNTS)


def test_frequencies_do_not_follow_from_weights_of_ones_own(vectors):
    encoder = SIFEncoder(vectors, weights={"the": 0.3}).fit(["the cat"])
    display = FrequencyWeightsDisplay.from_estimator(encoder)
    bundled = load_word_frequencies().probabilities(display.words)
    assert_allclose(display.frequency, bundled)
    weights = dict(zip(display.words, display.weight, strict=True))
    assert weights["the"] == 0.3 and weights["cat"] == 1


def test_bad_frequencies(vectors):
    for frequency, options, words, message in (
        ([0.5], {"a": [0]}, None, "a must be greater than 0"),
        ([0.5, 0.5], {}, None, "inconsistent numbers"),
        ([0.0], {}, None, "No word has both"),
        ([0.5], {}, ["ox", "dog", "the"], r"\['dog', 'ox'\] are not in the table"),
    ):
        with pytest.raises(ValueError, match=message):
            FrequencyWeightsDisplay(["the"], frequency, [0.1], **options).plot(
                words=words
            )
    for encoder in (SIFEncoder(vectors), ParagramEncoder(vectors)):
        with pytest.raises(NotFittedError):
            FrequencyWeightsDisplay.from_estimator(encoder)
    for encoder in (AverageEncoder(), TfidfEncoder(), CharagramEncoder()):
        with pytest.raises(TypeError, match=f"got {type(encoder).__name__}"):
            FrequencyWeightsDisplay.from_estimator(encoder)
