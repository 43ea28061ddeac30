"""Word vectors and word frequencies."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.vectors._changes import apply_changes as apply_changes
from skparaphrase.vectors._changes import find_changes as find_changes
from skparaphrase.vectors._frequencies import WordFrequencies
from skparaphrase.vectors._frequencies import (
    load_word_frequencies as load_word_frequencies,
)
from skparaphrase.vectors._libraries import import_word_vectors
from skparaphrase.vectors._oov import Subwords
from skparaphrase.vectors._pooling import POOLINGS as POOLINGS
from skparaphrase.vectors._pooling import pool_texts as pool_texts
from skparaphrase.vectors._pooling import pool_vectors as pool_vectors
from skparaphrase.vectors._pooling import token_shares as token_shares
from skparaphrase.vectors._pooling import weighted_tokens as weighted_tokens
from skparaphrase.vectors._read import read_word_vectors
from skparaphrase.vectors._storage import LANGUAGES as LANGUAGES
from skparaphrase.vectors._storage import SENTENCES as SENTENCES
from skparaphrase.vectors._storage import WORDS as WORDS
from skparaphrase.vectors._storage import bundled as bundled
from skparaphrase.vectors._storage import bundled_reference as bundled_reference
from skparaphrase.vectors._storage import load_table as load_table
from skparaphrase.vectors._storage import load_word_vectors as load_word_vectors
from skparaphrase.vectors._storage import referred as referred
from skparaphrase.vectors._storage import save_word_vectors
from skparaphrase.vectors._transforms import append_new_words as append_new_words
from skparaphrase.vectors._transforms import (
    apply_sif_weights,
    fit_subwords,
    nearest_words,
    remove_mean,
)
from skparaphrase.vectors._transforms import fit_rows as fit_rows
from skparaphrase.vectors._transforms import multiplied as multiplied
from skparaphrase.vectors._transforms import sif_weights as sif_weights
from skparaphrase.vectors._transforms import word_probabilities as word_probabilities
from skparaphrase.vectors._word_vectors import WordVectors

__all__ = [
    "Subwords",
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
