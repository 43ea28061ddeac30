"""Warnings about texts in a language that is not in a table."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import warnings

import numpy as np
import pytest
from few_words import with_ngrams
from sklearn.base import clone

from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import WordVectors, _languages

pytestmark = pytest.mark.usefixtures("core")

LONG = ["tables", "chairs"]  # words that a table has
WORDS = [*LONG, "the", "in", "?"]
UNKNOWN = [chr(0x3B1 + i) * 5 for i in range(20)]
PAIRED = [f"the {a} in {b}?" for a, b in zip(UNKNOWN[::2], UNKNOWN[1::2], strict=True)]


def warns_at(encoder, texts):
    """The number of texts, one per call, until the table warns, or None."""
    for i, text in enumerate(texts):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            encoder.transform([text])
        if caught:
            encoder.transform(texts)  # warns once
            return i + 1
    return None


@pytest.mark.parametrize(
    ("texts", "known_elsewhere", "n_texts"),
    [
        (UNKNOWN, 0, 9),
        (["the", *UNKNOWN], 0, 10),  # short words are of many languages
        (PAIRED, 0, 5),
        ([" ".join(UNKNOWN), *UNKNOWN[2:]], 0, 8),  # a list of names
        ([*UNKNOWN[:8], *UNKNOWN[:8], UNKNOWN[8]], 0, 17),  # the same words
        ([f"{i}1" for i in range(50)], 0, None),  # numbers
        # A known word outweighs two unknown words.
        ([*UNKNOWN[:8], "tables", *UNKNOWN[8:]], 0, 12),
        (["tables chairs", *UNKNOWN], 0, 10),  # it never falls below zero
        ([f"{word} tables" for word in UNKNOWN], 0, None),
        ([f"{a} {b} tables" for a in UNKNOWN for b in UNKNOWN], 0, None),
        # Words of another supported language count four times.
        (UNKNOWN, 1, 3),
        ([f"{word} tables" for word in UNKNOWN], 1, 5),
        ([f"{word} tables" for word in UNKNOWN], 4, None),
    ],
)
def test_unknown_words_that_make_another_language(
    texts, known_elsewhere, n_texts, monkeypatch
):
    known = UNKNOWN[::known_elsewhere] if known_elsewhere else []
    monkeypatch.setattr(_languages, "_multilingual_words", lambda: known)
    table = with_ngrams(WORDS, np.eye(5))
    assert warns_at(AverageEncoder(table), texts) == n_texts


@pytest.mark.parametrize(
    ("texts", "n_texts"),
    [
        (UNKNOWN, 9),
        ([UNKNOWN[0]] * 9, 9),  # the same word
        ([" ".join(UNKNOWN)], 1),
        ([f"{a} {b} the" for a, b in zip(UNKNOWN, UNKNOWN, strict=True)], 5),  # 15/8
        ([f"{word} the in tables" for word in UNKNOWN], 15),  # 5/8 per text
        ([f"{word} {'the ' * 8}" for word in UNKNOWN], None),  # one in nine
        ([f"{i}1" for i in range(50)], None),  # numbers
    ],
)
def test_more_than_one_word_in_eight_left_out(texts, n_texts):
    assert warns_at(AverageEncoder(WordVectors(WORDS, np.eye(5))), texts) == n_texts


def test_what_was_counted_is_not_copied():
    encoder = AverageEncoder(with_ngrams(LONG, np.eye(2)))
    for word in UNKNOWN[:8]:
        encoder.transform([word])
    again = pickle.loads(pickle.dumps(encoder))
    assert warns_at(clone(encoder), UNKNOWN[8:9]) == 1  # has the same table
    assert warns_at(encoder, UNKNOWN) is None
    assert warns_at(again, UNKNOWN) == 9


def test_words_of_another_case_are_left_out():
    texts = UNKNOWN[:10]
    table = WordVectors([word.upper() for word in texts], np.eye(10))
    with pytest.warns(UserWarning, match="left out: 100%.*vectors.fit_subwords"):
        assert not AverageEncoder(table).transform(texts).any()


def test_words_that_are_only_counted_are_no_reason_to_warn():
    table = with_ngrams(LONG, np.eye(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # which pyproject.toml ignores
        table.encode(UNKNOWN, AverageEncoder()._tokenizer(), skip_unknown=True)
