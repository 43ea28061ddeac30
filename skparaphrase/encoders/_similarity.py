"""Similarity of two texts in one call."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from skparaphrase.encoders._average import load_pretrained
from skparaphrase.metrics._similarity import cosine_similarity
from skparaphrase.text import check_texts


@overload
def similarity(a: str, b: str, encoder: Any = None) -> float: ...


@overload
def similarity(a: Any, b: Any, encoder: Any = None) -> NDArray[np.floating]: ...


def similarity(a: Any, b: Any, encoder: Any = None) -> float | NDArray[np.floating]:
    """Compute the cosine of two texts, or of each text with its counterpart.

    Parameters
    ----------
    a, b : str or array-like of str of shape (n,)
        Two texts, or two sequences of the same length.
    encoder : encoder instance, default=None
        A fitted encoder, or a pipeline that ends with vectors. None takes
        :func:`load_pretrained`, whose table is read at the first call only.

    Returns
    -------
    cosine : float or ndarray of shape (n,)
        Between -1 and 1, a float for two `str`; 0 where a text is empty.

    Raises
    ------
    TypeError
        If one is a `str` and the other is not.
    ValueError
        If the sequences differ in length, or hold anything but texts.

    See Also
    --------
    skparaphrase.pairs.PairSimilarity : Other measures, as the last step of a pipeline.

    Examples
    --------
    >>> import skparaphrase
    >>> cosine = skparaphrase.similarity("A cat sleeps.", "The cat is asleep.")
    >>> cosine > 0.5
    True
    >>> others = ["The cat is asleep.", "Hello!"]
    >>> skparaphrase.similarity(["A cat sleeps."] * 2, others).round(1)
    array([0.9, 0. ], dtype=float32)
    """
    if isinstance(a, str) and isinstance(b, str):
        return float(similarity([a], [b], encoder)[0])
    first, second = check_texts(a), check_texts(b)
    if first.ndim > 1 or first.shape != second.shape:
        raise ValueError(
            "a and b must be two texts, or two sequences of texts of the same length; "
            f"got shapes {first.shape} and {second.shape}."
        )
    encoder = load_pretrained() if encoder is None else encoder
    vectors = np.asarray(encoder.transform(np.append(first, second)))
    return np.clip(cosine_similarity(*np.split(vectors, 2)), -1, 1)
