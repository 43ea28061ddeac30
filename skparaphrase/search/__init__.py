"""Semantic search, mining of paraphrases and hard negatives, near duplicates."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.search._duplicates import NearDuplicates
from skparaphrase.search._mining import ParaphraseMiner, mine_hard_negatives
from skparaphrase.search._semantic import SemanticSearch

__all__ = [
    "NearDuplicates",
    "ParaphraseMiner",
    "SemanticSearch",
    "mine_hard_negatives",
]

_docstrings.complete(__name__)
