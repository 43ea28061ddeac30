"""Data sets: `load_*` what comes with the package, `read_*` files of your own."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.datasets._bundled import (
    load_paraphrases,
    load_sentiment,
    load_similarity,
)
from skparaphrase.datasets._readers import read_pairs, read_scored_pairs
from skparaphrase.vectors import load_word_frequencies, load_word_vectors

__all__ = [
    "load_paraphrases",
    "load_sentiment",
    "load_similarity",
    "load_word_frequencies",
    "load_word_vectors",
    "read_pairs",
    "read_scored_pairs",
]
