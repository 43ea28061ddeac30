"""What vectors of pairs are."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._validation import check_last_axis


def check_pair_vectors(X: Any, estimator: Any, *, reset: bool) -> NDArray[np.floating]:
    """Vectors of pairs as a float array of shape (n_pairs, 2, d).

    Raises
    ------
    ValueError
        For another shape, for values that are not finite, or if d is not that of `fit`.
    """
    X = check_last_axis(X, estimator, reset=reset, dtype=[np.float64, np.float32])
    if X.ndim != 3 or X.shape[1] != 2:
        if reset:
            del estimator.n_features_in_  # a fit that failed leaves nothing fitted
        raise ValueError(
            f"{type(estimator).__name__} expects vectors of pairs, shape "
            f"(n_pairs, 2, dim); got shape {X.shape}. Give the encoder before it pairs "
            "of texts."
        )
    return X
