"""A table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from skparaphrase._math import UnitRows, nearest, unit_vectors
from skparaphrase.text import (
    NgramIndex,
    NgramTokenizer,
    TokenBatch,
    Vocabulary,
    WordLookup,
    WordTokenizer,
)
from skparaphrase.text._lookup import MakeVectors
from skparaphrase.text._tokenizer import FunctionTokenizer, is_word
from skparaphrase.vectors import _formats, _interchange, _storage
from skparaphrase.vectors._subwords import DTYPES, Subwords, converted, fit_subwords
from skparaphrase.vectors._weighting import weighted

MADE = ("subword", "hash")  # unknown= for which vectors of words are made
_CHECKED = 16384  # vectors checked at a time
_PARTS = ("words", "matrix", "scale", "unknown", "subwords", "is_weighted")


class WordVectors:
    """Words and their vectors.

    Immutable, and shared rather than copied by :func:`sklearn.base.clone`: a grid
    search holds one table, and workers of joblib map the same memory.

    Parameters
    ----------
    words : sequence of str of length n_words
        Distinct words, frequent ones first if an order is known.
    matrix : array-like of shape (n_words, dim)
        Stored as given in float32 and float16; int8 needs `scale`, and other numbers
        become float32. Not copied: do not change it afterwards.
    scale : array-like of shape (n_words,), default=None
        With int8 only: vector `i` is `matrix[i] * scale[i]`.
    unknown : {"subword", "hash"} or str, default=None
        What stands for a word that the table lacks. "subword": the sum of the vectors
        of its character n-grams, in `subwords`. "hash": a random vector of the median
        length, always the same for a word. Any other string: the vector of this word of
        the table ("UUUNKKK" in PARAGRAM files). None leaves such words out. Tokens
        without a letter or digit are left out by the first two.
    subwords : Subwords, default=None
        The n-grams of "subword"; :meth:`fit_subwords` learns them.
    is_weighted : bool, default=False
        Whether the vectors include the weights of their words. They are then averaged
        as they are; :meth:`weighted` raises an error, and encoders that would weight
        them again warn. Tables made from this one keep it.

    Attributes
    ----------
    words : Vocabulary
        A sequence of str.
    matrix : ndarray of shape (n_words, dim), read-only
    scale : ndarray of shape (n_words,) or None
    unknown : str or None
    unknown_row : int or None
        The row that is used for words that the table lacks.
    subwords : Subwords or None
    is_weighted : bool

    Raises
    ------
    ValueError
        If words repeat, shapes disagree, a value is not finite, or `unknown` is neither
        a word of the table nor one of the names above.

    See Also
    --------
    skparaphrase.datasets.load_word_vectors : The table that comes with the package.

    Examples
    --------
    >>> from skparaphrase.vectors import WordVectors
    >>> vectors = WordVectors(["cat", "dog", "car"], [[1, 0], [1, 1], [0, 1]])
    >>> len(vectors), vectors.dim, "cat" in vectors
    (3, 2, True)
    >>> [(word, round(cosine, 2)) for word, cosine in vectors.nearest("cat")]
    [('dog', 0.71), ('car', 0.0)]
    """

    _median: np.float32 | None = None

    def __init__(
        self,
        words: Sequence[str],
        matrix: Any,
        *,
        scale: Any = None,
        unknown: str | None = None,
        subwords: Subwords | None = None,
        is_weighted: bool = False,
    ) -> None:
        matrix = np.asanyarray(matrix)
        if matrix.dtype.name not in DTYPES:
            with np.errstate(over="ignore"):  # infinite values are refused below
                matrix = np.asarray(matrix, dtype=np.float32)
        if not matrix.flags.c_contiguous:
            matrix = np.ascontiguousarray(matrix)
        words = words if isinstance(words, Vocabulary) else Vocabulary(words)
        if scale is not None:
            scale = np.asarray(scale, dtype=np.float32)
        self._set(words, matrix, scale, unknown, subwords, is_weighted)
        self._check()
        self._check_finite()

    def _set(
        self,
        words: Vocabulary,
        matrix: Any,
        scale: Any,
        unknown: Any,
        subwords: Any,
        is_weighted: bool,
    ) -> None:
        """Store the parts of a table, arrays as views that cannot be written to."""
        self.words = words
        self.matrix: NDArray[Any] = matrix.view()
        self.matrix.flags.writeable = False
        self.scale: NDArray[np.float32] | None = None
        if scale is not None:
            self.scale = scale.view()
            self.scale.flags.writeable = False
        self.unknown: str | None = unknown
        self.unknown_row: int | None = None
        if unknown not in (None, *MADE):
            self.unknown_row = words.get(unknown)
        self.subwords: Subwords | None = subwords
        self.is_weighted: bool = is_weighted
        self._source: tuple[str, int] | None = None  # what is pickled instead
        self._lookups: dict[tuple[Any, ...], WordLookup] = {}  # by tokenizer
        self._ngram_index: NgramIndex | None = None

    def _check(self) -> None:
        """Raise a ValueError unless the parts fit together."""
        words, matrix, scale = self.words, self.matrix, self.scale
        if matrix.ndim != 2 or len(matrix) != len(words):
            raise ValueError(
                f"matrix must be of shape ({len(words)}, dim), one row per word; got "
                f"shape {matrix.shape}."
            )
        if (matrix.dtype == np.int8) != (scale is not None):
            raise ValueError(
                "int8 vectors need a scale per word, and other vectors take none; got "
                f"{matrix.dtype} vectors and scale={scale!r}."
            )
        if scale is not None and scale.shape != (len(words),):
            raise ValueError(
                f"scale must be of shape ({len(words)},); got {scale.shape}."
            )
        if self.unknown == "subword" and self.subwords is None:
            raise ValueError(
                "unknown='subword' needs n-grams, which fit_subwords learns."
            )
        if self.subwords is not None and self.subwords.matrix.shape[1] != self.dim:
            raise ValueError(
                f"Vectors of words have {self.dim} dimensions, but those of n-grams "
                f"are of shape {self.subwords.matrix.shape}."
            )
        if self.unknown in MADE and not len(words):
            raise ValueError(
                f"unknown={self.unknown!r} needs a table of at least one word."
            )
        if self.unknown not in (None, *MADE) and self.unknown_row is None:
            raise ValueError(
                f"unknown={self.unknown!r} is not a word of the table, and neither of "
                f"{MADE}."
            )

    def _check_finite(self, rows: NDArray[np.intp] | slice = slice(None)) -> None:
        """Raise a ValueError that names the first word whose vector is not finite."""
        values = self.matrix[rows]
        if self.scale is not None:
            with np.errstate(over="ignore"):  # of the largest number times the scale
                values = self.scale[:, np.newaxis] * np.float32(128)
        for start in range(0, len(values), _CHECKED):
            # A finite sum has finite terms and needs no second array. Where large terms
            # overflow, the slower test decides.
            block = values[start : start + _CHECKED]
            with np.errstate(over="ignore", invalid="ignore"):
                if np.isfinite(block.sum(dtype=np.float32)):
                    continue
            bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
            if len(bad):
                row = int(np.arange(len(self))[rows][start + bad[0]])
                kind = "vector" if self.scale is None else "scale"
                raise ValueError(
                    f"The {kind} of {self.words[row]!r}, row {row}, is not finite."
                )

    # From files and other libraries ----------------------------------------------

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        format: str = "auto",
        limit: int | None = None,
        vocabulary: Iterable[str] | None = None,
        unknown: str | None = None,
        dtype: DTypeLike = np.float32,
        encoding_errors: str = "strict",
    ) -> Self:
        """Read a file of GloVe, word2vec (text or binary) or fastText (`.vec`).

        Parameters
        ----------
        path : path-like
        format : {"auto", "glove", "word2vec", "word2vec-binary"}, default="auto"
            "glove" has no header; "word2vec" is text with a header "n_words dim", which
            is also the format of `.vec` files. "auto" looks at the first bytes.
        limit : int, default=None
            Read only the first `limit` words of the file.
        vocabulary : iterable of str, default=None
            Keep only these words and `unknown`.
        unknown : str, default=None
            See :class:`WordVectors`.
        dtype : {"float32", "float16"}, default="float32"
        encoding_errors : {"strict", "replace", "ignore"}, default="strict"
            How to decode words that are not UTF-8; "strict" raises.

        Returns
        -------
        vectors : WordVectors
            A word that occurs twice keeps its first vector; a warning counts them.

        Raises
        ------
        ValueError
            If the header is wrong, a row is too short, a value is not a number or the
            file ends early. The message names the file and the line or row.
        """
        if isinstance(vocabulary, str):
            raise TypeError("vocabulary must be several words; got one str.")
        words, matrix = _formats.read_file(
            Path(path),
            format=format,
            limit=limit,
            vocabulary=None if vocabulary is None else {*vocabulary, unknown},
            dtype=dtype,
            encoding_errors=encoding_errors,
        )
        try:
            return cls(words, matrix, unknown=unknown)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    from_keyed_vectors = classmethod(_interchange.from_keyed_vectors)
    from_spacy = classmethod(_interchange.from_spacy)
    from_model2vec = classmethod(_interchange.from_model2vec)
    from_sentence_transformers = classmethod(_interchange.from_sentence_transformers)
    load = classmethod(_storage.load)
    save = _storage.save

    # Look-up ---------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.matrix.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the matrix."""
        return self.matrix.dtype

    def rows(self, rows: NDArray[np.integer] | slice) -> NDArray[np.float32]:
        """Copy the vectors of some rows.

        Parameters
        ----------
        rows : ndarray of int or slice

        Returns
        -------
        vectors : ndarray of shape (n_rows, dim), float32
        """
        # Fancy indexing has copied already.
        found = self.matrix[rows].astype(np.float32, copy=isinstance(rows, slice))
        if self.scale is not None:
            found *= self.scale[rows, np.newaxis]
        return found

    def encode(
        self,
        texts: Iterable[str],
        tokenizer: WordTokenizer | NgramTokenizer,
        *,
        known_only: bool = False,
    ) -> TokenBatch:
        """Find the rows of the tokens of texts.

        Parameters
        ----------
        texts : iterable of str
        tokenizer : WordTokenizer or NgramTokenizer
        known_only : bool, default=False
            Leave out words that the table lacks instead of making vectors for them, as
            in training.

        Returns
        -------
        batch : TokenBatch
        """
        blocks = self.encode_blocks(texts, tokenizer, known_only=known_only)
        return TokenBatch.concatenate(list(blocks))

    def encode_blocks(
        self,
        texts: Iterable[str],
        tokenizer: WordTokenizer | NgramTokenizer,
        *,
        known_only: bool = False,
    ) -> Iterator[TokenBatch]:
        """Find the rows of the tokens of texts, block by block.

        Parameters
        ----------
        texts, tokenizer, known_only
            As in :meth:`encode`.

        Returns
        -------
        batches : iterator of TokenBatch
            There is at least one.
        """
        if isinstance(tokenizer, NgramTokenizer):
            if self._ngram_index is None:
                self._ngram_index = NgramIndex(self.words)
            return tokenizer.encode_blocks(texts, self._ngram_index, self.unknown_row)
        lookup = self._lookup(tokenizer)
        return lookup.encode_blocks(texts, known_only=known_only)

    def encode_with_new_words(
        self, texts: Iterable[str], tokenizer: WordTokenizer | NgramTokenizer
    ) -> tuple[TokenBatch, list[str]]:
        """Find the rows of the tokens of texts, and the words that the table lacks.

        :meth:`with_rows` appends these words to the table.

        Parameters
        ----------
        texts, tokenizer
            As in :meth:`encode`.

        Returns
        -------
        batch : TokenBatch
            The id of `new_words[i]` is `-1 - i`, and its vector `extra[i]`.
        new_words : list of str
            In the order of the texts. Empty if `extra` is None: if the table has all
            words, or `unknown` is neither "subword" nor "hash".
        """
        if self.unknown not in MADE or isinstance(tokenizer, NgramTokenizer):
            return self.encode(texts, tokenizer), []
        return self._lookup(tokenizer).encode_with_new_words(texts)

    def _lookup(self, tokenizer: WordTokenizer) -> WordLookup:
        """The look-up of equal tokenizers, which remembers what it has found."""
        key = tokenizer._key()
        lookup = self._lookups.get(key)
        if lookup is None:
            vectors = self._maker() if self.unknown in MADE else None
            lookup = WordLookup(tokenizer, self.words.rows, self.unknown_row, vectors)
            if not isinstance(tokenizer, FunctionTokenizer):
                self._lookups[key] = lookup
        return lookup

    def _median_length(self) -> np.float32:
        """The median length of up to 10,000 vectors over the table."""
        if self._median is None:  # cached_property of Python 3.11 has a lock
            some = np.linspace(0, len(self) - 1, min(len(self), 10_000)).astype(np.intp)
            self._median = np.median(np.linalg.norm(self.rows(some), axis=1))
        return self._median

    def unknown_vector(self, word: str) -> NDArray[np.float32] | None:
        """The vector that is made for a word that the table lacks.

        Parameters
        ----------
        word : str

        Returns
        -------
        vector : ndarray of shape (dim,) or None
            None without a letter or digit, and unless `unknown` is "subword" or "hash".
        """
        if self.unknown not in MADE or not is_word(word):
            return None
        return self._maker()([word])[0]

    def _maker(self) -> MakeVectors:
        """What makes the vectors of words that have a letter or digit.

        Look-ups keep it, so it must not refer to this table: a cycle would keep
        gigabytes in memory until the garbage collector runs.
        """
        if self.unknown == "subword":
            assert self.subwords is not None
            return self.subwords.vectors
        return partial(_hashed_vectors, dim=self.dim, length=self._median_length())

    def token_vectors(
        self, ids: NDArray[np.integer], extra: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """The vectors of tokens of a :class:`~skparaphrase.text.TokenBatch`.

        Parameters
        ----------
        ids : ndarray of shape (n_tokens,)
            As in the batch, in any order.
        extra : ndarray of shape (n_extra, dim) or None
            As in the batch.

        Returns
        -------
        vectors : ndarray of shape (n_tokens, dim), float32
        """
        if extra is None:
            return self.rows(ids)
        found = self.rows(np.maximum(ids, 0))
        is_new = ids < 0
        found[is_new] = extra[~ids[is_new]]
        return found

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        row = self.words.get(word)
        if row is not None:
            return self.rows(np.array([row]))[0]
        vector = self.unknown_vector(word) if isinstance(word, str) else None
        if vector is None:
            raise KeyError(f"{word!r} is not among the {len(self)} words.")
        return vector

    def nearest(
        self, word: str | NDArray[np.floating], n: int = 10
    ) -> list[tuple[str, float]]:
        """Find the words that are most similar by cosine.

        Parameters
        ----------
        word : str or ndarray of shape (dim,)
            A word, which is left out of the answer, or any vector.
        n : int, default=10

        Returns
        -------
        neighbours : list of (str, float)
            Words and cosines, most similar first; ties in the order of the table.

        Raises
        ------
        KeyError
            If the table lacks the word, and has no n-grams or hash for it.
        ValueError
            If the vector has another shape or is not finite.
        """
        own = self.words.get(word)
        with np.errstate(over="ignore"):
            target = np.asarray(self[word] if isinstance(word, str) else word, "f4")
        if target.shape != (self.dim,):
            raise ValueError(
                f"Expected a vector of shape ({self.dim},); got {target.shape}."
            )
        if not np.isfinite(target).all():
            raise ValueError("The vector is not finite.")
        n = max(min(n, len(self)), 0)
        _, rows, cosines = nearest(
            unit_vectors(target[np.newaxis]), UnitRows(self), n + (own is not None)
        )
        found = zip(rows.tolist(), cosines.tolist(), strict=True)
        return [(self.words[row], cosine) for row, cosine in found if row != own][:n]

    # Tables made from this one ---------------------------------------------------

    def astype(self, dtype: DTypeLike) -> Self:
        """Convert the matrix, and that of `subwords`, to another data type.

        Parameters
        ----------
        dtype : {"float32", "float16", "int8"}
            With "int8" every row has a scale.

        Returns
        -------
        vectors : WordVectors
            The same object if it has this type.
        """
        name = np.dtype(dtype).name
        if name not in DTYPES:
            raise ValueError(f"dtype must be one of {DTYPES}; got {name}.")
        if name == self.matrix.dtype.name:
            return self
        matrix, scale = converted(self.rows(slice(None)), name)
        subwords = self.subwords
        if subwords is not None:
            subwords = subwords.astype(name)
        return type(self)(
            self.words,
            matrix,
            scale=scale,
            unknown=self.unknown,
            subwords=subwords,
            is_weighted=self.is_weighted,
        )

    fit_subwords = fit_subwords

    def with_words(self, words: Sequence[str]) -> Self:
        """Add words that the table lacks, with the vectors that are made for them.

        Training then changes these vectors, too.

        Parameters
        ----------
        words : sequence of str
            Those without a vector, such as punctuation, are left out.

        Returns
        -------
        vectors : WordVectors
            In float32; this one if no word is new.
        """
        new = [w for w in dict.fromkeys(words) if w not in self.words and is_word(w)]
        return self._extended(new)

    def covering(
        self, texts: Iterable[str], tokenizer: WordTokenizer
    ) -> tuple[Self, list[str]]:
        """Add the words of texts that the table lacks, as :meth:`with_words` does.

        Parameters
        ----------
        texts : iterable of str
        tokenizer : WordTokenizer

        Returns
        -------
        vectors : WordVectors
            New words follow those of this table, in the order of the texts.
        new : list of str
        """
        if self.unknown not in MADE:
            return self, []
        batch, new = self.encode_with_new_words(texts, tokenizer)
        return self.with_rows([], [], new, batch.extra), new

    def _extended(self, new: list[str]) -> Self:
        """Add the vectors that are made for words that the table lacks."""
        if not new or self.unknown not in MADE:
            return self
        return self.with_rows([], [], new, self._maker()(new))

    def with_rows(
        self,
        rows: ArrayLike,
        vectors: ArrayLike,
        new_words: Sequence[str] = (),
        new_vectors: ArrayLike | None = None,
    ) -> Self:
        """Replace some vectors, and append words.

        Takes one pass over the table, and checks only the vectors that are given.

        Parameters
        ----------
        rows : array-like of int of shape (n_rows,)
            Distinct rows.
        vectors : array-like of shape (n_rows, dim)
            What they become.
        new_words : sequence of str, default=()
            Distinct words that the table lacks, which is not checked.
        new_vectors : array-like of shape (n_new_words, dim), default=None
            Their vectors.

        Returns
        -------
        vectors : WordVectors
            In float32; this one if nothing is given. It shares what look-ups remember
            unless words are new.
        """
        rows = np.asarray(rows, np.intp)
        if not len(rows) and not len(new_words):
            return self
        n_words = len(self)
        matrix = np.empty((n_words + len(new_words), self.dim), np.float32)
        if self.scale is None:
            matrix[:n_words] = self.matrix
        else:
            np.multiply(self.matrix, self.scale[:, np.newaxis], out=matrix[:n_words])
        if len(rows):
            matrix[rows] = vectors
        words = self.words
        if len(new_words):
            matrix[n_words:] = new_vectors
            words = words.extended(new_words)
        table = type(self).__new__(type(self))  # made of parts that have been checked
        table._set(words, matrix, None, self.unknown, self.subwords, self.is_weighted)
        table._check_finite(np.append(rows, np.arange(n_words, len(words))))
        if words is self.words:
            table._ngram_index = self._ngram_index
            # The vectors that a hash makes have the length of those of one table.
            if self.unknown != "hash":
                table._lookups = self._lookups
        return table

    def replace(
        self, matrix: NDArray[np.floating], *, factor: float = 1.0, shift: Any = 0.0
    ) -> Self:
        """Give the same words other vectors.

        Parameters
        ----------
        matrix : ndarray of shape (n_words, dim)
            Becomes float32.
        factor : float, default=1.0
            Multiplies the vectors that `subwords` makes.
        shift : array-like of shape (dim,) or float, default=0.0
            Then added to them.

        Returns
        -------
        vectors : WordVectors
            Shares the words with this one, and what look-ups remember.
        """
        matrix = np.ascontiguousarray(matrix, dtype=np.float32)
        subwords = self.subwords
        if subwords is not None and (factor != 1.0 or np.any(shift)):
            subwords = subwords.moved(factor, shift)
        vectors = type(self)(
            self.words,
            matrix,
            unknown=self.unknown,
            subwords=subwords,
            is_weighted=self.is_weighted,
        )
        vectors._ngram_index = self._ngram_index
        # The vectors that a hash makes have the length of those of one table.
        if self.unknown != "hash" and subwords is self.subwords:
            vectors._lookups = self._lookups
        return vectors

    def centered(self) -> Self:
        """Subtract the mean of all vectors.

        Averages of vectors that share a direction are all similar.
        :class:`~skparaphrase.encoders.ParagramEncoder` has no layer that could remove
        the direction, and learns faster from centred vectors.

        Returns
        -------
        vectors : WordVectors
            In float32, with the same words; those made of n-grams are moved, too.

        Examples
        --------
        >>> from skparaphrase.vectors import WordVectors
        >>> vectors = WordVectors(["cat", "dog"], [[5.0, 1.0], [5.0, -3.0]])
        >>> vectors.centered().matrix
        array([[ 0.,  2.],
               [ 0., -2.]], dtype=float32)
        """
        matrix = self.rows(slice(None))
        mean = matrix.mean(axis=0)
        return self.replace(matrix - mean, shift=-mean)

    weighted = weighted

    # Copies and pickles ----------------------------------------------------------

    def __sklearn_clone__(self) -> "WordVectors":
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        if self._source is not None:
            return _refer, self._source
        return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if not k.startswith("_")}
        del state["unknown_row"]
        # joblib pickles a memmap in pieces and hashes it differently from an array; a
        # view of it is treated like any array.
        for name in ("matrix", "scale"):
            if state[name] is not None:
                state[name] = np.asarray(state[name])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._set(*(state[name] for name in _PARTS))

    def _fingerprint(self) -> int:
        """A checksum that tells the tables of versions of the package apart."""
        kind = self.matrix.shape, self.words[:256]
        return zlib.crc32(self.matrix[:256].tobytes(), zlib.crc32(repr(kind).encode()))

    def __repr__(self) -> str:
        more = "" if self.unknown is None else f", unknown={self.unknown!r}"
        more += ", weighted" if self.is_weighted else ""
        return f"WordVectors({len(self)} words, dim={self.dim}, {self.dtype}{more})"


def _hashed_vectors(
    words: Sequence[str], dim: int, length: np.float32
) -> NDArray[np.float32]:
    """Random vectors of one length, always the same for a word."""
    found = np.empty((len(words), dim), np.float32)
    for word, vector in zip(words, found, strict=True):
        seed = zlib.crc32(word.encode("utf-8", "replace"))
        drawn = np.random.RandomState(seed).standard_normal(dim)
        vector[:] = drawn * (length / np.linalg.norm(drawn))
    return found


def _refer(name: str, fingerprint: int) -> WordVectors:
    """The table of the package that a pickle names."""
    bundled = import_module("skparaphrase.vectors._bundled")
    found: WordVectors = bundled.referred(name, fingerprint)
    return found
