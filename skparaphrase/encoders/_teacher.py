"""Encoders that learn the vectors that a teacher gives texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import check_array

from skparaphrase.text import check_texts


class HasTeacher:
    """What `loss="distillation"` adds to an encoder.

    Where the teacher's vectors have other dimensions, `teacher_axes_` brings them to
    the encoder's.
    """

    teacher_axes_: NDArray[np.float32]

    if TYPE_CHECKING:

        def _embed(self, texts: list[str]) -> NDArray[np.float32]: ...

        @property
        def _n_features_out(self) -> int: ...

    def _in_own_space(
        self,
        taught: NDArray[np.float32],
        distinct: list[str],
        numbers: NDArray[np.intp],
    ) -> NDArray[np.float32]:
        """The teacher's vectors with as many dimensions as ours.

        Row `i` is of text `numbers[i]` of the distinct ones.
        """
        if taught.shape[1] == self._n_features_out:
            self.__dict__.pop("teacher_axes_", None)
            return taught
        axes = getattr(self, "teacher_axes_", None)
        if axes is None:
            axes = self.teacher_axes_ = teacher_axes(
                taught, self._embed(distinct)[numbers]
            )
        elif len(axes) != taught.shape[1]:
            raise ValueError(
                f"The teacher's vectors had {len(axes)} dimensions before, and have "
                f"{taught.shape[1]} now. Fit a clone to start anew."
            )
        return taught @ axes

    def _warn_of_few_texts(self, n_texts: int) -> None:
        """Warn if the first texts of a `partial_fit` are too few to settle axes."""
        if not hasattr(self, "teacher_axes_"):
            return
        theirs, ours = self.teacher_axes_.shape
        if n_texts < ours < theirs:
            warnings.warn(
                f"{n_texts} texts settle which {ours} of the teacher's {theirs} "
                f"dimensions are kept, also for later texts: begin with {ours} texts "
                "or, better, many more.",
                stacklevel=5,
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
