"""LSTMEncoder; its equations: tests/nn/test_recurrent.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skparaphrase import load
from skparaphrase.supervised import SimilarityRegressor


@pytest.mark.parametrize("output_gate", [True, False])
@pytest.mark.parametrize("peepholes", ["diagonal", "full", None])
@pytest.mark.parametrize("dim", [None, 4])
def test_parameters(zoo, output_gate, peepholes, dim):
    encoder = zoo.make(
        "lstm", output_gate=output_gate, peepholes=peepholes, dim=dim, max_epochs=0,
        residual=False,
    ).fit(zoo.pairs)  # fmt: skip
    n, gates = dim or 5, "ifco" if output_gate else "ifc"
    expected = {}
    for gate in gates:
        expected |= {f"W_x{gate}": (n, 5), f"W_h{gate}": (n, n), f"b_{gate}": (n,)}
        if gate != "c" and peepholes is not None:
            expected[f"W_c{gate}"] = (n,) if peepholes == "diagonal" else (n, n)
    shapes = {name: array.shape for name, array in encoder.parameters_.items()}
    assert shapes == expected


@pytest.mark.parametrize(
    ("n_layers", "both", "n_modules"), [(2, False, 2), (1, "tied", 1), (2, True, 4)]
)
def test_layers_and_directions(zoo, n_layers, both, n_modules, tmp_path):
    encoder = zoo.make(
        "lstm", dim=4, n_layers=n_layers, bidirectional=both, residual=False
    ).fit(zoo.pairs)
    prefixes = {name.rpartition(".")[0] for name in encoder.parameters_}
    assert prefixes == {f"layers.{i}" for i in range(n_modules)}
    vectors = encoder.transform(zoo.texts)
    width = 4 * n_layers * (2 if both else 1)
    assert vectors.shape == (len(zoo.texts), width)
    assert len(encoder.get_feature_names_out()) == width
    encoder.save(tmp_path / "encoder")
    assert_array_equal(load(tmp_path / "encoder").transform(zoo.texts), vectors)
    if both:  # read backwards, the states of both directions change places
        reverse = encoder.transform([" ".join(t.split()[::-1]) for t in zoo.texts])
        swapped = np.hstack(np.hsplit(vectors, 2)[::-1])
        assert np.allclose(reverse, swapped, atol=1e-6) == (both == "tied")
    scores = np.linspace(0, 5, len(zoo.pairs))
    model = SimilarityRegressor(encoder, max_epochs=1, prior="universal")
    assert model.fit(zoo.pairs, scores).encoder_.transform(["w1"]).shape == (1, width)
