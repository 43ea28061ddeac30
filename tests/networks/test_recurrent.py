"""Recurrent compositions against loops over texts and steps."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.networks import LSTM, IdentityRecurrent, Recurrent, StackedLSTM
from skparaphrase.networks._recurrent import LSTMLayer

DIM_IN, DIM = 4, 3
equations = SimpleNamespace(**run_path(str(Path(__file__).with_name("equations.py"))))

MODELS = {
    **{
        f: (
            lambda f=f: Recurrent(DIM_IN, DIM, activation=f),
            partial(equations.rnn, f=f),
        )
        for f in equations.F
    },
    **{
        f"lstm, {gate}, {peepholes}": (
            lambda gate=gate, peepholes=peepholes: LSTM(
                DIM_IN, DIM, output_gate=gate, peepholes=peepholes
            ),
            equations.lstm,
        )
        for gate in (True, False)
        for peepholes in ("diagonal", "full", None)
    },
}


STACKS = [(1, True), (2, False), (2, True), (2, "tied")]
FULL = {"output_gate": False, "peepholes": "full"}
for n_layers, both in STACKS:
    MODELS[f"{n_layers} layers, {both}"] = (
        partial(
            StackedLSTM, DIM_IN, DIM, n_layers=n_layers, bidirectional=both,
            **FULL if n_layers == 1 else {},
        ),
        partial(equations.lstms, n_layers=n_layers, both=both),
    )  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_recurrent_compositions(name, check):
    check(*MODELS[name])


def torch_lstm(layers):
    """torch.nn.LSTM with the parameters of layers without peepholes."""
    theirs = torch.nn.LSTM(DIM_IN, DIM, len(layers)).double()
    with torch.no_grad():
        for i, layer in enumerate(layers):
            for ours, name in (("W_x", "weight_ih"), ("W_h", "weight_hh"), ("b_", "")):
                blocks = torch.cat([layer.get_parameter(ours + k) for k in "ifco"])
                theirs.get_parameter(f"{name or 'bias_ih'}_l{i}").copy_(blocks)
            theirs.get_parameter(f"bias_hh_l{i}").zero_()
    return theirs


@pytest.mark.parametrize(("n_layers", "both"), STACKS)
def test_last_states_and_gradients_are_those_of_torch(n_layers, both, nets):
    model = StackedLSTM(
        DIM_IN, DIM, n_layers=n_layers, bidirectional=both, peepholes=None
    )
    nets.randomise(model)
    stacks = [torch_lstm(model.layers[:n_layers])]
    if both:
        other = stacks[0] if both == "tied" else torch_lstm(model.layers[n_layers:])
        stacks.append(other)
    table, ids, offsets = nets.make_batch([3, 1, 7, 2])
    ours, reference = table.clone().requires_grad_(), table.clone().requires_grad_()
    rows = []
    for start, stop in pairwise(offsets):
        x = reference[ids[start:stop]]
        ends = [
            lstm(text)[1][0]  # h_n, (n_layers, dim)
            for lstm, text in zip(stacks, (x, x.flip(0)), strict=False)
        ]
        rows.append(torch.cat(ends).flatten())
    found, expected = model(ours, ids, offsets), torch.stack(rows)
    assert found.shape == (4, model.dim)
    assert_allclose(found.detach(), expected.detach(), atol=1e-12)
    weights = torch.randn(found.shape, generator=torch.Generator().manual_seed(0))
    for vectors in (found, expected):
        (vectors * weights).sum().backward()
    assert_allclose(ours.grad, reference.grad, atol=1e-12)
    own = dict.fromkeys(stacks)  # once, if tied
    for layers, theirs in zip(
        (model.layers[:n_layers], model.layers[n_layers:]), own, strict=False
    ):
        for i, layer in enumerate(layers):
            for kind, name in (("W_x", "weight_ih"), ("W_h", "weight_hh")):
                gradients = [layer.get_parameter(kind + k).grad for k in "ifco"]
                theirs_of = theirs.get_parameter(f"{name}_l{i}").grad
                assert_allclose(torch.cat(gradients), theirs_of, atol=1e-12)
            gradients = [layer.get_parameter("b_" + k).grad for k in "ifco"]
            assert_allclose(
                torch.cat(gradients), theirs.get_parameter(f"bias_ih_l{i}").grad
            )


def test_identity_starts_as_the_average_and_is_held_there(nets):
    model = IdentityRecurrent(DIM_IN, DIM_IN)
    model.reset(np.random.RandomState(0))
    table, ids, offsets = nets.make_batch(nets.lengths["ragged"], dtype=torch.float32)
    vectors = model(table, ids, offsets).detach()
    for vector, (start, stop) in zip(vectors, pairwise(offsets), strict=True):
        mean = table[ids[start:stop]].sum(dim=0) / max(stop - start, 1)
        assert_allclose(vector, mean, rtol=1e-6, atol=1e-6)
    assert sorted(model.anchors) == ["W_h", "W_x"]
    with torch.no_grad():
        model.W_x.zero_()
    for anchor in model.anchors.values():
        assert_array_equal(anchor, np.eye(DIM_IN))
    assert not Recurrent(2, 2).anchors and not LSTM(2, 2).anchors


def test_draws():
    model = Recurrent(200, 100)
    model.reset(np.random.RandomState(0))
    for weight in (model.W_x, model.W_h):
        assert 0.0099 < weight.abs().max() <= 0.01
        assert weight.std().item() == pytest.approx(0.01 / 3**0.5, rel=0.03)

    model = LSTM(200, 300)
    model.reset(np.random.RandomState(0))
    for name, parameter in model.named_parameters():
        if not name.startswith("b_"):
            rel = 0.15 if parameter.dim() == 1 else 0.03
            assert parameter.std().item() == pytest.approx(0.1, rel=rel)
            assert abs(parameter.mean().item()) < 0.03


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


def stack(dim, n_layers, both):
    return StackedLSTM(
        300,
        dim,
        n_layers=n_layers,
        bidirectional=both,
        output_gate=False,
        peepholes=None,
    )


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (Recurrent(300, 300), 180_300),  # 2 * 300^2 + 300
        (LSTM(300, 300), 722_100),  # 4 * 180,300 and three peepholes of 300
        (LSTM(200, 100, peepholes="full", output_gate=False), 110_300),
        # Table 1 of Tai et al. (2015), but for its second bias of each gate: their
        # 203,400 and 203,472 have 3 * 150 and 2 * 3 * 108 numbers more.
        (stack(150, 1, "tied"), 203_400 - 450),
        (stack(108, 2, "tied"), 203_472 - 648),
    ],
)
def test_number_of_parameters(model, count):
    assert sum(parameter.numel() for parameter in model.parameters()) == count
