"""Unknown words, counted by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skparaphrase.inspection import unknown_words
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors


def test_unknown_words_by_hand():
    pairs = [("a b, c", "a"), ("", "A  d d"), ("x-y a-x", "e'e")]
    known = ["a", "b", ","]
    assert unknown_words(pairs, known).tolist() == [1, 2, 2]
    assert unknown_words([pair[0] for pair in pairs], known).tolist() == [1, 0, 1]
    assert unknown_words(["the qzxv, 9000"]).tolist() == [2]
    whole = WordTokenizer(split_compounds=False, lowercase=False)
    assert unknown_words(pairs, known, tokenizer=whole).tolist() == [1, 3, 3]
    assert unknown_words(["ab q"], known, tokenizer=list).tolist() == [2]
    assert unknown_words(pairs, WordVectors(known, np.eye(3))).tolist() == [1, 2, 2]
    assert unknown_words(pairs, WordFrequencies({"a": 1})).tolist() == [3, 2, 2]
    assert len(unknown_words([], known)) == 0
    with pytest.raises(TypeError, match="got the str 'abc'"):
        unknown_words(pairs, "abc")
