"""Data sets: `load_*` bundled data, `fetch_*` public data, `read_*` your own files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.datasets._bundled import (
    load_answer_ranking,
    load_entailment,
    load_faq,
    load_graded_pairs,
    load_paraphrases,
    load_pos_tags,
    load_sentiment,
)
from skparaphrase.datasets._lexical import fetch_glove, fetch_ppdb
from skparaphrase.datasets._similarity import fetch_sick, fetch_sts, fetch_stsb
from skparaphrase.datasets._tables import read_pairs, read_texts
from skparaphrase.vectors._frequencies import load_word_frequencies
from skparaphrase.vectors._storage import load_word_vectors

__all__ = [
    "fetch_glove",
    "fetch_ppdb",
    "fetch_sick",
    "fetch_sts",
    "fetch_stsb",
    "load_answer_ranking",
    "load_entailment",
    "load_faq",
    "load_graded_pairs",
    "load_paraphrases",
    "load_pos_tags",
    "load_sentiment",
    "load_word_frequencies",
    "load_word_vectors",
    "read_pairs",
    "read_texts",
]

_docstrings.complete(__name__)
