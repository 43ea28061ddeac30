"""Tables made from a table: stored in another way, with a row more, retrained."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skparaphrase.vectors._arrays import DTYPES, check_finite, read_only

if TYPE_CHECKING:
    from skparaphrase.text import Vocabulary


class Derived:
    """Ways to make another table from a table."""

    if TYPE_CHECKING:
        words: Vocabulary
        matrix: NDArray[Any]
        scale: NDArray[np.float32] | None
        unknown: str | None
        _source: tuple[str, int] | None

        def __init__(
            self,
            words: Any,
            matrix: Any,
            *,
            scale: Any = None,
            unknown: str | None = None,
        ) -> None: ...

        def rows(self, rows: NDArray[np.integer] | slice) -> NDArray[np.float32]: ...

    def astype(self, dtype: DTypeLike) -> Self:
        """The table stored in another way.

        Parameters
        ----------
        dtype : {"float32", "float16", "int8"}
            With "int8" every word has a scale.

        Returns
        -------
        vectors : WordVectors
            The same object if it is stored so.
        """
        name = np.dtype(dtype).name
        if name not in DTYPES:
            raise ValueError(f"dtype must be one of {DTYPES}; got {name}.")
        if name == self.matrix.dtype.name:
            return self
        matrix = self.rows(slice(None))
        scale = None
        if name == "int8":
            scale = np.abs(matrix).max(axis=1, initial=0) / 127
            scale[scale == 0] = 1
            matrix = np.rint(matrix / scale[:, np.newaxis])
        return type(self)(
            self.words, matrix.astype(name), scale=scale, unknown=self.unknown
        )

    def with_unknown(self, vector: Any = None, word: str = "<unk>") -> Self:
        """The table with one more row, for the words that it lacks.

        Parameters
        ----------
        vector : array-like of shape (dim,), default=None
            None takes the mean of all vectors, as is usual with GloVe.

        word : str, default="<unk>"
            Its name.

        Returns
        -------
        vectors : WordVectors
            Stored as this one.
        """
        matrix = self.rows(slice(None))
        row = matrix.mean(axis=0) if vector is None else np.asarray(vector, np.float32)
        if row.shape != matrix.shape[1:]:
            raise ValueError(
                f"vector must be of shape {matrix.shape[1:]}; got {row.shape}."
            )
        return type(self)(
            [*self.words, word], np.vstack([matrix, row]), unknown=word
        ).astype(self.matrix.dtype)

    def replace(self, matrix: NDArray[np.floating]) -> Self:
        """The same words with other vectors.

        Parameters
        ----------
        matrix : ndarray of shape (n_words, dim)
            Becomes float32.

        Returns
        -------
        vectors : WordVectors
            Shares the words with this one.
        """
        matrix = np.ascontiguousarray(matrix, dtype=np.float32)
        if matrix.ndim != 2 or len(matrix) != len(self.words):
            raise ValueError(
                f"matrix must be of shape ({len(self.words)}, dim); got {matrix.shape}."
            )
        vectors = object.__new__(type(self))
        vectors.__dict__.update(self.__dict__)
        vectors._source = None  # a pickle holds these vectors
        vectors.matrix = read_only(matrix)
        vectors.scale = None
        check_finite(vectors.words, vectors.matrix, None)
        return vectors
