"""Data sets: `load_*` what comes with the package, `read_*` files of your own."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.datasets._answers import read_answers, read_wikiqa
from skparaphrase.datasets._bundled import (
    load_answers,
    load_entailment,
    load_paraphrases,
    load_sentiment,
    load_similarity,
    load_tagged,
)
from skparaphrase.datasets._readers import (
    read_labelled_pairs,
    read_pairs,
    read_scored_pairs,
    read_texts,
)
from skparaphrase.datasets._tagged import read_tagged
from skparaphrase.vectors import load_word_frequencies, load_word_vectors

__all__ = [
    "load_answers",
    "load_entailment",
    "load_paraphrases",
    "load_sentiment",
    "load_similarity",
    "load_tagged",
    "load_word_frequencies",
    "load_word_vectors",
    "read_answers",
    "read_labelled_pairs",
    "read_pairs",
    "read_scored_pairs",
    "read_tagged",
    "read_texts",
    "read_wikiqa",
]
