"""The grid network and the whole interaction model against plain loops."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import combinations, pairwise

import nets
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.nn import functional as F

from skparaphrase.networks._convolutions import GridNetwork
from skparaphrase.networks._heads import divergence_losses
from skparaphrase.networks._interaction import (
    Interaction,
    LSTMLayer,
    cosines,
    coverages,
)

DIM_IN, DIM = 4, 3
POOLS = {32: [2, 2, 2, 2, 2], 48: [2, 2, 2, 2, 3], 64: [2, 2, 2, 2, 2, 2]}


# The grid network


@pytest.mark.parametrize(
    ("dim", "expected"),
    [(250, 552_000 + 1_041_060 + 17_157), (None, 1_041_060 + 17_157)],
)
def test_number_of_parameters(dim, expected):
    for limit in (32, 48):
        net = Interaction(300, dim, 5, max_words=limit)
        assert sum(p.numel() for p in net.parameters()) == expected


def test_draws_of_the_grid():
    net = GridNetwork(13, 48, 3)
    net.reset(np.random.RandomState(0))
    for layer in net.convolutions:
        weights = layer.weight.detach().numpy()
        scale = (2 / (9 * layer.out_channels)) ** 0.5
        assert_allclose(weights.std(), scale, rtol=0.03)
        assert_allclose(weights.mean(), 0, atol=0.03 * scale)
        assert np.abs(weights).max() > 3 * scale  # normal, not uniform
        assert not layer.bias.any()
    for dense in (net.hidden, net.output):
        for values in (dense.weight.detach().numpy(), dense.bias.detach().numpy()):
            assert np.abs(values).max() <= 128**-0.5
            assert values.size < 5 or np.abs(values).max() > 0.95 * 128**-0.5


def plain_grid(net, cubes):
    """The whole grid, by torch's own operations."""
    for layer, pool in zip(net.convolutions, POOLS[net.max_words], strict=True):
        cubes = F.conv2d(cubes, layer.weight, layer.bias, padding=1).relu()
        cubes = F.max_pool2d(cubes, pool)
    return F.linear(
        F.linear(cubes.flatten(1), net.hidden.weight, net.hidden.bias).relu(),
        net.output.weight,
        net.output.bias,
    )


def corners(limit):
    far = limit - 1
    return [
        (0, 0), (0, 5), (1, 1), (1, limit), (limit, 1), (2, 3), (5, 6), (9, 10),
        (7, 31), (15, 16), (17, 30), (31, 32), (far, 2), (far, far), (limit, limit),
    ]  # fmt: skip


@pytest.mark.parametrize("limit", [32, 48, 64])
def test_a_corner_is_as_good_as_the_whole_grid(limit, narrow):
    net = nets.enlarge(GridNetwork(13, limit, 3).double())
    rng = np.random.default_rng(0)
    pulls = torch.from_numpy(rng.normal(size=(2, 3)))
    reached = np.zeros(len([*net.parameters()]), dtype=bool)
    for height, width in corners(limit):
        corner = torch.from_numpy(rng.normal(size=(2, 13, height, width)))
        corner.requires_grad_()
        whole = F.pad(corner, (0, limit - width, 0, limit - height))
        logits, expected = net(corner, net.backgrounds()), plain_grid(net, whole)
        assert_allclose(logits.detach(), expected.detach(), rtol=1e-10, atol=1e-12)
        inputs = [corner, *net.parameters()]
        got = torch.autograd.grad((logits * pulls).sum(), inputs)
        slopes = torch.autograd.grad((expected * pulls).sum(), inputs)
        for ours, theirs in zip(got, slopes, strict=True):
            assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
        reached |= [bool(slope.any()) for slope in got[1:]]
    assert reached.all()


# The states


def test_states_and_their_gradients_are_those_of_torch():
    """One memory reads in both directions."""
    net = Interaction(DIM_IN, DIM, 2, max_words=32).double()
    memory = nets.enlarge(net.context)
    table, ids, offsets = nets.make_batch([3, 5, 0, 1])
    table.requires_grad_()
    rng = np.random.default_rng(1)
    pulls = torch.from_numpy(rng.normal(size=(2, len(ids), DIM)))

    forwards, backwards = net.states(table, ids, offsets)
    loss = (forwards * pulls[0] + backwards * pulls[1]).sum()
    got = torch.autograd.grad(loss, [table, *memory.parameters()])

    lstm = torch.nn.LSTM(DIM_IN, DIM).double()
    with torch.no_grad():
        for ours, name in (
            (memory.W_x, "weight_ih_l0"), (memory.W_h, "weight_hh_l0"),
            (memory.b_x, "bias_ih_l0"), (memory.b_h, "bias_hh_l0"),
        ):  # fmt: skip
            getattr(lstm, name).copy_(ours)
    loss = torch.zeros(())
    for start, stop in pairwise(offsets):
        if start < stop:
            vectors = table[ids[start:stop]]
            there, back = lstm(vectors)[0], lstm(vectors.flip(0))[0].flip(0)
            loss = loss + (there * pulls[0, start:stop]).sum()
            loss = loss + (back * pulls[1, start:stop]).sum()
            assert_allclose(forwards[start:stop].detach(), there.detach())
            assert_allclose(backwards[start:stop].detach(), back.detach())
    slopes = torch.autograd.grad(loss, [table, *lstm.parameters()])
    for ours, theirs in zip(got, slopes, strict=True):
        assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-9, atol=1e-12)


def test_draws_of_a_layer():
    layer = LSTMLayer(100, 64)
    layer.reset(np.random.RandomState(0))
    drawn = {name: p.detach().numpy() for name, p in layer.named_parameters()}
    for name, values in drawn.items():
        bound = 0.1 if name.endswith("x") else 0.125  # 1 / sqrt(100), 1 / sqrt(64)
        assert np.abs(values).max() <= bound
        assert_allclose([values.min(), values.max()], [-bound, bound], rtol=0.05)
        assert_allclose(values.std(), bound / 3**0.5, rtol=0.1)
    assert (drawn["b_x"] != drawn["b_h"]).all()


# The whole network


def walk(plane):
    """Cells that a greedy walk picks, best first."""
    rows, columns = set(), set()
    for cell in np.argsort(-plane, axis=None, kind="stable"):
        i, j = divmod(int(cell), plane.shape[1])
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            yield i, j


def slow_cube(net, texts):
    """For one pair: the whole grid, and the focus weights of each cell."""
    sides = []
    for vectors in texts:
        every = torch.arange(len(vectors))
        states = net.states(vectors, every, np.array([0, len(vectors)]))
        f, b = (state[: net.max_words] for state in states)
        sides.append((f, b, f + b, torch.cat([f, b], dim=1)))
    size = len(sides[0][0]), len(sides[1][0])
    channels = []
    for x, y in zip(*sides, strict=True):
        x, y = x[:, None].expand(*size, -1), y[None].expand(*size, -1)
        dots, squares = (x * y).sum(dim=2), (x - y).square().sum(dim=2)
        squares = squares.where(squares > 1e-20, 0 * squares + 1e-30)
        cosines = dots / x.norm(dim=2) / y.norm(dim=2)
        channels += [cosines, -squares.sqrt(), dots]
    cube = torch.stack([*channels, torch.ones_like(channels[0])])
    weights = np.full(size, 1.0 if net.focus == "none" else 0.1)
    for channel in (9, 10):
        for cell in walk(cube[channel].detach().numpy().round(9)):
            weights[cell] = 1
    whole = (0, net.max_words - size[1], 0, net.max_words - size[0])
    return F.pad(cube * torch.from_numpy(weights), whole)


def slow_forward(net, table, ids, offsets, pairs):
    """Pair by pair."""
    logits = []
    for pair in pairs:
        texts = [table[ids[offsets[text] : offsets[text + 1]]] for text in pair]
        logits.append(plain_grid(net.grid, slow_cube(net, texts)[None]))
    return torch.cat(logits)


LENGTHS = [5, 3, 1, 36, 2, 32, 8, 0, 1, 7, 11, 4, 20, 6, 2, 9]
PAIRS = np.array(
    [
        [0, 1], [1, 0], [2, 8], [2, 3], [3, 5], [6, 6], [7, 0], [1, 7], [7, 7], [3, 3],
        *np.random.default_rng(0).integers(len(LENGTHS), size=(24, 2)),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"focus": "none"},
        {"dim": None, "focus": "none", "max_words": 48},
    ],
    ids=str,
)
def test_a_batch_equals_a_loop_over_pairs(params, double):
    net = nets.make_network(**params).double()
    table, ids, offsets = nets.make_batch(LENGTHS)
    table.requires_grad_()
    inputs = [table, *net.parameters()]
    logits = net(table, ids, offsets, PAIRS)
    expected = [slow_forward(net, table, ids, offsets, [pair]) for pair in PAIRS]
    assert np.ptp(logits.detach().numpy(), axis=0).min() > 0.02  # texts matter
    assert_allclose(logits.detach(), torch.cat(expected).detach(), rtol=1e-6, atol=1e-6)

    rng = np.random.default_rng(1)
    targets = torch.from_numpy(rng.dirichlet(np.ones(3), len(PAIRS)))
    got = torch.autograd.grad(divergence_losses(logits, targets).mean(), inputs)
    slopes = [torch.zeros_like(values) for values in inputs]
    for of_pair, aims in zip(expected, targets, strict=True):
        losses = aims * (aims.log() - of_pair[0].log_softmax(dim=0))
        one = torch.autograd.grad(
            losses.mean(), inputs, allow_unused=True, materialize_grads=True
        )
        for total, slope in zip(slopes, one, strict=True):
            total += slope / len(PAIRS)
    for ours, theirs in zip(got, slopes, strict=True):
        assert_allclose(ours, theirs, rtol=1e-4, atol=1e-7)
        assert theirs.any()


@pytest.mark.parametrize("dim", [10, None])
def test_batch_mates_change_nothing(dim):
    """In single precision and full width; without states, equal words are equal."""
    net = Interaction(12, dim, 5, max_words=32)
    net.reset(np.random.RandomState(0))
    table, ids, offsets = nets.make_batch([*LENGTHS, 15, 17, 13], 7, dim=12)
    table = 0.3 * table.float()
    pairs = np.append(PAIRS, [[16, 17], [17, 18], [18, 16]], axis=0)
    with torch.no_grad():
        together = net(table, ids, offsets, pairs)
        for n, (one, two) in enumerate(pairs):
            alone = net(table, ids, offsets, pairs[n : n + 1])
            assert_allclose(alone[0], together[n], rtol=1e-6, atol=1e-6)
            texts = [ids[offsets[t] : offsets[t + 1]] for t in (one, two)]
            apart = np.append(0, np.cumsum([len(text) for text in texts]))
            alone = net(table, torch.cat(texts), apart, np.array([[0, 1]]))
            assert_allclose(alone[0], together[n], rtol=1e-6, atol=1e-6)


# The shortcut


@pytest.mark.parametrize("similarity", ["cosine", "coverage"])
def test_the_shortcut_adds_to_the_logits(similarity, narrow, double):
    table, ids, offsets = nets.make_batch(LENGTHS)
    net = nets.make_network(similarity=similarity).double()
    plain = nets.make_network().double()
    values = net.state_dict()
    weight = values.pop("shortcut.weight")
    plain.load_state_dict(values)
    found = net(table, ids, offsets, PAIRS) - plain(table, ids, offsets, PAIRS)
    function, more = {"cosine": (cosines, ()), "coverage": (coverages, (32,))}[
        similarity
    ]
    similarities = function(table, ids, offsets, PAIRS, *more)
    expected = np.outer(similarities, weight)
    assert_allclose(found.detach(), expected, atol=1e-9)


def test_start_is_a_regression_on_the_similarity(narrow):
    rng = np.random.default_rng(0)
    table, ids, offsets = nets.make_batch([3, 5, 2, 8, 4, 1])
    pairs = np.array([*combinations(range(6), 2)])
    targets, weights = rng.dirichlet(np.ones(5), len(pairs)), rng.uniform(1, 2, 15)
    net = Interaction(4, 3, 5, max_words=32, similarity="cosine").double()
    net.reset(np.random.RandomState(0))
    s = net.similarities(table, ids, offsets, pairs).numpy()
    net.start_from(s, targets, weights)

    # Least squares of the levels; a last row, of weight 1, pulls the slope to 4.
    weights = weights / weights.mean()
    levels = targets @ np.arange(5)
    X = np.column_stack([np.ones(15), s - np.average(s, weights=weights)])
    X = np.sqrt(np.append(weights, 1))[:, None] * np.vstack([X, [0, 1]])
    y = np.append(np.sqrt(weights) * levels, 4)
    intercept, slope = np.linalg.lstsq(X, y)[0]
    line = intercept + slope * (s - np.average(s, weights=weights))
    errors = (np.arange(5) - line[:, None]) ** 2
    variance = np.average((targets * errors).sum(axis=1), weights=weights)
    expected = np.exp(-errors / (2 * variance))
    expected /= expected.sum(axis=1, keepdims=True)
    with torch.no_grad():
        found = net(table, ids, offsets, pairs).softmax(dim=1)
    assert_allclose(found, expected, rtol=1e-5)
    # One pair leaves the line from the lowest level to the highest.
    net.start_from(s[:1], targets[:1])
    rise = net.shortcut.weight.detach().numpy()
    assert_allclose(rise / rise[1], np.arange(5))
