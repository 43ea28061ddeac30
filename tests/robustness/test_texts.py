"""Texts that contain separators and control characters, and caches of words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import unicodedata

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from subjects import NAMES, fitted, say

from skparaphrase.encoders import AverageEncoder, CharagramEncoder
from skparaphrase.vectors import WordVectors

PRIVATE = [*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE), *range(0x100000, 0x10FFFE)]


@pytest.mark.parametrize("kind", ["words", "ngrams", "bundled"])
def test_a_text_of_all_private_characters_harms_no_neighbour(kind):
    encoder = {
        "words": AverageEncoder(WordVectors(["a", "cat"], np.eye(2))),
        "ngrams": CharagramEncoder(dim=3, max_epochs=1, random_state=0),
        "bundled": AverageEncoder(),
    }[kind]
    if kind == "ngrams":
        encoder.fit([("a cat", "cat a"), ("a a", "cat cat")])
    texts = [
        "a cat",
        "".join(map(chr, PRIVATE)),
        "cat",
        " ".join(map(chr, PRIVATE)),
        "a",
    ]
    found = encoder.transform(texts)
    for text, vector in zip(texts, found, strict=True):
        assert_array_equal(encoder.transform([text])[0], vector)
    assert found[0].any() and found[2].any()


@pytest.mark.parametrize("name", NAMES)
def test_both_forms_of_a_text_are_one(name):
    """Composed characters, and letters with marks as macOS and PDFs give them."""
    texts = [
        "The cat sleeps, na\u00efve",
        "A d\u00f3g b\u00e4rks",
        "\ud55c\uad6d\uc5b4 \u1ea1",
    ]
    for model in fitted(name):
        composed, decomposed = (
            say(name, model, [unicodedata.normalize(form, text) for text in texts])
            for form in ("NFC", "NFD")
        )
        for row, other in zip(composed, decomposed, strict=True):
            assert_array_equal(row, other)
