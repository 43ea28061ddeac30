"""A table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from skparaphrase import _core
from skparaphrase._core import is_word
from skparaphrase._frames import to_numpy
from skparaphrase._math import UnitVectors, unit_vectors
from skparaphrase._nearest import nearest
from skparaphrase._threads import map_blocks
from skparaphrase.text import NgramTokenizer, WordTokenizer
from skparaphrase.text._check import text_blocks
from skparaphrase.text._lookup import BLOCK, TokenBatch
from skparaphrase.vectors._languages import LanguageCheck
from skparaphrase.vectors._rows import (
    DTYPES,
    apply_changes,
    check_distinct,
    check_finite,
    dequantize,
    find_changes,
    join_words,
    quantize,
    split_words,
)
from skparaphrase.vectors._subwords import Subwords


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
    unknown : "subword" or str, default=None
        What stands for a word that the table lacks. "subword": the sum of the vectors
        of its character n-grams, in `subwords`; tokens without a letter or digit are
        left out. Any other string: the vector of this word of the table ("UUUNKKK" in
        PARAGRAM files). None leaves such words out.
    subwords : Subwords, default=None
        The n-grams of "subword"; :func:`fit_subwords` learns them.
    is_weighted : bool, default=False
        Whether the vectors include the weights of their words. They are then averaged
        as they are; :func:`apply_sif_weights` raises an error, and encoders that would
        weight them again warn. Tables made from this one keep it.

    Attributes
    ----------
    words : list of str
        In the order of their rows; do not change it.
    matrix : ndarray of shape (n_words, dim), read-only
    unknown_row : int or None
        The row that is used for words that the table lacks.
    scale : ndarray of shape (n_words,) or None
    unknown : str or None
    subwords : Subwords or None
    is_weighted : bool

    Raises
    ------
    ValueError
        If words repeat, shapes disagree, a value is not finite, or `unknown` is neither
        "subword" nor a word of the table.

    See Also
    --------
    read_word_vectors : Reads files of GloVe, word2vec and fastText.
    import_word_vectors : Takes the vectors of a model of another library.
    skparaphrase.datasets.load_word_vectors : The table that comes with the package.

    Examples
    --------
    >>> from skparaphrase.vectors import WordVectors
    >>> vectors = WordVectors(["cat", "dog", "car"], [[1, 0], [1, 1], [0, 1]])
    >>> len(vectors), vectors.dim, "cat" in vectors
    (3, 2, True)
    >>> vectors["dog"]
    array([1., 1.], dtype=float32)
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: ArrayLike,
        *,
        scale: ArrayLike | None = None,
        unknown: str | None = None,
        subwords: Subwords | None = None,
        is_weighted: bool = False,
    ) -> None:
        words = list(words)
        check_distinct(words)
        self._set(words, matrix, scale, unknown, subwords, is_weighted)
        self._check()

    def _set(
        self,
        words: list[str],
        matrix: ArrayLike,
        scale: ArrayLike | None,
        unknown: str | None,
        subwords: Subwords | None,
        is_weighted: bool,
    ) -> None:
        """Store the parts of a table, arrays as views that cannot be written to."""
        matrix = to_numpy(matrix)
        if matrix.dtype.name not in DTYPES:
            with np.errstate(over="ignore"):  # infinite values are refused later
                matrix = np.asarray(matrix, dtype=np.float32)
        if not matrix.flags.c_contiguous:
            matrix = np.ascontiguousarray(matrix)
        self.words = words
        self._index: _core.WordIndex | None = None
        self._language_check = LanguageCheck()
        self.matrix = matrix.view()
        self.matrix.flags.writeable = False
        self.scale: NDArray[np.float32] | None = None
        if scale is not None:
            self.scale = np.asarray(scale, dtype=np.float32).view()
            self.scale.flags.writeable = False
        self.unknown = unknown
        self.subwords = subwords
        self.is_weighted = is_weighted
        # For pickles: what gives a table of the package, and that which it stems from.
        self._reference: tuple[Callable[..., Self], Any] | None = None
        self._base: WordVectors | None = None

    def _check(self, *, finite: bool = True) -> None:
        """Raise a ValueError unless the parts fit together and are `finite`."""
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
        if self.unknown not in (None, "subword") and self.unknown_row is None:
            raise ValueError(
                f"unknown={self.unknown!r} is neither 'subword' nor a word of the "
                "table."
            )
        if finite:
            check_finite(matrix, scale, words)

    @property
    def index(self) -> _core.WordIndex:
        """The row of each word, as a mapping; do not change it."""
        if self._index is None:  # made when it is needed
            self._index = _core.core.WordIndex(self.words)
        return self._index

    @property
    def unknown_row(self) -> int | None:
        """The row that is used for words that the table lacks."""
        if self.unknown is None or self.unknown == "subword":
            return None
        return self.index.get(self.unknown)

    @property
    def _oov(self) -> Subwords | None:
        """What makes vectors for words that the table lacks."""
        return self.subwords if self.unknown == "subword" else None

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.matrix.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the matrix."""
        return self.matrix.dtype

    def rows(
        self, rows: NDArray[np.integer] | slice = slice(None)
    ) -> NDArray[np.float32]:
        """Copy the vectors of some rows, or of all.

        Parameters
        ----------
        rows : ndarray of int or slice, default=slice(None)

        Returns
        -------
        vectors : ndarray of shape (n_rows, dim), float32
        """
        return dequantize(self.matrix, self.scale, rows)

    def encode(
        self,
        texts: Iterable[str],
        tokenizer: WordTokenizer | NgramTokenizer,
        *,
        skip_unknown: bool = False,
    ) -> TokenBatch:
        """Find the rows of the tokens of texts.

        Parameters
        ----------
        texts : iterable of str
        tokenizer : WordTokenizer or NgramTokenizer
        skip_unknown : bool, default=False
            Leave out-of-vocabulary words out, instead of computing their vectors.

        Returns
        -------
        batch : TokenBatch
        """
        blocks = self.encode_blocks(texts, tokenizer, skip_unknown=skip_unknown)
        return TokenBatch.concatenate(blocks)

    def encode_blocks(
        self,
        texts: Iterable[str],
        tokenizer: WordTokenizer | NgramTokenizer,
        *,
        skip_unknown: bool = False,
    ) -> Iterator[TokenBatch]:
        """Find the rows of the tokens of texts, block by block, in threads.

        Parameters
        ----------
        texts, tokenizer, skip_unknown
            As in :meth:`encode`.

        Yields
        ------
        batch : TokenBatch
            There is at least one.
        """
        encode = partial(
            self.encode_block, tokenizer=tokenizer, skip_unknown=skip_unknown
        )
        blocks = text_blocks(texts, BLOCK)
        yield encode(next(blocks), warn=True)
        yield from map_blocks(encode, blocks)

    def encode_block(
        self,
        texts: list[str],
        tokenizer: WordTokenizer | NgramTokenizer,
        *,
        skip_unknown: bool = False,
        warn: bool = False,
    ) -> TokenBatch:
        """Find the rows of the tokens of texts, in this thread.

        Parameters
        ----------
        texts : list of str
        tokenizer, skip_unknown
            As in :meth:`encode`.
        warn : bool, default=False
            Warn once if texts seem to be in a language that the table lacks.

        Returns
        -------
        batch : TokenBatch
        """
        if isinstance(tokenizer, NgramTokenizer):
            return tokenizer.encode(texts, self.index, self.unknown_row)
        subwords, new = self._oov, _core.core.WordIndex()
        is_embedded = subwords is not None and not skip_unknown
        ids, offsets = _core.core.find_words(
            texts, self.index, tokenizer, self.unknown_row, is_embedded, new
        )
        words = new.words() if len(new) else []
        if warn and is_embedded:
            self._language_check.update(texts, TokenBatch(ids, offsets), words)
        elif warn and subwords is None:
            self._language_check.count_left_out(TokenBatch(ids, offsets), words)
        if words and is_embedded and subwords is not None:
            return TokenBatch(ids, offsets, subwords.vectors(words))
        if words:  # that are left out
            is_known = ids >= 0
            offsets -= np.flatnonzero(~is_known).searchsorted(offsets)
            ids = ids[is_known]
        return TokenBatch(ids, offsets)

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
            words, or `unknown` is not "subword".
        """
        if self._oov is None or isinstance(tokenizer, NgramTokenizer):
            return self.encode(texts, tokenizer), []
        new = _core.core.WordIndex()
        parts = self.index, tokenizer, None, True, new
        find, blocks = _core.core.find_words, text_blocks(texts, BLOCK)
        batch = TokenBatch.concatenate(TokenBatch(*find(b, *parts)) for b in blocks)
        if not len(new):
            return batch, []
        new_words = new.words()
        vectors = self._oov.vectors(new_words)
        return TokenBatch(batch.ids, batch.offsets, vectors), new_words

    def token_vectors(
        self, ids: NDArray[np.integer], extra: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """Copy the vectors of tokens, in any order.

        Parameters
        ----------
        ids : ndarray of int of shape (n_tokens,)
            Rows of the table, and `-1 - i` for row `i` of `extra`.
        extra : ndarray of shape (n_extra, dim), float32, or None
            Vectors of words that the table lacks.

        Returns
        -------
        vectors : ndarray of shape (n_tokens, dim), float32
        """
        vectors = dequantize(self.matrix, self.scale, np.maximum(ids, 0))
        if extra is not None:
            is_new = ids < 0
            vectors[is_new] = extra[~ids[is_new]]
        return vectors

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.index

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        row = self.index.get(word)
        if row is not None:
            return self.rows(np.array([row]))[0]
        if self._oov is None or not isinstance(word, str) or not is_word(word):
            raise KeyError(f"{word!r} is not among the {len(self)} words.")
        return self._oov.vectors([word])[0]

    def astype(self, dtype: DTypeLike) -> Self:
        """Convert the matrix, and that of `subwords`, to another data type.

        Parameters
        ----------
        dtype : {"float32", "float16", "int8"}
            With "int8" every row has a scale.

        Returns
        -------
        vectors : WordVectors, the same object if it has this type
        """
        name = np.dtype(dtype).name
        if name not in DTYPES:
            raise ValueError(f"dtype must be one of {DTYPES}; got {name}.")
        if name == self.matrix.dtype.name:
            return self
        matrix, scale = quantize(self.rows(), name)
        subwords = None if self.subwords is None else self.subwords.astype(name)
        return self.replace(matrix, scale=scale, subwords=subwords)

    def replace(self, matrix: ArrayLike, **changes: Any) -> Self:
        """Change vectors, and other parameters, but not the words.

        Parameters
        ----------
        matrix : array-like of shape (n_words, dim)
        **changes : dict
            Other parameters of the class that change. `scale` is None if it is not
            given.

        Returns
        -------
        vectors : WordVectors
        """
        vectors = self._unchecked(self.words, matrix, **changes)
        vectors._check()
        return vectors

    def _unchecked(self, words: list[str], matrix: ArrayLike, **changes: Any) -> Self:
        """A table that has the other parameters of this one, but for `scale`."""
        kept = {k: getattr(self, k) for k in ("unknown", "subwords", "is_weighted")}
        table = object.__new__(type(self))
        table._set(words, matrix, **{"scale": None, **kept, **changes})
        table._base = self._base
        if words is self.words:
            table._index = self._index
            table._language_check = self._language_check
        return table

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
            In float32; this one if nothing is given.
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
            words = [*words, *new_words]
        check_finite(
            matrix, None, words, np.append(rows, np.arange(n_words, len(words)))
        )
        return self._unchecked(words, matrix)

    def __sklearn_clone__(self) -> Self:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        if self._reference is not None:
            return self._reference
        changes = find_changes(self)
        if changes is None:
            return super().__reduce_ex__(protocol)
        return apply_changes, (self._base, *changes)

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in vars(self).items() if not k.startswith("_")}
        state["words"] = join_words(self.words)
        # joblib pickles a memmap in pieces and hashes it differently from an array; a
        # view of it is treated like any array.
        for name in ("matrix", "scale"):
            if state[name] is not None:
                state[name] = np.asarray(state[name])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        words = split_words(state["words"])
        parts = self.scale, self.unknown, self.subwords, self.is_weighted
        self._set(words, self.matrix, *parts)

    def __repr__(self) -> str:
        more = "" if self.unknown is None else f", unknown={self.unknown!r}"
        more += ", weighted" if self.is_weighted else ""
        return f"WordVectors({len(self)} words, dim={self.dim}, {self.dtype}{more})"


class _UnitRows:
    """The rows of a table of vectors, scaled to length 1 where they are read."""

    def __init__(self, table: WordVectors) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: slice) -> UnitVectors:
        return unit_vectors(self.table.rows(rows))


def nearest_words(
    vectors: WordVectors, word: str | NDArray[np.floating], k: int = 10
) -> list[tuple[str, float]]:
    """Find the words that are most similar by cosine.

    Parameters
    ----------
    vectors : WordVectors
    word : str or ndarray of shape (dim,)
        A word, which is left out of the answer, or any vector.
    k : int, default=10
        Number of words.

    Returns
    -------
    neighbors : list of (str, float)
        Words and cosines, most similar first; ties in the order of the table.

    Raises
    ------
    KeyError
        If the table lacks the word, and has no out-of-vocabulary vector for it.
    ValueError
        If the vector has another shape or is not finite.

    Examples
    --------
    >>> from skparaphrase.vectors import WordVectors, nearest_words
    >>> vectors = WordVectors(["cat", "dog", "car"], [[1, 0], [1, 1], [0, 1]])
    >>> [(word, round(cosine, 2)) for word, cosine in nearest_words(vectors, "cat")]
    [('dog', 0.71), ('car', 0.0)]
    """
    own_row = vectors.index.get(word) if isinstance(word, str) else None
    with np.errstate(over="ignore"):
        target = np.asarray(vectors[word] if isinstance(word, str) else word, "f4")
    if target.shape != (vectors.dim,):
        raise ValueError(
            f"Expected a vector of shape ({vectors.dim},); got {target.shape}."
        )
    if not np.isfinite(target).all():
        raise ValueError("The vector is not finite.")
    k = max(min(k, len(vectors)), 0)
    _, rows, cosines = nearest(
        unit_vectors(target[np.newaxis]), _UnitRows(vectors), k + (own_row is not None)
    )
    neighbors = zip(rows.tolist(), cosines.tolist(), strict=True)
    return [(vectors.words[i], cosine) for i, cosine in neighbors if i != own_row][:k]
