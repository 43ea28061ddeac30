"""Measures of similarity, ranking and retrieval, and scorers for model selection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.metrics._ranking import map_score, map_scorer, mrr_score, mrr_scorer
from skparaphrase.metrics._retrieval import RetrievalScorer
from skparaphrase.metrics._similarity import (
    STSScorer,
    pearson_score,
    pearson_scorer,
    spearman_score,
    spearman_scorer,
)

__all__ = [
    "RetrievalScorer",
    "STSScorer",
    "map_score",
    "map_scorer",
    "mrr_score",
    "mrr_scorer",
    "pearson_score",
    "pearson_scorer",
    "spearman_score",
    "spearman_scorer",
]

# Modules that other packages import from; the others are private to this one.
_SHARED = ("_ranking", "_similarity")

_docstrings.complete(__name__)
