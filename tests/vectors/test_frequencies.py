"""Counts of words, in memory and in files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies


def test_frequencies_are_a_mapping():
    counts = {"the": 6, "cat": 2, "": 0}
    frequencies = WordFrequencies(counts)
    assert isinstance(frequencies, Mapping)
    assert dict(frequencies) == counts == frequencies
    assert (len(frequencies), frequencies.total) == (3, 8)
    assert frequencies.get("cow", 7) == 7
    counts["the"] = 99
    assert frequencies["the"] == 6
    assert clone(frequencies) is frequencies is WordFrequencies.check(frequencies)
    again = pickle.loads(pickle.dumps(frequencies))
    assert (again, again.total) == (frequencies, 8)


@pytest.mark.parametrize(
    ("counts", "total", "words", "expected"),
    [
        ({"the": 6, "cat": 2}, None, ["cat", "cow", "the", "cat"], [1, 0, 3, 1]),
        ({"the": 6, "cat": np.int64(2)}, np.int64(16), ["cat", "the"], [0.5, 1.5]),
        ({}, None, ["cat"], [0]),
    ],
)
def test_probabilities(counts, total, words, expected):
    frequencies = WordFrequencies(counts, total=total)
    assert_allclose(frequencies.probabilities(words) * 4, expected, rtol=1e-12)


def test_fill_from_scales_by_the_shared_words():
    letters = WordFrequencies({"the": 60, "cat": 30, "fox": 5}, total=200)
    sample = WordFrequencies({"the": 8, ",": 4, "cat": 1, ".": 3, "rare": 0})
    filled = letters.fill_from(sample)
    assert filled == {"the": 60, "cat": 30, "fox": 5, ",": 40, ".": 30, "rare": 0}
    assert (filled.total, len(letters)) == (270, 3)


def test_word_counts(file):
    lines = ["\ufeffthe 6", "", "cat\t2", " \t", "naïve   1", "the 4\r", "cow 0"]
    frequencies = WordFrequencies.read(file("counts", "\n".join(lines)))
    assert frequencies == {"the": 10, "cat": 2, "naïve": 1, "cow": 0}
    assert frequencies.total == 13


def test_an_unknown_encoding(file):
    with pytest.raises(LookupError, match="utf-80"):
        WordFrequencies.read(file("counts", b"the 6"), encoding="utf-80")


def test_words_of_counts_are_split_at_ascii_spaces_only(file):
    words = ["New\xa0York", "a\x85b", "\u3000", "new york", "1999"]
    path = file("counts", "".join(f"{word} 5\n" for word in words))
    assert list(WordFrequencies.read(path)) == words
    path = file("counts", "café 3\n".encode("cp1252"))
    with pytest.raises(ValueError, match=r"line 1: .*\. Pass encoding= for a file"):
        WordFrequencies.read(path)
    assert WordFrequencies.read(path, encoding="cp1252") == {"café": 3}


@pytest.mark.parametrize(
    "line",
    [
        *(b"cat", b"cat 1 2", b"cat dog", b"cat 1.5", b"cat nan", b"cat -3"),
        *(b"cat 1_000", "cat ٣".encode(), b"b\xff 3"),
    ],
)
def test_a_line_that_is_not_a_word_and_its_count(file, line):
    path = file("counts", b"the 6\n\n" + line + b"\ncow 3\n")
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, line 3: "):
        WordFrequencies.read(path)


def test_frequencies_of_texts():
    pairs = [("The cat, the dog", "a cat"), ("", "THE")]
    frequencies = WordFrequencies.from_texts(pairs)
    assert frequencies == {"the": 3, "cat": 2, ",": 1, "dog": 1, "a": 1}
    expected = {"The": 2, "the,": 1}
    for tokenizer in (WordTokenizer(r"\S+", lowercase=False), str.split):
        found = WordFrequencies.from_texts(["The the, The"], tokenizer=tokenizer)
        assert found == expected


OF_THREE = WordFrequencies({"the": 3})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: OF_THREE["cow"], KeyError, "cow"),
        *(
            (lambda n=n: WordFrequencies({"cat": n}), ValueError, f"'cat' has {n!r}")
            for n in (-1, float("nan"), float("inf"), 10**400, "3", None)
        ),
        *(
            (
                lambda n=n: WordFrequencies({"a": 3}, total=n),
                ValueError,
                "total must be finite and at least the sum of counts, 3",
            )
            for n in (float("nan"), float("inf"), 2, -1)
        ),
        (lambda: WordFrequencies.check(["the"]), TypeError, "to counts; got list"),
        (lambda: WordFrequencies.from_texts("the cat"), TypeError, "'the cat'"),
        (
            lambda: OF_THREE.fill_from(WordFrequencies({"cow": 3, "the": 0})),
            ValueError,
            "no word in common",
        ),
    ],
)
def test_what_is_wrong_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
