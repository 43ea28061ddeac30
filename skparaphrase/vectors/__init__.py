"""Word vectors and word frequencies."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.vectors._frequencies import WordFrequencies
from skparaphrase.vectors._libraries import import_word_vectors
from skparaphrase.vectors._read import read_word_vectors
from skparaphrase.vectors._storage import save_word_vectors
from skparaphrase.vectors._transforms import (
    apply_sif_weights,
    fit_subwords,
    remove_mean,
)
from skparaphrase.vectors._word_vectors import WordVectors, nearest_words

__all__ = [
    "WordFrequencies",
    "WordVectors",
    "apply_sif_weights",
    "fit_subwords",
    "import_word_vectors",
    "nearest_words",
    "read_word_vectors",
    "remove_mean",
    "save_word_vectors",
]

# Modules that other packages import from; the others are private to this one.
_SHARED = (
    "_frequencies",
    "_pooling",
    "_rows",
    "_storage",
    "_subwords",
    "_transforms",
)

_docstrings.complete(__name__)
