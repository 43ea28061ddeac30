"""Recurrent compositions against loops over texts and steps."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from itertools import pairwise

import equations
import nets
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.networks._recurrent import LSTM, IdentityRecurrent, Recurrent

DIM_IN, DIM = 4, 3

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


@pytest.mark.parametrize("name", MODELS)
def test_recurrent_compositions(name, check):
    check(*MODELS[name])


def test_identity_starts_as_the_average_and_is_held_there():
    model = IdentityRecurrent(DIM_IN, DIM_IN)
    model.reset(np.random.RandomState(0))
    table, ids, offsets = nets.make_batch(nets.LENGTHS["ragged"], dtype=torch.float32)
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
