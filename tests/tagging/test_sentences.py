"""Lists of tokens and of tags: containers, checks, and their numbers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from skparaphrase.encoders import CharagramEncoder
from skparaphrase.tagging._sentences import (
    check_sentences,
    check_tags,
    encode_sentences,
    split_rows,
)

X = [["The", "cat", "sleeps"], [], ["The", "NATO"]]
Y = [["DET", "NOUN", "VERB"], [], ["DET", "NOUN"]]


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
    assert check_sentences(container(X)) == X
    assert check_tags(container(Y), X).tolist() == [*Y[0], *Y[2]]


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "error", "message"),
    [
        ("a cat", Y, TypeError, "X must be a list of token lists"),
        (None, Y, TypeError, "list of token lists.* got None"),
        (3, Y, TypeError, "list of token lists.* got 3"),
        (["a cat", "a dog"], [["x"], ["y"]], TypeError, "sentence 0 must be a list"),
        ([["a"], None], [["x"], ["y"]], TypeError, "sentence 1 must be a list of tok"),
        ([["a"], ["b", 3]], [["x"], ["y", "z"]], TypeError, "token 1 of sentence 1"),
        ([["b", None]], [["y", "z"]], TypeError, "1 of sentence 0 .*None"),
        ([["a"], ["b"]], [["x"], ["y", "z"]], ValueError, "Sentence 1 .* y 2 tags"),
        ([["a"], ["b"]], [["x"]], ValueError, "inconsistent numbers of samples"),
        ([["a"], ["b"]], ["x", "y"], TypeError, "y: sentence 0 must be a list of tags"),
        ([["a"], ["b"]], [["x"], [None]], ValueError, "tag 0 of sentence 1 is missing"),
        ([["a"], ["b"]], [[1.0], [np.nan]], ValueError, "tag 0 of sentence 1 is miss"),
        ([["a"], ["b"]], [["x"], [["y"]]], TypeError, "a token has one tag"),
        ([["a"], ["b"]], [["x"], [1]], TypeError, "mixes tags"),
    ],
)
def test_bad_input_is_named(bad_X, bad_y, error, message):
    with pytest.raises(error, match=message):
        check_tags(bad_y, check_sentences(bad_X))


def test_numbers_of_words_and_what_the_encoder_reads():
    settings = {"max_epochs": 0, "device": "cpu", "random_state": 0}
    encoder = CharagramEncoder(dim=2, ngram_range=(2, 2), **settings)
    encoder.fit([("cat", "nato"), ("nato", "cat")])
    encoded = encode_sentences(X, encoder)
    assert len(encoded) == 2  # without the empty one
    assert encoded.sentences.ids.tolist() == [0, 1, 2, 0, 3]
    assert encoded.sentences.offsets.tolist() == [0, 3, 5]
    assert encoded.capitals.tolist() == [1, 0, 0, 1]
    ngrams = [encoder.vectors_.words[i] for i in encoded.words.ids]
    found = [set(row) for row in np.split(ngrams, encoded.words.offsets[1:-1])]
    assert found[1] == {" c", "ca", "at", "t "}
    assert found[3] == {" n", "na", "at", "to", "o "}
    assert found[2] == set()


def test_rows_of_tokens():
    rows = split_rows(np.arange(5), X)
    for row, expected in zip(rows, ([0, 1, 2], [], [3, 4]), strict=True):
        assert_array_equal(row, expected)
    assert split_rows(np.arange(0), []) == []
