"""Measures of similarity, and scorers for model selection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.metrics._correlation import pearson_score, spearman_score
from skparaphrase.metrics._scorers import (
    STSScorer,
    pearson_scorer,
    spearman_scorer,
)

__all__ = [
    "STSScorer",
    "pearson_score",
    "pearson_scorer",
    "spearman_score",
    "spearman_scorer",
]
