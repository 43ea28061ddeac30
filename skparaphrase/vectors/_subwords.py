"""Vectors of words from their character n-grams, fitted by least squares."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from skparaphrase import _core
from skparaphrase.text._ngrams import LONGEST_NGRAM
from skparaphrase.vectors._rows import check_rows, dequantize, quantize

_LONGEST_WORD = 1000  # characters; longer ones are data, such as images in base64


@dataclass(eq=False, repr=False)
class Subwords:
    """Vectors of words as sums of the rows of their character n-grams.

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
        The hash. With "crc32" the whole word is also an n-gram, and the sum is divided
        by the square root of their number; "fasttext" takes the mean.
    factor : float, default=1.0
        Factor by which the vectors are multiplied.
    shift : array-like of shape (dim,), default=None
        Vector that is then added; None is zero.

    Raises
    ------
    ValueError
        If shapes disagree, a value is not finite, or a setting is not valid.

    See Also
    --------
    fit_subwords : Learns the rows.

    References
    ----------
    J. Zhao, S. Mudgal, Y. Liang, "Generalizing Word Embeddings using Bag of Subwords",
    EMNLP 2018.

    P. Bojanowski, E. Grave, A. Joulin, T. Mikolov, "Enriching Word Vectors with Subword
    Information", TACL 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.vectors._subwords import Subwords
    >>> Subwords(np.eye(4), ngram_range=(3, 3)).vectors(["cat"]).round(2)
    array([[1.5, 0.5, 0. , 0. ]], dtype=float32)
    """

    matrix: NDArray[Any]
    _: KW_ONLY
    scale: NDArray[np.floating] | None = None
    ngram_range: tuple[int, int] = (3, 5)
    kind: str = "crc32"
    factor: float = 1.0
    shift: Any = None

    def __post_init__(self) -> None:
        self.matrix = check_rows(self.matrix)
        if self.scale is not None:
            self.scale = np.require(self.scale, np.float32, ["C", "A"])
        if self.shift is not None:
            self.shift = np.asarray(self.shift, dtype=np.float32)
        shape, (low, high) = self.matrix.shape, self.ngram_range
        columns = {"scale": (self.scale, shape[:1]), "shift": (self.shift, shape[1:])}
        if len(shape) != 2 or not shape[0]:
            raise ValueError(f"The vectors of n-grams are of shape {shape}.")
        for name, (column, size) in columns.items():
            if column is not None and (
                column.shape != size or not np.isfinite(column).all()
            ):
                raise ValueError(
                    f"The {name} of the n-grams must be {size[0]} numbers."
                )
        if (self.matrix.dtype == np.int8) != (self.scale is not None):
            raise ValueError("int8 vectors of n-grams need a scale per row.")
        is_range = 1 <= low <= high <= LONGEST_NGRAM and np.isfinite(self.factor)
        if not is_range or self.kind not in ("crc32", "fasttext"):
            raise ValueError(
                f"ngram_range={self.ngram_range}, kind={self.kind!r} and "
                f"factor={self.factor} are not valid settings of n-grams."
            )

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Sum the rows of the n-grams of words.

        Parameters
        ----------
        words : sequence of str

        Returns
        -------
        vectors : ndarray of shape (n_words, dim), float32
            A row is bit-identical whatever the other words are. The vector of a long
            word is made of its first 1,000 characters.
        """
        n_rows, dim = self.matrix.shape
        if max(map(len, words), default=0) > _LONGEST_WORD:
            words = [word[:_LONGEST_WORD] for word in words]
        ids, offsets, weights = _core.core.hash_ngrams(
            words, *self.ngram_range, self.kind, n_rows, self.factor
        )
        summed = np.zeros((len(words), dim), np.float32)
        _core.core.pool_rows(
            self.matrix, self.scale, None, ids, offsets, weights, "sum", summed
        )
        return summed if self.shift is None else summed + self.shift

    def moved(
        self, factor: float, shift: NDArray[np.floating] | float = 0.0
    ) -> "Subwords":
        """Scale and shift all vectors.

        Parameters
        ----------
        factor : float
            Factor by which the vectors are multiplied.
        shift : array-like of shape (dim,) or float, default=0.0
            Vector or number that is then added.

        Returns
        -------
        subwords : Subwords
            With the same rows.
        """
        before = 0.0 if self.shift is None else self.shift
        moved = np.zeros(self.matrix.shape[1]) + factor * before + shift
        return replace(self, factor=self.factor * factor, shift=moved)

    def astype(self, dtype: str) -> "Subwords":
        """Convert the matrix to another data type.

        Parameters
        ----------
        dtype : {"float32", "float16", "int8"}

        Returns
        -------
        subwords : Subwords
        """
        matrix, scale = quantize(dequantize(self.matrix, self.scale), dtype)
        return replace(self, matrix=matrix, scale=scale)


def ngram_matrix(
    words: Sequence[str], n_rows: int, ngram_range: tuple[int, int] = (3, 5)
) -> csr_array:
    """The n-grams of words, shape (n_words, n_rows).

    Its product with the rows of `Subwords` gives the vectors of the words. The entry of
    an n-gram is one over the square root of the number of n-grams.
    """
    ids, offsets, weights = _core.core.hash_ngrams(
        words, *ngram_range, "crc32", n_rows, 1.0
    )
    counts = csr_array((weights, ids, offsets), shape=(len(words), n_rows))
    counts.sum_duplicates()
    return counts


def fit_rows(
    ngrams: csr_array,
    vectors: NDArray[np.float32],
    *,
    alpha: float,
    n_steps: int = 30,
    tol: float = 0.0,
) -> NDArray[np.float32]:
    """Solve for rows whose sums are close to the vectors of words; (n_rows, dim).

    Minimises `|N R - V|^2 + alpha |R|^2` for each column by conjugate gradients, with
    the diagonal as preconditioner; N is the matrix of :func:`ngram_matrix`. Stops early
    when the squared residuals, scaled by the preconditioner, are `tol` times the first
    ones.
    """
    transposed = ngrams.T  # not copied to rows: with columns a product is twice as fast
    scaling = 1 / (ngrams.multiply(ngrams).sum(axis=0) + alpha)
    scaling = scaling[:, np.newaxis].astype(np.float32)
    residual = transposed @ vectors
    rows = np.zeros_like(residual)
    direction = scaling * residual
    reduced = np.einsum("ij,ij->j", residual, direction)
    enough = tol * reduced.sum()
    for _ in range(n_steps):
        image = transposed @ (ngrams @ direction) + alpha * direction
        curvature = np.einsum("ij,ij->j", direction, image)
        step = reduced / np.maximum(curvature, 1e-30)
        rows += step * direction
        residual -= step * image
        conditioned = scaling * residual
        before, reduced = reduced, np.einsum("ij,ij->j", residual, conditioned)
        if reduced.sum() < enough:
            break
        direction = conditioned + reduced / np.maximum(before, 1e-30) * direction
    return rows
