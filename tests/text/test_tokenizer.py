"""How texts are split into tokens."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_words import tokenizers, words_of
from sklearn.base import clone

from skparaphrase import _core
from skparaphrase.text import (
    WordTokenizer,
    check_tokenizer,
    encode_words,
)

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


def test_a_callable_sees_the_text_as_it_is():
    seen = []

    def tokenizer(text):
        seen.append(text)
        return iter(text.split("|"))

    words = check_tokenizer(tokenizer)
    index = _core.core.WordIndex(["cat", "dog", "blue", "eyed", "CAT", "o'clock"])
    batch = encode_words(["CAT|x y", "", "o'clock|blue-x"], index, words)
    assert seen == ["CAT|x y", "", "o'clock|blue-x"]
    assert batch.lengths.tolist() == [1, 0, 2]
    assert batch.ids.tolist() == [4, 5, 2]
    assert words.count(["a|b|a"]) == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    "pattern", ["[", "(", 3, None, r"(\w)(\d)", r"(?P<x>a)|(b)", "wrods", ""]
)
def test_wrong_patterns_are_value_errors(pattern):
    with pytest.raises(ValueError, match=re.escape(f"{pattern!r}")):
        check_tokenizer(WordTokenizer(pattern))


def test_check_tokenizer_takes_none_callables_and_tokenizers():
    words = WordTokenizer("ptb")
    assert check_tokenizer(words) is words
    assert check_tokenizer(None) == WordTokenizer()
    assert check_tokenizer(str.split)("Blue cat") == ["Blue", "cat"]
    for wrong in ("ptb", 3, ["a"]):
        with pytest.raises(
            TypeError, match="tokenizer must be None, a callable or a W"
        ):
            check_tokenizer(wrong)


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
