"""The benchmark of the shipped encoder: its titles and its edits."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
from pathlib import Path

import pytest

from skparaphrase.vectors import WordVectors

FOLDER = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def test_titles_are_reworded_or_have_another_model():
    products = importlib.import_module("_lib.products")
    pairs, same = products.title_pairs()
    assert len(pairs) == len({*pairs}) == 2 * sum(same)
    for (first, second), equal in zip(pairs, same, strict=True):
        a, b = first.split(), second.split()
        differ = [words for words in zip(a, b, strict=False) if words[0] != words[1]]
        assert (len(a) == len(b) and len(differ) == 1) == (not equal)


def test_every_third_long_word_gets_one_edit():
    editor = importlib.import_module("_lib.unknown_words").Editor
    text = "seven short words stand before another longer sentence ends"
    edited = editor(0).text(text)
    assert edited == editor(0).text(text)
    kept = [a == b for a, b in zip(text.split(), edited.split(), strict=True)]
    assert kept == [True, True, False, True, True, False, True, True, True]


def test_unknown_words_replace_known_ones():
    peers = importlib.import_module("_lib.static_peers")
    vectors = WordVectors(["a", "cat", "sleeps", "ca", "leeps"], [[1.0]] * 5)
    texts = ["a cat sleeps"] * 200
    edited = peers.with_unknown_words(texts, vectors, 1)
    assert all(
        sum(word not in vectors for word in text.split()) == 1 for text in edited
    )
    words = " ".join(peers.with_unknown_words(texts, vectors)).split()
    assert 30 < sum(word not in vectors for word in words) < 90


def test_texts_with_words_that_have_no_vector():
    share = importlib.import_module("_lib.unknown_words").share_lacking
    vectors = WordVectors(["a", "blue", "eyed", "cat"], [[1.0]] * 4)
    texts = ["A blue-eyed cat!", "a blue-green cat", "a yak", "a cat"]
    assert share(vectors, texts) == 0.5
