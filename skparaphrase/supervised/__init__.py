"""Scores and classes of texts and pairs, trained end to end or on frozen vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.supervised._classifiers import PairClassifier, SentenceClassifier
from skparaphrase.supervised._similarity import SimilarityRegressor

__all__ = ["PairClassifier", "SentenceClassifier", "SimilarityRegressor"]
