"""Inspection of models: explanations, neighbours, weights, scores and training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.inspection._explanation import ExplanationDisplay, explain_similarity
from skparaphrase.inspection._interaction import word_interactions
from skparaphrase.inspection._neighbors import neighbors
from skparaphrase.inspection._similarity import SimilarityDisplay
from skparaphrase.inspection._training import TrainingCurveDisplay
from skparaphrase.inspection._unknown_words import unknown_words
from skparaphrase.inspection._weights import TokenWeightsDisplay, token_weights

__all__ = [
    "ExplanationDisplay",
    "SimilarityDisplay",
    "TokenWeightsDisplay",
    "TrainingCurveDisplay",
    "explain_similarity",
    "neighbors",
    "token_weights",
    "unknown_words",
    "word_interactions",
]
