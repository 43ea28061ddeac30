"""InfoNCE against torch on the whole matrix, with the same texts found by loops."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.autograd import gradcheck

from skparaphrase import losses
from skparaphrase.losses import InfoNCELoss
from skparaphrase.networks import unit_vectors
from skparaphrase.training import LossBatch

N_PAIRS = 23


def slow_groups(texts, n_pairs):
    """Equal numbers for what strings and pairs connect, by renaming."""
    texts = list(texts)
    for i in range(n_pairs):
        old, new = texts[2 * i], texts[2 * i + 1]
        texts = [new if text == old else text for text in texts]
    return np.array(texts)


def whole_infonce(unit, known, n_pairs, temperature):
    """The cross-entropies by torch; texts of equal numbers in `known` are masked."""
    sides = [np.arange(side, 2 * n_pairs, 2) for side in (0, 1)]
    hard = np.arange(2 * n_pairs, len(unit))
    entropies = []
    for queries, partners, negatives in (
        (*sides, np.append(sides[1], hard)),
        (*sides[::-1], sides[0]),
    ):
        logits = unit[queries] @ unit[negatives].T / temperature
        for i, j in np.ndindex(*logits.shape):
            negative = known[negatives[j]]
            is_known = negative in (known[queries[i]], known[partners[i]])
            if is_known and i != j:
                logits[i, j] = -torch.inf
        target = torch.arange(n_pairs)
        entropies.append(torch.nn.functional.cross_entropy(logits, target))
    return sum(entropies) / 2


def both_ways(texts, known, loss, *, n_hard=0, has_classes=False):
    """Loss and gradient of ours, and of torch on the whole matrix."""
    n_pairs = (len(texts) - n_hard) // 2
    batch = LossBatch(
        texts, np.random.RandomState(0), n_hard=n_hard, has_classes=has_classes
    )
    found = []
    for compute in (
        lambda unit: loss.compute(unit, batch),
        lambda unit: whole_infonce(unit, known, n_pairs, loss.temperature),
    ):
        leaf = torch.from_numpy(np.random.default_rng(0).normal(size=(len(texts), 5)))
        leaf.requires_grad_()
        value = compute(unit_vectors(leaf)) * 3
        value.backward()
        found.append((value.item(), leaf.grad))
    (value, gradient), (wanted, wanted_gradient) = found
    assert value == pytest.approx(wanted, rel=1e-12)
    assert_allclose(gradient, wanted_gradient, rtol=1e-9, atol=1e-12)
    return gradient


@pytest.mark.parametrize("n_hard", [0, N_PAIRS])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("block", [1, 7, 1024])
def test_loss_and_gradient_in_any_blocks(monkeypatch, block, mask, n_hard):
    monkeypatch.setattr(losses, "BLOCK", block)
    n_texts = 2 * N_PAIRS + n_hard
    texts = np.random.RandomState(0).randint(70, size=n_texts)
    groups = slow_groups(texts, N_PAIRS)
    assert 5 < len(set(groups)) < len(set(texts))  # some are connected, not all
    known = groups if mask else np.arange(n_texts)
    loss = InfoNCELoss(0.3, mask_known=mask)
    gradient = both_ways(texts, known, loss, n_hard=n_hard)
    assert gradient[2 * N_PAIRS :].any(axis=1).all()


@pytest.mark.parametrize("block", [2, 1024])
@pytest.mark.parametrize("mask", [False, True])
def test_texts_of_one_class_are_no_negatives(monkeypatch, mask, block):
    monkeypatch.setattr(losses, "BLOCK", block)
    classes = np.repeat(np.random.RandomState(0).randint(4, size=N_PAIRS), 2)
    both_ways(classes, classes, InfoNCELoss(0.3, mask_known=mask), has_classes=True)


def test_texts_that_pairs_connect_by_hand():
    """Of (a, b), (b, c) and (d, e), only d and e are negatives of a, b and c."""
    texts = np.array([0, 1, 1, 2, 3, 4])
    unit = unit_vectors(torch.from_numpy(np.random.RandomState(0).randn(6, 4)))
    batch = LossBatch(texts, np.random.RandomState(0))
    cosines = (unit @ unit.T).numpy() / 0.5
    expected = 0.0
    for text, partner, negatives in [
        (0, 1, [5]), (2, 3, [5]), (4, 5, [1, 3]),  # among the second texts
        (1, 0, [4]), (3, 2, [4]), (5, 4, [0, 2]),  # among the first
    ]:  # fmt: skip
        others = sum(np.exp(cosines[text, j]) for j in negatives)
        expected -= np.log(1 / (1 + others / np.exp(cosines[text, partner]))) / 6
    assert InfoNCELoss(0.5).compute(unit, batch).item() == pytest.approx(expected)


def test_pairs_without_any_negative_add_nothing():
    texts = np.array([0, 1, 1, 2, 2, 0])  # all connected
    leaf = torch.from_numpy(np.random.RandomState(0).randn(6, 4)).requires_grad_()
    value = InfoNCELoss().compute(
        unit_vectors(leaf), LossBatch(texts, np.random.RandomState(0))
    )
    value.backward()
    assert value.item() == pytest.approx(0, abs=1e-12)
    assert_allclose(leaf.grad, 0, atol=1e-12)


def of_start(n_hard, keep, temperature, is_masked):
    """A loss of random vectors, and the batch with vectors of the start."""
    n_texts = 2 * N_PAIRS + n_hard
    texts = np.random.RandomState(0).randint(70, size=n_texts)
    start = torch.from_numpy(np.random.default_rng(1).normal(size=(n_texts, 5)))
    batch = LossBatch(
        texts, np.random.RandomState(0), n_hard=n_hard, start=unit_vectors(start)
    )
    loss = InfoNCELoss(temperature, keep=keep, mask_known=is_masked)
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=(n_texts, 5)))
    return (lambda v: loss.compute(unit_vectors(v), batch)), vectors.requires_grad_()


@pytest.mark.parametrize("n_hard", [0, N_PAIRS])
@pytest.mark.parametrize("keep", [0.0, 0.3])
@pytest.mark.parametrize("temperature", [0.025, 0.1, 1.0])
@pytest.mark.parametrize("is_masked", [False, True])
def test_at_once_equals_in_blocks(monkeypatch, is_masked, temperature, keep, n_hard):
    compute, vectors = of_start(n_hard, keep, temperature, is_masked)
    found = []
    for block in (1024, 7):  # the second is smaller than the batch
        monkeypatch.setattr(losses, "BLOCK", block)
        value = compute(vectors)
        found.append((value.item(), torch.autograd.grad(value, vectors)[0]))
    (value, gradient), (wanted, wanted_gradient) = found
    assert value == pytest.approx(wanted, rel=1e-12)
    assert_allclose(gradient, wanted_gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("keep", [0.0, 0.3])
def test_the_gradient_is_that_of_differences(keep):
    compute, vectors = of_start(N_PAIRS, keep, 0.5, True)
    assert gradcheck(compute, vectors)


def test_low_temperatures_do_not_overflow_or_vanish():
    vectors = np.random.default_rng(0).normal(size=(2 * N_PAIRS, 40))
    leaf = torch.from_numpy(vectors.astype(np.float32)).requires_grad_()
    batch = LossBatch(np.arange(2 * N_PAIRS), np.random.RandomState(0))
    for temperature in (0.001, 0.02, 0.025):
        value = InfoNCELoss(temperature).compute(unit_vectors(leaf), batch)
        known = np.arange(2 * N_PAIRS)
        wanted = whole_infonce(unit_vectors(leaf), known, N_PAIRS, temperature)
        assert value.item() == pytest.approx(wanted.item(), rel=1e-5)
        (gradient,) = torch.autograd.grad(value, leaf)
        assert_allclose(gradient, torch.autograd.grad(wanted, leaf)[0], atol=1e-4)
