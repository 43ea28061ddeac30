"""The margin loss and its negative examples against loops over texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch.autograd import gradcheck

from skparaphrase import losses
from skparaphrase.losses import LossBatch, MarginLoss
from skparaphrase.networks._table import unit_vectors

# Angles in degrees of the texts of four pairs, and the nearest text of another pair.
ANGLES = [0, 10, 25, 60, 52, 90, 28, 180]
NEAREST = {"both": [2, 2, 6, 4, 3, 3, 2, 5], "first": [2, 2, 6, 4, 6, 6, 2, 4]}


def on_circle(angles):
    radians = np.deg2rad(angles)
    return torch.from_numpy(np.stack([np.cos(radians), np.sin(radians)], axis=1))


def normal(n_texts, dim=5, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(n_texts, dim)))


def choose(unit, texts=None, *, how="max", pool="both", mask=False, seed=0, n_hard=0):
    texts = np.arange(len(unit)) if texts is None else np.asarray(texts)
    loss = MarginLoss(negatives=how, pool=pool, mask_identical=mask)
    batch = LossBatch(texts, np.random.RandomState(seed), n_hard=n_hard)
    chosen, found = loss.choose(unit, batch)
    return chosen.numpy(), found.numpy()


def slow_candidates(texts, pool="both", mask=False, own=False, n_hard=0):
    n = len(texts) - n_hard
    allowed = np.zeros((n, len(texts)), dtype=bool)
    for i, j in np.ndindex(*allowed.shape):
        same = texts[j] in (texts[i], texts[i ^ 1])
        allowed[i, j] = (own or i // 2 != j // 2) and not (mask and same)
        allowed[i, j] &= pool == "both" or j % 2 == 0 or j >= n
    return allowed


def chi_square(counts, allowed):
    """For each row, against equal shares of the allowed texts."""
    assert_array_equal(counts > 0, allowed)
    expected = counts.sum(axis=1, keepdims=True) / allowed.sum(axis=1, keepdims=True)
    return np.where(allowed, (counts - expected) ** 2 / expected, 0).sum(axis=1)


def test_a_string_is_no_negative_of_the_pair_that_holds_it():
    texts = [0, 1, 2, 3, 4, 5, 2, 7]
    chosen, found = choose(on_circle(ANGLES), texts, pool="first", mask=True)
    assert found.all()
    assert chosen.tolist() == [2, 2, 0, 4, 6, 6, 4, 4]
    chosen, _ = choose(on_circle(ANGLES), texts, pool="first")
    assert chosen.tolist() == NEAREST["first"]
    for how in ("max", "mix", "random"):
        _, found = choose(on_circle(ANGLES), [3] * 8, how=how, mask=True)
        assert not found.any()


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("pool", ["both", "first"])
@pytest.mark.parametrize("how", ["max", "mix", "random"])
def test_negatives_are_those_of_brute_force_in_any_blocks(monkeypatch, how, pool, mask):
    texts = np.random.RandomState(0).randint(23, size=46)
    # Whole numbers, for which the order of a sum does not matter.
    unit = normal(23)[texts].mul(3).round()
    settings = {"how": how, "pool": pool, "mask": mask}
    chosen, found = choose(unit, texts, **settings)
    for block in (2, 10, 44):
        monkeypatch.setattr(losses, "BLOCK", block)
        assert_array_equal(choose(unit, texts, **settings), (chosen, found))
    allowed = slow_candidates(texts, pool, mask)
    if how == "max" or mask:
        assert_array_equal(found, allowed.any(axis=1))
    if mask:
        assert allowed[np.flatnonzero(found), chosen[found]].all()
    if how == "max":
        scores = np.where(allowed, (unit @ unit.T).numpy(), -np.inf)
        assert_array_equal(chosen[found], scores.argmax(axis=1)[found])


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("pool", ["both", "first"])
def test_hard_negatives_are_candidates_of_all_texts(monkeypatch, pool, mask):
    texts = np.random.RandomState(1).randint(30, size=30)
    unit = normal(30)[texts].mul(3).round()
    settings = {"pool": pool, "mask": mask, "n_hard": 10}
    allowed = slow_candidates(texts, **settings)
    scores = np.where(allowed, (unit[:20] @ unit.T).numpy(), -np.inf)
    for block in (2, 6, 1024):
        monkeypatch.setattr(losses, "BLOCK", block)
        chosen, found = choose(unit, texts, **settings)
        assert_array_equal(found, allowed.any(axis=1))
        assert_array_equal(chosen, scores.argmax(axis=1))
        assert (chosen >= 20).any() and (chosen < 20).any()
    for how in ("mix", "random"):
        chosen, found = choose(unit, texts, how=how, **settings)
        if mask:
            assert allowed[np.arange(20), chosen].all()
        elif how == "random":  # as in the paper's code, of the pairs
            assert (chosen < 20).all()


def test_a_batch_of_one_pair_has_its_hard_negative():
    """By hand: x1, x2 and the hard negative at 0, 60 and 90 degrees."""
    batch = LossBatch(np.arange(3), np.random.RandomState(0), n_hard=1)
    found = MarginLoss(0.6).compute(on_circle([0, 60, 90]), batch)
    first, second = 0.6 - 0.5 + 0, 0.6 - 0.5 + np.cos(np.deg2rad(30))
    assert found.item() == pytest.approx(first + second)


@pytest.mark.parametrize("pool", ["both", "first"])
@pytest.mark.parametrize("how", ["max", "mix", "random"])
def test_texts_of_one_class_are_no_negatives(how, pool):
    classes = np.repeat(np.random.RandomState(0).randint(3, size=12), 2)
    for seed in range(20):
        batch = LossBatch(classes, np.random.RandomState(seed), has_classes=True)
        loss = MarginLoss(negatives=how, pool=pool)
        chosen, found = loss.choose(normal(24, seed=seed), batch)
        assert found.all() and (classes[chosen] != classes).all()
    batch = LossBatch(classes * 0, np.random.RandomState(0), has_classes=True)
    assert not loss.choose(normal(24), batch)[1].any()


@pytest.mark.parametrize("texts", [range(8), [0, 1, 2, 0, 3, 4, 0, 5]])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("pool", ["both", "first"])
def test_random_negatives_are_uniform_over_the_candidates(pool, mask, texts):
    counts = np.zeros((8, 8))
    for seed in range(700):
        settings = {"how": "random", "pool": pool, "mask": mask, "seed": seed}
        chosen, _ = choose(on_circle(ANGLES), texts, **settings)
        counts[np.arange(8), chosen] += 1
    # As in the paper's code, the same pair may be drawn unless equal texts are
    # excluded.
    allowed = slow_candidates(np.array(texts), pool, mask, own=not mask)
    # 0.9999 quantile with 7 degrees of freedom: 29.9
    assert (chi_square(counts, allowed) < 30).all()


@pytest.mark.parametrize("pool", ["both", "first"])
def test_mix_is_the_nearest_or_a_random_text_by_a_coin_for_each(pool):
    n_draws, hits = 1000, np.zeros((1000, 8))
    for seed in range(n_draws):
        chosen, found = choose(on_circle(ANGLES), how="mix", pool=pool, seed=seed)
        assert found.all() and (pool == "both" or not (chosen % 2).any())
        hits[seed] = chosen == NEAREST[pool]
    share = 0.5 + 0.5 / (8 if pool == "both" else 4)
    assert_allclose(hits.mean(axis=0), share, atol=0.05)
    assert np.abs(np.corrcoef(hits.T) - np.eye(8)).max() < 0.15


CHOSEN = {
    "among the texts": [2, 3, 0, 4, 1, 0],
    "embedded once more": [6, 7, 8, 9, 10, 11],
}


@pytest.mark.parametrize("chosen", CHOSEN.values(), ids=CHOSEN)
@pytest.mark.parametrize("margin", [0.0, 0.3, 3.0])
def test_margin_loss_and_its_gradient(margin, chosen):
    vectors = normal(12)
    found = torch.tensor([1, 1, 0, 1, 1, 1]) > 0

    def loss(vectors):
        unit = unit_vectors(vectors)
        return MarginLoss(margin).compare(unit, torch.tensor(chosen), found)

    unit = (vectors / vectors.norm(dim=1, keepdim=True)).numpy()
    expected = sum(
        max(0, margin - unit[i] @ unit[i ^ 1] + unit[i] @ unit[chosen[i]])
        for i in range(6)
        if found[i]
    )
    assert loss(vectors).item() == pytest.approx(expected / 3)
    assert gradcheck(loss, vectors.requires_grad_())
