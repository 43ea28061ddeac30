"""Steps that work on the vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.pairs._features import PairFeatures
from skparaphrase.pairs._last_axis import LastAxis
from skparaphrase.pairs._similarity import PairSimilarity

__all__ = ["LastAxis", "PairFeatures", "PairSimilarity"]
