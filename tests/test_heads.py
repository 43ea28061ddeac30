"""Heads, their losses and a step of supervised training against NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.nn import (
    Average,
    DeepAverage,
    Head,
    IdentityRecurrent,
    SupervisedOptions,
    SupervisedTrainer,
    WordTable,
)
from skparaphrase.nn._heads import cross_entropy_loss, divergence_loss
from skparaphrase.supervised._targets import (
    check_levels,
    one_hot,
    softened,
    sparse_targets,
)
from skparaphrase.text import TokenBatch

CPU = torch.device("cpu")
N_WORDS, DIM = 7, 3
HEADS = {
    "plain": {},
    "normalized": {"normalize": True, "scale": 2.5},
    "projected": {"projection_dim": 4, "scale": 0.7},
    "fixed projection": {
        "projection_dim": 4, "train_projection": False, "normalize": True,
    },
}  # fmt: skip


def normal(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


# Targets


@given(
    low=st.integers(-3, 3),
    n_levels=st.integers(2, 9),
    step=st.sampled_from([0.25, 0.5, 1.0, 2.5]),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=20),
)
def test_expectation_of_sparse_targets_is_the_score(low, n_levels, step, shares):
    levels = low + step * np.arange(n_levels)
    scores = levels[0] + np.array(shares) * (levels[-1] - levels[0])
    targets = sparse_targets(scores, levels)
    assert targets.shape == (len(shares), n_levels)
    assert_allclose(targets @ levels, scores, atol=1e-12)
    assert_allclose(targets.sum(axis=1), 1, atol=1e-12)
    assert ((targets != 0).sum(axis=1) <= 2).all()
    assert targets.min() >= 0
    assert targets.max() <= 1
    for row in targets:  # next to each other
        assert np.ptp(np.flatnonzero(row)) <= 1


@given(low=st.integers(-5, 5), n_levels=st.integers(2, 12))
def test_score_on_a_level_is_one_hot(low, n_levels):
    levels = np.arange(low, low + n_levels, dtype=float)
    assert_array_equal(sparse_targets(levels, levels), np.eye(n_levels))


def test_sparse_targets_by_hand():
    targets = sparse_targets(np.array([3.6, 1.0, 5.0, 4.25]), np.arange(1.0, 6.0))
    expected = [
        [0, 0, 0.4, 0.6, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0.75, 0.25],
    ]  # fmt: skip
    assert_allclose(targets, expected, rtol=0, atol=1e-15)
    soft = softened(targets[:1])
    assert soft.dtype == np.float32
    assert_allclose(soft, [[1e-6, 1e-6, 0.400001, 0.600001, 1e-6]], rtol=1e-6)
    labels = softened(one_hot(np.array([2, 0]), 3))
    assert_allclose(labels, [[1e-6, 1e-6, 1.000001], [1.000001, 1e-6, 1e-6]], rtol=1e-6)


@pytest.mark.parametrize(
    ("scores", "given", "n_levels", "expected"),
    [
        ([1.2, 4.9], None, None, [1, 2, 3, 4, 5]),
        ([1, 5], None, None, [1, 2, 3, 4, 5]),
        ([0.1, 0.7], None, None, [0, 1]),
        ([2.5], None, None, [2, 3]),
        ([-0.5, 0.5], None, None, [-1, 0, 1]),
        ([0.1, 0.7], None, 5, [0, 0.25, 0.5, 0.75, 1]),
        ([2, 3], (0, 5), None, [0, 1, 2, 3, 4, 5]),
        ([2, 3], (0.5, 3.5), None, [0.5, 1.5, 2.5, 3.5]),
        ([2, 3], [0, 5], 3, [0, 2.5, 5]),
    ],
)
def test_levels(scores, given, n_levels, expected):
    levels = check_levels(np.array(scores, dtype=float), given, n_levels)
    assert_array_equal(levels, expected)


# Losses

LOGITS = np.log([[0.05, 0.10, 0.15, 0.20, 0.50], [0.30, 0.30, 0.20, 0.10, 0.10]])
TARGETS = np.array([[0, 0, 0.4, 0.6, 0], [0, 1, 0, 0, 0]])
# Worked out in 40 digits, with 1e-6 added to every class: the sum of p log(p / p_hat)
# by 5 levels, and that of -p log p_hat.
DIVERGENCES = (0.21029353975641, 0.24078543296758)
CROSS_ENTROPIES = (1.72452023943725, 1.20398142687964)


@pytest.mark.parametrize(
    ("loss", "of_each"),
    [(divergence_loss, DIVERGENCES), (cross_entropy_loss, CROSS_ENTROPIES)],
)
def test_losses_by_hand(loss, of_each):
    logits = torch.from_numpy(LOGITS + 3.0)  # a constant makes no difference
    targets = torch.from_numpy(TARGETS + 1e-6)
    one, other = of_each
    assert_allclose(loss(logits[:1], targets[:1], None).item(), one, rtol=1e-10)
    assert_allclose(loss(logits, targets, None).item(), (one + other) / 2, rtol=1e-10)
    weighted = loss(logits, targets, torch.tensor([0.5, 1.5], dtype=torch.float64))
    assert_allclose(weighted.item(), (0.5 * one + 1.5 * other) / 2, rtol=1e-10)
    single = loss(logits.float(), targets.float(), None).item()
    assert_allclose(single, (one + other) / 2, rtol=1e-6)


# Heads


def slow_head(vectors, p, *, n_texts, normalize=False, scale=1.0, **_):
    """Logits of the equations; row by row."""
    texts = []
    for g in vectors:
        if "projection.weight" in p:
            g = g @ p["projection.weight"] + p["projection.bias"]
        if normalize:
            g = g / (np.linalg.norm(g) or 1)
        texts.append(scale * g)
    logits = []
    for i in range(0, len(texts), n_texts):
        features = texts[i]
        if n_texts == 2:
            one, other = texts[i : i + 2]
            features = np.concatenate([one * other, np.abs(one - other)])
        hidden = 1 / (1 + np.exp(-(features @ p["hidden.weight"] + p["hidden.bias"])))
        logits.append(hidden @ p["output.weight"] + p["output.bias"])
    return np.array(logits)


def make_head(n_texts, dim=DIM, *, off=0.3, **params):
    head = Head(dim, hidden_dim=5, n_outputs=4, n_texts=n_texts, **params)
    head.reset(np.random.RandomState(3))
    with torch.no_grad():
        for i, parameter in enumerate(head.parameters()):  # biases too
            parameter.add_(torch.from_numpy(off * normal(*parameter.shape, seed=i)))
    return head


def arrays(module):
    named = module.named_parameters()
    return {name: value.detach().numpy().astype(np.float64) for name, value in named}


@pytest.mark.parametrize("params", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("n_texts", [1, 2])
def test_head_against_slow_version(n_texts, params):
    head = make_head(n_texts, **params)
    vectors = normal(6, DIM)
    found = head(torch.from_numpy(vectors)).detach().numpy()
    expected = slow_head(vectors, arrays(head), n_texts=n_texts, **params)
    assert found.shape == (6 // n_texts, 4)
    assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("params", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("n_texts", [1, 2])
def test_gradients_of_head(n_texts, params):
    head = make_head(n_texts, **params).double()
    trained = {k: v for k, v in head.named_parameters() if v.requires_grad}
    vectors = torch.from_numpy(normal(6, DIM)).double().requires_grad_()

    def function(vectors, *values):
        values = dict(zip(trained, values, strict=True))
        return torch.func.functional_call(head, values, (vectors,))

    assert torch.autograd.gradcheck(function, (vectors, *trained.values()))


def test_initial_head():
    head = make_head(2, off=0.0, projection_dim=20)
    p = arrays(head)
    shapes = {name: value.shape for name, value in p.items()}
    assert shapes == {
        "projection.weight": (3, 20), "projection.bias": (20,),
        "hidden.weight": (40, 5), "hidden.bias": (5,),
        "output.weight": (5, 4), "output.bias": (4,),
    }  # fmt: skip
    for name, value in p.items():
        if name.endswith("bias"):
            assert not value.any()
        else:
            glorot = (6 / sum(value.shape)) ** 0.5
            assert 0.8 * glorot < np.abs(value).max() <= glorot


def test_zero_vectors_have_finite_gradients():
    head = make_head(2, normalize=True)
    vectors = torch.zeros(4, DIM, requires_grad=True)
    head(vectors).sum().backward()
    assert torch.isfinite(vectors.grad).all()


# A step


def slow_average(table, tokens, p):
    return table[tokens].mean(axis=0) if len(tokens) else np.zeros(DIM)


def slow_projection(table, tokens, p):
    if not len(tokens):
        return np.zeros(4)
    mean = slow_average(table, tokens, p)
    return mean @ p["layers.0.weight"] + p["layers.0.bias"]


def slow_identity_rnn(table, tokens, p):
    h = np.zeros(DIM)
    for token in tokens:
        h = p["W_x"] @ table[token] + p["W_h"] @ h + p["b"]
    return h / max(len(tokens), 1)


COMPOSITIONS = {
    "average": (lambda: Average(DIM), slow_average, {}),
    "projection": (lambda: DeepAverage(DIM, 4), slow_projection, {}),
    "irnn": (
        lambda: IdentityRecurrent(DIM),
        slow_identity_rnn,
        {"W_x": np.eye(DIM), "W_h": np.eye(DIM)},
    ),
}
TEXTS = [[0, 1, 1], [2], [], [3, 0], [4, 2, 2, 1], [1, 3]]  # words 5, 6 not at all
OPTIONS = {
    "optimizer": "sgd", "learning_rate": 0.05, "batch_size": 6,
    "vectors_penalty": 0.3, "composition_penalty": 0.2, "head_penalty": 0.1,
    "vectors_rate": 0.25,
}  # fmt: skip


def make_trainer(composition, head, *, sparse=True, frozen=False, prior=None, **more):
    composition.reset(np.random.RandomState(0))
    with torch.no_grad():
        for i, parameter in enumerate(composition.parameters()):
            parameter.add_(torch.from_numpy(0.3 * normal(*parameter.shape, seed=i)))
    table = WordTable(
        normal(N_WORDS, DIM), initial=normal(N_WORDS, DIM, seed=1), sparse=sparse,
        device=CPU, frozen=frozen,
    )  # fmt: skip
    options = SupervisedOptions(**{**OPTIONS, **more})
    random_state = np.random.RandomState(0)
    return SupervisedTrainer(composition, head, table, options, random_state, prior)


def batch_of(texts):
    lengths = [len(text) for text in texts]
    ids = np.concatenate([np.array(text, dtype=np.int32) for text in texts])
    return TokenBatch(ids, np.append(0, np.cumsum(lengths)))


def state_of(trainer):
    return {
        "vectors": trainer.table.numpy().astype(np.float64),
        **arrays(trainer.module),
    }


def part(state, prefix):
    skip = len(prefix)
    return {k[skip:]: v for k, v in state.items() if k.startswith(prefix)}


def slow_objective(state, compose, targets, weights, *, loss, pulls, rows, **head):
    """Mean weighted loss, and half of each lambda times a squared distance."""
    composition = part(state, "composition.")
    vectors = [compose(state["vectors"], text, composition) for text in TEXTS]
    logits = slow_head(vectors, part(state, "head."), **head)
    predicted = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    total = 0.0
    for p, q, weight in zip(targets, predicted, weights, strict=True):
        if loss == "divergence":
            each = sum(p_k * np.log(p_k / q_k) for p_k, q_k in zip(p, q, strict=True))
            each /= len(p)
        else:
            each = -sum(p_k * np.log(q_k) for p_k, q_k in zip(p, q, strict=True))
        total += weight * each / len(targets)
    for name, value in state.items():
        distance = value - pulls.get(name, 0)
        if name == "vectors":
            total += 0.3 / 2 * (distance[rows] ** 2).sum()
        else:
            factor = 0.2 if name.startswith("composition.") else 0.1
            total += factor / 2 * (distance**2).sum()
    return total


def finite_differences(function, state, eps=1e-6):
    gradients = {}
    for name, value in state.items():
        gradients[name] = np.zeros_like(value)
        for index in np.ndindex(*value.shape):
            moved = value.copy()
            moved[index] += eps
            above = function({**state, name: moved})
            moved[index] -= 2 * eps
            gradients[name][index] = (above - function({**state, name: moved})) / eps
    return {name: value / 2 for name, value in gradients.items()}


def check_step(
    kind, *, n_texts=2, loss="divergence", sparse=True, frozen=False, prior=None, **head
):
    make, compose, anchors = COMPOSITIONS[kind]
    composition = make()
    module = make_head(n_texts, composition.dim, **head)
    tensors = None
    if prior is not None:
        anchors = prior
        tensors = {k: torch.from_numpy(v).float() for k, v in prior.items()}
    trainer = make_trainer(
        composition, module, sparse=sparse, frozen=frozen, prior=tensors, loss=loss
    )
    n = len(TEXTS) // n_texts
    rng = np.random.RandomState(5)
    targets = softened(rng.dirichlet(np.ones(4), size=n))
    weights = rng.uniform(0.2, 2, size=n).astype(np.float32)
    before = state_of(trainer)
    pulls = {f"composition.{name}": value for name, value in anchors.items()}
    pulls["vectors"] = normal(N_WORDS, DIM, seed=1).astype(np.float64)
    rows = [0, 1, 2, 3, 4] if sparse else slice(None)

    def objective(state):
        return slow_objective(
            state, compose, targets.astype(np.float64), weights, loss=loss,
            pulls=pulls, rows=rows, n_texts=n_texts, **head,
        )  # fmt: skip

    gradients = finite_differences(objective, before)
    returned = trainer.step(
        batch_of(TEXTS), torch.from_numpy(targets), torch.from_numpy(weights)
    )
    after = state_of(trainer)
    fixed = {"vectors"} if frozen else set()
    if not head.get("train_projection", True):
        fixed |= {"head.projection.weight", "head.projection.bias"}
    for name, value in before.items():
        if name in fixed:
            assert_array_equal(after[name], value)
            continue
        rate = 0.05 * (0.25 if name == "vectors" else 1)
        found = (value - after[name]) / rate
        assert_allclose(found, gradients[name], rtol=1e-3, atol=2e-5, err_msg=name)
        assert np.abs(found).max() > 1e-3
    return returned, objective, before, after


@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
@pytest.mark.parametrize("kind", COMPOSITIONS)
def test_step_of_pairs_is_gradient_descent(kind, sparse):
    _, _, before, after = check_step(kind, sparse=sparse)
    moved = (before["vectors"] != after["vectors"]).any(axis=1)
    assert moved.tolist() == [True] * 5 + [not sparse] * 2


@pytest.mark.parametrize("params", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("n_texts", [1, 2])
def test_step_with_any_head_is_gradient_descent(n_texts, params):
    check_step("irnn", n_texts=n_texts, loss="cross_entropy", **params)


def test_step_with_a_prior():
    rng = np.random.RandomState(9)
    prior = {
        "layers.0.weight": rng.normal(size=(3, 4)),
        "layers.0.bias": rng.normal(size=4),
    }
    check_step("projection", n_texts=1, prior=prior)


def test_step_with_frozen_vectors():
    check_step("projection", frozen=True)


def test_returned_loss_has_no_penalty():
    make, compose, _ = COMPOSITIONS["average"]
    head = make_head(2)
    trainer = make_trainer(make(), head, loss="cross_entropy")
    targets = softened(np.eye(4)[[0, 3, 1]])
    vectors = [compose(normal(N_WORDS, DIM), text, {}) for text in TEXTS]
    logits = slow_head(vectors, arrays(head), n_texts=2)
    predicted = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = -(targets * np.log(predicted)).sum(axis=1).mean()
    found = trainer.step(batch_of(TEXTS), torch.from_numpy(targets))
    assert_allclose(found.item(), expected, rtol=1e-5)


def test_mean_loss_of_an_epoch_counts_examples():
    # Three and one, with a rate too small to move anything.
    head = make_head(1, 3)
    trainer = make_trainer(
        Average(DIM), head, loss="cross_entropy", learning_rate=1e-30, batch_size=3
    )
    texts = batch_of([text for text in TEXTS if text][:4])
    targets = softened(np.eye(4)[[0, 1, 1, 2]])
    weights = np.array([0.4, 1.6, 1.2, 0.8], dtype=np.float32)
    vectors = [normal(N_WORDS, DIM)[text].mean(axis=0) for text in TEXTS if text][:4]
    logits = slow_head(vectors, arrays(head), n_texts=1)
    predicted = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = -(weights * (targets * np.log(predicted)).sum(axis=1)).mean()
    numbers = np.arange(4)[:, np.newaxis]
    losses = list(trainer.epochs(texts, numbers, targets, weights, n_epochs=2))
    assert_allclose(losses, [expected, expected], rtol=1e-5)
