"""Averages of word vectors against loops over words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from math import log
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from equations import distinct_average
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase import load
from skparaphrase.datasets import load_word_frequencies, load_word_vectors
from skparaphrase.encoders import (
    AverageEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(50)]
VECTORS = WordVectors(WORDS, RNG.randn(50, 7).astype(np.float32))
WITH_UNKNOWN = WordVectors(
    [*WORDS, "<unk>"], np.vstack([VECTORS.matrix, np.ones(7)]), unknown="<unk>"
)
TEXTS = [" ".join(RNG.choice(WORDS[:40], RNG.randint(1, 9))) for _ in range(60)]
PAIRS = list(zip(TEXTS[0::2], TEXTS[1::2], strict=True))
each_encoder = pytest.mark.parametrize(
    "make", [AverageEncoder, TfidfEncoder, SIFEncoder]
)


def slow_idf(documents, word):
    n_with = sum(word in document.lower().split() for document in documents)
    return log((1 + len(documents)) / (1 + n_with))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_average_is_the_mean_of_the_words(dtype, assert_encodes):
    encoder = AverageEncoder(VECTORS.astype(dtype))
    assert_encodes(encoder, TEXTS)
    fitted = clone(encoder).fit(TEXTS)  # needs no fit
    assert_array_equal(fitted.transform(TEXTS), encoder.transform(TEXTS))
    assert encoder.get_feature_names_out().tolist()[0] == "averageencoder0"


@each_encoder
def test_distinct_words_are_weighted_after_the_weights_of_words(make):
    encoder = make(VECTORS, pooling="distinct").fit(TEXTS)
    weights = getattr(encoder, "weights_", np.ones(len(VECTORS)))
    for text, found in zip(TEXTS, encoder.transform(TEXTS), strict=True):
        rows = [weights[WORDS.index(word)] * VECTORS[word] for word in text.split()]
        expected = distinct_average(np.array(rows))
        assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "warns"),
    [
        (TfidfEncoder, False),
        (lambda v: SIFEncoder(v, frequencies="corpus"), False),
        (lambda v: SIFEncoder(v, frequencies={"w1": 3}), False),
        (lambda v: SIFEncoder(v, weights={"w1": 3.0}), False),
        (SIFEncoder, True),
        (lambda v: SIFEncoder(v, weights=np.sqrt), True),
    ],
)
def test_only_general_weights_are_not_applied_twice(make, warns):
    """Weights of your own texts may be applied to weighted vectors."""
    weighted = VECTORS.replace(VECTORS.matrix, is_weighted=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(VECTORS).fit(TEXTS)
        assert not caught
        found = make(weighted).fit(TEXTS)
    messages = [str(each.message) for each in caught]
    assert [("applied twice" in m and '"corpus"' in m) for m in messages] == [
        True
    ] * warns
    assert_array_equal(
        found.transform(TEXTS), make(VECTORS).fit(TEXTS).transform(TEXTS)
    )


@pytest.mark.parametrize("documents", [TEXTS, TEXTS[:5] * 3, ["w1 w1 w1", "W1 w2", ""]])
def test_tfidf_weights_by_inverse_document_frequency(documents, assert_encodes):
    encoder = TfidfEncoder(VECTORS).fit(documents)
    assert_encodes(encoder, TEXTS, lambda word: slow_idf(documents, word))
    expected = [slow_idf(documents, word) for word in WORDS]
    assert_allclose(encoder.weights_, expected)
    assert_allclose(encoder.weights_[40:], log(1 + len(documents)))


@each_encoder
@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_pairs_are_encoded_as_their_texts(make):
    encoder = make(VECTORS).fit(PAIRS)
    vectors = encoder.transform(PAIRS)
    assert vectors.shape == (30, 2, 7)
    of_texts = make(VECTORS).fit(TEXTS)  # each side is a document
    assert_array_equal(vectors.reshape(60, 7), of_texts.transform(TEXTS))
    assert encoder.transform([]).shape == (0, 7)


@each_encoder
@pytest.mark.parametrize("vectors", [VECTORS, WITH_UNKNOWN])
def test_words_without_a_vector_are_left_out_or_unknown(make, vectors, assert_encodes):
    texts = ["w1 nobody w2", "nobody knows", "w3", "nobody w3 w3"]
    encoder = make(vectors).fit(texts)
    n_with = {"w1": 1, "w2": 1, "w3": 2, vectors.unknown: 3}
    weights = {
        AverageEncoder: lambda word: 1.0,
        TfidfEncoder: lambda word: log(5 / (1 + n_with[word])),
        SIFEncoder: lambda word: encoder.weights_[encoder.vectors.index.get(word)],
    }
    assert_encodes(encoder, texts, weights[make])


@each_encoder
def test_texts_without_known_words_are_zero(make):
    encoder = make(VECTORS).fit(["", "nobody knows", *TEXTS])
    vectors = encoder.transform(["", "nobody knows", "w1", " \n"])
    assert_array_equal(vectors[[0, 1, 3]], np.zeros((3, 7)))
    assert vectors[2].any()
    assert_array_equal(encoder.transform([("", "nobody")]), np.zeros((1, 2, 7)))
    assert np.isfinite(make(VECTORS).fit(["nobody"]).transform(TEXTS)).all()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("pooling", ["mean", "distinct"])
@each_encoder
def test_rows_do_not_depend_on_their_batch_to_the_bit(make, pooling, dtype):
    encoder = make(VECTORS.astype(dtype), pooling=pooling).fit(TEXTS)
    together = encoder.transform(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        assert_array_equal(encoder.transform([text])[0], row)
    many = [f"{text} {WORDS[i % 50]}" for i in range(100) for text in TEXTS]
    assert_array_equal(encoder.transform(many)[-50:], encoder.transform(many[-50:]))


@each_encoder
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


@pytest.mark.parametrize(
    ("tokenizer", "expected"),
    [
        (None, [[1, 0, 0], [0.5, 0.5, 0]]),
        (WordTokenizer(lowercase=False), [[0, 0, 1], [0.5, 0.5, 0]]),
        (WordTokenizer(split_compounds=False), [[1, 0, 0], [0, 0, 0]]),
        (WordTokenizer(r"\w"), [[0, 0, 0], [0, 0, 0]]),
        (str.split, [[0, 0, 1], [0.5, 0.5, 0]]),  # gets the unchanged text
    ],
)
def test_case_and_compounds_are_up_to_the_tokenizer(tokenizer, expected):
    vectors = WordVectors(["blue", "eyed", "Blue"], np.eye(3))
    encoder = AverageEncoder(vectors, tokenizer=tokenizer)
    assert_array_equal(encoder.transform(["Blue", "blue-eyed"]), expected)


@each_encoder
def test_vectors_of_a_teacher_are_not_ignored_silently(make):
    teacher = RNG.randn(60, 3)
    for y in (teacher, teacher.tolist(), [teacher, teacher], teacher.reshape(30, 2, 3)):
        texts = PAIRS if len(y) == 30 else TEXTS
        with pytest.warns(UserWarning, match=f"{make.__name__} ignores y.*Distilled"):
            make(VECTORS).fit(texts, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for y in (None, [], [0, 1] * 30, ["a", "b"] * 30, np.ones(60)):
            make_pipeline(make(VECTORS)).fit(TEXTS, y)
        several = (teacher > 0).astype(int)
        for y in (several, several.tolist(), pd.DataFrame(several), csr_array(several)):
            make_pipeline(make(VECTORS)).fit(TEXTS, y)  # labels of the last step


def test_rows_of_several_texts():
    encoder = skparaphrase.load_pretrained()
    rows = [["a cat", "a dog", "a bird", "a fish"], ["a bird", "rain", "", "snow"]]
    found = encoder.transform(rows)
    assert found.shape == (2, 4, 256)
    assert_array_equal(found[1], encoder.transform(rows[1]))


# SIF

COUNTS = {f"w{i}": 3 * i + 1 for i in range(12)} | {"absent": 1000}


@pytest.mark.parametrize("a", [1e-4, 1e-2, 1e9])
@pytest.mark.parametrize("is_total_given", [False, True])
def test_weights_are_smooth_inverse_frequencies(zoo, is_total_given, a, assert_encodes):
    total, frequencies = sum(COUNTS.values()), COUNTS
    if is_total_given:
        total *= 5
        frequencies = WordFrequencies(COUNTS, total=total)
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


class Wrapped(TransformerMixin, BaseEstimator):
    """Fits its own encoder, like estimators of other packages."""

    def fit(self, X, y=None):
        self.encoder_ = AverageEncoder(VECTORS).fit(X, y)
        return self

    def transform(self, X):
        return self.encoder_.transform(X)


class Named(AverageEncoder):
    def fit(self, X, y=None):
        return super().fit(X, y)


ENCODERS = AverageEncoder(VECTORS), Named(VECTORS), Wrapped()


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_a_pipeline_does_not_warn_that_nothing_is_learnt(encoder):
    y = np.arange(len(TEXTS))
    targets = np.column_stack([y, y])
    for target in (y, targets):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            make_pipeline(encoder, Ridge()).fit(TEXTS, target)
            GridSearchCV(make_pipeline(encoder, Ridge()), {}, cv=2).fit(TEXTS, target)
        with pytest.warns(UserWarning, match=r"learns nothing|ignores y"):
            clone(encoder).fit(TEXTS, target)


KEYED = SimpleNamespace(index_to_key=["cat"], vectors=np.eye(1))
NO_TABLE = TypeError, r"must be a WordVectors; .*read_word_vectors"
NO_WEIGHTS = ValueError, "a finite number for each of 50 words"
REFUSED = [
    *(
        (make, params, error)
        for make in (AverageEncoder, TfidfEncoder, SIFEncoder)
        for params, *error in [
            ({"tokenizer": "words"}, ValueError, "'tokenizer' parameter"),
            ({"tokenizer": WordTokenizer("(")}, ValueError, "pattern"),
            ({"pooling": "max"}, ValueError, "'pooling' parameter"),
            ({"vectors": KEYED}, *NO_TABLE),
            ({"vectors": "glove.txt"}, *NO_TABLE),
        ]
    ),
    (ParaphraseEncoder, {"vectors": {"cat": [1.0]}}, NO_TABLE),
    (SIFEncoder, {"a": 0}, (ValueError, "'a' parameter")),
    (SIFEncoder, {"a": -1.0}, (ValueError, "'a' parameter")),
    (SIFEncoder, {"frequencies": "wiki"}, (ValueError, "'frequencies' parameter")),
    (SIFEncoder, {"weights": lambda p: 1.0}, NO_WEIGHTS),
    (SIFEncoder, {"weights": lambda p: p[1:]}, NO_WEIGHTS),
    (SIFEncoder, {"weights": lambda p: p * np.nan}, NO_WEIGHTS),
    (SIFEncoder, {"weights": {"w1": np.inf}}, NO_WEIGHTS),
]


@pytest.mark.parametrize(("make", "params", "error"), REFUSED)
def test_what_fit_refuses(make, params, error):
    encoder = make(**{"vectors": VECTORS, **params})
    with pytest.raises(error[0], match=error[1]):
        encoder.fit(PAIRS)


@pytest.mark.parametrize(
    ("call", "texts", "error"),
    [
        (AverageEncoder(KEYED).transform, TEXTS, NO_TABLE),  # without a fit
        (AverageEncoder(VECTORS).fit, [], (ValueError, "Found 0 samples")),
        (TfidfEncoder(VECTORS).fit, [], (ValueError, "Found 0 samples")),
        (SIFEncoder(VECTORS).fit, [], (ValueError, "Found 0 samples")),
    ],
)
def test_what_their_methods_refuse(call, texts, error):
    with pytest.raises(error[0], match=error[1]):
        call(texts)
