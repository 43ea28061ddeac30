"""Stacked and bidirectional LSTMs against those of PyTorch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from sklearn.base import clone

from _lib import stacked_lstm as module
from skparaphrase.vectors import WordVectors

STACKS = [(1, True), (2, False), (2, True), (2, "tied")]


def torch_lstm(layers):
    """torch.nn.LSTM with the parameters of layers without peepholes."""
    theirs = torch.nn.LSTM(4, 3, len(layers))
    with torch.no_grad():
        for i, layer in enumerate(layers):
            for ours, name in (("W_x", "weight_ih"), ("W_h", "weight_hh"), ("b_", "")):
                blocks = torch.cat([layer.get_parameter(ours + k) for k in "ifco"])
                theirs.get_parameter(f"{name or 'bias_ih'}_l{i}").copy_(blocks)
            theirs.get_parameter(f"bias_hh_l{i}").zero_()
    return theirs


@pytest.mark.parametrize(("n_layers", "both"), STACKS)
def test_last_states_are_those_of_torch(n_layers, both):
    model = module.StackedLSTM(
        4, 3, n_layers=n_layers, bidirectional=both, peepholes=None
    )
    model.reset(np.random.RandomState(0))
    stacks = [torch_lstm(model.layers[:n_layers])]
    if both:
        other = stacks[0] if both == "tied" else torch_lstm(model.layers[n_layers:])
        stacks.append(other)
    table = torch.randn(9, 4, generator=torch.Generator().manual_seed(0))
    ids, offsets = torch.arange(13) % 9, np.array([0, 3, 4, 11, 13])
    expected = []
    for start, stop in pairwise(offsets):
        x = table[ids[start:stop]]
        ends = [lstm(x.flip(0) if i else x)[1][0] for i, lstm in enumerate(stacks)]
        expected.append(torch.cat(ends).flatten())
    assert_allclose(
        model(table, ids, offsets).detach(),
        torch.stack(expected).detach(),
        rtol=1e-5,
        atol=1e-6,
    )


@pytest.mark.parametrize(
    ("dim", "n_layers", "count"), [(150, 1, 203400 - 450), (108, 2, 203472 - 648)]
)
def test_number_of_parameters(dim, n_layers, count):
    """Table 1 of Tai et al. (2015), but for its second bias of each gate."""
    model = module.StackedLSTM(
        300, dim, n_layers=n_layers, bidirectional="tied", output_gate=False,
        peepholes=None,
    )  # fmt: skip
    assert sum(parameter.numel() for parameter in model.parameters()) == count


def test_the_encoder_of_a_row():
    words = [f"w{i}" for i in range(9)]
    vectors = WordVectors(words, np.random.RandomState(0).randn(9, 4).astype("f4"))
    class_ = module.stacked(2, "tied")
    encoder = clone(class_.paper(vectors=vectors, dim=3, max_epochs=1))
    pairs = [("w1 w2", "w2 w3"), ("w4", "w5 w6"), ("w7", "w8")]
    assert encoder.fit(pairs).transform(["w1 w2"]).shape == (1, 12)
    assert module.stacked() is module.LSTMEncoder
