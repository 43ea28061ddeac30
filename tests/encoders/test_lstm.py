"""LSTMEncoder; its equations: tests/networks/test_recurrent.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest


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
