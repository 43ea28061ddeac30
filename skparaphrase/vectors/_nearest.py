"""Words by the cosine of their vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from skparaphrase.vectors._word_vectors import WordVectors

_BLOCK = 65536  # rows made float32 at a time


def nearest_words(
    vectors: "WordVectors", target: NDArray[np.float32], n: int, without: int | None
) -> list[tuple[str, float]]:
    """The `n` words most similar to `target`, ties in the order of the table.

    Parameters
    ----------
    vectors : WordVectors
    target : ndarray of shape (dim,)
    n : int
    without : int or None
        A row to leave out.
    """
    cosines = np.empty(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        block = slice(start, start + _BLOCK)
        rows = vectors.rows(block)
        norms = np.linalg.norm(rows, axis=1)
        cosines[block] = rows @ target / np.maximum(norms, 1e-30)
    cosines /= max(float(np.linalg.norm(target)), 1e-30)
    if without is not None:
        cosines[without] = -np.inf
    n = max(min(n, len(vectors) - (without is not None)), 0)
    best = np.arange(len(vectors))
    if 0 < n < len(vectors):
        least = np.partition(cosines, len(vectors) - n)[len(vectors) - n]
        best = np.flatnonzero(cosines >= least)
    best = best[np.argsort(-cosines[best], kind="stable")][:n]
    return [(vectors.words[i], float(cosines[i])) for i in best.tolist()]
