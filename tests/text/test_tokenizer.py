"""Splitting of texts into tokens."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
import unicodedata
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_words import tokenizers, words_of
from sklearn.base import clone

from skparaphrase.encoders import AverageEncoder
from skparaphrase.text import WordTokenizer
from skparaphrase.text._tokenizer import check_tokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors

texts_of_any_kind = st.lists(
    st.text(st.sampled_from("aAn1 '-./_,\u2019\n\0\ud800\U0001f600") | st.characters()),
    max_size=6,
)


@given(texts_of_any_kind, tokenizers)
def test_tokenize_and_count_against_plain_findall(texts, params):
    expected = [words_of(text, **params) for text in texts]
    tokenizer = WordTokenizer(**params)
    assert tokenizer.tokenize(texts) == expected
    assert tokenizer.count(texts) == Counter(chain.from_iterable(expected))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("don't Don\u2019t can't won't", "do n't do n\u2019t ca n't wo n't"),
        ("cannot canned cannots", "can not canned cannots"),
        ("it's we'll they've I'd I'm", "it 's we 'll they 've i 'd i 'm"),
        ("u.s. the U.S. is", "u.s. the u.s. is"),
        ("1,650 3.5 12:30 1/2 1,650.", "1,650 3.5 12:30 1/2 1,650 ."),
        ("well-known wait... a--b", "well-known wait ... a -- b"),
        ("(yes), 'no'! end. Start", "( yes ) , ' no ' ! end . start"),
    ],
)
def test_ptb_tokens_by_hand(text, tokens):
    assert WordTokenizer("ptb").tokenize([text]) == [tokens.split()]


@pytest.mark.parametrize("pattern", ["words", "ptb"])
@pytest.mark.parametrize(
    "text",
    [
        "हिन्दी में एक वाक्य",  # Hindi
        "আমি বাংলায় গান গাই",  # Bengali
        "தமிழ் மொழி பழமையானது",  # Tamil
        "ที่นี่ ร้อน มาก",  # Thai
        "كَتَبَ الطَّالِبُ الدَّرْسَ",  # Arabic with its vowels
        "שָׁלוֹם עוֹלָם",  # Hebrew with its vowels
        "او نمی\u200cداند",  # noqa: RUF001, Persian with a joiner
        "mot-cle\u0301 na\u0308\u0301chst",
    ],
)
def test_marks_are_in_words(text, pattern):
    words = [unicodedata.normalize("NFC", word) for word in text.split()]
    for form in ("NFC", "NFD"):
        given = unicodedata.normalize(form, text)
        assert WordTokenizer(pattern)(given) == words
        assert WordTokenizer(pattern).count([given]) == Counter(words)


def test_what_follows_no_letter_is_no_word():
    assert WordTokenizer()("\u0301 a \u0301 .\u0301") == [
        "\u0301",
        "a",
        "\u0301",
        ".",
        "\u0301",
    ]
    woman_cooking = "\U0001f469\u200d\U0001f373"
    assert WordTokenizer()(woman_cooking) == [*woman_cooking]
    assert WordTokenizer()("1\ufe0f\u20e3") == ["1", "\ufe0f", "\u20e3"]


class Upper(WordTokenizer):
    def __call__(self, text):
        return [word.upper() for word in super().__call__(text)]


class Reversed(WordTokenizer):
    def __call__(self, text):
        return [word[::-1] for word in super().__call__(text)]


def test_a_subclass_splits_as_it_says(core):
    """Two of them share a table, and no memory."""
    vectors = WordVectors(["tac", "CAT", "cat", "DE", "YE"], np.eye(5))
    for Tokenizer, words in {Upper: {1}, WordTokenizer: {2}, Reversed: {0}}.items():
        encoder = AverageEncoder(vectors, tokenizer=clone(Tokenizer("ptb")))
        [vector] = encoder.transform(["Cat"])
        assert {*np.flatnonzero(vector)} == words
    for split, words in ((True, {3, 4}), (False, set())):
        encoder = AverageEncoder(vectors, tokenizer=Upper(split_compounds=split))
        assert {*np.flatnonzero(encoder.transform(["de-ye"]))} == words


def test_a_callable_sees_the_text_as_it_is():
    seen = []

    def tokenizer(text):
        seen.append(text)
        return iter(text.split("|"))

    words = check_tokenizer(tokenizer)
    known = ["cat", "dog", "blue", "eyed", "CAT", "o'clock"]
    table = WordVectors(known, np.eye(6))
    batch = table.encode(["CAT|x y", "", "o'clock|blue-x"], words)
    assert seen == ["CAT|x y", "", "o'clock|blue-x"]
    assert batch.lengths.tolist() == [1, 0, 2]
    assert batch.ids.tolist() == [4, 5, 2]
    assert words.count(["a|b|a"]) == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    ("tokenizer", "returned"),
    [
        (lambda text: text, "'a cat' \\(str\\)"),
        (str.encode, "b'a cat' \\(bytes\\)"),
        (lambda text: None, "it returned None"),
        (len, "5 \\(int\\)"),
        (lambda text: {"input_ids": [5, 7]}, "\\{'input_ids': .*\\(dict\\)"),
        (lambda text: [5, 7], "5 \\(int\\) among the words"),
        (lambda text: [text.split()], "\\['a', 'cat'\\] \\(list\\) among"),
        (lambda text: ["a", None], "None among the words"),
        (lambda text: ["a", b"cat"], "b'cat' \\(bytes\\) among the words"),
    ],
)
def test_a_callable_that_returns_no_words(tokenizer, returned):
    encoder = AverageEncoder(tokenizer=tokenizer)
    for call in (
        lambda: encoder.fit(["a cat"]).transform(["a cat"]),
        lambda: WordFrequencies.from_texts(["a cat"], tokenizer=tokenizer),
    ):
        with pytest.raises(TypeError, match=returned) as error:
            call()
        assert "'a cat' (str)" in str(error.value)


@pytest.mark.parametrize("kind", [list, tuple, iter, np.array])
def test_words_in_any_container(kind):
    tokenizer = check_tokenizer(lambda text: kind(text.split()))
    assert tokenizer.tokenize(["a cat", ""]) == [["a", "cat"], []]


def test_check_tokenizer_takes_none_callables_and_tokenizers():
    words = WordTokenizer("ptb")
    assert check_tokenizer(words) is words
    assert check_tokenizer(None) == WordTokenizer()
    assert check_tokenizer(str.split)("Blue cat") == ["Blue", "cat"]


@pytest.mark.parametrize(
    ("tokenizer", "error", "message"),
    [
        *(
            (WordTokenizer(pattern), ValueError, re.escape(f"{pattern!r}"))
            for pattern in ("[", "(", 3, None, r"(\w)(\d)", "(?P<x>a)|(b)", "wrods", "")
        ),
        *(
            (wrong, TypeError, "tokenizer must be None, a callable or a W")
            for wrong in ("ptb", 3, ["a"])
        ),
    ],
)
def test_other_tokenizers_are_refused(tokenizer, error, message):
    with pytest.raises(error, match=message):
        check_tokenizer(tokenizer)


def test_a_tokenizer_is_a_parameter_object():
    words = WordTokenizer("ptb", lowercase=False)
    copies = [clone(words), pickle.loads(pickle.dumps(words))]
    copies.append(WordTokenizer().set_params(**words.get_params()))
    assert repr(words) == "WordTokenizer(lowercase=False, pattern='ptb')"
    assert all(copy == words and hash(copy) == hash(words) for copy in copies)
    for name, value in {"lowercase": 1, "split_compounds": 0, "pattern": "a|b"}.items():
        assert clone(words).set_params(**{name: value}) != words != "ptb"
    assert words.tokenize(["Don't"]) == [words("Don't")] == [["Do", "n't"]]
    WordTokenizer("(").set_params(pattern="words")(" checked in use ")
