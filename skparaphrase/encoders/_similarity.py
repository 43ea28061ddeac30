"""Similarity of two texts in one call."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from skparaphrase._math import cosine, unit_vectors
from skparaphrase.encoders._pretrained import load_pretrained
from skparaphrase.text import unique_texts
from skparaphrase.text._check import check_single_texts


@overload
def similarity(a: str, b: str, encoder: Any = None) -> float: ...


@overload
def similarity(
    a: Any, b: Any = None, encoder: Any = None, *, matrix: bool = False
) -> NDArray[np.floating]: ...


def similarity(
    a: Any, b: Any = None, encoder: Any = None, *, matrix: bool = False
) -> float | NDArray[np.floating]:
    """Compute the cosines of texts.

    Parameters
    ----------
    a, b : str or array-like of str of shape (n_texts,)
        Two texts; a text and several others; or two sequences of the same length, of
        which each text is compared with its counterpart. If `b` is None, each text of
        `a` is compared with each other one.
    encoder : encoder instance, default=None
        A fitted encoder, or a pipeline that ends with vectors. None takes
        :func:`load_pretrained`, whose table is read at the first call only.
    matrix : bool, default=False
        Compare each text of `a` with each of `b`. The lengths may differ.

    Returns
    -------
    cosine : float or ndarray
        Between -1 and 1; 0 where a text is empty. A float for two `str`, an array of
        shape (n_texts,), or a matrix of shape (n_texts of a, n_texts of b).

    Raises
    ------
    ValueError
        If the sequences differ in length, or hold anything but texts.

    See Also
    --------
    skparaphrase.search.SemanticSearch : The most similar of many texts.
    skparaphrase.pairs.PairSimilarity : Other measures, as the last step of a pipeline.
    skparaphrase.inspection.explain_similarity : Which words make texts similar.

    Examples
    --------
    >>> import skparaphrase
    >>> cosine = skparaphrase.similarity("A cat sleeps.", "The cat is asleep.")
    >>> cosine > 0.5
    True
    >>> others = ["The cat is asleep.", "Hello!"]
    >>> skparaphrase.similarity("A cat sleeps.", others).round(1)
    array([0.9, 0. ], dtype=float32)
    >>> skparaphrase.similarity(others).shape  # each with each
    (2, 2)
    """
    if isinstance(a, str) and isinstance(b, str) and not matrix:
        return float(similarity([a], [b], encoder)[0])
    first = _texts(a, "a")
    second = first if b is None else _texts(b, "b")
    is_matrix = matrix or b is None
    is_single = isinstance(a, str) or isinstance(b, str)
    if not (is_matrix or is_single or len(first) == len(second)):
        raise ValueError(
            f"a has {len(first)} texts and b {len(second)}; give one text or as many "
            "as in the other, or matrix=True to compare each with each."
        )
    encoder = load_pretrained() if encoder is None else encoder
    distinct, indices = unique_texts(np.append(first, second))
    vectors = np.asarray(encoder.transform(distinct))
    rows, columns = np.split(indices, [len(first)])
    if is_matrix:
        vectors = unit_vectors(vectors)
        return np.clip(vectors[rows] @ vectors[columns].T, -1, 1)
    pairs = np.broadcast_arrays(vectors[rows], vectors[columns])
    return np.clip(cosine(*pairs), -1, 1)


def _texts(texts: Any, name: str) -> NDArray[np.object_]:
    return check_single_texts([texts] if isinstance(texts, str) else texts, name)
