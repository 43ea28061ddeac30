"""Texts that contain separators and control characters, and caches of words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

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
