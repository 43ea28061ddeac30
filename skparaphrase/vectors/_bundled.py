"""The word vectors that come with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from skparaphrase.vectors._subwords import Subwords
from skparaphrase.vectors._word_vectors import WordVectors

_FILE = files("skparaphrase.vectors") / "data" / "english.npz"


@cache
def load_word_vectors() -> WordVectors:
    """Load the English word vectors that come with the package.

    The 30,000 most frequent words of the English Wikipedia, contractions, numbers and
    punctuation, with 128 dimensions, in int8 with a scale per word. Distilled from the
    vectors that all-MiniLM-L6-v2 (Apache-2.0) gives single words. Other words get the
    vectors of their character n-grams (`unknown="subword"`).

    Returns
    -------
    vectors : WordVectors
        The same object at every call.

    Examples
    --------
    >>> from skparaphrase.datasets import load_word_vectors
    >>> vectors = load_word_vectors()
    >>> vectors.dim
    128
    """
    return read_bundled(_FILE)


def read_bundled(path: Any, *, is_weighted: bool = False) -> WordVectors:
    """Read a file of the package: words, vectors, and the n-grams of other words."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
        low, high = data["ngram_range"].tolist()
        return WordVectors(
            bytes(data["words"]).decode("utf-8").split("\n"),
            data["matrix"],
            scale=data["scale"],
            unknown="subword",
            subwords=Subwords(
                np.ascontiguousarray(data["ngrams"]),
                scale=data["ngrams_scale"].astype(np.float32),
                ngram_range=(low, high),
                factor=float(data["factor"]),
            ),
            is_weighted=is_weighted,
        )
