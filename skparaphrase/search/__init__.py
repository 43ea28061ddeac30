"""Search, paraphrase mining and near duplicates, with any encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.search._duplicates import NearDuplicates
from skparaphrase.search._mining import ParaphraseMiner
from skparaphrase.search._semantic import SemanticSearch

__all__ = ["NearDuplicates", "ParaphraseMiner", "SemanticSearch"]
