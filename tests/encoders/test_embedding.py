"""Vectors of fitted encoders against the equations of their compositions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cache

import equations as EQ
import numpy as np
import pytest
from numpy.testing import assert_allclose

from skparaphrase.encoders import _embedding
from skparaphrase.text import NgramTokenizer

# Repeats, unknown words and characters, odd spaces, and a long text.
ODD = [
    *["w3", "w3", "W3  w1\tw3", "unheard of", "", " ", "w1 unheard w2", "é", "w é w"],
    " ".join(f"w{i % 12}" for i in range(36)),
]
SETTINGS = {"optimizer": "adam"}
KIM = [(25, 1), (50, 2), (75, 3), (100, 4), (125, 5), (150, 6)]
EQUAL = [(175, 2), (175, 3), (175, 4)]
RELU_3 = {"n_layers": 3, "activation": "relu", "learning_rate": 0.005, "dim": 30}
RELU_2 = {"n_layers": 2, "activation": "relu", "learning_rate": 0.005}
COUNTS = {
    "tokenizer": NgramTokenizer(ngram_range=(1, 3), binary=False),
    "activation": "linear",
}
WIDE = {"filters": [(3, 4), (3, 1)], "activation": "tanh"}
TANH = {"filters": "equal", "conv_activation": "tanh", "activation": "linear"}
# Name in the zoo, parameters, equation, and settings of the equation.
ENCODERS = {
    "average": ("paragram", {"pooling": "mean"}, EQ.average, {}),
    "distinct": ("paragram", {}, EQ.distinct_average, {}),
    "projection": ("projection", {}, EQ.deep_average, {}),
    **{
        f"{name}, not residual": (name, {"residual": False}, equation, settings)
        for name, equation, settings in [
            ("projection", EQ.deep_average, {}),
            ("irnn", EQ.identity_rnn, {}),
            ("lstm", EQ.lstm, {}),
            ("cse", EQ.cse, {"f": "linear"}),
        ]
    },
    "dan 3": ("dan", RELU_3, EQ.deep_average, {"f": "relu"}),
    "rnn": ("rnn", {}, EQ.rnn, {"f": "tanh"}),
    "rnn relu": ("rnn", {"activation": "relu", "dim": None}, EQ.rnn, {"f": "relu"}),
    "irnn": ("irnn", {}, EQ.identity_rnn, {}),
    "lstm": ("lstm", {"dim": 4}, EQ.lstm, {}),
    "lstm gate": ("lstm", {"output_gate": True}, EQ.lstm, {}),
    "lstm full": ("lstm", {"peepholes": "full"}, EQ.lstm, {}),
    "lstm none": ("lstm", {"peepholes": None, "output_gate": True}, EQ.lstm, {}),
    "cse": ("cse", {"filters": [(3, 1), (3, 2), (3, 3)]}, EQ.cse, {"f": "linear"}),
    "cse tanh": ("cse", WIDE, EQ.cse, {"f": "tanh"}),
    "charagram": ("charagram", {}, EQ.charagram, {"f": "tanh"}),
    "charagram counts": ("charagram", COUNTS, EQ.charagram, {"f": "linear"}),
    "charagram 2": ("charagram", RELU_2, EQ.charagram, {"f": "relu"}),
    "cnn kim": (
        "char cnn", {"filters": "kim"}, EQ.char_cnn, {"conv": "relu", "f": "tanh"},
    ),
    "cnn equal": ("char cnn", TANH, EQ.char_cnn, {"conv": "tanh", "f": "linear"}),
    "char lstm": ("char lstm", {}, EQ.lstm, {}),
}  # fmt: skip
each_encoder = pytest.mark.parametrize("name", ENCODERS)


@pytest.fixture(scope="module")
def fitted(zoo):
    """Encoders by name, each fitted once."""

    @cache
    def get(name):
        base, params, _, _ = ENCODERS[name]
        return zoo.make(base, **{**SETTINGS, **params}).fit(zoo.pairs)

    return get


def padded(zoo, **params):
    params = {"filters": [(2, 1), (2, 2), (2, 3)], **params, **SETTINGS}
    return zoo.make("cse", padding="batch", **params).fit(zoo.pairs)


def slow_tokens(encoder, text):
    """Rows of the table."""
    row = {word: i for i, word in enumerate(encoder.vectors_.words)}
    words = text.lower().split()
    if hasattr(encoder, "vectors") or not words:
        return [row[word] for word in words if word in row]
    text = f" {' '.join(words)} "
    if hasattr(encoder, "embedding_dim"):
        return [row.get(character, row["<unk>"]) for character in text]
    tokenizer = encoder.tokenizer or NgramTokenizer()
    low, high = tokenizer.ngram_range
    sizes = range(low, high + 1)
    ngrams = [text[i : i + n] for n in sizes for i in range(len(text) - n + 1)]
    ngrams = set(ngrams) if tokenizer.binary else ngrams
    return [row[ngram] for ngram in ngrams if ngram in row]


def slow_transform(encoder, texts, equation, **settings):
    matrix = encoder.vectors_.matrix.astype(np.float64)
    if getattr(encoder, "residual", False):
        settings = {"network": equation, "settings": settings}
        equation = EQ.residual
    p = {key: value.astype(np.float64) for key, value in encoder.parameters_.items()}
    tokens = [slow_tokens(encoder, text) for text in texts]
    dim = len(encoder.get_feature_names_out())
    return np.array(
        [equation(matrix[t], p, **settings) if t else np.zeros(dim) for t in tokens]
    )


@each_encoder
def test_transform_follows_the_equations(name, fitted, zoo):
    _, _, equation, settings = ENCODERS[name]
    encoder, texts = fitted(name), [*zoo.texts, *ODD]
    expected = slow_transform(encoder, texts, equation, **settings)
    assert np.linalg.norm(expected, axis=1).max() > 0.01
    assert_allclose(encoder.transform(texts), expected, rtol=1e-5, atol=1e-5)


@each_encoder
def test_a_text_alone_is_as_among_others(name, fitted, zoo, monkeypatch):
    encoder, texts = fitted(name), [*zoo.texts[:24], *ODD]
    vectors = encoder.transform(texts)
    for text, vector in list(zip(texts, vectors, strict=True))[::4]:
        assert_allclose(encoder.transform([text])[0], vector, rtol=1e-6, atol=1e-6)
    monkeypatch.setattr(_embedding, "_TOKENS", 11)
    assert_allclose(encoder.transform(texts), vectors, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", ["linear", "tanh"])
def test_batch_padding_takes_a_hundred_distinct_texts_at_a_time(f, zoo):
    encoder = padded(zoo, activation=f)
    rng = np.random.RandomState(1)
    texts = [" ".join(rng.choice(zoo.words, rng.randint(1, 20))) for _ in range(250)]
    texts = [*texts[:60], *texts[10:40], *texts]
    distinct = list(dict.fromkeys(texts))
    expected = {}
    for start in range(0, len(distinct), 100):
        batch = distinct[start : start + 100]
        longest = max(len(text.split()) for text in batch)
        found = slow_transform(encoder, batch, EQ.cse, f=f, longest=longest)
        expected.update(zip(batch, found, strict=True))
    expected = [expected[text] for text in texts]
    assert_allclose(encoder.transform(texts), expected, rtol=1e-5, atol=1e-5)


def test_a_hundred_texts_stay_together_across_blocks(zoo):
    encoder = padded(zoo)
    # Distinct by unknown words; the tokenizer's blocks hold 16,384 texts at most.
    texts = [f"w{i % 12} unheard{i}" for i in range(16_500)]
    texts[16_390] = " ".join(zoo.words * 2)
    texts[16_460] = " ".join(zoo.words)
    vectors = encoder.transform(texts)
    for start, longest in ((16_200, 3), (16_300, 40), (16_400, 20)):
        group = slice(start, start + 100)
        expected = slow_transform(
            encoder, texts[group], EQ.cse, f="linear", longest=longest
        )
        assert_allclose(vectors[group], expected, rtol=1e-5, atol=1e-5)


def test_filter_sets_are_those_of_the_paper(fitted):
    for name, shapes in (("cnn kim", KIM), ("cnn equal", EQUAL)):
        found = [weight.shape for weight, _ in EQ.filters_of(fitted(name).parameters_)]
        assert found == [(width, 4, number) for number, width in shapes]
        assert sum(number for number, _ in shapes) == 525


def test_characters_are_those_of_the_training_texts(fitted, zoo):
    characters = {*"".join(zoo.texts), " ", "<unk>"}
    assert set(fitted("char lstm").vectors_.words) == characters
