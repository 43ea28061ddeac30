"""SIFEncoder against loops over words; see also test_average.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase import load
from skparaphrase.datasets import load_word_frequencies, load_word_vectors
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.vectors import WordFrequencies, WordVectors

COUNTS = {f"w{i}": 3 * i + 1 for i in range(12)} | {"absent": 1000}


@pytest.mark.parametrize("a", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("kind", ["mapping", "object", "file", "total"])
def test_weights_are_smooth_inverse_frequencies(zoo, kind, a, tmp_path, assert_encodes):
    total = sum(COUNTS.values())
    frequencies = COUNTS
    if kind == "object":
        frequencies = WordFrequencies(COUNTS)
    elif kind == "total":
        total *= 5
        frequencies = WordFrequencies(COUNTS, total=total)
    elif kind == "file":
        lines = [f"{word} {count}\n" for word, count in COUNTS.items()]
        (tmp_path / "counts.txt").write_text("".join(lines))
        frequencies = WordFrequencies.read(tmp_path / "counts.txt")
    encoder = SIFEncoder(zoo.vectors, a=a, frequencies=frequencies).fit(zoo.texts)
    assert_encodes(encoder, zoo.texts, lambda w: a / (a + COUNTS.get(w, 0) / total))
    assert_array_equal(encoder.weights_[12:], np.ones(8))


@pytest.mark.parametrize("X", ["texts", "pairs"])
def test_the_corpus_is_what_it_is_fitted_on(zoo, X, assert_encodes):
    X, tokens = getattr(zoo, X), " ".join(zoo.texts).split()
    encoder = SIFEncoder(zoo.vectors, a=0.02, frequencies="corpus").fit(X)
    assert_encodes(
        encoder, zoo.texts, lambda w: 0.02 / (0.02 + tokens.count(w) / len(tokens))
    )
    counts = WordFrequencies.from_texts(zoo.texts)
    given = SIFEncoder(zoo.vectors, a=0.02, frequencies=counts).fit(X)
    assert_allclose(encoder.weights_, given.weights_)


def test_corpus_counts_include_the_unknown_word(zoo):
    known = zoo.vectors
    matrix = np.vstack([known.matrix, known.matrix.mean(axis=0)])
    vectors = WordVectors([*known.words, "<unk>"], matrix, unknown="<unk>")
    texts = ["w1 nobody w2", "nobody knows"]
    encoder = SIFEncoder(vectors, a=0.1, frequencies="corpus").fit(texts)
    assert encoder.weights_[vectors.unknown_row] == pytest.approx(0.1 / (0.1 + 3 / 5))
    assert encoder.weights_[1] == pytest.approx(0.1 / (0.1 + 1 / 5))


def test_counts_of_the_package_are_the_default(assert_encodes):
    counts = load_word_frequencies()
    encoder = SIFEncoder().fit(["any"]).set_params(vectors=load_word_vectors())
    texts = ["a cat sleeps on the mat", "the biology"]
    assert_encodes(
        encoder, texts, lambda w: 1e-3 / (1e-3 + counts.get(w, 0) / counts.total)
    )


def test_extreme_a_is_the_plain_average_or_inverse_frequency(zoo, assert_encodes):
    counts = {word: i + 1 for i, word in enumerate(zoo.words)}
    plain = AverageEncoder(zoo.vectors).transform(zoo.texts)
    huge = SIFEncoder(zoo.vectors, a=1e9, frequencies=counts).fit(zoo.texts)
    assert_allclose(huge.transform(zoo.texts), plain, rtol=1e-6)
    tiny = SIFEncoder(zoo.vectors, a=1e-9, frequencies=counts).fit(zoo.texts)
    tiny.weights_ = tiny.weights_ / (1e-9 * sum(counts.values()))
    assert_encodes(tiny, zoo.texts, lambda word: 1 / counts[word])


@pytest.mark.parametrize(
    ("name", "value"), [("a", 0), ("a", -1.0), ("frequencies", "wiki")]
)
def test_invalid_parameters_raise_at_fit(zoo, name, value):
    encoder = SIFEncoder(zoo.vectors, **{name: value})
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        encoder.fit(zoo.texts)


def test_counts_without_punctuation_warn():
    vectors = WordVectors([".", "cat", "the"], np.eye(3))
    letters, texts = WordFrequencies({"the": 10, "cat": 1}), ["The cat.", "A cat?"]
    with pytest.warns(UserWarning, match=r"words, '\.' will have .*fill_from"):
        poor = SIFEncoder(vectors, frequencies=letters).fit(texts)
    assert poor.weights_[0] == 1
    filled = letters.fill_from(load_word_frequencies())
    # Without a warning: all marks are counted, unknown or not in the texts.
    assert SIFEncoder(vectors, frequencies=filled).fit(texts).weights_[0] < 0.1
    SIFEncoder(vectors, frequencies=letters).fit(["The cat", "A cat?"])


def test_weights_of_a_function_of_probabilities(zoo, assert_encodes):
    total = sum(COUNTS.values())

    def subsampling(p):
        return np.minimum(1, np.sqrt(1e-3 / np.maximum(p, 1e-12)))

    encoder = SIFEncoder(zoo.vectors, frequencies=COUNTS, weights=subsampling)

    def expected(word):
        p = COUNTS.get(word, 0) / total
        return 1 if p <= 1e-3 else (1e-3 / p) ** 0.5

    assert_encodes(encoder.fit(zoo.texts), zoo.texts, expected)


def test_weights_of_a_mapping(zoo, assert_encodes, tmp_path):
    weights = {"w1": 0.25, "w3": 2.0, "absent": 7.0}
    encoder = SIFEncoder(zoo.vectors, weights=weights).fit(zoo.texts)
    assert_encodes(encoder, zoo.texts, lambda word: weights.get(word, 1))
    encoder.save(tmp_path / "encoder")
    loaded = load(tmp_path / "encoder")
    assert_array_equal(loaded.transform(zoo.texts), encoder.transform(zoo.texts))
    assert_array_equal(loaded.fit(zoo.texts).weights_, encoder.weights_)


@pytest.mark.parametrize(
    "weights", [lambda p: 1.0, lambda p: p[1:], lambda p: p * np.nan, {"w1": np.inf}]
)
def test_other_weights_raise(zoo, weights):
    with pytest.raises(ValueError, match="a finite number for each of 20 words"):
        SIFEncoder(zoo.vectors, weights=weights).fit(zoo.texts)
