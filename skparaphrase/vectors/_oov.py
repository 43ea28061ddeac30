"""Vectors of out-of-vocabulary words, from their character n-grams or a hash."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import accumulate, chain
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse._sparsetools import csr_matvecs

from skparaphrase.text import LONGEST_NGRAM

DTYPES = ("float32", "float16", "int8")  # int8 with a scale per row
_CHECKED = 16384  # rows checked at a time
_FEW_CHARACTERS = 128  # of words, for which arrays do not pay
_PLACES = np.arange(1024, dtype=np.int32)  # of rows in float32; more leave the cache


def dequantize(
    matrix: NDArray[Any],
    scale: NDArray[np.floating] | None,
    rows: NDArray[np.integer] | slice = slice(None),
) -> NDArray[np.float32]:
    """Copy rows of a matrix, in float32."""
    # Fancy indexing has copied already.
    vectors = matrix[rows].astype(np.float32, copy=isinstance(rows, slice))
    if scale is not None:
        vectors *= scale[rows, np.newaxis]
    return vectors


def quantize(
    matrix: NDArray[np.float32], dtype: str
) -> tuple[NDArray[Any], NDArray[np.float32] | None]:
    """Convert a matrix to another data type; return it and the scales of int8."""
    if dtype != "int8":
        return matrix.astype(dtype), None
    scale = np.abs(matrix).max(axis=1, initial=0) / 127
    scale[scale == 0] = 1
    return np.rint(matrix / scale[:, np.newaxis]).astype(np.int8), scale


def check_finite(
    matrix: NDArray[Any],
    scale: NDArray[np.float32] | None,
    words: Sequence[str],
    rows: NDArray[np.intp] | slice = slice(None),
) -> None:
    """Raise a ValueError that names the first word whose vector is not finite."""
    values = matrix[rows]
    if scale is not None:
        with np.errstate(over="ignore"):  # of the largest number times the scale
            values = scale[rows, np.newaxis] * np.float32(128)
    for start in range(0, len(values), _CHECKED):
        # A finite sum has finite terms and needs no second array. Where large terms
        # overflow, the slower test decides.
        block = values[start : start + _CHECKED]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(block.sum(dtype=np.float32)):
                continue
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            row = int(np.arange(len(words))[rows][start + bad[0]])
            kind = "vector" if scale is None else "scale"
            raise ValueError(f"The {kind} of {words[row]!r}, row {row}, is not finite.")


def hashed_ngrams(
    words: Sequence[str], ngram_range: tuple[int, int], kind: str = "crc32"
) -> tuple[NDArray[np.uint32], list[int]]:
    """Hash the character n-grams of each `<word>`.

    "crc32" is that of an n-gram in UTF-8, which is the same on every machine, and the
    whole is an n-gram, too. "fasttext" is 32-bit FNV-1a over signed bytes, and leaves
    out single characters at the ends.

    Hashes follow word after word, by the first character and then by order, the whole
    last; the second value is the number of n-grams of each word.
    """
    is_fasttext = kind == "fasttext" and len(words) > 0
    if is_fasttext or sum(map(len, words)) > _FEW_CHARACTERS:
        return _hash_together(words, ngram_range, kind)
    hashes = [_hash_word(word, *ngram_range) for word in words]
    return np.array([*chain(*hashes)], np.uint32), [*map(len, hashes)]


def _hash_word(word: str, lowest: int, highest: int) -> list[int]:
    """The CRC-32 of n-grams; of few words in a tenth of the time of arrays."""
    whole = f"<{word}>"
    raw, size = whole.encode("utf-8", "replace"), len(whole)
    ends: Sequence[int] = range(size + 1)  # of characters
    if len(raw) != size:
        ends = [0, *accumulate(len(c.encode("utf-8", "replace")) for c in whole)]
    hashes = [
        crc32(raw[ends[start] : ends[stop]])
        for start in range(size - lowest + 1)
        for stop in range(start + lowest, min(start + highest, size) + 1)
    ]
    if not lowest <= size <= highest:
        hashes.append(crc32(raw))
    return hashes


_CRC32_TABLE = np.array(
    [crc32(bytes([255 - i])) ^ 0xFF000000 for i in range(256)], np.uint32
)


def _hash_together(
    words: Sequence[str], ngram_range: tuple[int, int], kind: str
) -> tuple[NDArray[np.uint32], list[int]]:
    """N-grams that are extended byte by byte, those of all words at once."""
    encoded = [f"<{word}>".encode("utf-8", "replace") for word in words]
    raw = np.frombuffer(b"".join([*encoded, bytes(3)]), np.uint8)
    starts = np.flatnonzero(raw[:-3] & 0xC0 != 0x80)  # of characters
    widths = np.diff(starts, append=len(raw) - 3)
    bytes_of = [raw[starts + i] for i in range(widths.max())]
    lengths = np.fromiter(map(len, words), np.int64, len(words)) + 2
    ends = np.cumsum(lengths)
    lowest, highest = ngram_range
    orders = np.arange(lowest, highest + 1)
    left = ends.repeat(lengths) - np.arange(len(starts))  # characters of the word
    is_ngram = np.zeros((len(starts), len(orders) + 1), dtype=bool)
    np.greater_equal(left[:, np.newaxis], orders, out=is_ngram[:, :-1])
    hashes = np.empty(is_ngram.shape, np.uint32)
    crc = kind == "crc32"
    states = np.full(len(starts), 0xFFFFFFFF if crc else 2166136261, np.uint32)
    for order in range(1, min(highest, int(lengths.max())) + 1):
        states = states[: len(starts) - order + 1]
        for i, byte in enumerate(bytes_of):
            added = byte[order - 1 :]
            if crc:
                longer = _CRC32_TABLE[(states ^ added) & 0xFF] ^ (states >> 8)
            else:
                longer = (states ^ added.view(np.int8).astype(np.uint32)) * 16777619
            if i:  # characters of fewer bytes end before
                longer = np.where(widths[order - 1 :] > i, longer, states)
            states = longer
        if order >= lowest:
            hashes[: len(states), order - lowest] = ~states if crc else states
    if crc:
        hashes[ends - 1, -1] = list(map(crc32, encoded))
        is_ngram[ends - 1, -1] = (lengths < lowest) | (lengths > highest)
    elif lowest == 1:
        is_ngram[ends - 1, 0] = is_ngram[ends - lengths, 0] = False
    counts = np.add.reduceat(np.count_nonzero(is_ngram, axis=1), ends - lengths)
    return hashes[is_ngram], counts.tolist()


@dataclass(eq=False, repr=False)
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
    >>> from skparaphrase.vectors import Subwords
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
        if self.shift is not None:
            self.shift = np.asarray(self.shift, dtype=np.float32)
        shape = self.matrix.shape
        if len(shape) != 2 or not shape[0]:
            raise ValueError(f"The vectors of n-grams are of shape {shape}.")
        for name, size in {"scale": shape[:1], "shift": shape[1:]}.items():
            column = getattr(self, name)
            if column is not None and (
                column.shape != size or not np.isfinite(column).all()
            ):
                raise ValueError(
                    f"The {name} of the n-grams must be {size[0]} numbers."
                )
        if (self.matrix.dtype == np.int8) != (self.scale is not None):
            raise ValueError("int8 vectors of n-grams need a scale per row.")
        low, high = self.ngram_range
        if not 1 <= low <= high <= LONGEST_NGRAM or self.kind not in (
            "crc32",
            "fasttext",
        ):
            raise ValueError(
                f"ngram_range={self.ngram_range!r} and kind={self.kind!r} are no "
                "settings of n-grams."
            )
        if not np.isfinite(self.factor):
            raise ValueError(f"factor must be finite; got {self.factor}.")

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Sum the rows of the n-grams of words.

        Parameters
        ----------
        words : sequence of str

        Returns
        -------
        vectors : ndarray of shape (n_words, dim), float32
            One does not depend on other words, to the bit.
        """
        hashes, lengths = hashed_ngrams(words, self.ngram_range, self.kind)
        rows = hashes % len(self.matrix)
        power = 1.0 if self.kind == "fasttext" else 0.5
        divided = [self.factor / max(n, 1) ** power for n in lengths]
        factors = np.array(divided, np.float32).repeat(lengths)
        if self.scale is not None:
            factors *= self.scale.take(rows)
        offsets = np.array([0, *accumulate(lengths)], np.int32)
        summed = np.zeros((len(words), self.matrix.shape[1]), dtype=np.float32)
        first, here = 0, offsets
        for start in range(0, len(rows), len(_PLACES)):
            part = slice(start, start + len(_PLACES))
            # take() is faster than indexing, but keeps the class of a memmap.
            table = self.matrix.take(rows[part], axis=0)
            table = table.astype(np.float32, subok=False)
            if len(rows) > len(_PLACES):  # some of the words, or a part of one
                first, last = offsets.searchsorted([start + 1, part.stop]) - [1, 0]
                here = offsets[first : last + 1].clip(start, part.stop) - start
            shape, sums = (len(here) - 1, *table.shape), summed[first:].reshape(-1)
            # adds; as in pool_vectors
            csr_matvecs(*shape, here, _PLACES, factors[part], table.reshape(-1), sums)
        return summed if self.shift is None else summed + self.shift

    def moved(
        self, factor: float, shift: NDArray[np.floating] | float = 0.0
    ) -> "Subwords":
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


class HashedVectors:
    """Random vectors of the median length of a table, always the same for a word.

    Parameters
    ----------
    matrix, scale
        As in :class:`WordVectors`.
    """

    def __init__(
        self, matrix: NDArray[Any], scale: NDArray[np.float32] | None = None
    ) -> None:
        self.matrix = matrix
        self.scale = scale
        self._length: np.float32 | None = None

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Draw the vectors of words, shape (n_words, dim)."""
        n_rows, dim = self.matrix.shape
        if self._length is None:  # cached_property of Python 3.11 has a lock
            sample = np.linspace(0, n_rows - 1, min(n_rows, 10_000)).astype(np.intp)
            rows = dequantize(self.matrix, self.scale, sample)
            self._length = np.median(np.linalg.norm(rows, axis=1))
        vectors = np.empty((len(words), dim), np.float32)
        for word, vector in zip(words, vectors, strict=True):
            seed = crc32(word.encode("utf-8", "replace"))
            drawn = np.random.RandomState(seed).standard_normal(dim)
            vector[:] = drawn * (self._length / np.linalg.norm(drawn))
        return vectors
