"""Multinomial logistic regression on distributions, which a linear head starts from."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit

_TINY = 1e-6  # share of an output that no target has
_MAX_ITER = 100  # of L-BFGS; the head is trained further


def logistic_regression(
    features: NDArray[np.float32],
    targets: NDArray[np.floating],
    weights: NDArray[np.floating] | None = None,
    *,
    penalty: float = 1.0,
    independent: bool = False,
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
        Rows sum to one, unless outputs are independent.
    weights : ndarray of shape (n_samples,) or (n_samples, n_outputs), default=None
        In two dimensions only for independent outputs.
    penalty : float, default=1.0
    independent : bool, default=False
        Fit a logistic regression for each output, a sigmoid in place of the softmax, as
        `OneVsRestClassifier(LogisticRegression(C=1 / penalty))` does.

    Returns
    -------
    weight : ndarray of shape (n_features, n_outputs), float32
    bias : ndarray of shape (n_outputs,), float32
    """
    totals = np.ones((len(targets), 1), np.float32)
    if weights is not None:
        totals = weights.reshape(len(targets), -1).astype(np.float32)
    targets = targets.astype(np.float32) * totals
    mean = features.mean(axis=0)
    features = features - mean  # which the biases undo; L-BFGS takes fewer steps
    shape = features.shape[1] + 1, targets.shape[1]

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        parameters = flat.reshape(shape).astype(np.float32)
        weight, bias = parameters[:-1], parameters[-1]
        logits = features @ weight + bias
        loss = penalty * float(np.vdot(weight, weight)) / 2
        if independent:
            loss += float((totals * np.logaddexp(0, logits) - targets * logits).sum())
            errors = expit(logits) * totals - targets
        else:
            logs = log_softmax(logits, axis=1)
            loss -= float(np.vdot(targets, logs))
            errors = np.exp(logs) * totals - targets
        gradient = np.vstack(
            [features.T @ errors + penalty * weight, errors.sum(axis=0)]
        )
        return loss, gradient.ravel().astype(np.float64)

    start = np.zeros(shape)
    if independent:
        shares = targets.sum(axis=0) / (totals * np.ones_like(targets)).sum(axis=0)
        start[-1] = logit(np.clip(shares, _TINY, 1 - _TINY))
    else:
        start[-1] = np.log(targets.sum(axis=0) / targets.sum() + _TINY)
    options: Any = {"maxiter": _MAX_ITER, "ftol": 1e-6}
    solution = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options=options
    )
    parameters = solution.x.reshape(shape).astype(np.float32)
    weight, bias = parameters[:-1], parameters[-1]
    return weight, bias - mean @ weight
