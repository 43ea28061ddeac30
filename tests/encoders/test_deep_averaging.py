"""ProjectionEncoder and DeepAveragingEncoder; their equations: test_embedding.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skparaphrase.encoders import AverageEncoder


@pytest.mark.parametrize(
    ("name", "params", "shapes"),
    [
        ("projection", {"dim": None}, [(5, 5)]),
        ("projection", {"dim": 3}, [(5, 3)]),
        ("dan", {"n_layers": 1}, [(5, 5)]),
        ("dan", {"n_layers": 3, "dim": 4}, [(5, 4), (4, 4), (4, 4)]),
    ],
)
def test_layers(zoo, name, params, shapes):
    encoder = zoo.make(name, max_epochs=0, residual=False, **params).fit(zoo.pairs)
    assert len(encoder.parameters_) == 2 * len(shapes)
    for i, shape in enumerate(shapes):
        assert encoder.parameters_[f"layers.{i}.weight"].shape == shape
        assert not encoder.parameters_[f"layers.{i}.bias"].any()
    if shapes[-1][1] == 5:  # layers are drawn, not the identity
        average = AverageEncoder(zoo.vectors).transform(zoo.texts)
        assert np.abs(encoder.transform(zoo.texts) - average).max() > 0.1


def test_the_first_layer_of_dan_is_drawn_wider(zoo):
    wide = zoo.make("dan", dim=2000, n_layers=1, max_epochs=0).fit(zoo.pairs)
    weight = wide.parameters_["composition.layers.0.weight"]
    assert weight.std() == pytest.approx(0.1, rel=0.03)
