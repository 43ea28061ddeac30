"""Inspection of models: explanations, neighbours, weights, scores and training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.inspection._display import SimilarityDisplay, TrainingCurveDisplay
from skparaphrase.inspection._explanation import ExplanationDisplay, explain_similarity
from skparaphrase.inspection._interaction import word_interactions
from skparaphrase.inspection._prediction import explain_prediction
from skparaphrase.inspection._words import neighbors, token_weights

__all__ = [
    "ExplanationDisplay",
    "SimilarityDisplay",
    "TrainingCurveDisplay",
    "explain_prediction",
    "explain_similarity",
    "neighbors",
    "token_weights",
    "word_interactions",
]
