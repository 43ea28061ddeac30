"""CoSENT against loops over pairs of pairs, and by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.autograd import gradcheck

from skparaphrase.losses import CoSENTLoss, LossBatch
from skparaphrase.networks._table import unit_vectors


def cosent(unit, scores, scale=5.0):
    targets = torch.as_tensor(np.asarray(scores, dtype=np.float32))
    batch = LossBatch(np.arange(len(unit)), np.random.RandomState(0), targets)
    return CoSENTLoss(scale).compute(unit, batch)


def slow_cosent(vectors, scores, scale):
    cosines = [
        a @ b / (np.linalg.norm(a) * np.linalg.norm(b) or 1)
        for a, b in zip(vectors[0::2], vectors[1::2], strict=True)
    ]
    total = 1.0
    for better, c in zip(scores, cosines, strict=True):
        for worse, d in zip(scores, cosines, strict=True):
            if better > worse:
                total += np.exp(scale * (d - c))
    return np.log(total)


def normal(n_texts, seed=0):
    return np.random.default_rng(seed).normal(size=(n_texts, 4))


def test_by_hand():
    """Pairs at 60, 90 and 0 degrees, whose cosines are 0.5, 0 and 1."""
    angles = np.deg2rad([0, 60, 0, 90, 0, 0])
    unit = torch.from_numpy(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    expected = np.log(
        1
        + np.exp(2 * (0.5 - 0.0))  # the second pair should be above the first
        + np.exp(2 * (0.5 - 1.0))  # the third, too
        + np.exp(2 * (0.0 - 1.0))  # and above the second
    )
    assert cosent(unit, [1, 2, 3], scale=2.0).item() == pytest.approx(expected)
    expected = np.log(1 + np.exp(2 * (0.5 - 1.0)) + np.exp(2 * (0.0 - 1.0)))
    assert cosent(unit, [1, 1, 3], scale=2.0).item() == pytest.approx(expected)  # a tie
    assert cosent(unit, [2, 2, 2]).item() == 0


@pytest.mark.parametrize("scale", [1.0, 5.0, 20.0])
@pytest.mark.parametrize("levels", [2, 4, 100])
def test_loops(scale, levels):
    vectors = normal(24)
    vectors[3] = 0  # a text without tokens
    scores = np.random.RandomState(1).randint(levels, size=12) / 7
    found = cosent(unit_vectors(torch.from_numpy(vectors)), scores, scale)
    assert found.item() == pytest.approx(slow_cosent(vectors, scores, scale))


def test_gradient():
    scores = [0.0, 3.0, 1.0, 3.0, 2.5]
    leaf = torch.from_numpy(normal(10)).requires_grad_()
    assert gradcheck(lambda v: cosent(unit_vectors(v), scores), leaf)


def test_only_the_order_of_scores_counts():
    unit = unit_vectors(torch.from_numpy(normal(16)))
    scores = np.random.RandomState(0).permutation(8).astype(float)
    for other in (scores * 100 - 3, np.exp(scores)):
        assert_allclose(cosent(unit, other), cosent(unit, scores), rtol=1e-12)
    assert cosent(unit, -scores) != cosent(unit, scores)
