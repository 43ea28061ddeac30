"""InfoNCE against torch on the whole matrix."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from skparaphrase import losses
from skparaphrase.losses import InfoNCELoss
from skparaphrase.networks import unit_vectors
from skparaphrase.training import LossBatch


def whole_infonce(unit, texts, temperature, mask):
    """The cross-entropies by torch, on the whole matrix."""
    one, other = unit[0::2], unit[1::2]
    logits = one @ other.T / temperature
    first, second = (torch.from_numpy(texts[side::2]) for side in (0, 1))
    losses = []
    for scores, own, partner in ((logits, first, second), (logits.T, second, first)):
        same = (partner == partner[:, None]) | (partner == own[:, None])
        same = (same & mask).fill_diagonal_(False)
        masked = scores.masked_fill(same, -torch.inf)
        target = torch.arange(len(scores))
        losses.append(torch.nn.functional.cross_entropy(masked, target))
    return sum(losses) / 2


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("block", [1, 7, 1024])
def test_infonce_loss_and_its_gradient_in_any_blocks(monkeypatch, block, mask):
    monkeypatch.setattr(losses, "BLOCK", block)
    texts = np.random.RandomState(0).randint(23, size=46)
    batch = LossBatch(texts, np.random.RandomState(0))
    found, gradients = [], []
    for loss in (
        lambda u: InfoNCELoss(0.3, mask_identical=mask).compute(u, batch),
        lambda u: whole_infonce(u, texts, 0.3, mask),
    ):
        leaf = torch.from_numpy(np.random.default_rng(0).normal(size=(46, 5)))
        leaf.requires_grad_()
        value = loss(unit_vectors(leaf)) * 3
        value.backward()
        found.append(value.item())
        gradients.append(leaf.grad)
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    assert_allclose(gradients[0], gradients[1], rtol=1e-9, atol=1e-12)
