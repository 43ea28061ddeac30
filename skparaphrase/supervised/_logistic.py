"""Multinomial logistic regression on distributions, which a linear head starts from."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

_TINY = 1e-6  # share of an output that no target has
_MAX_ITER = 100  # of L-BFGS; the head is trained further


def logistic_regression(
    features: NDArray[np.float32],
    targets: NDArray[np.floating],
    weights: NDArray[np.floating] | None = None,
    *,
    penalty: float = 1.0,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Fit weights W and biases b so that softmax(features @ W + b) is the targets.

    Minimises the sum of the cross-entropies plus half of the penalty times the sum of
    squares of W. With one-hot targets of three or more classes, scikit-learn's
    `LogisticRegression(C=1 / penalty)` has the same minimum; unlike it, targets may be
    any distributions.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features), float32
    targets : ndarray of shape (n_samples, n_outputs)
        Rows sum to one.
    weights : ndarray of shape (n_samples,), default=None
    penalty : float, default=1.0

    Returns
    -------
    weight : ndarray of shape (n_features, n_outputs), float32
    bias : ndarray of shape (n_outputs,), float32
    """
    targets = targets.astype(np.float32)
    if weights is not None:
        targets *= weights[:, np.newaxis]
    totals = targets.sum(axis=1, keepdims=True)  # the weights
    mean = features.mean(axis=0)
    features = features - mean  # which the biases undo; L-BFGS takes fewer steps
    shape = features.shape[1] + 1, targets.shape[1]

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        parameters = flat.reshape(shape).astype(np.float32)
        weight, bias = parameters[:-1], parameters[-1]
        logs = log_softmax(features @ weight + bias, axis=1)
        loss = penalty * float(np.vdot(weight, weight)) / 2
        loss -= float(np.vdot(targets, logs))
        errors = np.exp(logs) * totals - targets
        gradient = np.vstack(
            [features.T @ errors + penalty * weight, errors.sum(axis=0)]
        )
        return loss, gradient.ravel().astype(np.float64)

    start = np.zeros(shape)
    start[-1] = np.log(targets.sum(axis=0) / targets.sum() + _TINY)
    options: Any = {"maxiter": _MAX_ITER, "ftol": 1e-6}
    solution = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options=options
    )
    parameters = solution.x.reshape(shape).astype(np.float32)
    weight, bias = parameters[:-1], parameters[-1]
    return weight, bias - mean @ weight
