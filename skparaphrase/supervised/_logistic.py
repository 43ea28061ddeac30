"""Logistic regression on distributions with a prior, which initialises a head."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit

_TINY = 1e-6  # share of an output that is in no target
# For `centroid_prior`, on vectors of length 1; chosen on AG News, TREC, SUBJ, MR,
# biomedical titles and HWU64, with 5 to 100 texts per class and 30 to 2,000 at random.
_SLOPE, _PENALTY = 12.0, 64.0
_MAX_ITER = 100  # iterations of L-BFGS; the head is trained further


def logistic_regression(
    features: NDArray[np.float32],
    targets: NDArray[np.floating],
    weights: NDArray[np.floating] | None = None,
    *,
    penalty: float = 1.0,
    prior: tuple[NDArray[np.float32], NDArray[np.float32] | None] | None = None,
    independent: bool = False,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Fit weights W and biases b of softmax(features @ W + b) to distributions.

    The objective is the sum of the cross-entropies plus half the penalty times the sum
    of squares of W - W0, where W0 is the prior or zero. With one-hot targets of three
    or more classes and no prior, scikit-learn's `LogisticRegression(C=1 / penalty)` has
    the same minimum; unlike it, targets may be any distributions.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features), float32
    targets : ndarray of shape (n_samples, n_outputs)
        Rows sum to one, unless outputs are independent.
    weights : ndarray of shape (n_samples,) or (n_samples, n_outputs), default=None
        Two dimensions are allowed only for independent outputs.
    penalty : float, default=1.0
    prior : tuple of two ndarrays, default=None
        The weights W0, shape (n_features, n_outputs), and biases b0, shape
        (n_outputs,), or None. With b0, the penalty also includes the squared changes of
        the logits at the mean of the features; without b0, biases are not penalised.
    independent : bool, default=False
        Fit a logistic regression for each output, with a sigmoid instead of the
        softmax, like `OneVsRestClassifier(LogisticRegression(C=1 / penalty))`.

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
    features = features - mean  # undone by the biases; L-BFGS takes fewer steps
    shape = features.shape[1] + 1, targets.shape[1]
    center, penalized = np.zeros(shape, np.float32), slice(-1)  # all but the biases
    if prior is not None:
        center[:-1], b0 = prior
        if b0 is not None:
            center[-1], penalized = b0 + mean @ prior[0], slice(None)

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        parameters = flat.reshape(shape).astype(np.float32)
        weight, bias = parameters[:-1], parameters[-1]
        logits = features @ weight + bias
        change = parameters[penalized] - center[penalized]
        loss = penalty * float(np.vdot(change, change)) / 2
        if independent:
            loss += float((totals * np.logaddexp(0, logits) - targets * logits).sum())
            errors = expit(logits) * totals - targets
        else:
            logs = log_softmax(logits, axis=1)
            loss -= float(np.vdot(targets, logs))
            errors = np.exp(logs) * totals - targets
        gradient = np.vstack([features.T @ errors, errors.sum(axis=0)])
        gradient[penalized] += penalty * change
        return loss, gradient.ravel().astype(np.float64)

    start = center.astype(np.float64)
    if independent:
        shares = targets.sum(axis=0) / (totals * np.ones_like(targets)).sum(axis=0)
        start[-1] = logit(np.clip(shares, _TINY, 1 - _TINY))
    elif penalized.stop:
        start[-1] = np.log(targets.sum(axis=0) / targets.sum() + _TINY)
    options: Any = {"maxiter": _MAX_ITER, "ftol": 1e-6}
    solution = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options=options
    )
    parameters = solution.x.reshape(shape).astype(np.float32)
    weight, bias = parameters[:-1], parameters[-1]
    return weight, bias - mean @ weight


def centroid_prior(
    features: NDArray[np.float32],
    targets: NDArray[np.floating],
    weights: NDArray[np.floating] | None = None,
) -> dict[str, Any]:
    """The nearest-centroid classifier as a prior of logistic regression.

    Up to a term that all outputs share, the logit of an output is minus half the
    squared distance from the weighted mean of its features, times a slope. The penalty
    is a multiple of the curvature of the loss where all K outputs are equally probable,
    (K - 1) / K**2; a constant penalty would shrink the weights more if there are many
    outputs. With few examples, decisions are then close to the nearest centroid, which
    does not prefer frequent outputs. With many, they are close to logistic regression.

    Parameters
    ----------
    features, targets, weights
        As in `logistic_regression`, without independent outputs.

    Returns
    -------
    settings : dict
        The penalty and the prior, as arguments of `logistic_regression`.
    """
    n_outputs, targets = targets.shape[1], targets.astype(np.float32)
    if weights is not None:
        targets *= weights[:, np.newaxis]
    totals = targets.sum(axis=0)
    centroids = targets.T @ features / np.maximum(totals, _TINY)[:, np.newaxis]
    length = float(np.vecdot(features, features).mean()) or 1.0
    slope = _SLOPE / length
    biases = -slope / 2 * np.vecdot(centroids, centroids)
    biases[totals == 0] = np.log(_TINY)
    return {
        "penalty": _PENALTY * length * (n_outputs - 1) / n_outputs**2,
        "prior": ((slope * centroids.T).astype(np.float32), biases.astype(np.float32)),
    }
