"""Texts with the vectors of a teacher."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_array

from skparaphrase._estimator import warn_caller
from skparaphrase._frames import to_numpy
from skparaphrase._math import unit_vectors
from skparaphrase._typing import Encoder
from skparaphrase.supervision._examples import Axes, EncodedExamples, Examples, Lesson
from skparaphrase.text._lookup import TokenBatch


class TeacherVectors(Lesson):
    """Texts of any shape and a teacher's unit vectors."""

    name, noun, default_loss = "vectors", "a teacher's vectors", "distillation"
    metric = "mean cosine"
    n_min = 0
    has_teacher = True

    def read(self, examples: Examples, y: ArrayLike | None) -> Examples:
        """Texts of shape S and vectors of shape S + (dim,), scaled to length 1."""
        texts = np.asarray(examples.texts)
        if y is None:
            raise ValueError(
                "loss='distillation' learns the vectors of a teacher: call "
                f"fit(texts, vectors) with vectors of shape {(*texts.shape, 'dim')}."
            )
        vectors = check_vectors(y, texts, "y", dtype=np.float32, order="C", copy=True)
        flat = vectors.reshape(texts.size, -1)
        unit_vectors(flat, out=flat)
        return replace(examples, texts=texts, targets=vectors)

    def check_validation(self, held_out: Examples, train: Examples) -> None:
        """Raise an error if the teacher's vectors have other dimensions."""
        theirs, ours = held_out.targets.shape[-1], train.targets.shape[-1]
        if theirs != ours:
            raise ValueError(f"y_val has {theirs} dimensions, but y has {ours}.")

    def validate(self, encoder: Encoder, held_out: Examples, train: Examples) -> float:
        """The mean cosine with the teacher's vectors."""
        teacher = _flat(held_out)
        vectors = np.asarray(encoder.transform(held_out.texts))
        vectors = vectors.reshape(len(teacher), -1)
        if hasattr(encoder, "teacher_axes_"):
            teacher = teacher @ encoder.teacher_axes_
        return float((unit_vectors(vectors) * unit_vectors(teacher)).sum(axis=1).mean())

    def teacher_axes(
        self,
        examples: Examples,
        dim: int,
        embed: Callable[[Any], NDArray[np.float32]],
        earlier: Axes,
    ) -> Axes:
        """The map from the teacher's vectors to other dimensions of an encoder.

        Parameters
        ----------
        examples : Examples
        dim : int
            Number of dimensions of the encoder's vectors.
        embed : callable
            Returns the vectors of distinct texts by the initial encoder.
        earlier : ndarray or None
            The map of an earlier fit, which continues to be used.

        Returns
        -------
        axes : ndarray of shape (dim_teacher, dim) or None
            None if the dimensions are equal.
        """
        teacher = _flat(examples)
        if teacher.shape[1] == dim:
            return None
        if earlier is None:
            if len(teacher) < dim < teacher.shape[1]:
                warn_caller(
                    f"{len(teacher)} texts determine which {dim} of the teacher's "
                    f"{teacher.shape[1]} dimensions are kept, also for later texts: "
                    f"start with {dim} texts or, better, many more."
                )
            return find_axes(
                teacher, embed(examples.distinct)[examples.indices.ravel()]
            )
        if len(earlier) != teacher.shape[1]:
            raise ValueError(
                f"The teacher's vectors had {len(earlier)} dimensions before, but now "
                f"have {teacher.shape[1]}. Fit a clone to start again."
            )
        return earlier

    def encode(
        self, examples: Examples, batch: TokenBatch, rng: RandomState, axes: Axes
    ) -> EncodedExamples:
        """Texts with the teacher's vectors in the dimensions of the encoder."""
        teacher = _flat(examples) if axes is None else _flat(examples) @ axes
        indices, weights = examples.indices.ravel(), examples.normalized_weights()
        if weights is not None:
            weights = weights.repeat(len(indices) // len(examples))
            teacher = teacher * weights[:, np.newaxis]
            totals = np.bincount(indices, weights) / np.bincount(indices)
            weights = totals.astype(np.float32)
        means = mean_targets(teacher, indices, len(batch))
        return EncodedExamples(batch, examples.indices, means, weights, of_texts=True)


def _flat(examples: Examples) -> NDArray[np.float32]:
    """A teacher's vectors, one row per text."""
    vectors: NDArray[np.float32] = examples.targets
    return vectors.reshape(-1, vectors.shape[-1])


def indicator_rows(y: Any) -> NDArray[Any] | None:
    """The first rows of a matrix if they have only 0 and 1, like labels; or None."""
    rows = y[:100]
    rows = rows.toarray() if issparse(rows) else np.asarray(rows, object)
    return rows if np.isin(rows, (0, 1)).all() else None


def refuse_indicator(y: Any, shape: tuple[int, ...]) -> None:
    """Raise an error if a matrix contains labels instead of vectors."""
    if (rows := indicator_rows(y)) is None:
        return
    problem = (
        "several labels per text, from which encoders do not learn: pass them to "
        "TextClassifier, or keep the encoder unchanged with FrozenEstimator"
    )
    if (rows.sum(axis=1) == 1).all():
        problem = "one-hot labels: pass the labels, as in y.argmax(axis=1)"
    raise ValueError(
        f"y has shape {tuple(shape)} and contains {problem}. (If it contains a "
        "teacher's vectors, set loss='distillation'.)"
    )


def check_vectors(
    vectors: Any, texts: NDArray[np.object_], name: str, **checks: Any
) -> NDArray[Any]:
    """Check a teacher's vectors of texts, an array of their shape + (dim,)."""
    vectors = check_array(
        to_numpy(vectors), ensure_2d=False, allow_nd=True, input_name=name, **checks
    )
    if vectors.ndim != texts.ndim + 1 or vectors.shape[:-1] != texts.shape:
        raise ValueError(
            f"{name} must be a teacher's vectors, shape {(*texts.shape, 'dim')} for "
            f"texts of shape {texts.shape}; got shape {vectors.shape}."
        )
    return vectors


def mean_targets(
    vectors: NDArray[np.float32], indices: NDArray[np.intp], n_texts: int
) -> NDArray[np.float32]:
    """Unit targets of distinct texts, shape (n_texts, dim).

    Row `i` of `vectors` belongs to text `indices[i]`. A text that occurs more than once
    gets the mean of its rows. `vectors` is changed in place.
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

    These are the principal axes of the teacher's vectors, not centred, which preserves
    cosines as well as possible in so many dimensions. They are rotated towards the
    student's vectors of the same texts (orthogonal Procrustes problem, Schoenemann
    1966), so training does not have to learn another basis first.

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
