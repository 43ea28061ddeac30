"""Transformers of vectors of pairs, and functions that make training pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.pairs._documents import make_cloze_pairs
from skparaphrase.pairs._features import PairFeatures, PairVectorizer
from skparaphrase.pairs._last_axis import EncoderUnion, LastAxis
from skparaphrase.pairs._similarity import PairSimilarity
from skparaphrase.pairs._sources import extract_phrase_pairs, make_group_pairs

__all__ = [
    "EncoderUnion",
    "LastAxis",
    "PairFeatures",
    "PairSimilarity",
    "PairVectorizer",
    "extract_phrase_pairs",
    "make_cloze_pairs",
    "make_group_pairs",
]

_docstrings.complete(__name__)
