"""Word vectors distilled from encoders."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.testing import assert_array_equal

from skparaphrase.vectors import WordVectors


def spell(words):
    """Vectors of 26 letter counts, and a constant."""
    counts = [[word.count(chr(97 + i)) for i in range(26)] + [1] for word in words]
    return np.array(counts, dtype=np.float64)


MANY = [f"{a}{b}x" for a in "abcdefgh" for b in "opqrstuv"]


@pytest.mark.parametrize("batch_size", [1, 7, 64, 1000])
def test_words_are_encoded_in_batches(batch_size):
    seen = []

    def encode(words):
        assert type(words) is list and len(words) <= batch_size
        seen.extend(words)
        return spell(words)

    vectors = WordVectors.distill(iter(MANY), encode, batch_size=batch_size)
    assert seen == vectors.words == MANY
    assert (vectors.dtype, vectors.unknown) == (np.float32, None)
    assert_array_equal(vectors.matrix, spell(MANY))


@pytest.mark.parametrize(
    "kind",
    [
        lambda m: torch.tensor(m, requires_grad=True),
        lambda m: torch.tensor(m).bfloat16(),
        np.ndarray.tolist,
        np.float16,
        np.int64,
        pd.DataFrame,
    ],
)
def test_any_array_is_taken(kind):
    vectors = WordVectors.distill(MANY, lambda words: kind(spell(words)))
    assert_array_equal(vectors.matrix, spell(MANY))


def bad_at(word, value):
    return lambda words: [[value if w == word else 1.0, 2.0] for w in words]


@pytest.mark.parametrize(
    ("words", "encode", "params", "message"),
    [
        (
            MANY,
            bad_at("bpx", np.nan),
            {},
            "returned for 'bpx', number 9, is not finite",
        ),
        (MANY, bad_at("bpx", 1e300), {"batch_size": 4}, "'bpx', number 9, is not"),
        (MANY, lambda w: np.ones(len(w)), {}, r"shape \(64, dim\) .*shape \(64,\)"),
        (MANY, lambda w: np.ones((3, 2)), {"batch_size": 3}, r"\(1, 2\).*'hvx'"),
        (MANY, lambda w: [[0] * len(w)] * len(w), {"batch_size": 60}, r"\(4, 60\)"),
        (["a", "b", "a"], spell, {}, "'a', row 0, occurs again in row 2"),
        ([], spell, {}, "empty"),
        ("cat", spell, {}, "words must be"),
        (["cat", 3], spell, {}, "words must be"),
        (MANY, spell, {"batch_size": 0}, "batch_size"),
    ],
)
def test_errors_come_before_hours_of_encoding(words, encode, params, message):
    asked = []

    def counted(words):
        asked.append(words)
        return encode(words)

    with pytest.raises((TypeError, ValueError), match=message):
        WordVectors.distill(words, counted, **params)
    assert len(asked) <= (1 if encode is spell else 22)
