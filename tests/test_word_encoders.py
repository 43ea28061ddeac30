"""AverageEncoder, TfidfEncoder and SIFEncoder against loops over words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_word_frequencies, load_word_vectors
from skparaphrase.encoders import AverageEncoder, SIFEncoder, TfidfEncoder
from skparaphrase.vectors import WordFrequencies, WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(50)]
VECTORS = WordVectors(WORDS, RNG.randn(50, 7).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS[:40], RNG.randint(1, 9))) for _ in range(60)]
PAIRS = list(zip(TEXTS[0::2], TEXTS[1::2], strict=True))
ENCODERS = [AverageEncoder, TfidfEncoder, SIFEncoder]


def slow_encode(texts, vectors, weight=lambda word: 1.0):
    rows = []
    for text in texts:
        total, n_known = np.zeros(vectors.dim), 0
        for word in text.lower().split():
            if word not in vectors:
                if vectors.unknown is None:
                    continue
                word = vectors.unknown
            total += weight(word) * vectors[word].astype(np.float64)
            n_known += 1
        rows.append(total / max(n_known, 1))
    return np.array(rows)


def slow_idf(documents, word):
    n_with = sum(word in document.lower().split() for document in documents)
    return log((1 + len(documents)) / (1 + n_with))


def assert_encodes(encoder, weight=lambda word: 1.0, texts=TEXTS):
    expected = slow_encode(texts, encoder.vectors, weight)
    vectors = encoder.transform(texts)
    assert vectors.dtype == np.float32
    assert_allclose(vectors, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_average_is_the_mean_of_the_words(dtype):
    assert_encodes(AverageEncoder(VECTORS.astype(dtype)))


@pytest.mark.parametrize("make", ENCODERS)
def test_pairs_are_encoded_as_their_texts(make):
    encoder = make(VECTORS).fit(PAIRS)
    vectors = encoder.transform(PAIRS)
    assert vectors.shape == (30, 2, 7)
    assert_array_equal(vectors.reshape(60, 7), encoder.transform(TEXTS))
    assert encoder.transform([]).shape == (0, 7)


@pytest.mark.parametrize("documents", [TEXTS, TEXTS[:5] * 3, ["w1 w1 w1", "W1 w2", ""]])
def test_tfidf_weighs_by_inverse_document_frequency(documents):
    encoder = TfidfEncoder(VECTORS).fit(documents)
    assert_encodes(encoder, lambda word: slow_idf(documents, word))
    expected = [slow_idf(documents, word) for word in WORDS]
    assert_allclose(encoder.weights_, expected)
    assert_allclose(encoder.weights_[40:], log(1 + len(documents)))


def test_tfidf_counts_both_sides_of_a_pair_as_documents():
    encoder = TfidfEncoder(VECTORS).fit(PAIRS)
    assert_array_equal(encoder.weights_, TfidfEncoder(VECTORS).fit(TEXTS).weights_)


COUNTS = {word: 3 * i + 1 for i, word in enumerate(WORDS[:30])} | {"absent": 1000}


@pytest.mark.parametrize("a", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("kind", ["mapping", "object", "file", "total"])
def test_sif_weighs_by_smooth_inverse_frequency(kind, a, tmp_path):
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
    encoder = SIFEncoder(VECTORS, a=a, frequencies=frequencies).fit(TEXTS)
    assert_encodes(encoder, lambda word: a / (a + COUNTS.get(word, 0) / total))
    assert_array_equal(encoder.weights_[30:], np.ones(20))


@pytest.mark.parametrize("X", [TEXTS, PAIRS])
def test_sif_counts_the_corpus_it_is_fitted_on(X):
    tokens = " ".join(TEXTS).split()
    encoder = SIFEncoder(VECTORS, a=0.02, frequencies="corpus").fit(X)
    assert_encodes(
        encoder, lambda word: 0.02 / (0.02 + tokens.count(word) / len(tokens))
    )
    told = SIFEncoder(VECTORS, a=0.02, frequencies=WordFrequencies.from_texts(TEXTS))
    assert_allclose(encoder.weights_, told.fit(X).weights_)


def test_sif_takes_the_counts_of_the_package_by_default():
    vectors, counts = load_word_vectors(), load_word_frequencies()
    texts = ["A cat sleeps on the mat", "biology of xylophones"]
    encoder = SIFEncoder().fit(texts).set_params(vectors=vectors)
    assert_encodes(
        encoder,
        lambda word: 1e-3 / (1e-3 + counts.get(word, 0) / counts.total),
        ["a cat sleeps on the mat", "the biology"],
    )


def test_sif_with_a_huge_a_is_the_plain_average():
    encoder = SIFEncoder(VECTORS, a=1e9, frequencies=COUNTS).fit(TEXTS)
    assert_allclose(
        encoder.transform(TEXTS), AverageEncoder(VECTORS).transform(TEXTS), rtol=1e-6
    )


def test_sif_with_a_tiny_a_is_inverse_frequency_up_to_scale():
    counts = {word: i + 1 for i, word in enumerate(WORDS)}
    encoder = SIFEncoder(VECTORS, a=1e-9, frequencies=counts).fit(TEXTS)
    expected = slow_encode(TEXTS, VECTORS, lambda word: 1 / counts[word])
    expected *= 1e-9 * sum(counts.values())
    assert_allclose(encoder.transform(TEXTS), expected, rtol=1e-4, atol=1e-11)


@pytest.mark.parametrize("make", ENCODERS)
@pytest.mark.parametrize(
    "vectors",
    [VECTORS, VECTORS.with_unknown(), VECTORS.with_unknown(np.ones(7), word="OOV")],
)
def test_words_without_a_vector_are_left_out_or_stand_for_unknown(make, vectors):
    texts = ["w1 nobody w2", "nobody knows", "w3", "nobody w3 w3"]
    encoder = make(vectors).fit(texts)
    n_with = {"w1": 1, "w2": 1, "w3": 2, vectors.unknown: 3}
    weights = {
        AverageEncoder: lambda word: 1.0,
        TfidfEncoder: lambda word: log(5 / (1 + n_with[word])),
        SIFEncoder: lambda word: encoder.weights_[encoder.vectors.index[word]],
    }
    assert_encodes(encoder, weights[make], texts)


def test_corpus_counts_of_sif_include_the_unknown_word():
    vectors = VECTORS.with_unknown()
    texts = ["w1 nobody w2", "nobody knows"]
    encoder = SIFEncoder(vectors, a=0.1, frequencies="corpus").fit(texts)
    assert encoder.weights_[vectors.unknown_row] == pytest.approx(0.1 / (0.1 + 3 / 5))
    assert encoder.weights_[1] == pytest.approx(0.1 / (0.1 + 1 / 5))


@pytest.mark.parametrize("make", ENCODERS)
def test_texts_without_known_words_are_zero(make):
    encoder = make(VECTORS).fit(["", "nobody knows", *TEXTS])
    vectors = encoder.transform(["", "nobody knows", "w1", " \n"])
    assert_array_equal(vectors[[0, 1, 3]], np.zeros((3, 7)))
    assert vectors[2].any()
    assert_array_equal(encoder.transform([("", "nobody")]), np.zeros((1, 2, 7)))
    assert np.isfinite(make(VECTORS).fit(["nobody"]).transform(TEXTS)).all()


def test_average_needs_no_fit():
    encoder = AverageEncoder(VECTORS)
    vectors = encoder.transform(TEXTS)
    assert_array_equal(encoder.fit(TEXTS).transform(TEXTS), vectors)
    assert encoder.get_feature_names_out().tolist()[0] == "averageencoder0"


@pytest.mark.parametrize("make", [TfidfEncoder, SIFEncoder])
def test_weighted_encoders_must_be_fitted(make):
    encoder = make(VECTORS)
    with pytest.raises(NotFittedError):
        encoder.transform(TEXTS)
    with pytest.raises(NotFittedError):
        clone(encoder.fit(TEXTS)).transform(TEXTS)
    copy = pickle.loads(pickle.dumps(encoder))
    assert_array_equal(copy.transform(TEXTS), encoder.transform(TEXTS))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("make", ENCODERS)
def test_rows_do_not_depend_on_their_batch_to_the_bit(make, dtype):
    encoder = make(VECTORS.astype(dtype)).fit(TEXTS)
    together = encoder.transform(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        assert_array_equal(encoder.transform([text])[0], row)
    many = [f"{text} {WORDS[i % 50]}" for i in range(100) for text in TEXTS]
    assert_array_equal(encoder.transform(many)[-50:], encoder.transform(many[-50:]))


@pytest.mark.parametrize("make", ENCODERS)
def test_a_repeated_text_is_embedded_once(make):
    seen = []

    def tokenizer(text):
        seen.append(text)
        return text.split()

    encoder = make(VECTORS, tokenizer=tokenizer).fit(TEXTS)
    seen.clear()
    vectors = encoder.transform([("w1 w2", "w3"), ("w3", "w1 w2"), ("w1 w2", "w1 w2")])
    assert sorted(seen) == ["w1 w2", "w3"]
    assert_array_equal(vectors[0], vectors[1, ::-1])
    assert_array_equal(vectors[2, 0], vectors[0, 0])


def test_case_and_compounds_are_up_to_the_parameters():
    vectors = WordVectors(["blue", "eyed", "Blue"], np.eye(3))
    texts = ["Blue", "blue-eyed"]
    for settings, expected in [
        ({}, [[1, 0, 0], [0.5, 0.5, 0]]),
        ({"lowercase": False}, [[0, 0, 1], [0.5, 0.5, 0]]),
        ({"split_compounds": False}, [[1, 0, 0], [0, 0, 0]]),
        ({"token_pattern": r"\w"}, [[0, 0, 0], [0, 0, 0]]),
    ]:
        encoder = AverageEncoder(vectors, **settings)
        assert_array_equal(encoder.transform(texts), expected)


@pytest.mark.parametrize("make", ENCODERS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vectors", "glove.txt"),
        ("lowercase", "yes"),
        ("token_pattern", "("),
        ("tokenizer", "words"),
        ("split_compounds", None),
    ],
)
def test_wrong_parameters_are_told_at_fit(make, name, value):
    encoder = make(VECTORS).set_params(**{name: value})
    with pytest.raises(ValueError, match=name):
        encoder.fit(TEXTS)


@pytest.mark.parametrize(
    ("name", "value"), [("a", 0), ("a", -1.0), ("frequencies", "wiki")]
)
def test_wrong_parameters_of_sif_are_told_at_fit(name, value):
    encoder = SIFEncoder(VECTORS, **{name: value})
    with pytest.raises(ValueError, match=name):
        encoder.fit(TEXTS)


@pytest.mark.parametrize("make", ENCODERS)
def test_fit_needs_a_text(make):
    with pytest.raises(ValueError, match="Found 0 samples"):
        make(VECTORS).fit([])


def test_frozen_average_serves_a_pipeline():
    encoder = AverageEncoder(VECTORS)
    frozen = FrozenEstimator(encoder)
    vectors = frozen.fit(TEXTS, None).transform(TEXTS)
    assert_array_equal(vectors, encoder.transform(TEXTS))
    labels = (vectors[:, 0] > 0).astype(int)
    pipe = make_pipeline(frozen, LogisticRegression(C=1e3)).fit(TEXTS, labels)
    assert pipe.score(TEXTS, labels) > 0.95


def test_a_path_is_no_table():
    with pytest.raises(TypeError, match=r"got str. WordVectors.read\(path\)"):
        AverageEncoder("glove.txt").transform(["A cat sleeps."])
