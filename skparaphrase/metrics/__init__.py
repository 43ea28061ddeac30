"""Measures of similarity, ranking and retrieval, and scorers for model selection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.metrics._ranking import check_relevance as check_relevance
from skparaphrase.metrics._ranking import (
    map_scorer,
    mean_average_precision,
    mean_reciprocal_rank,
    mrr_scorer,
)
from skparaphrase.metrics._ranking import query_codes as query_codes
from skparaphrase.metrics._ranking import split_queries as split_queries
from skparaphrase.metrics._retrieval import RetrievalScorer
from skparaphrase.metrics._similarity import (
    STSScorer,
    pearson_score,
    pearson_scorer,
    spearman_score,
    spearman_scorer,
)
from skparaphrase.metrics._similarity import check_columns as check_columns
from skparaphrase.metrics._similarity import correlation as correlation

__all__ = [
    "RetrievalScorer",
    "STSScorer",
    "map_scorer",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "mrr_scorer",
    "pearson_score",
    "pearson_scorer",
    "spearman_score",
    "spearman_scorer",
]
