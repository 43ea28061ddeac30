"""Steps that work on the vectors of pairs, and pairs to train on."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.pairs._documents import make_cloze_pairs
from skparaphrase.pairs._features import PairFeatures, PairVectorizer
from skparaphrase.pairs._last_axis import LastAxis, LastAxisUnion
from skparaphrase.pairs._similarity import PairSimilarity
from skparaphrase.pairs._sources import extract_phrase_pairs, pairs_within_groups

__all__ = [
    "LastAxis",
    "LastAxisUnion",
    "PairFeatures",
    "PairSimilarity",
    "PairVectorizer",
    "extract_phrase_pairs",
    "make_cloze_pairs",
    "pairs_within_groups",
]
