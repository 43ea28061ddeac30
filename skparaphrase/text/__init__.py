"""Texts to token ids: input checks, tokenizers and ragged batches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.text._check import check_pairs, check_texts
from skparaphrase.text._clean import clean_text
from skparaphrase.text._ngrams import NgramTokenizer
from skparaphrase.text._tokenizer import WordTokenizer

__all__ = [
    "NgramTokenizer",
    "WordTokenizer",
    "check_pairs",
    "check_texts",
    "clean_text",
]

# Modules that other packages import from; the others are private to this one.
_SHARED = ("_check", "_lookup", "_ngrams", "_stored", "_tokenizer")

_docstrings.complete(__name__)
