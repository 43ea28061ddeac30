"""Vectors of words that a table lacks, from their character n-grams."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from skparaphrase.vectors._word_vectors import WordVectors


def hashed_ngrams(word: str, ngram_range: tuple[int, int]) -> list[int]:
    """A hash of each character n-gram of `<word>`, and of the whole.

    The CRC-32 of the n-gram in UTF-8, which is the same on every machine.
    """
    whole: Any = f"<{word}>"
    if whole.isascii():
        whole = whole.encode()
        pieces = _slices(whole, ngram_range)
    else:
        pieces = (p.encode("utf-8", "replace") for p in _slices(whole, ngram_range))
    return list(map(crc32, pieces))


def _slices(whole: Any, ngram_range: tuple[int, int]) -> Iterable[Any]:
    lowest, highest = ngram_range
    size = len(whole)
    for order in range(lowest, min(highest, size) + 1):
        for start in range(size - order + 1):
            yield whole[start : start + order]
    if not lowest <= size <= highest:
        yield whole


def fasttext_ngrams(word: str, ngram_range: tuple[int, int]) -> list[int]:
    """The hashes of fastText: 32-bit FNV-1a over signed bytes, without the whole word.

    Bojanowski et al. (2017); single characters at the ends are left out.
    """
    whole = f"<{word}>"
    hashes = []
    for order in range(ngram_range[0], min(ngram_range[1], len(whole)) + 1):
        for start in range(len(whole) - order + 1):
            if order == 1 and start in (0, len(whole) - 1):
                continue
            found = 2166136261
            for byte in whole[start : start + order].encode("utf-8", "replace"):
                signed = byte if byte < 128 else byte | 0xFFFFFF00
                found = (found ^ signed) * 16777619 & 0xFFFFFFFF
            hashes.append(found)
    return hashes


class Subwords:
    """The vector of a word is a sum of rows that belong to its character n-grams.

    Bag of subwords (Zhao, Mudgal and Liang 2018) with hashed n-grams, or the n-grams of
    fastText (Bojanowski et al. 2017).

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, dim)
        In float32, float16, or int8 with `scale`.
    scale : ndarray of shape (n_rows,), default=None
        With int8: row `i` is `matrix[i] * scale[i]`.
    ngram_range : tuple of int, default=(3, 5)
        The shortest and the longest n-grams of `<word>`.
    kind : {"crc32", "fasttext"}, default="crc32"
        The hash. With "crc32" the whole word is an n-gram, too, and the sum is divided
        by the root of their number; "fasttext" takes the mean.
    factor : float, default=1.0
        Multiplies the vectors.
    shift : array-like of shape (dim,), default=None
        Then added to them; None is zero.

    See Also
    --------
    WordVectors.fit_subwords : Learns the rows.

    References
    ----------
    J. Zhao, S. Mudgal, Y. Liang, "Generalizing Word Embeddings using Bag of Subwords",
    EMNLP 2018.

    P. Bojanowski, E. Grave, A. Joulin, T. Mikolov, "Enriching Word Vectors with Subword
    Information", TACL 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.vectors import Subwords
    >>> Subwords(np.eye(4), ngram_range=(3, 3)).vector("cat").round(2)
    array([1.5, 0.5, 0. , 0. ], dtype=float32)
    """

    def __init__(
        self,
        matrix: NDArray[Any],
        *,
        scale: NDArray[np.floating] | None = None,
        ngram_range: tuple[int, int] = (3, 5),
        kind: str = "crc32",
        factor: float = 1.0,
        shift: Any = None,
    ) -> None:
        self.matrix = matrix
        self.scale = scale
        self.ngram_range = ngram_range
        self.kind = kind
        self.factor = factor
        self.shift = None if shift is None else np.asarray(shift, dtype=np.float32)

    def vector(self, word: str) -> NDArray[np.float32]:
        """Sum the rows of the n-grams of a word.

        Parameters
        ----------
        word : str

        Returns
        -------
        vector : ndarray of shape (dim,), float32
        """
        if self.kind == "fasttext":
            hashes, power = fasttext_ngrams(word, self.ngram_range), 1.0
        else:
            hashes, power = hashed_ngrams(word, self.ngram_range), 0.5
        rows = np.array(hashes, dtype=np.int64) % len(self.matrix)
        weights = np.full(len(rows), self.factor / max(len(rows), 1) ** power)
        if self.scale is not None:
            weights *= self.scale[rows]
        vector = weights.astype(np.float32) @ self.matrix[rows].astype(np.float32)
        return vector if self.shift is None else vector + self.shift

    def moved(self, factor: float, shift: Any = 0.0) -> "Subwords":
        """Move all vectors in the same way.

        Parameters
        ----------
        factor : float
            Multiplies the vectors.
        shift : array-like of shape (dim,) or float, default=0.0
            Then added to them.

        Returns
        -------
        subwords : Subwords
            With the same rows.
        """
        settings = dict(vars(self))
        before = 0.0 if self.shift is None else self.shift
        settings["factor"] = self.factor * factor
        settings["shift"] = np.zeros(self.matrix.shape[1]) + factor * before + shift
        return Subwords(settings.pop("matrix"), **settings)

    def astype(self, dtype: str) -> "Subwords":
        """Convert the matrix to another data type.

        Parameters
        ----------
        dtype : {"float32", "float16", "int8"}

        Returns
        -------
        subwords : Subwords
        """
        matrix = self.matrix.astype(np.float32)
        if self.scale is not None:
            matrix *= self.scale[:, np.newaxis]
        settings = dict(vars(self))
        settings["matrix"], settings["scale"] = converted(matrix, dtype)
        return Subwords(settings.pop("matrix"), **settings)


def converted(
    matrix: NDArray[np.float32], dtype: str
) -> tuple[NDArray[Any], NDArray[np.float32] | None]:
    """A matrix in another data type, and with int8 the scale of each row."""
    if dtype != "int8":
        return matrix.astype(dtype), None
    scale = np.abs(matrix).max(axis=1, initial=0) / 127
    scale[scale == 0] = 1
    return np.rint(matrix / scale[:, np.newaxis]).astype(np.int8), scale


def ngram_matrix(
    words: Sequence[str], n_rows: int, ngram_range: tuple[int, int] = (3, 5)
) -> csr_array:
    """The n-grams of words, shape (n_words, n_rows).

    Its product with the rows of :class:`Subwords` is the vectors of the words: each
    n-gram counts one over the root of the number of n-grams.
    """
    hashes = [hashed_ngrams(word, ngram_range) for word in words]
    lengths = np.fromiter(map(len, hashes), np.int64, len(hashes))
    columns = np.fromiter((h % n_rows for each in hashes for h in each), np.int32)
    values = (1 / np.sqrt(lengths)).astype(np.float32).repeat(lengths)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    found = csr_array((values, columns, ends), shape=(len(words), n_rows))
    found.sum_duplicates()
    return found


def fit_subwords(
    self: "WordVectors",
    ngram_range: tuple[int, int] = (3, 5),
    n_rows: int = 8192,
    alpha: float = 1.0,
    scale: float = 2.0,
) -> "WordVectors":
    """Learn vectors of character n-grams, which stand for words without a vector.

    The vector of a word `w` is `scale` times the sum of the rows of the n-grams of
    `<w>` and of `<w>` itself, divided by the root of their number. Rows are chosen
    by a hash, as in fastText, and learnt by ridge regression from the words of
    three letters or more, without digits (bag of subwords, Zhao et al. 2018, in
    closed form). Takes 2 s for the bundled table and grows with the words.

    Parameters
    ----------
    ngram_range : tuple of int, default=(3, 5)
        The shortest and the longest n-grams.
    n_rows : int, default=8192
        Rows that the n-grams share.
    alpha : float, default=1.0
        Strength of the ridge penalty.
    scale : float, default=2.0
        Makes up for the shrinkage of the regression.

    Returns
    -------
    vectors : WordVectors
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
    >>> vectors = load_word_vectors().fit_subwords(n_rows=1024)
    >>> "unfriendliest" in vectors, vectors["unfriendliest"].shape
    (False, (128,))
    """
    low, high = ngram_range
    if not 1 <= low <= high:
        raise ValueError(f"ngram_range must rise from 1 or more; got {ngram_range}.")
    if n_rows < 1 or not alpha > 0:
        raise ValueError(
            f"n_rows and alpha must be positive; got {n_rows} and {alpha}."
        )
    words = [word for word in self.words if len(word) > 2 and word.isalpha()]
    if not words:
        raise ValueError("No word of the table has three letters to learn from.")
    rows = np.array([self.index[word] for word in words])
    ngrams = ngram_matrix(words, n_rows, ngram_range)
    fitted = fit_rows(ngrams, self.rows(rows), alpha=alpha)
    subwords = Subwords(fitted, ngram_range=ngram_range, factor=scale)
    return type(self)(
        self.words,
        self.matrix,
        scale=self.scale,
        unknown="subword",
        subwords=subwords,
    )


def fit_rows(
    ngrams: csr_array, vectors: NDArray[np.float32], *, alpha: float, n_steps: int = 30
) -> NDArray[np.float32]:
    """Rows whose sums are close to the vectors of words, by ridge regression.

    Minimises `|N R - V|^2 + alpha |R|^2` for each column by conjugate gradients, with
    the diagonal as preconditioner.

    Parameters
    ----------
    ngrams : csr_array of shape (n_words, n_rows)
        Of :func:`ngram_matrix`.
    vectors : ndarray of shape (n_words, dim)
    alpha : float
    n_steps : int, default=30

    Returns
    -------
    rows : ndarray of shape (n_rows, dim), float32
    """
    transposed = ngrams.T.tocsr()
    scaling = 1 / (transposed.multiply(transposed).sum(axis=1) + alpha)
    scaling = scaling[:, np.newaxis].astype(np.float32)
    residual = transposed @ vectors
    rows = np.zeros_like(residual)
    direction = scaling * residual
    reduced = np.einsum("ij,ij->j", residual, direction)
    for _ in range(n_steps):
        image = transposed @ (ngrams @ direction) + alpha * direction
        curvature = np.einsum("ij,ij->j", direction, image)
        step = reduced / np.maximum(curvature, 1e-30)
        rows += step * direction
        residual -= step * image
        conditioned = scaling * residual
        before, reduced = reduced, np.einsum("ij,ij->j", residual, conditioned)
        direction = conditioned + reduced / np.maximum(before, 1e-30) * direction
    return rows
