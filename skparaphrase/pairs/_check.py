"""What vectors of pairs are."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array


def check_pair_vectors(
    X: Any, estimator: Any, *, reset: bool, y: Any = None
) -> NDArray[np.floating]:
    """Vectors of pairs as a float array of shape (n_pairs, 2, d).

    Raises
    ------
    ValueError
        For another shape, for values that are not finite, or if d is not that of `fit`.
    """
    X = check_array(
        X,
        dtype=[np.float64, np.float32],
        allow_nd=True,
        ensure_min_samples=1 if reset else 0,
        input_name="X",
        estimator=estimator,
    )
    if X.ndim != 3 or X.shape[1] != 2:
        raise ValueError(
            f"{type(estimator).__name__} expects vectors of pairs, shape "
            f"(n_pairs, 2, dim); got shape {X.shape}. Give the encoder before it pairs "
            "of texts."
        )
    if X.shape[-1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is "
            f"required by {type(estimator).__name__}."
        )
    if reset:
        estimator.n_features_in_ = X.shape[-1]
    elif X.shape[-1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[-1]} features, but {type(estimator).__name__} is "
            f"expecting {estimator.n_features_in_} features as input."
        )
    return X
