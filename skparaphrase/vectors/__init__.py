"""Word vectors and word frequencies."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.vectors._bundled import load_word_vectors
from skparaphrase.vectors._frequencies import WordFrequencies, load_word_frequencies
from skparaphrase.vectors._subwords import Subwords
from skparaphrase.vectors._word_vectors import WordVectors

__all__ = [
    "Subwords",
    "WordFrequencies",
    "WordVectors",
    "load_word_frequencies",
    "load_word_vectors",
]
