"""Averages, dense layers and Charagram against their equations in NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import equations
import nets
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch import nn
from torch.autograd import gradcheck

from skparaphrase._core._plain import pool_rows
from skparaphrase.networks import Composition, Residual, pool
from skparaphrase.networks._compositions import (
    Average,
    Charagram,
    DeepAverage,
    charagram_range,
)
from skparaphrase.networks._convolutions import CharacterConvolution, Convolution
from skparaphrase.networks._recurrent import LSTM, IdentityRecurrent
from skparaphrase.networks._table import unit_vectors, weights_on_device

pytestmark = pytest.mark.usefixtures("core")

COMPOSITIONS = {
    "average": (lambda: Average(4), equations.average),
    "distinct": (lambda: Average(4, "distinct"), equations.distinct_average),
    "projection": (lambda: DeepAverage(4, 3), equations.deep_average),
    **{
        f"dan {n} {f}": (
            lambda n=n, f=f: DeepAverage(4, 3, n_layers=n, activation=f, first_std=0.1),
            partial(equations.deep_average, f=f),
        )
        for n, f in [(1, "tanh"), (1, "relu"), (2, "tanh"), (3, "relu")]
    },
    **{
        f"charagram {n} {f}": (
            lambda n=n, f=f: Charagram(9, 4, activation=f, n_layers=n),
            partial(equations.charagram, f=f),
        )
        for n in (1, 2)
        for f in equations.F
    },
    **{
        f"residual, {name}": (
            lambda make=make: Residual(make(), 4),
            partial(equations.residual, network=equation),
        )
        for name, make, equation in [
            ("projection", lambda: DeepAverage(4, 3), equations.deep_average),
            ("lstm", lambda: LSTM(4, 3), equations.lstm),
        ]
    },
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_compositions(name, check):
    check(*COMPOSITIONS[name])


def test_the_interface_takes_a_compose_and_a_dim():
    class Longest(Composition):
        dim = 4

        def compose(self, table, ids, offsets):
            texts = torch.split(table[ids], np.diff(offsets).tolist())
            return torch.stack([(text * text).sum(dim=0) - 1 for text in texts])

    table, offsets = torch.eye(4), np.array([0, 2, 2, 3])
    vectors = Longest()(table, torch.tensor([0, 1, 2]), offsets)
    assert vectors.tolist() == [[0, 0, -1, -1], [0, 0, 0, 0], [-1, -1, 0, -1]]
    with pytest.raises(NotImplementedError):
        Composition()(table, torch.tensor([0]), np.array([0, 1]))


def test_a_residual_starts_as_an_average_and_takes_after_its_composition():
    table, ids, offsets = nets.make_batch(nets.LENGTHS["ragged"], dtype=torch.float32)
    batch_of_100 = Convolution(4, [(3, 2)], activation="linear", padding="batch")
    filters = CharacterConvolution(
        4, [(3, 1)], None, conv_activation="tanh", activation="tanh", dropout=0.5
    )
    for network in (IdentityRecurrent(4, 4), batch_of_100, filters, DeepAverage(4, 3)):
        model = Residual(network, 4)
        model.reset(np.random.RandomState(0))
        vectors = model(table, ids, offsets).detach()
        assert_array_equal(vectors, Average(4, "distinct")(table, ids, offsets))
        assert model.batch_size == network.batch_size
        assert model.dropout == network.dropout
        assert model.pooling == ("distinct" if network.pooling else None)
    assert list(Residual(IdentityRecurrent(4, 4), 4).anchors) == [
        "composition.W_x",
        "composition.W_h",
    ]

    model = nets.randomise(Residual(filters, 4), torch.float32)
    kept = model(table, ids, offsets)
    model.generator = torch.Generator().manual_seed(0)
    dropped = model(table, ids, offsets)
    start = Average(4, "distinct")(table, ids, offsets)
    shares = (dropped - start) @ torch.linalg.pinv(model.projection)  # of the maxima
    whole = (kept - start) @ torch.linalg.pinv(model.projection)
    ratio = (shares / whole)[np.diff(offsets) > 0].detach()
    assert_allclose(ratio * (ratio - 2), 0, atol=1e-3)
    assert 0.2 < (ratio > 1).float().mean() < 0.8


@pytest.mark.parametrize("mode", ["mean", "sum"])
@pytest.mark.parametrize("lengths", [[2, 1, 2, 2, 2, 3], [0, 3, 2, 0, 4, 3], [0]])
def test_pooling_is_that_of_embedding_bag(lengths, mode):
    ours, ids, offsets = nets.make_batch(lengths, dtype=torch.float32)
    theirs = ours.clone()
    pooled = pool(ours.requires_grad_(), ids, offsets, mode)
    starts = torch.from_numpy(offsets[:-1])
    expected = nn.functional.embedding_bag(
        ids, theirs.requires_grad_(), starts, mode=mode
    )
    for output in (pooled, expected):
        output.pow(2).sum().backward()
    assert_allclose(pooled.detach(), expected.detach(), rtol=1e-6)
    assert_allclose(ours.grad, theirs.grad, rtol=1e-6, atol=1e-6)


def test_a_long_bag_has_the_average_of_its_windows():
    """Forward and backward, like two bags in proportion to their tokens."""
    table, ids, _ = nets.make_batch([65], dtype=torch.float32)
    windows = np.array([0, 21, 43, 65])
    parts = torch.from_numpy(np.diff(windows)[:, np.newaxis] / 65).float()
    long = pool(table.requires_grad_(), ids, np.array([0, 65]), "distinct")
    short = pool(
        again := table.detach().clone().requires_grad_(), ids, windows, "distinct"
    )
    expected = (parts * short).sum(dim=0)
    assert_allclose(long[0].detach(), expected.detach(), rtol=1e-5, atol=1e-6)
    for output in (long[0], expected):
        output.pow(2).sum().backward()
    assert_allclose(table.grad, again.grad, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("lengths", ["ragged", "single", "all empty", "none", "long"])
def test_weights_on_a_device_are_those_of_numpy(lengths):
    lengths = {**nets.LENGTHS, "long": [3, 33, 0, 32, 65, 64, 1]}[lengths]
    table, ids, offsets = batch = nets.make_batch(lengths)
    texts = ids.numpy().astype(np.int32), offsets
    averages = np.zeros((len(offsets) - 1, table.shape[1]))
    arguments = table.numpy(), None, None, *texts, None, "distinct", averages
    assert_allclose(weights_on_device(*batch), pool_rows(*arguments), rtol=1e-12)


def test_draws():
    def draw(model):
        model.reset(np.random.RandomState(0))
        return nets.arrays(model)

    drawn = draw(DeepAverage(120, 80, n_layers=2, activation="tanh", first_std=0.1))
    assert drawn["layers.0.weight"].std() == pytest.approx(0.1, rel=0.05)
    assert np.abs(drawn["layers.0.weight"]).max() > 0.3
    nets.assert_uniform(drawn["layers.1.weight"], (6 / 160) ** 0.5)
    nets.assert_uniform(draw(DeepAverage(120, 80))["layers.0.weight"], (6 / 200) ** 0.5)

    drawn = draw(Charagram(5000, 3000, activation="tanh", n_layers=1))
    assert charagram_range(5000, 3000) == pytest.approx((6 / 8001) ** 0.5)
    nets.assert_uniform(drawn["constant"], charagram_range(5000, 3000))
    drawn = draw(Charagram(50, 80, activation="tanh", n_layers=2))
    nets.assert_uniform(drawn["layers.0.weight"], (6 / 160) ** 0.5)


def test_unit_vectors():
    def normal(n_texts):
        return torch.from_numpy(np.random.default_rng(0).normal(size=(n_texts, 5)))

    vectors = normal(6)
    vectors[3] = 0
    lengths = np.append(np.ones(3), [0, 1, 1])
    assert_allclose(np.linalg.norm(unit_vectors(vectors), axis=1), lengths)
    leaf = vectors.clone().requires_grad_()
    unit_vectors(leaf).sum().backward()
    assert not leaf.grad[3].any() and torch.isfinite(leaf.grad).all()
    assert gradcheck(unit_vectors, normal(4).requires_grad_())
