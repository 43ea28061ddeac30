"""Texts with the vectors that a teacher gives them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_array

from skparaphrase._math import unit_vectors
from skparaphrase._typing import Encoder
from skparaphrase.supervision._examples import (
    Arranged,
    Axes,
    Examples,
    Names,
    Rows,
    Shape,
    Weights,
)
from skparaphrase.text import TokenBatch


class TeacherVectors(Examples):
    """Texts of any shape and a teacher's unit vectors of them."""

    name, noun, default_loss = "vectors", "a teacher's vectors", "distillation"
    metric = "mean cosine"
    n_min = 0
    starts_far = True

    @classmethod
    def matches(cls, shape: Shape, y: ArrayLike | None, names: Names) -> bool:
        """For `y` with a last axis of vectors, or if nothing else is learnt."""
        if names == {cls.name}:
            return True
        given: Any = y
        of_y: tuple[int, ...] = getattr(given, "shape", None) or np.shape(given)
        if len(of_y) < 2 or of_y[-1] < 2:
            return False
        if len(of_y) == 2:
            _refuse_indicator(y, of_y)
        if cls.name not in names:
            raise ValueError(
                f"y has shape {tuple(of_y)}: set loss='distillation' to learn the "
                "vectors of a teacher."
            )
        return True

    @classmethod
    def check(cls, rows: Rows, y: ArrayLike | None, weights: Weights) -> Self:
        """Texts of shape S and vectors of shape S + (dim,), which are scaled."""
        texts = np.asarray(rows)
        if y is None:
            raise ValueError(
                "loss='distillation' learns the vectors of a teacher: call "
                f"fit(texts, vectors) with vectors of shape {(*texts.shape, 'dim')}."
            )
        vectors = check_vectors(y, texts, "y", dtype=np.float32, order="C", copy=True)
        flat = vectors.reshape(texts.size, -1)
        unit_vectors(flat, out=flat)
        return cls(texts, vectors, weights)

    def _check_split(self, train: Self, held_out: Self, fraction: float) -> None:
        return  # any number will do

    def _flat(self) -> NDArray[np.float32]:
        """A row for each of `texts`."""
        vectors: NDArray[np.float32] = self.targets.reshape(self.indices.size, -1)
        return vectors

    def validate(self, encoder: Encoder, train: Self) -> float:
        """The mean cosine with the teacher's vectors."""
        teacher = self._flat()
        vectors = np.asarray(encoder.transform(self.rows)).reshape(len(teacher), -1)
        if hasattr(encoder, "teacher_axes_"):
            teacher = teacher @ encoder.teacher_axes_
        return float((unit_vectors(vectors) * unit_vectors(teacher)).sum(axis=1).mean())

    def teacher_axes(
        self,
        dim: int,
        embed: Callable[[Any], NDArray[np.float32]],
        earlier: Axes,
    ) -> Axes:
        """The map from the teacher's vectors to an encoder's of other dimensions."""
        teacher = self._flat()
        if teacher.shape[1] == dim:
            return None
        if earlier is None:
            return find_axes(teacher, embed(self.distinct)[self.indices.ravel()])
        if len(earlier) != teacher.shape[1]:
            raise ValueError(
                f"The teacher's vectors had {len(earlier)} dimensions before, and now "
                f"have {teacher.shape[1]}. Fit a clone to start again."
            )
        return earlier

    def arrange(self, batch: TokenBatch, rng: RandomState, axes: Axes) -> Arranged:
        """Texts with the teacher's vectors in the dimensions of the encoder."""
        teacher = self._flat() if axes is None else self._flat() @ axes
        indices, weights = self.indices.ravel(), self.normalized_weights
        if weights is None:
            means = mean_targets(teacher, indices, len(batch))
            return Arranged(batch, self.indices, teacher=means)
        weights = weights.repeat(len(indices) // len(self))
        means = mean_targets(teacher * weights[:, np.newaxis], indices, len(batch))
        totals = np.bincount(indices, weights) / np.bincount(indices)
        of_texts = totals.astype(np.float32)
        return Arranged(batch, self.indices, teacher=means, weights=of_texts)


def indicator_rows(y: Any) -> NDArray[Any] | None:
    """The first rows of a matrix if they hold 0 and 1, as labels do, else None."""
    rows = y[:100]
    rows = rows.toarray() if issparse(rows) else np.asarray(rows, object)
    return rows if np.isin(rows, (0, 1)).all() else None


def _refuse_indicator(y: Any, shape: tuple[int, ...]) -> None:
    """Raise if a matrix holds labels instead of vectors."""
    if (rows := indicator_rows(y)) is None:
        return
    problem = (
        "several labels a text, of which an encoder does not learn: pass them to "
        "SentenceClassifier, or keep the encoder as it is with FrozenEstimator"
    )
    if (rows.sum(axis=1) == 1).all():
        problem = "one-hot labels: pass the labels, as in y.argmax(axis=1)"
    raise ValueError(
        f"y has shape {tuple(shape)} and holds {problem}. (If it does hold a teacher's "
        "vectors, set loss='distillation'.)"
    )


def check_vectors(
    vectors: Any, texts: NDArray[np.object_], name: str, **checks: Any
) -> NDArray[Any]:
    """The vectors that a teacher gives texts, an array of their shape + (dim,)."""
    vectors = check_array(
        vectors, ensure_2d=False, allow_nd=True, input_name=name, **checks
    )
    if vectors.ndim != texts.ndim + 1 or vectors.shape[:-1] != texts.shape:
        raise ValueError(
            f"{name} must hold a teacher's vectors, shape {(*texts.shape, 'dim')} for "
            f"texts of shape {texts.shape}; got shape {vectors.shape}."
        )
    return vectors


def mean_targets(
    vectors: NDArray[np.float32], indices: NDArray[np.intp], n_texts: int
) -> NDArray[np.float32]:
    """Unit targets of distinct texts, shape (n_texts, dim).

    Row `i` of `vectors` belongs to text `indices[i]`; a text that occurs more than once
    gets the mean of its rows. `vectors` are changed in place.
    """
    if n_texts == len(vectors):  # in order
        return unit_vectors(vectors, out=vectors)
    ones = np.ones(len(vectors), dtype=np.float32)
    shape = (n_texts, len(vectors))
    belongs = csr_array((ones, (indices, np.arange(len(vectors)))), shape=shape)
    return unit_vectors(belongs @ vectors)


def find_axes(
    teacher: NDArray[np.float32], student: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The linear map from a teacher's vectors to the dimensions of a student.

    The principal axes of the teacher's vectors (not centred, which keeps cosines as
    well as so many dimensions can), rotated toward the student's vectors of the same
    texts (orthogonal Procrustes problem, Schoenemann 1966), so that training does not
    start with learning another basis.

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
