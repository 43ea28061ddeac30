"""Models that learn scores, classes, ranks and tags from labelled texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# Names imported "as" themselves are for other packages, and not public.
from skparaphrase import _docstrings
from skparaphrase.supervised._classifiers import PairClassifier, TextClassifier
from skparaphrase.supervised._interaction import PairwiseInteractionRegressor
from skparaphrase.supervised._ranker import PairwiseInteractionRanker
from skparaphrase.supervised._similarity import SimilarityRegressor
from skparaphrase.supervised._tagger import SequenceTagger

__all__ = [
    "PairClassifier",
    "PairwiseInteractionRanker",
    "PairwiseInteractionRegressor",
    "SequenceTagger",
    "SimilarityRegressor",
    "TextClassifier",
]

# Modules that other packages import from; the others are private to this one.
_SHARED = ("_interaction",)

_docstrings.complete(__name__)
