"""Losses, RMSProp, clipping and training of the interaction model."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch.nn import functional as F

from skparaphrase.nn import (
    Interaction,
    InteractionOptions,
    InteractionTrainer,
    WordTable,
)
from skparaphrase.nn._grid import WIDTHS
from skparaphrase.nn._heads import divergence_loss
from skparaphrase.nn._interaction import hinge_loss
from skparaphrase.nn._optimizers import RMSProp
from skparaphrase.text import TokenBatch

N_WORDS, DIM_IN, DIM = 9, 4, 3
CPU = torch.device("cpu")
LENGTHS = [5, 3, 1, 36, 2, 32, 8, 0, 1, 7, 11, 4, 20, 6, 2, 9]


@pytest.fixture
def narrow(monkeypatch):
    """Blocks of few channels."""
    for limit, widths in WIDTHS.items():
        monkeypatch.setitem(WIDTHS, limit, (6, 7, 8, 7, 6, 8)[: len(widths)])


@pytest.fixture
def double(narrow, monkeypatch):
    """Narrow blocks that get the cube in double precision."""
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)


def enlarge(module, seed=0):
    """Weights and biases large enough for every term to show."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            values = rng.normal(size=parameter.shape)
            if parameter.ndim == 1:
                values = 0.2 + 0.3 * values
            else:
                values *= (2 / parameter[0].numel()) ** 0.5
            parameter.copy_(torch.from_numpy(values))
    return module


# Losses


def test_hinge_loss():
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(scale=2, size=(40, 2)))
    classes = rng.integers(2, size=40)
    targets, weights = torch.from_numpy(np.eye(2)[classes]), rng.random(40)
    of_each = []
    for (a, b), own in zip(logits.numpy(), classes, strict=True):
        log_p = np.array([a, b]) - np.log(np.exp(a) + np.exp(b))
        of_each.append(max(0, 1 - log_p[own] + log_p[1 - own]) / 2)
    assert 0 in of_each
    assert_allclose(hinge_loss(logits, targets, None), np.mean(of_each), rtol=1e-12)
    weighted = hinge_loss(logits, targets, torch.from_numpy(weights))
    assert_allclose(weighted, np.mean(weights * of_each), rtol=1e-12)
    theirs = torch.nn.MultiMarginLoss()(
        logits.log_softmax(dim=1), torch.from_numpy(classes)
    )
    assert_allclose(hinge_loss(logits, targets, None), theirs, rtol=1e-12)


def test_divergence_is_averaged_over_the_classes():
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(size=(3, 5)))
    targets = [[0, 0, 0.4, 0.6, 0], [0, 0, 0, 0, 1], [0.25, 0.75, 0, 0, 0]]
    targets = torch.tensor(targets, dtype=torch.float64)
    total = F.kl_div(logits.log_softmax(dim=1), targets, reduction="sum")
    assert_allclose(divergence_loss(logits, targets, None), total / 15, rtol=1e-12)


# RMSProp, clipping and training


def test_rmsprop_equals_that_of_torch():
    rng = np.random.default_rng(0)
    ours = torch.from_numpy(rng.normal(size=(5, 3)))
    theirs = ours.clone().requires_grad_()
    before = ours.clone()
    optimizer = RMSProp(0.01)
    reference = torch.optim.RMSprop([theirs], lr=0.01, alpha=0.99, eps=1e-8, momentum=0)
    for n_steps in range(6):
        gradient = torch.from_numpy(rng.normal(size=(5, 3)) * 10.0**-n_steps)
        optimizer.step("x", ours, gradient, ours)
        theirs.grad = gradient
        reference.step()
        assert_allclose(ours, theirs.detach(), rtol=1e-12)
        if n_steps == 0:  # its mean begins at zero
            assert_allclose(ours - before, -0.1 * gradient.sign(), rtol=1e-5)
    tiny = torch.full((3,), 1e-8, dtype=torch.float64)
    optimizer.step("y", tiny, tiny.clone(), tiny)
    assert_allclose(tiny, 1e-8 - 0.01 * 1e-8 / (1e-9 + 1e-8), rtol=1e-9)


def test_rmsprop_of_some_rows():
    """Each row as if it were alone."""
    rng = np.random.default_rng(0)
    table = torch.from_numpy(rng.normal(size=(6, 3)))
    alone = [row.clone().requires_grad_() for row in table]
    references = [torch.optim.RMSprop([row], lr=0.3) for row in alone]
    optimizer = RMSProp(0.1)
    for chosen in ([0, 2, 5], [1], [2, 5], [0, 1, 2, 3, 4, 5], []):
        rows = torch.tensor(chosen, dtype=torch.int64)
        values = table[rows]
        gradient = torch.from_numpy(rng.normal(size=(len(rows), 3)))
        optimizer.step("x", table, gradient, values, rows, 3.0)
        table[rows] = values
        for row, slope in zip(chosen, gradient, strict=True):
            alone[row].grad = slope
            references[row].step()
        assert_allclose(table, torch.stack(alone).detach(), rtol=1e-12)


def make_trainer(net, *, frozen=True, state=0, **options):
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(N_WORDS, DIM_IN)).astype(np.float32)
    table = WordTable(matrix, initial=None, sparse=True, device=CPU, frozen=frozen)
    defaults = {"loss": "divergence", "optimizer": "rmsprop", "learning_rate": 1e-3}
    table.weight = table.weight.to(net.grid.output.weight.dtype)
    settings = InteractionOptions(**{**defaults, "batch_size": 4, **options})
    return InteractionTrainer(net, table, settings, np.random.RandomState(state))


def make_examples(n_pairs=10, n_outputs=3, seed=0):
    rng = np.random.default_rng(seed)
    ids = rng.integers(N_WORDS, size=sum(LENGTHS)).astype(np.int32)
    texts = TokenBatch(ids, np.append(0, np.cumsum(LENGTHS)).astype(np.int64))
    pairs = rng.integers(len(LENGTHS), size=(n_pairs, 2))
    targets = rng.dirichlet(np.ones(n_outputs), n_pairs).astype(np.float32)
    return texts, pairs, targets


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("clip_norm", [None, 0.01, 50.0])
@pytest.mark.parametrize("clip_together", [True, False])
def test_clipping_of_one_step(clip_together, clip_norm, frozen, narrow):
    """A step of 1 without momentum is the gradient itself."""
    net = enlarge(Interaction(DIM_IN, DIM, 3, limit=32))
    trainer = make_trainer(
        net, frozen=frozen, optimizer="sgd", momentum=0.0, learning_rate=1.0,
        clip_norm=clip_norm, clip_together=clip_together,
    )  # fmt: skip
    texts, pairs, targets = make_examples()
    vectors = trainer.table.weight.clone().requires_grad_(not frozen)
    ids = torch.from_numpy(texts.ids.astype(np.int64))
    logits = net(vectors, ids, texts.offsets, pairs)
    losses = F.kl_div(
        logits.log_softmax(dim=1), torch.from_numpy(targets), reduction="none"
    )
    loss = losses.mean()
    inputs = [*net.parameters(), *([] if frozen else [vectors])]
    slopes = [slope.numpy() for slope in torch.autograd.grad(loss, inputs)]
    norms = np.array([np.linalg.norm(slope) for slope in slopes])
    factors = np.ones(len(slopes))
    if clip_norm is not None and clip_together:
        factors[:] = min(1, clip_norm / np.linalg.norm(norms))
    elif clip_norm is not None:
        factors = np.minimum(1, clip_norm / norms)
    before = [values.detach().clone() for values in (*net.parameters(), vectors)]
    got = trainer.step(texts, pairs, torch.from_numpy(targets))
    assert_allclose(got, loss.detach(), rtol=1e-5)
    after = [*net.parameters(), trainer.table.weight]
    for old, new, slope, factor in zip(before, after, slopes, factors, strict=False):
        expected = old.numpy() - factor * slope
        assert_allclose(new.detach(), expected, rtol=2e-4, atol=2e-6)
    if frozen:
        assert_array_equal(before[-1], after[-1])
    elif clip_together:
        changes = [new.detach() - old for old, new in zip(before, after, strict=True)]
        norm = np.sqrt(sum(float(change.square().sum()) for change in changes))
        total = np.linalg.norm(norms)
        assert_allclose(norm, min(total, clip_norm or total), rtol=1e-3)


@pytest.mark.parametrize(
    "how",
    [{}, {"forget": True}, {"decay": True, "forget": True}],
    ids=str,
)
@pytest.mark.parametrize(
    ("batch_size", "loss", "weighted"),
    [(1, "divergence", False), (4, "divergence", True), (4, "hinge", True)],
)
def test_training_equals_a_loop_of_torch(batch_size, loss, weighted, how, double):
    """In double precision: slopes of nearly zero make steps as long as all others."""
    n_outputs = 2 if loss == "hinge" else 3
    net = enlarge(Interaction(DIM_IN, DIM, n_outputs, limit=32).double())
    texts, pairs, targets = make_examples(n_outputs=n_outputs)
    if loss == "hinge":
        targets = np.eye(2, dtype=np.float32)[targets.argmax(axis=1)]
    weights = np.linspace(0.5, 1.5, len(pairs), dtype=np.float32) if weighted else None
    other, state = copy.deepcopy(net), np.random.RandomState(3)
    trainer = make_trainer(
        net, batch_size=batch_size, loss=loss, clip_norm=0.1, **how,
        clip_together=True, state=3,
    )  # fmt: skip
    curve = [*trainer.epochs(texts, pairs, targets, weights, n_epochs=3)]

    table, expected, n_steps = trainer.table.weight, [], 0
    n_batches = -(-len(pairs) // batch_size)
    ids = torch.from_numpy(texts.ids.astype(np.int64))
    for epoch in range(3):
        if how.get("forget") or epoch == 0:
            optimizer = torch.optim.RMSprop(other.parameters(), lr=1e-3, alpha=0.99)
        order, total = state.permutation(len(pairs)), 0
        for start in range(0, len(pairs), batch_size):
            chosen = order[start : start + batch_size]
            batch = pairs[chosen]
            if how.get("decay"):
                left = 3 * n_batches - n_steps
                optimizer.param_groups[0]["lr"] = 1e-3 * left / (3 * n_batches)
            n_steps += 1
            logits = other(table, ids, texts.offsets, batch)
            log_p = logits.log_softmax(dim=1)
            aims = torch.from_numpy(targets[chosen])
            if loss == "hinge":
                losses = F.multi_margin_loss(
                    log_p, aims.argmax(dim=1), reduction="none"
                )
            else:
                losses = F.kl_div(log_p, aims, reduction="none").mean(dim=1)
            if weighted:
                losses = losses * torch.from_numpy(weights[chosen])
            optimizer.zero_grad()
            losses.mean().backward()
            torch.nn.utils.clip_grad_norm_(other.parameters(), 0.1)
            optimizer.step()
            total += losses.sum().item()
        expected.append(total / len(pairs))
    assert_allclose(curve, expected, rtol=1e-6)
    for (name, ours), theirs in zip(
        net.named_parameters(), other.parameters(), strict=True
    ):
        assert_allclose(
            ours.detach(), theirs.detach(), rtol=1e-6, atol=1e-7, err_msg=name
        )


def test_training_drops_by_chance(narrow):
    net = enlarge(Interaction(DIM_IN, DIM, 3, limit=32, focus="dropout"))
    trainer, (texts, pairs, targets) = make_trainer(net, state=7), make_examples()
    leaf, _, ids = trainer.table.leaf(texts.ids)
    with torch.no_grad():
        dropped, whole = (
            divergence_loss(
                net(leaf, ids, texts.offsets, pairs, state),
                torch.from_numpy(targets),
                None,
            )
            for state in (np.random.RandomState(7), None)
        )
    assert abs(dropped - whole) > 1e-3
    got = trainer.step(texts, pairs, torch.from_numpy(targets))
    assert_allclose(got, dropped, rtol=1e-5)


@pytest.mark.parametrize("share_directions", [True, False])
@pytest.mark.parametrize("lengths", [(0, 0), (0, 3), (2, 0)])
def test_a_step_on_pairs_without_cells(lengths, share_directions, narrow):
    net = enlarge(Interaction(4, 3, 2, limit=32, share_directions=share_directions))
    trainer = make_trainer(net, frozen=False, clip_norm=50.0, clip_together=True)
    before = [values.detach().clone() for values in net.parameters()]
    table, offsets = trainer.table.weight.clone(), np.append(0, np.cumsum(lengths))
    ids = np.arange(offsets[-1], dtype=np.int32)
    blank = net.grid(torch.zeros(1, 13, 32, 32), net.grid.backgrounds())
    target = torch.tensor([[0.0, 1.0]])
    loss = trainer.step(TokenBatch(ids, offsets), np.array([[0, 1]]), target)
    assert_allclose(loss, -blank.detach().log_softmax(dim=1)[0, 1] / 2, rtol=1e-5)
    for (name, new), old in zip(net.named_parameters(), before, strict=True):
        if name.startswith(("context", "grid.convolutions.0.weight")):
            assert torch.equal(new, old)
    assert not torch.equal(net.grid.output.bias, before[-1])
    assert_array_equal(trainer.table.weight, table)
