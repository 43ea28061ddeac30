"""Logistic regression on distributions against scikit-learn's."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from skparaphrase.supervised._logistic import logistic_regression


@pytest.mark.parametrize("penalty", [1.0, 0.2, 5.0])
def test_distributions_are_weighted_examples(penalty):
    """A distribution equals one example for each label, weighted by its share."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 4)).astype(np.float32) + 3
    targets = rng.dirichlet(np.full(3, 0.5), size=60)
    weights = rng.uniform(0.5, 2, 60)
    before = features.copy()
    weight, bias = logistic_regression(features, targets, weights, penalty=penalty)
    assert_allclose(features, before, rtol=0)
    reference = LogisticRegression(C=1 / penalty, max_iter=10_000, tol=1e-8).fit(
        np.repeat(features, 3, axis=0).astype(float),
        np.tile(np.arange(3), 60),
        (targets * weights[:, np.newaxis]).ravel(),
    )
    found = softmax(features @ weight + bias, axis=1)
    assert_allclose(found, reference.predict_proba(features.astype(float)), atol=0.005)
    assert np.ptp(found) > 0.3


def test_an_output_without_examples_is_improbable():
    features = np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32)
    targets = np.eye(3)[(features[:, 0] > 0) * 2]
    weight, bias = logistic_regression(features, targets)
    found = softmax(features @ weight + bias, axis=1)
    assert found[:, 1].max() < 1e-4
    assert (found.argmax(axis=1) == targets.argmax(axis=1)).mean() > 0.9
