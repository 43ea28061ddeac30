"""Logistic regression on distributions against scikit-learn's."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

from skparaphrase.supervised._logistic import centroid_prior, logistic_regression


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


@pytest.fixture
def draw():
    """Examples of three classes, the last of which is rare, and weights."""
    rng = np.random.default_rng(1)
    y = rng.choice(3, 80, p=[0.6, 0.3, 0.1])
    features = rng.normal(size=(3, 4))[y] + rng.normal(size=(80, 4)) + 2
    return features.astype(np.float32), np.eye(3)[y], rng.uniform(0.5, 2, 80)


@pytest.mark.parametrize("penalizes_bias", [True, False])
def test_a_prior_is_what_the_penalty_is_measured_from(penalizes_bias, draw):
    """Against the minimum of the printed objective, by finite differences."""
    features, targets, weights = draw
    rng = np.random.default_rng(2)
    W0, b0 = rng.normal(size=(4, 3)), rng.normal(size=3)
    means = features.mean(axis=0)

    def objective(flat):
        W, b = flat[:12].reshape(4, 3), flat[12:]
        p = softmax(features @ W + b, axis=1)
        loss = -(weights * np.log((p * targets).sum(axis=1))).sum()
        change = ((W - W0) ** 2).sum()
        if penalizes_bias:
            change += ((means @ W + b - means @ W0 - b0) ** 2).sum()
        return loss + 20 * change / 2

    solution = minimize(objective, np.zeros(15), options={"gtol": 1e-3}).x
    prior = W0.astype(np.float32), b0.astype(np.float32) if penalizes_bias else None
    weight, bias = logistic_regression(
        features, targets, weights, penalty=20, prior=prior
    )
    expected = softmax(features @ solution[:12].reshape(4, 3) + solution[12:], axis=1)
    assert_allclose(softmax(features @ weight + bias, axis=1), expected, atol=0.005)
    free, _ = logistic_regression(features, targets, weights, penalty=20)
    assert np.abs(weight - free).max() > 0.5


def test_a_prior_where_the_loss_is_least_stays(draw):
    """Which scikit-learn finds almost without a penalty."""
    features, targets, weights = draw
    reference = LogisticRegression(C=1e9, max_iter=10_000, tol=1e-10)
    reference.fit(features.astype(float), targets.argmax(axis=1), weights)
    prior = reference.coef_.T.astype(np.float32), None
    weight, _ = logistic_regression(
        features, targets, weights, penalty=1e3, prior=prior
    )
    assert_allclose(weight, prior[0], atol=0.02)


def test_the_prior_of_classes_is_their_nearest_centroid(draw):
    features, targets, _ = draw
    y = targets.argmax(axis=1)
    penalty, (weight, bias) = centroid_prior(features, targets).values()
    nearest = NearestCentroid().fit(features, y)
    found = (features @ weight + bias).argmax(axis=1)
    assert_array_equal(found, nearest.predict(features))
    assert not np.array_equal(found, y)
    # Squared distances from centroids, over the mean square of features.
    length = (features.astype(float) ** 2).sum(axis=1).mean()
    distances = ((features[:, np.newaxis] - nearest.centroids_) ** 2).sum(axis=2)
    logits = -6 * distances / length
    logits -= logits.mean(axis=1, keepdims=True)
    found = features @ weight + bias
    found -= found.mean(axis=1, keepdims=True)
    assert_allclose(found, logits, rtol=1e-3, atol=1e-4)
    assert penalty == pytest.approx(64 * length * 2 / 9, rel=1e-5)
    of_two = centroid_prior(features, np.eye(2)[y % 2])
    assert of_two["penalty"] == pytest.approx(64 * length / 4, rel=1e-5)


def test_weights_of_examples_are_repetitions_for_centroids(draw):
    features, targets, _ = draw
    times = np.arange(80) % 3
    repeated = (np.repeat(each, times, axis=0) for each in (features, targets))
    expected = centroid_prior(*repeated)
    found = centroid_prior(features, targets, times.astype(np.float32))
    for one, other in zip(found["prior"], expected["prior"], strict=True):
        length = (features**2).sum(axis=1)
        scale = np.average(length, weights=times) / length.mean()
        assert_allclose(one, other * scale, rtol=1e-4)


def test_few_examples_are_not_decided_by_the_shares_of_classes(draw):
    """With 12 examples, 10 of one class, it predicts like the nearest centroid."""
    features, targets, _ = draw
    y = targets.argmax(axis=1)
    rows = np.concatenate([np.flatnonzero(y == 0)[:10], np.flatnonzero(y == 1)[:2]])
    few, labels = features[rows], targets[rows][:, :2]
    settings = centroid_prior(few, labels)
    weight, bias = logistic_regression(few, labels, **settings)
    found = (features @ weight + bias).argmax(axis=1)
    nearest = NearestCentroid().fit(few, y[rows]).predict(features)
    assert (found == nearest).mean() > 0.95
    weight, bias = logistic_regression(few, labels, penalty=settings["penalty"])
    assert not (features @ weight + bias).argmax(axis=1).any()  # all the frequent one


def test_outputs_and_features_without_examples_have_a_prior():
    features = np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32)
    targets = np.eye(3)[(features[:, 0] > 0) * 2]
    settings = centroid_prior(features, targets)
    weight, bias = logistic_regression(features, targets, **settings)
    assert softmax(features @ weight + bias, axis=1)[:, 1].max() < 0.01
    penalty, (weight, bias) = centroid_prior(features * 0, targets).values()
    assert penalty > 0 and not weight.any() and np.isfinite(bias).all()
