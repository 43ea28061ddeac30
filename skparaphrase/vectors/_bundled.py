"""The word vectors that come with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from skparaphrase.vectors._subwords import Subwords
from skparaphrase.vectors._word_vectors import WordVectors

SENTENCES = "skparaphrase:sentences"  # of load_pretrained

#: Packages with a file of vectors, and whether these include weights, by name.
BUNDLED = {
    "skparaphrase:words": ("skparaphrase.vectors", False),
    SENTENCES: ("skparaphrase.encoders", True),
}


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
    return bundled("skparaphrase:words")


@cache
def bundled(name: str) -> WordVectors:
    """Read a file of the package: words, vectors, and the n-grams of other words.

    Pickles and saved models refer to it.
    """
    package, is_weighted = BUNDLED[name]
    path = files(package) / "data" / "english.npz"
    with path.open("rb") as file:
        vectors = read_table(file, is_weighted=is_weighted)
    vectors._source = name, vectors._fingerprint()
    return vectors


def read_table(file: Any, *, is_weighted: bool) -> WordVectors:
    """Read the words, vectors and n-grams of a path or a file in the package's format.

    Raises ValueError, KeyError or OSError if it is not one.
    """
    with np.load(file, allow_pickle=False) as data:
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


def is_bundled(vectors: Any, *names: str) -> bool:
    """Whether these are word vectors of the package, or those of some names."""
    source = getattr(vectors, "_source", None)
    return source is not None and source[0] in (names or BUNDLED)


def referred(name: str, fingerprint: int) -> WordVectors:
    """The table that a pickle or a saved model refers to.

    Raises ValueError if this version of the package has another one.
    """
    if name not in BUNDLED or (vectors := bundled(name))._fingerprint() != fingerprint:
        raise ValueError(
            f"This refers to the word vectors {name!r} of another version of "
            "skparaphrase. Use the version that wrote it, or fit and save again."
        )
    return vectors
