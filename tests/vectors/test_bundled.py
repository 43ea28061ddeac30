"""The word vectors that come with the package, and their counts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skparaphrase.vectors import load_word_frequencies, load_word_vectors


def test_vectors_and_counts_are_of_the_same_words():
    vectors, frequencies = load_word_vectors(), load_word_frequencies()
    assert vectors is load_word_vectors() and frequencies is load_word_frequencies()
    assert (vectors.dim, vectors.dtype) == (128, np.int8)
    assert set(frequencies) <= set(vectors.words)
    assert frequencies["the"] > frequencies["cat"] > 0
