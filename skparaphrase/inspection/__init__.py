"""Inspection of models: explanations, neighbours, weights, scores and training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.inspection._display import (
    SimilarityErrorDisplay,
    TrainingCurveDisplay,
)
from skparaphrase.inspection._explain_prediction import explain_prediction
from skparaphrase.inspection._explain_similarity import (
    SimilarityExplanationDisplay,
    explain_similarity,
)
from skparaphrase.inspection._prediction_display import PredictionExplanationDisplay
from skparaphrase.inspection._word_interactions import word_interactions
from skparaphrase.inspection._words import nearest_texts, token_weights

__all__ = [
    "PredictionExplanationDisplay",
    "SimilarityErrorDisplay",
    "SimilarityExplanationDisplay",
    "TrainingCurveDisplay",
    "explain_prediction",
    "explain_similarity",
    "nearest_texts",
    "token_weights",
    "word_interactions",
]

_docstrings.complete(__name__)
