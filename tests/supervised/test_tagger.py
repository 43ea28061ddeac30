"""The tagger against its equations written out; encoders, capitals and tags."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import copy
from itertools import chain

import equations
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import FunctionTransformer

import skparaphrase
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ParaphraseEncoder,
)
from skparaphrase.supervised import SequenceTagger
from skparaphrase.supervision._tags import check_sentences, check_tags
from skparaphrase.text import NgramTokenizer
from skparaphrase.vectors import WordVectors

KINDS = {
    "DET": ["the", "a", "every"],
    "NOUN": ["cat", "cats", "Berlin", "houses", "NATO", "mouse"],
    "VERB": ["sleeps", "walked", "sings", "eats"],
    "ADV": ["slowly", "quickly", "badly"],
}
PATTERNS = ["DET NOUN VERB", "NOUN VERB ADV", "DET NOUN VERB DET NOUN", "VERB", "NOUN"]


def make_sentences(n, seed=0):
    rng = np.random.default_rng(seed)
    y = [rng.choice(PATTERNS).split() for _ in range(n)]
    return [[str(rng.choice(KINDS[tag])) for tag in tags] for tags in y], y


X, Y = make_sentences(36)
SMALL = {
    "hidden_dim": 5, "dense_dim": 4, "batch_size": 12, "max_epochs": 2,
    "device": "cpu", "random_state": 0,
}  # fmt: skip
ENCODERS = {
    "charagram": lambda: CharagramEncoder(dim=6, activation="relu"),
    "2 layers": lambda: CharagramEncoder(dim=6, activation="tanh", n_layers=2),
    "cased": lambda: CharagramEncoder(dim=6, tokenizer=NgramTokenizer(lowercase=False)),
    "cnn": lambda: CharCNNEncoder(
        embedding_dim=4, dim=6, filters=[(3, 2), (2, 3)], lowercase=False
    ),
    "lstm": lambda: CharLSTMEncoder(embedding_dim=4, dim=6, lowercase=False),
    "lower-cased lstm": lambda: CharLSTMEncoder(embedding_dim=4, dim=6),
    "words": lambda: ParaphraseEncoder(word_vectors()),
    "averages": lambda: AverageEncoder(word_vectors()),
}


def word_vectors():
    words = sorted({word.lower() for word in chain.from_iterable(KINDS.values())})
    matrix = np.random.default_rng(3).normal(size=(len(words), 6))
    return WordVectors(words[1:], matrix[1:].astype(np.float32))


def make_tagger(name="charagram", **params):
    return SequenceTagger(ENCODERS[name](), **{**SMALL, **params})


@pytest.fixture(scope="module")
def fitted():
    return make_tagger().fit(X, Y)


def slow_lstm(rows, p, name):
    """The state after each row."""
    p = {key.split(".")[1]: p[key] for key in p if key.startswith(name)}
    return [equations.lstm(rows[:n], p) for n in range(1, len(rows) + 1)]


def slow_charagram(tagger, word):
    """Of one or two layers; the n-grams one by one."""
    encoder = tagger.word_encoder_
    text = f" {word.lower()} "
    ngrams = {text[i : i + n] for n in (2, 3, 4) for i in range(len(text) - n + 1)}
    known = [encoder.vectors_[ngram] for ngram in ngrams if ngram in encoder.vectors_]
    if word != word.lower():
        known.append(tagger.parameters_["capital"])
    if not known:
        return np.zeros(encoder.dim)
    return equations.charagram(known, encoder.parameters_, encoder.activation)


def slow_proba(tagger, vectors):
    p = tagger.parameters_
    forwards = slow_lstm(vectors, p, "forwards")
    backwards = slow_lstm(vectors[::-1], p, "backwards")[::-1]
    rows = []
    for states in zip(forwards, backwards, strict=True):
        dense = np.tanh(np.concatenate(states) @ p["hidden.weight"] + p["hidden.bias"])
        scores = np.exp(dense @ p["output.weight"] + p["output.bias"])
        rows.append(scores / scores.sum())
    return rows


@pytest.mark.parametrize("name", ["charagram", "2 layers"])
def test_charagram_tagger_is_its_equations(name):
    tagger = make_tagger(name, max_epochs=4, learning_rate=0.5).fit(X, Y)
    tagger.word_encoder_.parameters_["bias"] += 0.1
    new = [["The", "unseen", "zzqq", "ZZQQ"], ["cat"], ["A", "Katze", "eats", "the"]]
    for sentence, found in zip(new, tagger.predict_proba(new), strict=True):
        vectors = [slow_charagram(tagger, word) for word in sentence]
        assert_allclose(found, slow_proba(tagger, vectors), atol=1e-5)


@pytest.mark.parametrize(
    "name", ["cased", "cnn", "lstm", "lower-cased lstm", "words", "averages"]
)
def test_other_taggers_read_the_vectors_of_their_encoder(name):
    tagger = make_tagger(name).fit(X, Y)
    sentence = ["The", "unseen", "cat", "eats", "Berlin"]
    encoder = copy(tagger.word_encoder_).set_params(norm=None)
    vectors = encoder.transform(sentence).astype(float)
    if name in ("lower-cased lstm", "words", "averages"):
        vectors = np.column_stack([vectors, [1, 0, 0, 0, 1]])
    (found,) = tagger.predict_proba([sentence])
    assert_allclose(found, slow_proba(tagger, vectors), atol=1e-5)


@pytest.mark.parametrize("name", ["charagram", "cnn", "lower-cased lstm", "averages"])
def test_encoders_are_trained_and_saved(name, tmp_path):
    tagger = make_tagger(
        name, hidden_dim=10, optimizer="adam", learning_rate=0.05, max_epochs=30
    )
    tagger.fit(X, Y)
    assert tagger.loss_curve_[-1] < tagger.loss_curve_[0] / 3
    test_X, test_Y = make_sentences(30, seed=1)
    assert tagger.score(test_X, test_Y) > 0.8
    tagger.save(tmp_path / "tagger")
    again = skparaphrase.load(tmp_path / "tagger")
    together = tagger.predict_proba(X[:20])
    for sentence, found in zip(X, together, strict=False):  # which sees no other
        (alone,) = tagger.predict_proba([sentence])
        assert_allclose(alone, found, atol=1e-6)
        assert_array_equal(again.predict_proba([sentence]), [alone])


def test_loss_curve_is_the_mean_of_tokens():
    tagger = make_tagger(learning_rate=1e-12, max_epochs=1, optimizer="sgd").fit(X, Y)
    start = make_tagger(max_epochs=0).fit(X, Y)
    losses = []
    for row, tags in zip(start.predict_proba(X), Y, strict=True):
        logs = np.log(row)
        places = np.searchsorted(start.classes_, tags)
        losses += list(-logs[np.arange(len(tags)), places] - 1e-4 * logs.sum(axis=1))
    assert_allclose(tagger.loss_curve_, [np.mean(losses)], rtol=1e-5)


def test_dropout_is_for_training_only():
    tagger = make_tagger(dropout=0.3).fit(X, Y)
    assert_array_equal(tagger.predict_proba(X[:1]), tagger.predict_proba(X[:1]))
    assert tagger.loss_curve_ != make_tagger().fit(X, Y).loss_curve_


def test_frozen_encoder_stays():
    encoder = CharagramEncoder(dim=6, max_epochs=1, device="cpu", random_state=0)
    encoder.fit([("a cat", "the cat"), ("Berlin sings", "a mouse"), ("cats", "cat")])
    matrix = encoder.vectors_.matrix.copy()
    tagger = SequenceTagger(FrozenEstimator(encoder), **SMALL).fit(X, Y)
    assert_array_equal(tagger.word_encoder_.vectors_.matrix, matrix)
    assert_array_equal(
        tagger.word_encoder_.parameters_["bias"], encoder.parameters_["bias"]
    )
    assert tagger.loss_curve_[-1] < tagger.loss_curve_[0]
    with pytest.raises(ValueError, match="not fitted"):
        clone(tagger).set_params(word_encoder=FrozenEstimator(clone(encoder))).fit(X, Y)
    with pytest.raises(TypeError, match="word_encoder must be a fitted encoder of"):
        SequenceTagger(FrozenEstimator(PCA())).fit(X, Y)


def test_a_frozen_average_gives_its_vectors_to_words(vectors):
    sentences, tags = [["w1", "w2"], ["w3", "unheard"]] * 4, [[*"DN"], [*"ND"]] * 4
    tagger = SequenceTagger(FrozenEstimator(AverageEncoder(vectors)), **SMALL)
    tagger.fit(sentences, tags)
    assert_array_equal(tagger.word_encoder_.vectors_.matrix, vectors.matrix)
    assert tagger.loss_curve_[-1] < tagger.loss_curve_[0]


@pytest.mark.parametrize(
    ("name", "capitals", "has_ngram", "n_inputs"),
    [
        ("charagram", "auto", True, 6),
        ("charagram", False, False, 6),
        ("cased", "auto", False, 6),
        ("cased", True, True, 6),
        ("lstm", "auto", False, 6),
        ("lstm", True, False, 7),
        ("lower-cased lstm", "auto", False, 7),
    ],
)
def test_capitals_are_an_ngram_or_an_input(name, capitals, has_ngram, n_inputs):
    tagger = make_tagger(name, capitals=capitals, max_epochs=0).fit(X, Y)
    assert ("capital" in tagger.parameters_) == has_ngram
    assert tagger.parameters_["backwards.W_xi"].shape == (5, n_inputs)
    lower, upper = tagger.predict_proba([["berlin"], ["Berlin"]])
    sees = name in ("cased", "lstm") or capitals
    assert (lower == upper).all() == (not sees)


@pytest.mark.parametrize("label", [np.int8, lambda i: i % 2 == 0], ids=["int8", "bool"])
def test_labels_of_any_type(label):
    numbers = {tag: label(i) for i, tag in enumerate(KINDS)}
    y = [[numbers[tag] for tag in tags] for tags in Y]
    tagger = make_tagger().fit(X, y)
    assert tagger.classes_.tolist() == sorted(set(numbers.values()))
    assert set(chain.from_iterable(tagger.predict(X))) <= set(numbers.values())
    assert 0 <= tagger.score(X, y) <= 1


def test_empty_sentences_have_empty_lists_of_tags(fitted):
    tagger = make_tagger().fit([[], *X, []], [[], *Y, []])
    assert tagger.loss_curve_ == fitted.loss_curve_
    assert tagger.predict([[], X[0], []])[[0, 2]].tolist() == [[], []]
    assert [row.shape for row in tagger.predict_proba([[], ["cat"]])] == [
        (0, 4),
        (1, 4),
    ]
    assert tagger.predict([[]]).tolist() == [[]]
    assert tagger.predict([]).shape == (0,)
    with pytest.raises(ValueError, match="no tokens to score"):
        tagger.score([[]], [[]])


def test_unseen_tags_count_as_missed(fitted):
    best = fitted.predict(X[:1]).tolist()
    assert fitted.score(X[:1], best) == 1
    best[0][0] = "new"
    assert fitted.score(X[:1], best) == 1 - 1 / len(X[0])
    tagger = make_tagger(max_epochs=1).fit(
        X, Y, X_val=X[:1], y_val=[["new"] * len(X[0])]
    )
    assert tagger.validation_scores_ == [0, 0]


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "message"),
    [
        ([["a"], ["b"]], [["x"], ["x"]], "has to be greater than one; got 1 class"),
        ([["a"], ["b"]], [[0.5], [1.7]], "Unknown label type"),
        ([[], []], [[], []], "0 token"),
    ],
)
def test_bad_tags(bad_X, bad_y, message):
    with pytest.raises(ValueError, match=message):
        make_tagger().fit(bad_X, bad_y)


def test_bad_encoders_and_parameters():
    with pytest.raises(TypeError, match="can be trained"):
        SequenceTagger(FunctionTransformer()).fit(X, Y)
    with pytest.raises(ValueError, match="'dense_dim' parameter"):
        make_tagger(dense_dim=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"0\.2 cannot be held out"):
        make_tagger(validation_fraction=0.2).fit([["a", "b"], []], [["x", "y"], []])
    tagger = make_tagger(warm_start=True, max_epochs=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"labels \['new'\], but"):
        tagger.fit([["a", "b"]], [["DET", "new"]])


# Lists of tokens and of tags

LISTS = [["The", "cat", "sleeps"], [], ["The", "NATO"]]
TAGS = [["DET", "NOUN", "VERB"], [], ["DET", "NOUN"]]


@pytest.mark.parametrize(
    "container",
    [
        tuple,
        iter,
        lambda rows: np.fromiter(rows, dtype=object),
        pd.Series,
        pl.Series,
        lambda rows: pd.DataFrame({"rows": rows})["rows"],
        lambda rows: [tuple(row) for row in rows],
        lambda rows: [np.array(row, dtype=str) for row in rows],
        lambda rows: [np.array(row, dtype=object) for row in rows],
        lambda rows: [pd.Series(row, dtype=object) for row in rows],
    ],
)
def test_containers(container):
    assert check_sentences(container(LISTS)) == LISTS
    assert check_tags(container(TAGS), LISTS).tolist() == [*TAGS[0], *TAGS[2]]


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "error", "message"),
    [
        ("a cat", TAGS, TypeError, "X must be a list of token lists"),
        (None, TAGS, TypeError, "list of token lists.* got None"),
        (3, TAGS, TypeError, "list of token lists.* got 3"),
        (["a cat", "a dog"], [["x"], ["y"]], TypeError, "sentence 0 must be a list"),
        ([["a"], None], [["x"], ["y"]], TypeError, "sentence 1 must be a list of tok"),
        ([["a"], ["b", 3]], [["x"], ["y", "z"]], TypeError, "token 1 of sentence 1"),
        ([["b", None]], [["y", "z"]], TypeError, "1 of sentence 0 .*None"),
        ([["a"], ["b"]], [["x"], ["y", "z"]], ValueError, "Sentence 1 .* tags in y"),
        ([["a"], ["b"]], [["x"]], ValueError, "inconsistent numbers of samples"),
        ([["a"], ["b"]], ["x", "y"], TypeError, "y: sentence 0 must be a list of tags"),
        ([["a"], ["b"]], [["x"], [None]], ValueError, "tag 0 of sentence 1 is missing"),
        ([["a"], ["b"]], [[1.0], [np.nan]], ValueError, "tag 0 of sentence 1 is miss"),
        ([["a"], ["b"]], [["x"], [["y"]]], TypeError, "tokens have one tag"),
        ([["a"], ["b"]], [["x"], [1]], TypeError, "mixes tags"),
    ],
)
def test_bad_input_is_named(bad_X, bad_y, error, message):
    with pytest.raises(error, match=message):
        check_tags(bad_y, check_sentences(bad_X))
