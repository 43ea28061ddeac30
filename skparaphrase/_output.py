"""Checks of vectors on the last axis, and containers of results."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from joblib import hash as hash_of
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_array

from skparaphrase._compat import ADAPTERS_MANAGER, get_output_config
from skparaphrase._frames import row_index


class IndexedArray(np.ndarray[Any, Any]):
    """Vectors of pairs, with the index of the pandas frame that contains the pairs.

    A later step that returns a frame uses it. Slices, copies and results of arithmetic
    have no index.
    """

    index: Any = None

    @classmethod
    def wrap(cls, array: NDArray[Any], index: Any) -> Self:
        """A view of an array, with the index."""
        indexed = array.view(cls)
        indexed.index = index
        return indexed

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """A view without the index, whose hash includes array and index.

        `joblib.Memory` hashes the bytes of arrays. The hashes of equal arrays must
        differ if the indices do; otherwise, a cached step returns the index of another
        call.
        """
        view = np.asarray(self).view(*args, **kwargs)
        if self.index is None or args != (np.uint8,):
            return view
        return np.append(view, np.frombuffer(hash_of(self.index).encode(), np.uint8))

    def __array_wrap__(
        self, array: Any, context: object = None, return_scalar: bool = False
    ) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __reduce__(self) -> tuple[Any, ...]:
        return IndexedArray.wrap, (np.asarray(self), self.index)


class LastAxisTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin that returns frames of shape (n, d) on request, and arrays of pairs.

    scikit-learn wraps every result in the container of `set_output`, which fails for
    more than two dimensions. Subclasses call :meth:`_wrap` in `transform` instead.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        kwargs["auto_wrap_output_keys"] = None
        super().__init_subclass__(**kwargs)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the container of two-dimensional results.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, default=None
            None leaves the configuration unchanged. Vectors of pairs, shape
            (n_pairs, 2, d), are always arrays; with "pandas" they pass the index of the
            pairs to the frames of later steps, such as `PairFeatures`.

        Returns
        -------
        self : estimator instance
        """
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _concatenate(self, blocks: Sequence[Any], X: ArrayLike) -> Any:
        """Concatenate blocks on the last axis; sparse if one of them is sparse."""
        if not any(map(sparse.issparse, blocks)):
            return self._wrap(np.concatenate(blocks, axis=-1), X)
        if get_output_config("transform", self)["dense"] != "default":
            raise ValueError(
                "A frame cannot hold sparse features. Reduce them to dense ones or use "
                "set_output(transform='default')."
            )
        return sparse.hstack(blocks, format="csr")

    def _wrap(self, vectors: NDArray[Any], X: ArrayLike) -> Any:
        own = getattr(self, "_sklearn_output_config", None)
        if own is None and get_config()["transform_output"] == "default":
            return vectors  # the same as below, but three times as fast
        kind = get_output_config("transform", self)["dense"]
        if kind == "default" or (vectors.ndim != 2 and kind != "pandas"):
            return vectors
        index = row_index(X)  # also for an IndexedArray
        if vectors.ndim != 2:
            return vectors if index is None else IndexedArray.wrap(vectors, index)
        frame = ADAPTERS_MANAGER.adapters[kind].create_container(
            vectors, X, columns=self.get_feature_names_out
        )
        if kind == "pandas" and index is not None:
            frame.index = index
        return frame


def check_last_axis(
    X: ArrayLike,
    estimator: BaseEstimator,
    *,
    reset: bool,
    dtype: str | Sequence[type] = "numeric",
) -> Any:
    """Check an array of shape (n_samples, ..., d), with the d of `fit`.

    Parameters
    ----------
    X : array-like
    estimator : estimator instance
        Gets `n_features_in_` if `reset`.
    reset : bool
        True in `fit`, which also requires at least one sample. If False, the length of
        the vectors is compared with `n_features_in_`, if it exists.
    dtype : as in :func:`sklearn.utils.check_array`
    """
    name = type(estimator).__name__
    if _holds_text(X):
        raise ValueError(
            f"{name} expects vectors, but got texts: add an encoder before it."
        )
    vectors = check_array(
        X,
        dtype=dtype,
        allow_nd=True,
        ensure_min_samples=1 if reset else 0,
        input_name="X",
        estimator=estimator,
    )
    if vectors.shape[-1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={vectors.shape}) while a minimum of "
            f"1 is required by {name}."
        )
    if reset:
        estimator.n_features_in_ = vectors.shape[-1]
    elif vectors.shape[-1] != getattr(estimator, "n_features_in_", vectors.shape[-1]):
        raise ValueError(
            f"X has {vectors.shape[-1]} features, but {name} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return vectors


def check_pair_vectors(
    X: ArrayLike, estimator: BaseEstimator, *, reset: bool
) -> NDArray[np.floating]:
    """Check vectors of pairs, a float array of shape (n_pairs, 2, d)."""
    vectors = check_last_axis(X, estimator, reset=reset, dtype=[np.float64, np.float32])
    if vectors.ndim != 3 or vectors.shape[1] != 2:
        if reset:
            del estimator.n_features_in_  # a failed fit leaves no fitted state
        raise ValueError(
            f"{type(estimator).__name__} expects vectors of pairs, shape "
            f"(n_pairs, 2, d); got shape {vectors.shape}. Pass pairs of texts to the "
            "encoder before it."
        )
    return vectors


def _holds_text(X: Any) -> bool:
    """Whether the first row holds a str; only that row is read."""
    try:
        row = np.asarray(X[:1])
        if row.dtype != object:
            return row.dtype.kind in "UT"
        row = np.array(row.tolist(), dtype=object)  # entries may be lists
    except (TypeError, ValueError, LookupError, NotImplementedError):
        return False  # ragged rows, or no rows, such as a scalar
    return any(isinstance(value, str) for value in row.ravel())
