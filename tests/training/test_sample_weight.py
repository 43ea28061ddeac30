"""Weights of examples in losses and encoders, against repeated and absent examples."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from few_words import make_encoder
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from torch.nn.functional import cross_entropy

from skparaphrase.losses import (
    BaseLoss,
    CoSENTLoss,
    DistillationLoss,
    InfoNCELoss,
    LossBatch,
    MarginLoss,
)
from skparaphrase.networks._table import unit_vectors

RNG = np.random.RandomState(0)
TEXTS = ["w" + " w".join(RNG.permutation(20)[:4].astype(str)) for _ in range(48)]
TEXTS = np.array(TEXTS, dtype=object)
KINDS = {
    "pairs": (TEXTS.reshape(-1, 2), None),
    "marked": (TEXTS.reshape(-1, 2), np.arange(24) % 3 > 0),
    "margin": (TEXTS.reshape(-1, 2), None),
    "triplets": (TEXTS.reshape(-1, 3), None),
    "scores": (TEXTS.reshape(-1, 2), RNG.rand(24)),
    "labels": (TEXTS, np.array([*"abcd"])[np.arange(48) % 4]),
    "vectors": (TEXTS, RNG.randn(48, 8)),
    "vectors of pairs": (TEXTS.reshape(-1, 2), RNG.randn(24, 2, 8)),
}


def fit(kind, X, y, weights=None, **changes):
    loss = "margin" if kind == "margin" else "auto"
    settings = {"loss": loss, "max_epochs": 2, "learning_rate": 0.1, **changes}
    return make_encoder(**settings).fit(X, y, weights).vectors_.matrix


@pytest.mark.parametrize("kind", KINDS)
def test_only_ratios_matter_and_zero_is_absent(kind):
    X, y = KINDS[kind]
    same = fit(kind, X, y)
    assert_allclose(fit(kind, X, y, np.full(len(X), 3.0)), same, atol=1e-6)
    weights = np.arange(len(X)) % 5 / 2.0
    found = fit(kind, X, y, weights)
    assert np.abs(found - same).max() > 1e-3
    kept = weights > 0
    of_kept = None if y is None else y[kept]
    again = fit(kind, X[kept], of_kept, 7 * weights[kept])
    assert_allclose(found, again, atol=1e-5)


@pytest.mark.parametrize("kind", ["vectors", "vectors of pairs"])
def test_integers_count_like_repeated_rows_of_a_teacher(kind):
    X, y = KINDS[kind]
    X = X.copy()
    X[1] = X[0]  # one text, two targets
    counts = 1 + np.arange(len(X)) % 3
    repeated = X.repeat(counts, axis=0), y.repeat(counts, axis=0)
    found = fit(kind, X, y, counts, batch_size=500)
    assert_allclose(found, fit(kind, *repeated, batch_size=500), atol=1e-5)


def test_weights_decide_between_contradictory_scores():
    pairs = [("w1 w2", "w3 w4"), ("w5 w6", "w7 w8")] * 2
    for weights, order in (([9, 9, 1, 1], 1), ([1, 1, 9, 9], -1)):
        encoder = make_encoder(max_epochs=20, learning_rate=0.1, batch_size=9)
        encoder.fit(pairs, [1, 2, 2, 1], weights)
        a, b = np.moveaxis(encoder.transform(pairs[:2]).astype(float), 1, 0)
        cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        assert np.sign(cosines[1] - cosines[0]) == order


def leaf_and_unit(n_texts):
    leaf = torch.from_numpy(np.random.default_rng(1).normal(size=(n_texts, 5)))
    return leaf.requires_grad_(), unit_vectors(leaf)


WEIGHTS = torch.tensor([1.0, 2.0, 0.5, 3.0, 1.5, 4.0], dtype=torch.float64)


def test_infonce_is_the_weighted_cross_entropy():
    leaf, unit = leaf_and_unit(18)
    batch = LossBatch(
        np.arange(18), np.random.RandomState(0), n_hard=6, weights=WEIGHTS
    )
    found = InfoNCELoss(0.3, keep=0).compute(unit, batch)
    logits = unit[:12:2] @ torch.cat([unit[1:12:2], unit[12:]]).T / 0.3
    rows = cross_entropy(logits, torch.arange(6), reduction="none")
    columns = cross_entropy(logits[:, :6].T, torch.arange(6), reduction="none")
    expected = torch.dot(WEIGHTS, rows + columns) / 12
    assert found.item() == pytest.approx(expected.item())
    gradients = [
        torch.autograd.grad(x, leaf, retain_graph=True)[0] for x in (found, expected)
    ]
    assert_allclose(*gradients, atol=1e-12)


def test_weighted_losses_by_hand():
    unit = leaf_and_unit(12)[1].detach()
    rng = np.random.RandomState(0)
    targets = torch.arange(6.0, dtype=torch.float64) % 4
    batch = LossBatch(np.arange(12), rng, targets, weights=WEIGHTS)
    cosines = (unit[::2] * unit[1::2]).sum(dim=1).tolist()
    total = 1.0
    for i, j in np.ndindex(6, 6):
        if targets[i] > targets[j]:
            term = np.exp(5 * (cosines[j] - cosines[i]))
            total += float(WEIGHTS[i] * WEIGHTS[j]) * term
    assert CoSENTLoss().compute(unit, batch).item() == pytest.approx(np.log(total))
    loss, total = MarginLoss(), 0.0
    chosen, _ = loss.choose(unit, batch)
    for text, negative in enumerate(chosen.tolist()):
        hinge = 0.4 - cosines[text // 2] + float(unit[text] @ unit[negative])
        total += float(WEIGHTS[text // 2]) * max(0, hinge)
    assert loss.compute(unit, batch).item() == pytest.approx(total / 6)
    batch = LossBatch(np.arange(6), rng, unit[6:], weights=WEIGHTS)
    cosines = (unit[:6] * unit[6:]).sum(dim=1)
    expected = (WEIGHTS * (1 - cosines)).sum().item() / 6
    assert DistillationLoss().compute(unit[:6], batch).item() == pytest.approx(expected)


def test_weights_are_routed_through_a_pipeline():
    X, y = KINDS["labels"]
    weights = np.arange(48) % 3
    with config_context(enable_metadata_routing=True):
        encoder = make_encoder(max_epochs=1).set_fit_request(sample_weight=True)
        classifier = LogisticRegression().set_fit_request(sample_weight=True)
        pipe = make_pipeline(encoder, classifier).fit(X, y, sample_weight=weights)
    expected = fit(
        "labels", X, y, weights, max_epochs=1, learning_rate=encoder.learning_rate
    )
    assert_array_equal(pipe[0].vectors_.matrix, expected)


def test_partial_fit_takes_weights():
    X, y = KINDS["scores"]
    weights = np.arange(24) % 2
    first = make_encoder().partial_fit(X, y, sample_weight=weights)
    second = make_encoder().partial_fit(X[1::2], y[1::2])
    assert_allclose(first.vectors_.matrix, second.vectors_.matrix, atol=1e-6)


class Unweighted(BaseLoss):
    def compute(self, unit, batch):
        return -(unit[::2] * unit[1::2]).sum()


@pytest.mark.parametrize(
    ("weights", "changes", "message"),
    [
        (np.ones(23), {}, r"sample_weight\.shape == \(23,\), expected \(24,\)"),
        (np.full(24, -1.0), {}, "[Nn]egative"),
        (np.full(24, np.nan), {}, "NaN"),
        (np.zeros(24), {}, "zero"),
        (np.eye(24)[0], {}, r"Found 1 samples \(paraphrases\)"),
        (np.ones(24), {"loss": Unweighted()}, "Unweighted does not support sample_w"),
    ],
)
def test_wrong_weights(weights, changes, message):
    with pytest.raises(ValueError, match=message):
        make_encoder(**changes).fit(*KINDS["pairs"], sample_weight=weights)
