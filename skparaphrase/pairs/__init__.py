"""Steps that work on the vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.pairs._features import PairFeatures, PairVectorizer
from skparaphrase.pairs._last_axis import LastAxis, LastAxisUnion
from skparaphrase.pairs._similarity import PairSimilarity

__all__ = [
    "LastAxis",
    "LastAxisUnion",
    "PairFeatures",
    "PairSimilarity",
    "PairVectorizer",
]
