"""A table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skparaphrase.text import Vocabulary, WordTokenizer
from skparaphrase.text._lookup import WordLookup
from skparaphrase.vectors._arrays import DTYPES, check_finite, read_only
from skparaphrase.vectors._derived import Derived
from skparaphrase.vectors._folder import load_table, save_table
from skparaphrase.vectors._formats import read_table
from skparaphrase.vectors._interchange import Interchange
from skparaphrase.vectors._nearest import nearest_words


class WordVectors(Interchange, Derived):
    """Words and their vectors.

    Immutable, and shared rather than copied by :func:`sklearn.base.clone`: a grid
    search over many candidates holds one table, and workers of joblib map the same
    memory.

    Parameters
    ----------
    words : sequence of str of length n_words
        No word twice. Frequent words first, where an order is known.

    matrix : array-like of shape (n_words, dim)
        Kept as it is in float32 and float16, int8 needs `scale`; other numbers become
        float32. Not copied: do not change it afterwards.

    scale : array-like of shape (n_words,), default=None
        With int8 only: vector `i` is `matrix[i] * scale[i]`.

    unknown : str, default=None
        The word whose vector stands for every word that the table lacks ("UUUNKKK" in
        PARAGRAM files). None leaves such words out.

    Attributes
    ----------
    words : Vocabulary
        A sequence of str.
    matrix : ndarray of shape (n_words, dim), read-only
    scale : ndarray of shape (n_words,) or None
    unknown : str or None

    Raises
    ------
    ValueError
        For words that repeat, shapes that disagree, values that are not finite.

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

    def __init__(
        self,
        words: Sequence[str],
        matrix: Any,
        *,
        scale: Any = None,
        unknown: str | None = None,
    ) -> None:
        matrix = np.asanyarray(matrix)
        if matrix.dtype.name not in DTYPES:
            with np.errstate(over="ignore"):  # told by _check_finite
                matrix = np.asarray(matrix, dtype=np.float32)
        if not matrix.flags.c_contiguous:
            matrix = np.ascontiguousarray(matrix)
        self.words = words if isinstance(words, Vocabulary) else Vocabulary(words)
        if matrix.ndim != 2 or len(matrix) != len(self.words):
            raise ValueError(
                f"matrix must be of shape ({len(self.words)}, dim), a row a word; got "
                f"shape {matrix.shape}."
            )
        if (matrix.dtype == np.int8) != (scale is not None):
            raise ValueError("int8 vectors need a scale per word, others take none.")
        if scale is not None:
            scale = np.asarray(scale, dtype=np.float32)
            if scale.shape != (len(self.words),):
                raise ValueError(
                    f"scale must be of shape ({len(self.words)},); got {scale.shape}."
                )
        if unknown is not None and unknown not in self.words:
            raise ValueError(f"unknown={unknown!r} is not a word of the table.")
        self.matrix = read_only(matrix)
        self.scale = None if scale is None else read_only(scale)
        self.unknown = unknown
        self._source: tuple[str, int] | None = None  # what a pickle holds instead
        self._lookups: dict[tuple[bool, str, bool], WordLookup] = {}
        check_finite(self.words, self.matrix, self.scale)

    # Ways in -----------------------------------------------------------------------

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
    ) -> "WordVectors":
        """Read a file of GloVe, word2vec (text or binary) or fastText (`.vec`).

        Parameters
        ----------
        path : path-like

        format : {"auto", "glove", "word2vec", "word2vec-binary"}, default="auto"
            "glove" has no header; "word2vec" is text with a header "n_words dim", which
            is also the format of `.vec` files. "auto" looks at the first bytes.

        limit : int, default=None
            Read only the first `limit` words.

        vocabulary : iterable of str, default=None
            Read only these words, and `unknown`. `limit` counts words of the file, as
            they come.

        unknown : str, default=None
            See :class:`WordVectors`.

        dtype : {"float32", "float16"}, default="float32"

        encoding_errors : {"strict", "replace", "ignore"}, default="strict"
            What to do with words that are not UTF-8; "strict" raises, with the line.

        Returns
        -------
        vectors : WordVectors
            A word that occurs twice keeps its first vector; a warning counts them.

        Raises
        ------
        ValueError
            Names the file and the line (text) or row (binary) of what is wrong: a wrong
            header, a short row, something that is not a number, an early end.
        """
        if isinstance(vocabulary, str):
            raise TypeError("vocabulary must be several words; got one str.")
        wanted = None
        if vocabulary is not None:
            wanted = frozenset(vocabulary) | ({unknown} if unknown else set())
        words, matrix = read_table(
            Path(path),
            format=format,
            limit=limit,
            vocabulary=wanted,
            dtype=np.dtype(dtype),
            encoding_errors=encoding_errors,
        )
        try:
            return cls(words, matrix, unknown=unknown)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def load(
        cls, folder: str | PathLike[str], *, mmap: bool = True, by_path: bool = False
    ) -> "WordVectors":
        """Read what :meth:`save` wrote.

        Parameters
        ----------
        folder : path-like

        mmap : bool, default=True
            Map the matrix into memory instead of reading it: opening takes no time, and
            processes share one copy.

        by_path : bool, default=False
            A pickle holds the path of the folder instead of the vectors; whoever
            unpickles it maps the folder, once in a process. For workers of Dask and Ray
            that see the same files: no table goes to them with every task.

        Returns
        -------
        vectors : WordVectors

        Raises
        ------
        FileNotFoundError, ValueError
            If there is no folder, or it holds something else or is damaged.
        """
        vectors = cls.__new__(cls)
        vectors.__setstate__(load_table(Path(folder), mmap=mmap))
        if by_path:
            # Not resolved: a link may lead elsewhere on another machine.
            vectors._source = (str(Path(folder).absolute()), vectors._fingerprint())
        return vectors

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the table to a folder that :meth:`load` maps into memory.

        Parameters
        ----------
        folder : path-like
            It appears whole or not at all; an existing one is replaced.
        """
        save_table(folder, self.__getstate__())

    # Looking up --------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.matrix.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """How the matrix is stored."""
        return self.matrix.dtype

    @property
    def index(self) -> Mapping[str, int]:
        """The row of every word."""
        return self.words.index_of

    @property
    def unknown_row(self) -> int | None:
        """The row of words that the table lacks, if there is one."""
        return None if self.unknown is None else self.words.row(self.unknown)

    def rows(self, rows: NDArray[np.integer] | slice) -> NDArray[np.float32]:
        """Vectors of some rows.

        Parameters
        ----------
        rows : ndarray of int or slice
            Which rows.

        Returns
        -------
        vectors : ndarray of shape (n_rows, dim), float32
            Always a copy.
        """
        # Picked rows are a copy already.
        found = self.matrix[rows].astype(np.float32, copy=isinstance(rows, slice))
        if self.scale is not None:
            found *= self.scale[rows, np.newaxis]
        return found

    def lookup(self, tokenizer: WordTokenizer) -> WordLookup:
        """What finds the rows of the words of texts.

        Parameters
        ----------
        tokenizer : WordTokenizer

        Returns
        -------
        lookup : WordLookup
            The same for equal settings, so that it remembers what it has looked up; a
            new one for a function of the user's own.
        """
        if tokenizer.tokenizer is not None:
            return tokenizer.lookup(self.index, self.unknown_row)
        settings = (
            tokenizer.lowercase,
            tokenizer.token_pattern,
            tokenizer.split_compounds,
        )
        lookup = self._lookups.get(settings)
        if lookup is None:
            lookup = tokenizer.lookup(self.index, self.unknown_row)
            self._lookups[settings] = lookup
        return lookup

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        return self.rows(np.array([self.index[word]]))[0]

    def nearest(
        self, word: str | NDArray[np.floating], n: int = 10
    ) -> list[tuple[str, float]]:
        """The words most similar by cosine.

        Parameters
        ----------
        word : str or ndarray of shape (dim,)
            A word of the table, left out of the answer, or any vector.

        n : int, default=10

        Returns
        -------
        neighbours : list of (str, float)
            Words and cosines, most similar first.

        Raises
        ------
        KeyError
            If the table lacks the word.
        """
        own = None
        if isinstance(word, str):
            if word not in self:
                raise KeyError(f"{word!r} is not among the {len(self)} words.")
            own, target = self.words.row(word), self[word]
        else:
            target = np.asarray(word, dtype=np.float32)
            if target.shape != (self.dim,):
                raise ValueError(
                    f"Expected a vector of shape ({self.dim},); got {target.shape}."
                )
        return nearest_words(self, target, n, without=own)

    # Copies and pickles -------------------------------------------------------------

    def __sklearn_clone__(self) -> "WordVectors":
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        if self._source is not None:
            return _load_by_path, self._source
        return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if not k.startswith("_")}
        # A mapped array is pickled in pieces, and joblib hashes it as another one; a
        # view of it is not, and joblib maps either.
        for name in ("matrix", "scale"):
            if state[name] is not None:
                state[name] = np.asarray(state[name])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.matrix = read_only(self.matrix)
        self.scale = None if self.scale is None else read_only(self.scale)
        self._source = None
        self._lookups = {}

    def _fingerprint(self) -> int:
        """A number that tells tables apart, from some of their words and vectors."""
        some = np.linspace(0, len(self) - 1, min(len(self), 256)).astype(np.intp)
        words = [self.words[row] for row in some.tolist()]
        about = repr((self.matrix.shape, self.dtype.name, self.unknown, words))
        return zlib.crc32(self.rows(some).data, zlib.crc32(about.encode()))

    def __repr__(self) -> str:
        return f"WordVectors({len(self)} words, dim={self.dim}, {self.dtype})"


@lru_cache(maxsize=4)
def _load_by_path(folder: str, fingerprint: int) -> WordVectors:
    """The table that a pickle names by its folder; the same one each time."""
    try:
        vectors = WordVectors.load(folder, by_path=True)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{folder} is not there, where the pickled word vectors are: they were "
            "loaded with by_path=True, so that a pickle does not hold them."
        ) from None
    if vectors._fingerprint() != fingerprint:
        raise ValueError(
            f"{folder} holds other word vectors than it did when they were pickled by "
            "its path."
        )
    return vectors
