"""Tables made from other tables, and weights of words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar, gen_batches

from skparaphrase.text import WordTokenizer
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors._frequencies import WordFrequencies
from skparaphrase.vectors._subwords import Subwords, fit_rows, ngram_matrix
from skparaphrase.vectors._word_vectors import WordVectors

_COLUMNS = 128  # dimensions solved for at a time, to fit in the caches
_TOL = 3e-4  # of residuals: beyond it, vectors of unknown words hardly change


def remove_mean(vectors: WordVectors) -> WordVectors:
    """Subtract the mean of all vectors.

    If all vectors share a direction, all their averages are similar.
    :class:`~skparaphrase.encoders.ParaphraseEncoder` has no layer that could remove
    this direction, so it learns faster from centred vectors.

    Parameters
    ----------
    vectors : WordVectors

    Returns
    -------
    centered : WordVectors
        In float32, with the same words; vectors of n-grams are also shifted.

    Examples
    --------
    >>> from skparaphrase.vectors import WordVectors, remove_mean
    >>> vectors = WordVectors(["cat", "dog"], [[5.0, 1.0], [5.0, -3.0]])
    >>> remove_mean(vectors).matrix
    array([[ 0.,  2.],
           [ 0., -2.]], dtype=float32)
    """
    matrix = vectors.rows()
    mean = matrix.mean(axis=0)
    subwords = vectors.subwords
    if subwords is not None:
        subwords = subwords.moved(1.0, -mean)
    return vectors.replace(matrix - mean, subwords=subwords)


def apply_sif_weights(
    vectors: WordVectors,
    frequencies: WordFrequencies | Mapping[str, int] | None = None,
    a: float = 1e-3,
) -> WordVectors:
    """Multiply the vector of each word by its SIF weight, `a / (a + p(w))`.

    Plain averages of the new table are the vectors of
    :class:`~skparaphrase.encoders.SIFEncoder` with the old one. Start the training of
    an encoder from such a table: `ParaphraseEncoder(apply_sif_weights(vectors))`.

    Parameters
    ----------
    vectors : WordVectors
    frequencies : WordFrequencies or mapping of str to int, default=None
        Word counts, by :meth:`WordFrequencies.from_texts` for example. Words without a
        count keep their vectors. None uses the bundled counts of English Wikipedia.
    a : float, default=1e-3
        A word with probability `a` has weight 1/2.

    Returns
    -------
    weighted : WordVectors
        In float32, with the same words and `is_weighted=True`. Out-of-vocabulary words
        have weight 1.

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
    >>> from skparaphrase.vectors import WordVectors, apply_sif_weights
    >>> vectors = WordVectors(["the", "cat"], [[4.0, 0.0], [0.0, 4.0]])
    >>> weighted = apply_sif_weights(vectors, {"the": 3, "cat": 1}, a=0.25)
    >>> weighted.matrix
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    >>> weighted.is_weighted
    True
    """
    check_scalar(a, "a", Real, min_val=0, include_boundaries="neither")
    if vectors.is_weighted:
        raise ValueError(
            "These vectors already include the weights of their words and would be "
            "weighted twice."
        )
    counts = WordFrequencies.check(frequencies)
    return multiplied(vectors, sif_weights(counts.probabilities(vectors.words), a))


def multiplied(
    vectors: WordVectors,
    weights: NDArray[np.floating] | float,
    *,
    unknown_weight: float = 1.0,
    is_weighted: bool = True,
) -> WordVectors:
    """Multiply the vectors of words by weights, and vectors of other words by one."""
    matrix = vectors.rows() * np.asarray(weights, np.float32)[..., np.newaxis]
    subwords = vectors.subwords
    if subwords is not None and unknown_weight != 1:
        subwords = subwords.moved(unknown_weight)
    return vectors.replace(matrix, subwords=subwords, is_weighted=is_weighted)


def sif_weights(probabilities: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """Weights `a / (a + p(w))` of Arora et al. (2017)."""
    return a / (a + probabilities)


def word_probabilities(
    vectors: WordVectors,
    tokenizer: WordTokenizer,
    frequencies: WordFrequencies | Mapping[str, int] | str | None,
    texts: Iterable[str],
) -> NDArray[np.float64]:
    """p(w) of each word of a table, shape (n_words,)."""
    if isinstance(frequencies, str):  # "corpus"
        counts = np.zeros(len(vectors), dtype=np.int64)
        for batch in vectors.encode_blocks(texts, tokenizer, skip_unknown=True):
            np.add.at(counts, batch.ids, 1)
        return counts / max(counts.sum(), 1)
    return WordFrequencies.check(frequencies).probabilities(vectors.words)


def append_new_words(
    vectors: WordVectors, texts: Iterable[str], tokenizer: WordTokenizer
) -> tuple[WordVectors, TokenBatch]:
    """Append the words of texts that a table lacks, if it has vectors for them.

    New words follow the others in the order of the texts. The batch contains the rows
    of the tokens in the new table.
    """
    batch, new_words = vectors.encode_with_new_words(texts, tokenizer)
    if not new_words:
        return vectors, batch
    table = vectors.with_rows([], [], new_words, batch.extra)
    ids = np.where(batch.ids < 0, len(vectors) - 1 - batch.ids, batch.ids)
    return table, TokenBatch(ids.astype(np.int32), batch.offsets)


def fit_subwords(
    vectors: WordVectors,
    ngram_range: tuple[int, int] = (3, 5),
    n_rows: int = 8192,
    alpha: float = 1.0,
    factor: float = 2.0,
) -> WordVectors:
    """Learn vectors of character n-grams, from which unknown words get vectors.

    The vector of a word `w` is `factor` times the sum of the rows of the n-grams of
    `<w>` and of `<w>` itself, divided by the square root of their number. Rows are
    chosen by a hash, as in fastText, and learnt by ridge regression from the words of
    three letters or more, without digits (bag of subwords, Zhao et al. 2018, in closed
    form). This takes 0.5 s for the bundled table; the time grows with the number of
    words.

    Parameters
    ----------
    vectors : WordVectors
    ngram_range : tuple of int, default=(3, 5)
        Lengths of the shortest and the longest n-grams.
    n_rows : int, default=8192
        Number of rows that the n-grams share.
    alpha : float, default=1.0
        Strength of the ridge penalty.
    factor : float, default=2.0
        Factor that compensates for the shrinkage of the regression.

    Returns
    -------
    with_subwords : WordVectors
        The same words and matrix, with `unknown="subword"`.

    Raises
    ------
    ValueError
        If a parameter is out of range, or no word has three letters.

    References
    ----------
    J. Zhao, S. Mudgal, Y. Liang, "Generalizing Word Embeddings using Bag of
    Subwords", EMNLP 2018.

    Examples
    --------
    >>> from skparaphrase.datasets import load_word_vectors
    >>> from skparaphrase.vectors import fit_subwords
    >>> vectors = fit_subwords(load_word_vectors(), n_rows=1024)
    >>> "unfriendliest" in vectors, vectors["unfriendliest"].shape
    (False, (128,))
    """
    low, high = ngram_range
    if not 1 <= low <= high:
        raise ValueError(f"ngram_range must rise from 1 or more; got {ngram_range}.")
    if n_rows < 1 or not alpha > 0:
        raise ValueError(f"n_rows and alpha must be positive; got {n_rows}, {alpha}.")
    words = [word for word in vectors.words if len(word) > 2 and word.isalpha()]
    if not words:
        raise ValueError("No word of the table has three letters to learn from.")
    rows = np.array([vectors.index[word] for word in words])
    ngrams = ngram_matrix(words, n_rows, ngram_range)
    targets = vectors.rows(rows)
    fitted = np.hstack(
        [
            fit_rows(ngrams, targets[:, dims], alpha=alpha, tol=_TOL)
            for dims in gen_batches(vectors.dim, _COLUMNS)
        ]
    )
    subwords = Subwords(fitted, ngram_range=ngram_range, factor=factor)
    return vectors.replace(
        vectors.matrix, scale=vectors.scale, unknown="subword", subwords=subwords
    )
