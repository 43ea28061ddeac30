"""Data sets: `load_*` bundled ones, `fetch_*` public ones, `read_*` your own files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.datasets._bundled import (
    load_answers,
    load_entailment,
    load_faq,
    load_paraphrases,
    load_sentiment,
    load_similarity,
    load_tagged,
)
from skparaphrase.datasets._lexical import fetch_glove, fetch_ppdb
from skparaphrase.datasets._similarity import fetch_sick, fetch_sts, fetch_stsb
from skparaphrase.datasets._tables import read_pairs, read_texts
from skparaphrase.vectors import load_word_frequencies, load_word_vectors

__all__ = [
    "fetch_glove",
    "fetch_ppdb",
    "fetch_sick",
    "fetch_sts",
    "fetch_stsb",
    "load_answers",
    "load_entailment",
    "load_faq",
    "load_paraphrases",
    "load_sentiment",
    "load_similarity",
    "load_tagged",
    "load_word_frequencies",
    "load_word_vectors",
    "read_pairs",
    "read_texts",
]
