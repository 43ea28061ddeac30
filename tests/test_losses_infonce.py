"""InfoNCE against slow NumPy, with the same texts found by loops."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.autograd import gradcheck

from skparaphrase.losses import InfoNCELoss, LossBatch
from skparaphrase.networks._table import unit_vectors

N_PAIRS = 11


def slow_groups(texts, n_pairs):
    """Equal numbers for texts that strings or pairs connect, by renaming."""
    texts = list(texts)
    for i in range(n_pairs):
        old, new = texts[2 * i], texts[2 * i + 1]
        texts = [new if text == old else text for text in texts]
    return np.array(texts)


def slow_directions(vectors, known, n_pairs, temperature):
    """Logits of first and of second texts; negatives equal in `known` are left out."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    sides = [np.arange(side, 2 * n_pairs, 2) for side in (0, 1)]
    hard = np.arange(2 * n_pairs, len(unit))
    for queries, partners, negatives in (
        (*sides, np.append(sides[1], hard)),
        (*sides[::-1], sides[0]),
    ):
        logits = unit[queries] @ unit[negatives].T / temperature
        for i, j in np.ndindex(*logits.shape):
            negative = known[negatives[j]]
            is_known = negative in (known[queries[i]], known[partners[i]])
            if is_known and i != j:
                logits[i, j] = -np.inf
        yield logits


def slow_infonce(vectors, known, n_pairs, temperature, start=None, keep=0.0):
    """The mean cross-entropy of both directions."""
    total = 0.0
    start = vectors if start is None else start
    for now, before in zip(
        slow_directions(vectors, known, n_pairs, temperature),
        slow_directions(start, known, n_pairs, temperature),
        strict=True,
    ):
        for i in range(n_pairs):
            soft = np.exp(before[i]) / np.exp(before[i]).sum()
            targets = keep * soft + (1 - keep) * (np.arange(len(soft)) == i)
            used = targets > 0
            total += np.log(np.exp(now[i]).sum()) - targets[used] @ now[i][used]
    return total / (2 * n_pairs)


def normal(n_texts, seed=0):
    return np.random.default_rng(seed).normal(size=(n_texts, 5))


def check(loss, texts, known, *, n_hard=0, has_classes=False, start=None):
    """Compare the loss with loops, and its gradient with differences; return it."""
    n_pairs = (len(texts) - n_hard) // 2
    batch = LossBatch(
        texts,
        np.random.RandomState(0),
        n_hard=n_hard,
        has_classes=has_classes,
        start=None if start is None else unit_vectors(torch.from_numpy(start)),
    )
    vectors = normal(len(texts))

    soft = {} if start is None else {"start": start, "keep": loss.keep}
    expected = slow_infonce(vectors, known, n_pairs, loss.temperature, **soft)
    leaf = torch.from_numpy(vectors).requires_grad_()
    value = loss.compute(unit_vectors(leaf), batch)
    assert value.item() == pytest.approx(expected, rel=1e-10)
    assert gradcheck(lambda leaf: loss.compute(unit_vectors(leaf), batch), leaf)
    value.backward()
    return leaf.grad


@pytest.mark.parametrize("n_hard", [0, N_PAIRS])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("keep", [None, 0.0, 0.3])  # None: the start is not known
def test_loss_and_gradient(keep, mask, n_hard):
    n_texts = 2 * N_PAIRS + n_hard
    texts = np.random.RandomState(0).randint(3 * N_PAIRS, size=n_texts)
    groups = slow_groups(texts, N_PAIRS)
    assert 2 < len(set(groups)) < len(set(texts))  # some are connected, not all
    known = groups if mask else np.arange(n_texts)
    start = None if keep is None else normal(n_texts, seed=1)
    loss = InfoNCELoss(0.3, mask_known=mask, keep=0.5 if keep is None else keep)
    gradient = check(loss, texts, known, n_hard=n_hard, start=start)
    assert gradient[2 * N_PAIRS :].any(axis=1).all()


@pytest.mark.parametrize("mask", [False, True])
def test_texts_of_one_class_are_no_negatives(mask):
    classes = np.repeat(np.random.RandomState(0).randint(4, size=N_PAIRS), 2)
    check(InfoNCELoss(0.3, mask_known=mask), classes, classes, has_classes=True)


def test_texts_that_pairs_connect_by_hand():
    """With (a, b), (b, c) and (d, e), only d and e are negatives of a, b and c."""
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


def test_low_temperatures_do_not_overflow_or_vanish():
    texts = np.arange(2 * N_PAIRS)
    for temperature in (0.005, 0.02):
        check(InfoNCELoss(temperature), texts, texts)
    unit = unit_vectors(torch.from_numpy(normal(2 * N_PAIRS).astype(np.float32)))
    batch = LossBatch(texts, np.random.RandomState(0), start=unit)
    value = InfoNCELoss(0.001).compute(unit, batch).item()
    assert np.isfinite(value) and value > 10


def slow_logits(unit, n_pairs, temperature, weights):
    """Logits of each text among candidates, the last of them all pairs marked 0."""
    cosines = unit @ unit.T / temperature
    z = np.log(
        sum(
            weight * np.exp(cosines[2 * m, 2 * m + 1])
            for m, weight in enumerate(weights, start=n_pairs)
        )
    )
    rows = [
        [*(cosines[2 * i + side, 2 * j + 1 - side] for j in range(n_pairs)), z]
        for side in (0, 1)
        for i in range(n_pairs)
    ]
    return np.array(rows).reshape(-1, n_pairs + 1), z


@pytest.mark.parametrize("n_pairs", [0, 1, 4])
@pytest.mark.parametrize("keep", [0.0, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_marked_0_are_one_more_candidate(n_pairs, keep, weighted):
    n_negative, temperature = 3, 0.3
    n_texts = 2 * (n_pairs + n_negative)
    vectors, before = (
        unit_vectors(torch.from_numpy(normal(n_texts, seed))) for seed in (0, 1)
    )
    weights = (
        np.linspace(0.5, 2, n_pairs + n_negative)
        if weighted
        else np.ones(n_pairs + n_negative)
    )
    now, z = slow_logits(vectors.numpy(), n_pairs, temperature, weights[n_pairs:])
    then, _ = slow_logits(before.numpy(), n_pairs, temperature, weights[n_pairs:])
    expected = 2 * np.log1p(np.exp(z - 1 / temperature))
    for row, (logits, start) in enumerate(zip(now, then, strict=True)):
        i = row % max(n_pairs, 1)
        soft = keep * np.exp(start) / np.exp(start).sum()
        soft[i] += 1 - keep
        expected += weights[i] * (np.log(np.exp(logits).sum()) - soft @ logits)
    batch = LossBatch(
        np.arange(n_texts),
        np.random.RandomState(0),
        n_negative=n_negative,
        start=before,
        weights=torch.from_numpy(weights) if weighted else None,
    )
    assert batch.n_pairs == n_pairs
    loss = InfoNCELoss(temperature, keep=keep)
    leaf = torch.from_numpy(normal(n_texts)).requires_grad_()
    value = loss.compute(unit_vectors(leaf), batch)
    assert value.item() == pytest.approx(expected / (2 * max(n_pairs, 1)), rel=1e-10)
    assert gradcheck(lambda leaf: loss.compute(unit_vectors(leaf), batch), leaf)
    value.backward()
    assert leaf.grad[2 * n_pairs :].any(axis=1).all()


def test_texts_of_negative_pairs_connect_nothing():
    """(a, b) is a paraphrase but (b, c) is not, so c stays a candidate of a."""
    unit = unit_vectors(torch.from_numpy(normal(6)))
    values = [
        InfoNCELoss()
        .compute(unit, LossBatch(np.array(texts), None, n_negative=1))
        .item()
        for texts in ([0, 1, 2, 3, 1, 2], [0, 1, 2, 3, 4, 5])
    ]
    assert values[0] == values[1]
