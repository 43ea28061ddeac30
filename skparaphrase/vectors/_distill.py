"""Word vectors distilled from any encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_scalar

from skparaphrase.text import Vocabulary
from skparaphrase.vectors._interchange import to_numpy

if TYPE_CHECKING:
    from skparaphrase.vectors._word_vectors import WordVectors


def distill(
    cls: "type[WordVectors]",
    words: Iterable[str],
    encode: Callable[[list[str]], Any],
    *,
    batch_size: int = 1024,
) -> "WordVectors":
    """Take the vectors that a better, slower model gives single words.

    Parameters
    ----------
    words : iterable of str
        Distinct words.
    encode : callable
        Takes a list of words and returns their vectors, array-like of shape
        (n_words, dim); for instance `SentenceTransformer(...).encode`.
    batch_size : int, default=1024
        Maximum number of words that are passed to `encode` at once.

    Returns
    -------
    vectors : WordVectors
        float32; see :meth:`astype`.

    Raises
    ------
    ValueError
        If a word occurs twice, or `encode` returns an array of another shape or a
        vector that is not finite; the message names the first such word.

    See Also
    --------
    skparaphrase.encoders.DistilledEncoder : From the vectors of sentences, with fewer
        dimensions.

    Examples
    --------
    >>> from skparaphrase.vectors import WordVectors
    >>> def encode(words):
    ...     return [[len(word), word.count("o")] for word in words]
    >>> WordVectors.distill(["cat", "door"], encode)["door"]
    array([4., 2.], dtype=float32)
    """
    if isinstance(words, str):
        raise TypeError("words must be several words; got one str.")
    check_scalar(batch_size, "batch_size", Integral, min_val=1)
    words = Vocabulary([*words])  # checked before hours of encoding, not after
    if not words:
        raise ValueError("words is empty: there is nothing to distill.")
    matrix = np.empty((0, 0), np.float32)
    for start in range(0, len(words), batch_size):
        batch = words[start : start + batch_size]
        block = to_numpy(encode(list(batch)))
        width = matrix.shape[1] if start else "dim"
        is_wrong = block.ndim != 2 or len(block) != len(batch)
        if is_wrong or (start and block.shape[1] != width):
            raise ValueError(
                f"encode must return vectors of shape ({len(batch)}, {width}) for the "
                f"{len(batch)} words from {batch[0]!r} on, number {start}; got shape "
                f"{block.shape}."
            )
        if not start:
            matrix = np.empty((len(words), block.shape[1]), dtype=np.float32)
        with np.errstate(over="ignore"):  # raised below
            matrix[start : start + len(block)] = block
        bad = np.flatnonzero(~np.isfinite(matrix[start : start + len(block)]).all(1))
        if len(bad):
            row = int(bad[0])
            raise ValueError(
                f"The vector that encode returned for {batch[row]!r}, number "
                f"{start + row}, is not finite."
            )
    return cls(words, matrix)
