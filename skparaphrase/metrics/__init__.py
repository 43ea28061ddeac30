"""Measures of similarity and of ranking, and scorers for model selection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.metrics._correlation import pearson_score, spearman_score
from skparaphrase.metrics._ranking import (
    mean_average_precision,
    mean_reciprocal_rank,
)
from skparaphrase.metrics._ranking_scorers import map_scorer, mrr_scorer
from skparaphrase.metrics._scorers import (
    STSScorer,
    pearson_scorer,
    spearman_scorer,
)

__all__ = [
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
