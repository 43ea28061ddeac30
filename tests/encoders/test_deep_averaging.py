"""ProjectionEncoder and DeepAveragingEncoder; their equations: test_embedding.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest


def test_the_first_layer_of_dan_is_drawn_wider(zoo):
    wide = zoo.make("dan", dim=2000, n_layers=1, max_epochs=0).fit(zoo.pairs)
    weight = wide.parameters_["composition.layers.0.weight"]
    assert weight.std() == pytest.approx(0.1, rel=0.03)
