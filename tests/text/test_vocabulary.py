"""Words and their rows, against a list and a dict."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.text import Vocabulary

words_of_any_kind = st.lists(
    st.text(st.characters(), max_size=5) | st.sampled_from(["a", "\ud800", "\udc00"]),
    unique=True,
    max_size=60,
)


@given(words_of_any_kind, st.lists(st.text(max_size=3), max_size=5))
def test_against_a_list_and_a_dict(words, others):
    index = {word: row for row, word in enumerate(words)}
    made = Vocabulary(words)
    read = Vocabulary.from_array(made.to_array())
    copied = pickle.loads(pickle.dumps(made))
    for vocabulary in (made, read, copied):
        assert list(vocabulary) == words == [vocabulary[i] for i in range(len(words))]
        assert vocabulary[1:] == words[1:] and vocabulary[::-2] == words[::-2]
        assert vocabulary == words and vocabulary == made
        for word in [*words, *others]:
            assert vocabulary.get(word) == index.get(word)
            assert vocabulary.get(word, -1) == index.get(word, -1)
            assert (word in vocabulary) == (word in index)


def test_mapped_words_are_the_same_words_to_joblib(tmp_path):
    words = Vocabulary([f"w{i}" for i in range(1000)])
    np.save(tmp_path / "words.npy", words.to_array())
    mapped = Vocabulary.from_array(np.load(tmp_path / "words.npy", "r"))
    assert joblib.hash(mapped) == joblib.hash(words)
    joblib.dump(mapped, tmp_path / "words")
    read = joblib.load(tmp_path / "words", mmap_mode="r")
    assert read == words and read.get("w999") == 999
    copied = pickle.loads(pickle.dumps(read))
    assert joblib.hash(read) == joblib.hash(words) == joblib.hash(copied)


def test_what_differs_is_not_equal():
    words = Vocabulary(["ab", "c"])
    for other in (["a", "bc"], ["ab"], ["ab", "c", "d"], [1, 2], "abc", None):
        assert words != other
    assert Vocabulary(["a", "bc"]) != words
    with pytest.raises(TypeError, match="unhashable"):
        hash(words)
    with pytest.raises(IndexError):
        words[2]
    assert 1 not in words and words.get(1) is None and words.get(1, "x") == "x"
    assert repr(words) == "Vocabulary(['ab', 'c'])"
    assert repr(Vocabulary("abcd")) == "Vocabulary(['a', 'b', 'c', ...])"


def test_a_word_that_repeats():
    with pytest.raises(ValueError, match="'b', row 1, occurs again in row 3"):
        Vocabulary(["a", "b", "c", "b", "a"])


@given(words_of_any_kind, st.integers(0, 60))
def test_appended_words(words, n):
    short = Vocabulary(words[:n])
    made = short.extended(words[n:])
    assert made == words == list(made) and short == words[:n]
    assert [*map(made.get, words)] == list(range(len(words)))
