"""Checks of numeric arrays whose last axis holds the features."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from sklearn.utils import check_array

from skparaphrase._output import without_metadata


def check_last_axis(
    X: Any, estimator: Any, *, reset: bool, dtype: Any = "numeric"
) -> Any:
    """An array of shape (n_samples, ..., d), checked against the d of `fit`.

    Parameters
    ----------
    X : array-like
    estimator : estimator instance
        Gets `n_features_in_` if `reset`.
    reset : bool
        True in `fit`, which refuses zero samples too.
    dtype : as of :func:`sklearn.utils.check_array`

    Raises
    ------
    ValueError
        For values that are not finite, for no features, or if d is not that of `fit`.
    """
    if _holds_text(X):
        raise ValueError(
            f"{type(estimator).__name__} expects vectors, and got texts: put an "
            "encoder before it."
        )
    X = check_array(
        X,
        dtype=dtype,
        allow_nd=True,
        ensure_min_samples=1 if reset else 0,
        input_name="X",
        estimator=estimator,
    )
    X = without_metadata(X)
    name = type(estimator).__name__
    if X.shape[-1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is "
            f"required by {name}."
        )
    if reset:
        estimator.n_features_in_ = X.shape[-1]
    elif X.shape[-1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[-1]} features, but {name} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return X


def _holds_text(X: Any) -> bool:
    """Whether the first row holds a str; no other row is looked at."""
    if hasattr(X, "iloc"):  # pandas
        X = X.iloc[:1]
    elif hasattr(X, "slice"):  # polars, pyarrow
        X = X.slice(0, 1)
    elif isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.ndim):
        X = X[:1]
    return _any_text(X)


def _any_text(value: Any) -> bool:
    if hasattr(value, "column_names"):  # pyarrow
        value = value.columns
    elif hasattr(value, "to_pylist"):
        value = value.to_pylist()
    elif hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray) and value.dtype.kind in "OUT":
        value = value.ravel().tolist()
    if isinstance(value, (list, tuple)):
        return any(map(_any_text, value))
    return isinstance(value, str)
