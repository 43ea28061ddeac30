"""Steps that work on the vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.pairs._features import PairFeatures
from skparaphrase.pairs._last_axis import LastAxis
from skparaphrase.pairs._similarity import PairSimilarity
from skparaphrase.pairs._union import LastAxisUnion, make_last_axis_union
from skparaphrase.pairs._vectorizer import PairVectorizer

__all__ = [
    "LastAxis",
    "LastAxisUnion",
    "PairFeatures",
    "PairSimilarity",
    "PairVectorizer",
    "make_last_axis_union",
]
