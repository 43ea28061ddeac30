"""The encoder that comes with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cache
from importlib.resources import files

import numpy as np

from skparaphrase.encoders._average import AverageEncoder
from skparaphrase.vectors import WordVectors, load_word_vectors

_FILE = files("skparaphrase.encoders") / "data" / "english.npz"


def load_pretrained() -> AverageEncoder:
    """Load the encoder of English sentences that comes with the package.

    An average of word vectors that were trained so that averages predict the vectors of
    sentences that all-MiniLM-L6-v2 (Apache-2.0) gives: 30,215 words, 300 dimensions.
    Weights and the removal of a common component are part of the vectors. Trained
    only on words and texts that come with the package, and on variations of them, by
    `benchmarks/build_pretrained.py`; `LICENSES/DATA.md` has the licences.

    Returns
    -------
    encoder : AverageEncoder
        Needs no `fit`, and so survives :func:`sklearn.base.clone`. Its table,
        `encoder.vectors`, is the same object at every call.

    See Also
    --------
    skparaphrase.datasets.load_word_vectors : The bundled vectors of single words.
    skparaphrase.encoders.ParagramEncoder : Trains the vectors further, on pairs:
        `ParagramEncoder(load_pretrained().vectors).fit(pairs)`.

    Examples
    --------
    >>> import skparaphrase
    >>> from skparaphrase.pairs import PairSimilarity
    >>> encoder = skparaphrase.load_pretrained()
    >>> pairs = [("A cat sleeps.", "The cat is asleep."), ("A cat sleeps.", "Hello!")]
    >>> similarity = PairSimilarity().fit(encoder.transform(pairs))
    >>> first, second = similarity.predict(encoder.transform(pairs))
    >>> bool(first > 0.5 > second)
    True
    """
    return AverageEncoder(_vectors())


@cache
def _vectors() -> WordVectors:
    """Two numbers from -7 to 7 in a byte, and a scale per word."""
    with _FILE.open("rb") as file, np.load(file, allow_pickle=False) as data:
        nibbles, scale = data["nibbles"], data["scale"]
    matrix = np.empty((len(nibbles), 2 * nibbles.shape[1]), dtype=np.int8)
    matrix[:, ::2] = nibbles >> 4
    matrix[:, 1::2] = nibbles & 15
    matrix -= 8
    return WordVectors(load_word_vectors().words, matrix, scale=scale)
