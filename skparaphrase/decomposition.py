"""Removal of common components of sentence vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, TransformerTags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, StrOptions, fit_context
from skparaphrase._core import core
from skparaphrase._estimator import DocumentedOnline, store_parameters, warn_caller
from skparaphrase._math import dot
from skparaphrase._output import LastAxisTransformer, check_last_axis
from skparaphrase._threads import map_blocks, one_blas_thread

__all__ = ["CommonComponentRemoval"]

_SMALL = 512  # features up to which threads do not speed up LAPACK
_ROWS = 256  # rows multiplied at a time, to fit in the processor's cache
_TASK = 64 * _ROWS  # rows processed by a thread at a time
_FLOATS = [np.float64, np.float32]  # others become the first


class CommonComponentRemoval(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    r"""Remove the first principal directions of vectors.

    Lines 4 to 7 of algorithm 1 of Arora et al. (2017): with :math:`u` the first right
    singular vector of the matrix whose rows are the vectors given to `fit`, not
    centred, every vector becomes :math:`v - u u^\top v`. This works on the last axis of
    arrays of shape (n, d), (n, 2, d) and so on.

    Parameters
    ----------
    n_components : int, default=1
        Number of directions to remove; 1 is the paper's choice. 0 leaves the vectors
        unchanged.
    norm : {"l2"} or None, default="l2"
        "l2" scales the results to length 1, which does not change cosines and suits
        classifiers and clustering. None is exactly the paper's algorithm. A zero vector
        stays zero, and a vector along the removed directions becomes zero.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, d)
        Orthonormal directions, strongest first, each with a positive largest entry.
        Rows are zero, with a warning, if the vectors have fewer directions.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the (uncentred) sum of squares in each direction.
    n_features_in_ : int
        Length d of the vectors.
    n_samples_seen_ : int
        Number of vectors seen in `fit` and `partial_fit`.

    Notes
    -----
    The d x d Gram matrix is summed in double precision over blocks of 256 vectors, so
    memory does not grow with the number of vectors. It is kept for
    :meth:`partial_fit` (8 d^2 bytes). The paper fits on the sentences that it
    evaluates, whereas a `Pipeline` fits on the training part.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.decomposition import CommonComponentRemoval
    >>> vectors = np.array([[3.0, 0.1], [3.0, -0.2], [3.0, 0.1]])
    >>> CommonComponentRemoval(norm=None).fit_transform(vectors).round(3)
    array([[ 0. ,  0.1],
           [ 0. , -0.2],
           [ 0. ,  0.1]])
    """

    components_: NDArray[np.floating]
    explained_variance_ratio_: NDArray[np.floating]
    n_features_in_: int
    n_samples_seen_: int
    _gram: NDArray[np.float64]  # shape (d, d)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 0, None, closed="left")],
        "norm": [StrOptions({"l2"}), None],
    }

    def __init__(self, n_components: int = 1, *, norm: str | None = "l2") -> None:
        store_parameters(self, locals())

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)
        y : None
            Ignored.

        Returns
        -------
        self : CommonComponentRemoval

        Raises
        ------
        ValueError
            If `n_components` exceeds d, or is not less than the number of vectors.
        """
        return self._update(X, resume=False)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Update the directions with more vectors.

        The result equals, up to rounding, a single :meth:`fit` on all vectors.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)
        y : None
            Ignored.

        Returns
        -------
        self : CommonComponentRemoval

        Raises
        ------
        ValueError
            If `n_components` exceeds d, or is not less than the number of vectors.
        """
        return self._update(X, resume=hasattr(self, "_gram"))

    def _update(self, X: ArrayLike, *, resume: bool) -> Self:
        vectors = check_last_axis(X, self, reset=not resume, dtype=_FLOATS)
        rows = vectors.reshape(-1, vectors.shape[-1])
        n_samples = len(rows) + (self.n_samples_seen_ if resume else 0)
        if self.n_components > vectors.shape[-1]:
            raise ValueError(
                f"n_components={self.n_components} exceeds the "
                f"{vectors.shape[-1]} features."
            )
        if self.n_components and n_samples <= self.n_components:
            raise ValueError(
                f"Found array with {n_samples} sample(s), but removing "
                f"{self.n_components} component(s) needs at least "
                f"{self.n_components + 1}; with fewer, all vectors become zero."
            )
        gram = add_gram(rows, self._gram if resume else 0.0)
        if not np.isfinite(np.trace(gram)):
            raise ValueError("The squares of the vectors overflow; scale the vectors.")
        directions = self._directions(gram, vectors.dtype)
        self.components_, self.explained_variance_ratio_ = directions
        self._gram, self.n_samples_seen_ = gram, n_samples
        return self

    def transform(self, X: ArrayLike) -> Any:
        """Remove the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)

        Returns
        -------
        X_new : ndarray of the shape of `X`
            Orthogonal to every direction, of length 1 with `norm="l2"`. Zero vectors
            stay zero.
        """
        check_is_fitted(self)
        vectors = check_last_axis(X, self, reset=False, dtype=_FLOATS)
        components = self.components_.astype(vectors.dtype, copy=False)
        if self.norm not in ("l2", None):  # `fit` may not have seen it
            self._validate_params()
        removed = _project_out(vectors, components, self.norm is not None)
        return self._wrap(removed, X)

    def _directions(
        self, gram: NDArray[np.float64], dtype: np.dtype[Any]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Strongest eigenvectors as rows, and their shares of the trace."""
        # On a busy machine, a small problem would mostly wait for threads.
        with one_blas_thread() if len(gram) <= _SMALL else nullcontext():
            values, vectors = np.linalg.eigh(gram)  # ascending, with vectors in columns
        strongest = vectors.T[::-1][: self.n_components]
        total = np.maximum(values, 0).sum()
        ratio = values[::-1][: self.n_components] / (total if total > 0 else 1.0)
        is_direction = ratio > 8 * np.finfo(dtype).eps
        if not is_direction.all():
            warn_caller(
                f"The vectors have fewer than n_components={self.n_components} "
                "directions; fewer directions are removed."
            )
        largest = np.abs(strongest).argmax(axis=1, keepdims=True)
        signs = np.sign(np.take_along_axis(strongest, largest, axis=1))
        signs *= is_direction[:, np.newaxis]
        return (strongest * signs).astype(dtype), ratio.astype(dtype)

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        return tags


def add_gram(
    X: NDArray[np.floating], gram: NDArray[np.float64] | float = 0.0
) -> NDArray[np.float64]:
    """Add the Gram matrix of the columns of `X`, in double precision, to `gram`.

    Blocks of rows are multiplied in the precision of `X`.
    """
    sums = np.full((X.shape[1], X.shape[1]), gram)

    def add_rows(rows: slice) -> NDArray[np.float64]:
        part = np.zeros(sums.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            for block in _slices(rows, _ROWS):
                part += X[block].T @ X[block]
        return part

    for part in _map_rows(add_rows, X):
        sums = sums + part
    return sums


def _project_out(
    X: NDArray[np.floating], components: NDArray[np.floating], is_scaled: bool
) -> NDArray[np.floating]:
    """Subtract from `X`, shape (..., d), its projection on orthonormal rows.

    The result can be scaled to length 1.
    """
    kept = np.empty(X.shape, X.dtype)
    flat, out = (each.reshape(-1, X.shape[-1]) for each in (X, kept))

    def subtract_rows(rows: slice) -> None:
        for block in _slices(rows, _ROWS):
            vectors = flat[block]
            np.subtract(vectors, vectors @ components.T @ components, out=out[block])
            if is_scaled:
                out[block][_is_rounding(vectors, out[block])] = 0
                core.scale_to_unit(out[block])

    for _ in _map_rows(subtract_rows, flat):
        pass
    return kept


def _is_rounding(
    vectors: NDArray[np.floating], rest: NDArray[np.floating]
) -> NDArray[np.bool_]:
    """Whether the remainders of vectors are only rounding errors."""
    limit = 32 * np.finfo(vectors.dtype).eps
    with np.errstate(over="ignore"):
        squares, left = dot(vectors, vectors), dot(rest, rest)
        found: NDArray[np.bool_] = left <= limit**2 * squares
    odd = ~((squares > 1e-20) & (squares < 1e20))  # squares may under- or overflow
    if odd.any():
        largest, most = (np.abs(x[odd]).max(axis=1, initial=0) for x in (vectors, rest))
        found[odd] = most <= limit * largest
    return found


def _map_rows(
    function: Callable[[slice], Any], X: NDArray[np.floating]
) -> Iterator[Any]:
    """Results for parts of the rows, in order, independent of the threads."""
    # BLAS threads wait for one another: on two busy cores, a fit of 200,000 vectors of
    # length 256 takes 0.5 s, and 1.4 s with products by BLAS threads in plain NumPy.
    with one_blas_thread() if len(X) > _ROWS else nullcontext():
        yield from map_blocks(function, _slices(slice(0, len(X)), _TASK))


def _slices(rows: slice, step: int) -> Iterator[slice]:
    for start in range(rows.start, rows.stop, step):
        yield slice(start, min(start + step, rows.stop))
