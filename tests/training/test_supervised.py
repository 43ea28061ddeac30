"""Trainers of heads, interaction and taggers against slow equations and PyTorch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy

import nets
import numpy as np
import pytest
import torch
from nets import epochs, normal, state_of
from numpy.testing import assert_allclose, assert_array_equal
from torch.nn import functional as F

from skparaphrase.networks._compositions import Average, Charagram, DeepAverage
from skparaphrase.networks._heads import Head, tagging_losses
from skparaphrase.networks._recurrent import IdentityRecurrent
from skparaphrase.networks._table import WordTable
from skparaphrase.networks._tagger import Sentences, Tagger
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervision._examples import EncodedExamples
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.training._objectives import (
    HeadObjective,
    InteractionObjective,
    TaggingObjective,
)
from skparaphrase.training._trainer import Steps, Trainer

CPU = torch.device("cpu")


def batch_of(texts):
    ids = np.array([token for text in texts for token in text], dtype=np.int32)
    return TokenBatch(ids, np.append(0, np.cumsum([len(text) for text in texts])))


def randomise(module, size=0.3):
    """Add to all parameters, including biases."""
    with torch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter += torch.from_numpy(size * normal(*parameter.shape, seed=i))
    return module


def finite_differences(function, state, eps=1e-6):
    gradients = {}
    for name, value in state.items():
        gradients[name] = np.zeros_like(value)
        for index in np.ndindex(*value.shape):
            moved = value.copy()
            moved[index] += eps
            above = function({**state, name: moved})
            moved[index] -= 2 * eps
            below = function({**state, name: moved})
            gradients[name][index] = (above - below) / (2 * eps)
    return gradients


# Heads

N_WORDS, DIM = 7, 3
TEXTS = [[0, 1, 1], [2], [], [3, 0], [4, 2, 2, 1], [1, 3]]  # words 5, 6 not at all
COMPOSITIONS = {
    "average": lambda: Average(DIM),
    "projection": lambda: DeepAverage(DIM, 4),
    "irnn": lambda: IdentityRecurrent(DIM, DIM),
}
ANCHORS = {"irnn": {"W_x": np.eye(DIM), "W_h": np.eye(DIM)}}


def make_head_trainer(
    kind="average", n_texts=2, loss="cross_entropy", *, sparse=True, frozen=False,
    prior=None, texts=TEXTS, rate=0.05, batch_size=6, optimizer="sgd", **head,
):  # fmt: skip
    composition = COMPOSITIONS[kind]()
    composition.reset(np.random.RandomState(0))
    module = Head(composition.dim, hidden_dim=5, n_outputs=4, n_texts=n_texts, **head)
    module.reset(np.random.RandomState(3))
    table = WordTable(
        normal(N_WORDS, DIM), anchors=normal(N_WORDS, DIM, seed=1), sparse=sparse,
        device=CPU, frozen=frozen,
    )  # fmt: skip
    limits = Optimizer(
        optimizer, sparse=sparse, max_change=None, vectors_penalty=0.3,
        composition_penalty=0.2, head_penalty=0.1,
    )  # fmt: skip
    rng = np.random.RandomState(5)
    n = len(texts) // n_texts
    examples = EncodedExamples(
        batch_of(texts),
        np.arange(len(texts)).reshape(n, n_texts),
        (rng.dirichlet(np.ones(4), size=n) + 1e-6).astype(np.float32),
        rng.uniform(0.2, 2, size=n).astype(np.float32),
    )
    objective = HeadObjective(
        randomise(composition), randomise(module), loss, examples, prior
    )
    objective.vectors_rate = 0.25
    steps = Steps(limits, rate, batch_size, np.random.RandomState(0))
    return Trainer(objective, table, steps)


def mean_loss(trainer, state, loss):
    """The weighted mean loss of all examples, in double precision."""
    module, examples = (
        copy.deepcopy(trainer.module).double(),
        trainer.objective.examples,
    )
    ids = torch.from_numpy(examples.texts.ids.astype(np.int64))
    table = torch.from_numpy(state["vectors"])
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(torch.from_numpy(state[name]))
        vectors = module.composition(table, ids, examples.texts.offsets)
        log_q = module.head(vectors).log_softmax(dim=1).numpy()
    p = examples.targets.astype(np.float64)
    losses = -log_q if loss == "cross_entropy" else (np.log(p) - log_q) / p.shape[1]
    return (examples.weights * (p * losses).sum(axis=1)).mean()


def check_head_step(
    kind, n_texts=2, loss="divergence", *, sparse=True, frozen=False, prior=None, **head
):
    """A step of descent with half of each lambda times a squared distance."""
    trainer = make_head_trainer(
        kind, n_texts, loss, sparse=sparse, frozen=frozen, prior=prior, **head
    )
    anchors = ANCHORS.get(kind, {}) if prior is None else prior
    pulls = {f"composition.{name}": value for name, value in anchors.items()}
    pulls["vectors"] = normal(N_WORDS, DIM, seed=1).astype(np.float64)
    rows = slice(5) if sparse else slice(None)
    lambdas = {"vectors": 0.3, "composition": 0.2, "head": 0.1}

    def objective(state):
        total = mean_loss(trainer, state, loss)
        for name, value in state.items():
            distance = value - pulls.get(name, 0)
            used = distance[rows] if name == "vectors" else distance
            total += lambdas[name.split(".")[0]] / 2 * (used**2).sum()
        return total

    before = state_of(trainer)
    gradients = finite_differences(objective, before)
    returned = trainer.step(trainer.make(np.arange(trainer.n_examples)))
    expected = mean_loss(trainer, before, loss)  # without penalties
    assert_allclose(returned.item(), expected, rtol=1e-5)
    after = state_of(trainer)
    for name, value in before.items():
        if frozen and name == "vectors":
            assert_array_equal(after[name], value)
            continue
        rate = 0.05 * (0.25 if name == "vectors" else 1)
        found = (value - after[name]) / rate
        assert_allclose(found, gradients[name], rtol=1e-3, atol=2e-5, err_msg=name)
        assert np.abs(found).max() > 1e-3
    return before["vectors"], after["vectors"]


@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
@pytest.mark.parametrize("kind", COMPOSITIONS)
def test_step_of_pairs_is_gradient_descent(kind, sparse):
    before, after = check_head_step(kind, sparse=sparse)
    moved = (before != after).any(axis=1)
    assert moved.tolist() == [True] * 5 + [not sparse] * 2


@pytest.mark.parametrize("params", [{"text_norm": 1.0}, {"text_norm": 0.7}])
@pytest.mark.parametrize("n_texts", [1, 2])
def test_step_with_any_head_is_gradient_descent(n_texts, params):
    check_head_step("irnn", n_texts, "cross_entropy", projection_dim=4, **params)


def test_step_with_a_prior_and_with_frozen_vectors():
    prior = {"layers.0.weight": normal(3, 4), "layers.0.bias": normal(4, seed=1)}
    check_head_step("projection", n_texts=1, prior=prior)
    check_head_step("projection", frozen=True)


def test_mean_loss_of_an_epoch_counts_examples():
    # Three and one, with a rate too small to move anything.
    texts = [text for text in TEXTS if text][:4]
    trainer = make_head_trainer(n_texts=1, texts=texts, rate=1e-30, batch_size=3)
    expected = mean_loss(trainer, state_of(trainer), "cross_entropy")
    assert_allclose(list(epochs(trainer, 2)), [expected, expected], rtol=1e-5)


@pytest.mark.parametrize("loss", ["cross_entropy", "divergence"])
def test_loss_of_the_mean_target(loss):
    trainer = make_head_trainer(loss=loss)
    examples = trainer.objective.examples
    targets = examples.targets.astype(np.float64)
    weights = examples.weights / examples.weights.mean()
    mean = np.average(targets, axis=0, weights=weights)
    losses = -targets * np.log(mean)
    if loss == "divergence":
        losses = (losses + targets * np.log(targets)) / 4
    expected = np.average(losses.sum(axis=1), weights=weights)
    trainer.objective.weights /= trainer.objective.weights.mean()
    assert trainer.objective.constant_loss(None) == pytest.approx(expected, rel=1e-4)


# Interaction

LENGTHS = [5, 3, 1, 36, 2, 32, 8, 0, 1, 7, 11, 4, 20, 6, 2, 9]


def make_pairs(n_outputs=3, *, weighted=False):
    rng = np.random.default_rng(0)
    ids = rng.integers(9, size=sum(LENGTHS)).astype(np.int32)
    texts = TokenBatch(ids, np.append(0, np.cumsum(LENGTHS)).astype(np.int64))
    pairs = rng.integers(len(LENGTHS), size=(10, 2))
    targets = rng.dirichlet(np.ones(n_outputs), 10).astype(np.float32)
    if n_outputs == 2:
        targets = np.eye(2, dtype=np.float32)[targets.argmax(axis=1)]
    weights = np.linspace(0.5, 1.5, 10, dtype=np.float32) if weighted else None
    return EncodedExamples(texts, pairs, targets, weights)


def make_pair_trainer(
    net, examples, loss="divergence", *, frozen=True, state=0, rate=1e-3, batch_size=4,
    optimizer="rmsprop", **settings,
):  # fmt: skip
    matrix = np.random.default_rng(5).normal(size=(9, 4)).astype(np.float32)
    table = WordTable(matrix, device=CPU, frozen=frozen)
    table.weight = table.weight.to(net.grid.output.weight.dtype)
    steps = Steps(
        Optimizer(optimizer, clip_jointly=True, **settings),
        rate,
        batch_size,
        np.random.RandomState(state),
    )
    return Trainer(InteractionObjective(net, loss, examples), table, steps)


def network_loss(net, vectors, examples, rows, loss="divergence", state=None):
    """For each pair, by PyTorch's own losses; equations 11 and 12 of the paper."""
    ids = torch.from_numpy(examples.texts.ids.astype(np.int64))
    offsets, pairs = examples.texts.offsets, examples.indices[rows]
    log_p = net(vectors, ids, offsets, pairs, state).log_softmax(dim=1)
    aims = torch.from_numpy(examples.targets[rows])
    if loss == "hinge":
        losses = F.multi_margin_loss(log_p, aims.argmax(dim=1), reduction="none")
    else:
        losses = F.kl_div(log_p, aims, reduction="none").mean(dim=1)
    if examples.weights is not None:
        losses = losses * torch.from_numpy(examples.weights[rows])
    return losses


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("clip_norm", [None, 0.01, 50.0])
def test_gradients_are_clipped_together(clip_norm, frozen, narrow):
    """A step of 1 without momentum is the gradient itself."""
    net, examples = nets.make_network(), make_pairs()
    trainer = make_pair_trainer(
        net, examples, frozen=frozen, rate=1.0, optimizer="sgd", momentum=0.0,
        clip_norm=clip_norm,
    )  # fmt: skip
    vectors = trainer.table.weight.clone().requires_grad_(not frozen)
    loss = network_loss(net, vectors, examples, np.arange(10)).mean()
    inputs = [*net.parameters(), *([] if frozen else [vectors])]
    slopes = [slope.numpy() for slope in torch.autograd.grad(loss, inputs)]
    norm = np.linalg.norm([np.linalg.norm(slope) for slope in slopes])
    factor = 1 if clip_norm is None else min(1, clip_norm / norm)
    before = [values.detach().clone() for values in (*net.parameters(), vectors)]
    got = trainer.step(trainer.make(np.arange(10)))
    assert_allclose(got, loss.detach(), rtol=1e-5)
    after = [*net.parameters(), trainer.table.weight]
    for old, new, slope in zip(before, after, slopes, strict=False):
        expected = old.numpy() - factor * slope
        assert_allclose(new.detach(), expected, rtol=2e-4, atol=2e-6)
    if frozen:
        assert_array_equal(before[-1], after[-1])


@pytest.mark.parametrize(
    "how", [{}, {"reset": True}, {"schedule": "linear", "reset": True}], ids=str
)
@pytest.mark.parametrize(
    ("batch_size", "loss", "weighted"),
    [(1, "divergence", False), (4, "divergence", True), (4, "hinge", True)],
)
def test_training_equals_a_loop_of_torch(batch_size, loss, weighted, how, double):
    """In double precision: slopes of nearly zero make steps as long as all others."""
    n_outputs = 2 if loss == "hinge" else 3
    net = nets.make_network(n_outputs).double()
    examples = make_pairs(n_outputs, weighted=weighted)
    other, state = copy.deepcopy(net), np.random.RandomState(3)
    trainer = make_pair_trainer(
        net, examples, loss, batch_size=batch_size, clip_norm=0.1, state=3, **how
    )
    curve = [*epochs(trainer, 3)]
    expected, n_steps = [], 0
    n_batches = -(-10 // batch_size)
    for epoch in range(3):
        if how.get("reset") or epoch == 0:
            optimizer = torch.optim.RMSprop(other.parameters(), lr=1e-3, alpha=0.99)
        order, total = state.permutation(10), 0
        for start in range(0, 10, batch_size):
            if "schedule" in how:
                left = 3 * n_batches - n_steps
                optimizer.param_groups[0]["lr"] = 1e-3 * left / (3 * n_batches)
            n_steps += 1
            rows = order[start : start + batch_size]
            losses = network_loss(other, trainer.table.weight, examples, rows, loss)
            optimizer.zero_grad()
            losses.mean().backward()
            torch.nn.utils.clip_grad_norm_(other.parameters(), 0.1)
            optimizer.step()
            total += losses.sum().item()
        expected.append(total / 10)
    assert_allclose(curve, expected, rtol=1e-6)
    for (name, ours), theirs in zip(
        net.named_parameters(), other.parameters(), strict=True
    ):
        ours, theirs = ours.detach(), theirs.detach()
        assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7, err_msg=name)


def test_training_drops_by_chance(narrow):
    net, examples = nets.make_network(focus="dropout"), make_pairs()
    trainer = make_pair_trainer(net, examples, state=7)
    with torch.no_grad():
        dropped, whole = (
            network_loss(
                net, trainer.table.weight, examples, np.arange(10), state=state
            ).mean()
            for state in (np.random.RandomState(7), None)
        )
    assert abs(dropped - whole) > 1e-3
    assert_allclose(trainer.step(trainer.make(np.arange(10))), dropped, rtol=1e-5)


# Taggers

WORDS = batch_of([[0, 1], [], [2, 1], [3, 4]])
CAPITALS = np.array([1, 0, 0, 1], dtype=np.float32)
SENTENCES = batch_of([[0, 1, 2, 0], [3], [3]])
TAGS = np.array([0, 1, 2, 0, 1, 1])


def test_tagging_losses_by_hand():
    probabilities = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]])
    logits = torch.from_numpy(np.log(probabilities))
    losses = tagging_losses(logits, torch.tensor([0, 1]))
    one = 1.0001 * np.log(0.5) + 2e-4 * np.log(0.25)
    other = 1.0001 * np.log(0.1) + 1e-4 * (np.log(0.1) + np.log(0.8))
    assert_allclose(losses, [-one, -other])


def make_tag_trainer(
    capitals="ngram", *, penalty=0.0, sparse=True, batch_size=3, optimizer="sgd"
):
    """On a table of six rows, the last of which no word has."""
    tagger = Tagger(
        Charagram(5, 4, activation="tanh", n_layers=2), hidden_dim=3, dense_dim=4,
        n_tags=3, capitals=capitals,
    )  # fmt: skip
    random_state = np.random.RandomState(0)
    with torch.no_grad():
        for parameter in tagger.parameters():
            drawn = 0.4 * random_state.randn(*parameter.shape)
            parameter.copy_(torch.from_numpy(drawn))
    table = WordTable(
        random_state.randn(6, 4).astype(np.float32), sparse=sparse, device=CPU
    )
    limits = Optimizer(
        optimizer, momentum=0.0, vectors_penalty=penalty, composition_penalty=penalty,
        head_penalty=penalty,
    )  # fmt: skip
    sentences = Sentences(WORDS, CAPITALS, SENTENCES)
    examples = EncodedExamples(sentences, np.arange(len(sentences)), TAGS)
    objective = TaggingObjective(tagger, "tags", examples)
    return Trainer(objective, table, Steps(limits, 1.0, batch_size, random_state))


@pytest.mark.parametrize("capitals", ["ngram", "input", None])
def test_step_of_a_tagger_is_gradient_descent(capitals):
    trainer = make_tag_trainer(capitals)
    tagger = copy.deepcopy(trainer.module).double()
    ids = torch.from_numpy(WORDS.ids.astype(np.int64))

    def loss_of(state):
        p = {name: torch.from_numpy(value) for name, value in state.items()}
        table = p.pop("vectors")
        with torch.no_grad():
            for name, parameter in tagger.named_parameters():
                parameter.copy_(p[name])
            capitals = CAPITALS.astype(np.float64)
            logits = tagger(table, ids, WORDS.offsets, capitals, SENTENCES)
            return tagging_losses(logits, torch.from_numpy(TAGS)).mean()

    before = state_of(trainer)
    expected = finite_differences(lambda state: loss_of(state).item(), before)
    (loss,) = epochs(trainer, 1)
    assert_allclose(loss, loss_of(before), rtol=1e-5)
    after = state_of(trainer)
    for name, value in before.items():
        found = value - after[name]
        assert_allclose(found, expected[name], atol=2e-6, err_msg=name)


@pytest.mark.parametrize("sparse", [True, False])
def test_penalty_shrinks_all_that_a_batch_of_sentences_uses(sparse):
    plain = make_tag_trainer(sparse=sparse)
    pulled = make_tag_trainer(sparse=sparse, penalty=0.1)
    before = state_of(plain)
    assert next(epochs(pulled, 1)) == next(epochs(plain, 1))  # without penalty
    without, found = state_of(plain), state_of(pulled)
    for name, value in found.items():
        expected = without[name] - 0.1 * before[name]
        if name == "vectors" and sparse:
            expected[-1] = before[name][-1]
        assert_allclose(value, expected, atol=1e-6, err_msg=name)
