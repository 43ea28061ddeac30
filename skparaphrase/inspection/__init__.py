"""Inspection of models: training, neighbours, weights, scores, margins and focus."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.inspection._explanation import ExplanationDisplay, explain_similarity
from skparaphrase.inspection._frequency_weights import FrequencyWeightsDisplay
from skparaphrase.inspection._grouped_scores import GroupedScoresDisplay
from skparaphrase.inspection._interaction import InteractionDisplay, word_interactions
from skparaphrase.inspection._margins import MarginDisplay, margins
from skparaphrase.inspection._neighbors import nearest_units, neighbors
from skparaphrase.inspection._scores import (
    grouped_scores,
    pair_lengths,
    scores_by_length,
    scores_by_unknown,
    unknown_words,
)
from skparaphrase.inspection._similarity import SimilarityDisplay
from skparaphrase.inspection._training import TrainingCurveDisplay
from skparaphrase.inspection._weights import TokenWeightsDisplay, token_weights

__all__ = [
    "ExplanationDisplay",
    "FrequencyWeightsDisplay",
    "GroupedScoresDisplay",
    "InteractionDisplay",
    "MarginDisplay",
    "SimilarityDisplay",
    "TokenWeightsDisplay",
    "TrainingCurveDisplay",
    "explain_similarity",
    "grouped_scores",
    "margins",
    "nearest_units",
    "neighbors",
    "pair_lengths",
    "scores_by_length",
    "scores_by_unknown",
    "token_weights",
    "unknown_words",
    "word_interactions",
]
