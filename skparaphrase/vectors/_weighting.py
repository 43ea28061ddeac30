"""Weights of words that follow from their frequencies."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping
from itertools import islice
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from skparaphrase._estimator import warn_caller
from skparaphrase.text import WordTokenizer
from skparaphrase.text._tokenizer import is_word
from skparaphrase.vectors._frequencies import WordFrequencies, load_word_frequencies

if TYPE_CHECKING:
    from skparaphrase.vectors._word_vectors import WordVectors

_SAMPLE = 1000  # texts that are searched for punctuation


def weighted(
    self: "WordVectors",
    frequencies: WordFrequencies | Mapping[str, int] | None = None,
    a: float = 1e-3,
) -> "WordVectors":
    """Multiply the vector of each word by its SIF weight, `a / (a + p(w))`.

    Plain averages of the new table are the vectors of
    :class:`~skparaphrase.encoders.SIFEncoder` with the old one. Start the training of
    an encoder from such a table: `ParagramEncoder(vectors.centered().weighted())`.

    Parameters
    ----------
    frequencies : WordFrequencies or mapping of str to int, default=None
        Word counts. Words without a count keep their vectors, with a warning if these
        include all punctuation. None uses the bundled counts of English Wikipedia.
    a : float, default=1e-3
        A word with probability `a` has weight 1/2.

    Returns
    -------
    vectors : WordVectors
        In float32, with the same words and `is_weighted=True`. The vectors made of
        n-grams for unknown words have weight 1.

    Raises
    ------
    ValueError
        If the table is weighted already, or if `a` is not positive.

    References
    ----------
    S. Arora, Y. Liang, T. Ma, "A Simple but Tough-to-Beat Baseline for Sentence
    Embeddings", ICLR 2017.

    Examples
    --------
    >>> from skparaphrase.vectors import WordVectors
    >>> vectors = WordVectors(["the", "cat"], [[4.0, 0.0], [0.0, 4.0]])
    >>> weighted = vectors.weighted({"the": 3, "cat": 1}, a=0.25)
    >>> weighted.matrix
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    >>> weighted.is_weighted
    True
    """
    check_scalar(a, "a", Real, min_val=0, include_boundaries="neither")
    if self.is_weighted:
        raise ValueError(
            "These vectors already include the weights of their words, and would be "
            "weighted twice."
        )
    probabilities = _counted_probabilities(self, frequencies, self.words)
    return multiplied(self, sif_weights(probabilities, a))


def multiplied(
    vectors: "WordVectors",
    weights: NDArray[np.floating],
    *,
    unknown_weight: float = 1.0,
) -> "WordVectors":
    """The table with each row multiplied by a weight, marked as weighted."""
    column = weights.astype(np.float32)[:, np.newaxis]
    found = vectors.replace(vectors.rows(slice(None)) * column, factor=unknown_weight)
    found.is_weighted = True
    return found


def sif_weights(probabilities: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """Weights `a / (a + p(w))` of Arora et al. (2017)."""
    return a / (a + probabilities)


def word_probabilities(
    vectors: "WordVectors",
    tokenizer: WordTokenizer,
    frequencies: WordFrequencies | Mapping[str, int] | str | None,
    texts: Iterable[str],
) -> NDArray[np.float64]:
    """p(w) of each word of a table, shape (n_words,)."""
    if isinstance(frequencies, str):  # "corpus"
        counts = np.zeros(len(vectors), dtype=np.int64)
        for batch in vectors.encode_blocks(texts, tokenizer, known_only=True):
            np.add.at(counts, batch.ids, 1)
        return counts / max(counts.sum(), 1)
    tokens = () if frequencies is None else tokenizer.count([*islice(texts, _SAMPLE)])
    return _counted_probabilities(vectors, frequencies, tokens)


def _counted_probabilities(
    vectors: "WordVectors",
    frequencies: WordFrequencies | Mapping[str, int] | None,
    tokens: Iterable[str],
) -> NDArray[np.float64]:
    """The same of counts; warns if they lack the punctuation among some tokens."""
    if frequencies is None:
        return load_word_frequencies().probabilities(vectors.words)
    given = WordFrequencies.check(frequencies)
    marks = [t for t in tokens if not is_word(t) and t in vectors]
    if marks and not any(mark in given for mark in marks):
        warn_caller(
            "The word counts lack punctuation: like the rarest words, "
            f"{', '.join(map(repr, marks[:3]))} will have weight 1. Use "
            "`frequencies.fill_from(load_word_frequencies())`."
        )
    return given.probabilities(vectors.words)


def warn_if_weighted(encoder: object, vectors: "WordVectors") -> None:
    """Warn that an encoder weights vectors which include weights already."""
    if vectors.is_weighted:
        warn_caller(
            f"{type(encoder).__name__} weights its word vectors, but these already "
            "include weights. Use AverageEncoder, which averages them as they are, or "
            "vectors that are not weighted."
        )
