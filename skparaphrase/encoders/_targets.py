"""What `y` means to an encoder that trains on paraphrases, or on a teacher."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase.text import check_pairs, check_texts


def paraphrase_pairs(
    X: Any, y: Any, *, positive_from: float | None
) -> NDArray[np.object_]:
    """The pairs of `X` that are paraphrases according to `y`.

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2)

    y : array-like of shape (n_pairs,) or None

    positive_from : float or None
        Pairs with this score or more are paraphrases.

    Returns
    -------
    pairs : ndarray of shape (n_paraphrases, 2)

    Raises
    ------
    ValueError
        For scores that are neither 0 nor 1 without `positive_from`, for lengths that
        differ, for fewer than two paraphrases, and for vectors.
    """
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) > 1 and shape[-1] > 1:
        raise ValueError(
            f"y has shape {tuple(shape)}: to learn a teacher's vectors set "
            "loss='distillation'."
        )
    pairs = check_pairs(X)
    if y is not None:
        if any(isinstance(label, str) for label in np.asarray(y, dtype=object).flat):
            raise ValueError(
                "y holds str; say with booleans which pairs are paraphrases, such as "
                "y == 'entailment'."
            )
        scores = column_or_1d(
            check_array(
                y,
                ensure_2d=False,
                dtype=np.float64,
                input_name="y",
                ensure_min_samples=0,
            )
        )
        check_consistent_length(pairs, scores)
        pairs = pairs[_positive(scores, positive_from)]
    if len(pairs) < 2:
        raise ValueError(
            f"Found {len(pairs)} samples that are paraphrases, while a minimum of 2 is "
            "required: the negative examples of a pair are the other pairs."
        )
    return pairs


def _positive(
    scores: NDArray[np.float64], positive_from: float | None
) -> NDArray[np.bool_]:
    if positive_from is not None:
        return scores >= positive_from
    values = set(np.unique(scores).tolist())
    if values <= {0.0, 1.0}:
        return scores == 1
    if values <= {-1.0, 1.0}:
        raise ValueError(
            "y holds -1 and 1; paraphrases are marked with 1, other pairs with 0. "
            "positive_from=1 takes y as it is."
        )
    raise ValueError(
        f"y holds scores between {min(values):g} and {max(values):g}. Say with "
        "positive_from= from which score on a pair is a paraphrase."
    )


def taught_texts(X: Any, y: Any) -> tuple[NDArray[np.object_], NDArray[np.float32]]:
    """Texts, and the vectors that a teacher has for them.

    Parameters
    ----------
    X : array-like of str of shape S, that is (n_texts,) or (n_pairs, 2)

    y : array-like of shape S + (dim,)

    Returns
    -------
    texts : ndarray of shape S
    vectors : ndarray of shape (n, dim), float32
        A row for each text of the raveled `texts`, of length 1 or 0; a copy.

    Raises
    ------
    ValueError
        For shapes that do not fit, values that are not finite, or no text at all.
    """
    texts = check_texts(X)
    if not texts.size:
        raise ValueError("Found 0 samples; a minimum of 1 text is required to fit.")
    if y is None:
        raise ValueError(
            "loss='distillation' learns a teacher's vectors: fit(texts, vectors), with "
            f"vectors of shape {(*texts.shape, 'dim')}."
        )
    vectors = check_array(
        y,
        ensure_2d=False,
        allow_nd=True,
        dtype=np.float32,
        order="C",
        copy=True,
        input_name="y",
    )
    if vectors.ndim != texts.ndim + 1 or vectors.shape[:-1] != texts.shape:
        raise ValueError(
            f"y must hold the teacher's vectors, shape {(*texts.shape, 'dim')} for "
            f"texts of shape {texts.shape}; got shape {vectors.shape}."
        )
    return texts, _normalise(vectors.reshape(texts.size, -1))


def teacher_targets(
    vectors: NDArray[np.float32], numbers: NDArray[np.intp], n_texts: int
) -> NDArray[np.float32]:
    """Unit targets of distinct texts, shape (n_texts, dim).

    Row `i` of `vectors` is that of text `numbers[i]`; a text that occurs more than once
    gets the mean of its rows. `vectors` are changed in place.
    """
    if n_texts == len(vectors):  # numbered as they come
        return _normalise(vectors)
    ones = np.ones(len(vectors), dtype=np.float32)
    shape = (n_texts, len(vectors))
    belongs = csr_array((ones, (numbers, np.arange(len(vectors)))), shape=shape)
    return _normalise(belongs @ vectors)


def teacher_axes(
    teacher: NDArray[np.float32], student: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The linear map that brings a teacher's vectors to the dimensions of a student.

    The principal axes of the teacher's vectors (not centred, so that cosines are kept
    as well as so many dimensions can), turned toward the student's vectors of the same
    texts (orthogonal Procrustes problem, Schoenemann 1966), so that training does not
    begin with learning another basis.

    Parameters
    ----------
    teacher : ndarray of shape (n, dim_teacher)
    student : ndarray of shape (n, dim)

    Returns
    -------
    axes : ndarray of shape (dim_teacher, dim)
        With orthonormal columns, or rows if the teacher has fewer dimensions.
    """
    gram = (teacher.T @ teacher).astype(np.float64)
    principal = np.linalg.eigh(gram)[1][:, ::-1][:, : student.shape[1]]
    across = principal.T @ (teacher.T @ student).astype(np.float64)
    left, _, right = np.linalg.svd(across, full_matrices=False)
    axes: NDArray[np.float32] = (principal @ left @ right).astype(np.float32)
    return axes


def _normalise(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give every row length 1, in place: there may be gigabytes of them."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0] = 1
    vectors /= lengths[:, np.newaxis]
    return vectors
