"""Pairs of sentences compared word by word: similarity and answer ranking."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.interaction._ranker import PairwiseInteractionRanker
from skparaphrase.interaction._regressor import PairwiseInteractionRegressor

__all__ = ["PairwiseInteractionRanker", "PairwiseInteractionRegressor"]
