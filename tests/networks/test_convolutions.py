"""Convolutions against loops over windows in NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import equations
import nets
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.autograd import gradcheck

from skparaphrase.networks._convolutions import CharacterConvolution, Convolution


def of(widths):
    """Two filters of each width."""
    return [(2, width) for width in widths]


def make_char_cnn(shapes, conv, f, dim=3, **params):
    return CharacterConvolution(
        4, shapes, dim, conv_activation=conv, activation=f, **params
    )


COMPOSITIONS = {
    **{
        f"cse {widths} {f}": (
            lambda widths=widths, f=f: Convolution(4, of(widths), activation=f),
            partial(equations.cse, f=f),
        )
        for widths in [(3, 1, 2), (4,), (2, 2)]
        for f in equations.F
    },
    **{
        f"cse valid {f}": (
            lambda f=f: Convolution(4, of((3, 1, 4)), activation=f, padding="valid"),
            partial(equations.cse_of_full_windows, f=f),
        )
        for f in ("linear", "tanh")
    },
    **{
        f"cnn {shapes} {conv} {f}": (
            lambda shapes=shapes, conv=conv, f=f: make_char_cnn(shapes, conv, f),
            partial(equations.char_cnn, conv=conv, f=f),
        )
        for shapes, conv, f in [
            (((2, 1), (3, 3), (1, 6)), "relu", "tanh"),
            (((3, 2), (3, 4)), "tanh", "linear"),
            (((3, 2), (2, 3)), "tanh", "relu"),
        ]
    },
    "cnn without layer": (
        lambda: make_char_cnn([(2, 3), (3, 1)], "relu", "tanh", dim=None),
        partial(equations.char_cnn, conv="relu", f="tanh"),
    ),
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_convolutions(name, check):
    check(*COMPOSITIONS[name])


@pytest.mark.parametrize("f", ["linear", "tanh"])
@pytest.mark.parametrize("widths", [(1, 2, 3), (3, 1), (5, 2)])
@pytest.mark.parametrize("lengths", ["ragged", "shorter than filters", "single"])
def test_padding_of_a_batch_is_the_released_code(lengths, widths, f):
    model = Convolution(4, of(widths), activation=f, padding="batch")
    assert nets.randomise(model).batch_size == 100
    batch = nets.make_batch(nets.LENGTHS[lengths])
    found = model(*batch).detach()
    longest = max(*nets.LENGTHS[lengths], *widths)
    expected = [partial(equations.cse, f=f, longest=longest)]
    if f == "linear":
        expected.append(partial(equations.cse_in_closed_form, longest=longest))
    for equation in expected:
        slow = nets.slow_vectors(model, equation, *batch)
        assert_allclose(found, slow, atol=1e-10)


@pytest.mark.parametrize("dim", [3, None])
def test_dropout_of_the_maxima(dim):
    model = make_char_cnn([(40, 2), (60, 3)], "tanh", "linear", dim, dropout=0.25)
    nets.randomise(model)
    batch = nets.make_batch(nets.LENGTHS["ragged"])
    plain = model(*batch)
    model.generator = torch.Generator().manual_seed(0)
    dropped = model(*batch)
    generator = torch.Generator().manual_seed(0)
    kept = torch.rand(9, 100, generator=generator, dtype=torch.float64) >= 0.25
    assert 0.7 < kept.double().mean() < 0.8
    layer, model.layer, model.generator = model.layer, None, None
    maxima = model(*batch)
    expected = maxima * kept / 0.75
    if dim:
        expected = expected @ layer.weight + layer.bias
        expected[(maxima == 0).all(dim=1)] = 0
    assert_allclose(dropped.detach(), expected.detach(), atol=1e-10)
    assert not np.allclose(dropped.detach(), plain.detach())


def test_full_windows_by_hand():
    """Words 1, 2, 4 and filters 10, 1: windows 12 and 24; the bias counts twice."""
    model = Convolution(1, [(1, 2)], activation="linear", padding="valid").double()
    filters = {"filters.0.weight": [[[10.0]], [[1.0]]], "filters.0.bias": [0.25]}
    model.load_state_dict({name: torch.tensor(x) for name, x in filters.items()})
    table, ids = torch.tensor([[1.0], [2.0], [4.0]]).double(), torch.arange(3)
    assert model(table, ids, np.array([0, 3])).tolist() == [[36.5]]
    assert model(table, ids[:1], np.array([0, 1])).tolist() == [[10.25]]  # 1 and zero


def test_gradients_of_batch_padding():
    model = Convolution(4, of((1, 3)), activation="tanh", padding="batch")
    nets.randomise(model)
    table, ids, offsets = nets.make_batch([2, 0, 1, 4])
    assert gradcheck(lambda x: model(x, ids, offsets), table.requires_grad_())


@pytest.mark.parametrize(
    ("model", "limits"),
    [
        (Convolution(60, [(50, 1), (50, 3)], activation="linear"), [6 / 110, 6 / 330]),
        (
            make_char_cnn([(2000, 2), (900, 5)], "relu", "tanh"),
            [6 / 4008, 6 / 4520, 6 / 2903],
        ),
    ],
)
def test_draws(model, limits):
    model.reset(np.random.RandomState(0))
    weights = [w for name, w in nets.arrays(model).items() if name.endswith("weight")]
    for weight, square in zip(weights, limits, strict=True):
        nets.assert_uniform(weight, square**0.5)
