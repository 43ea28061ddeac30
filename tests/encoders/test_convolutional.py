"""CNNEncoder; its equations: test_embedding.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from numpy.testing import assert_allclose
from sklearn.base import clone

import skparaphrase


def test_filters_may_be_any_sequence_and_survive_a_folder(zoo, tmp_path):
    encoder = zoo.fitted("cse")
    assert zoo.same(
        zoo.make("cse", filters=np.array([[3, 2], [3, 1]])).fit(zoo.pairs), encoder
    )
    names = [f"composition.filters.{i}.weight" for i in range(2)]
    shapes = [encoder.parameters_[name].shape for name in names]
    assert shapes == [(2, 5, 3), (1, 5, 3)]
    encoder.save(tmp_path / "encoder")
    assert zoo.same(
        clone(skparaphrase.load(tmp_path / "encoder")).fit(zoo.pairs), encoder
    )


def test_padding_to_the_batch_lets_its_mates_matter(zoo):
    """The bias counts at every position up to the longest text."""
    encoder = zoo.make("cse", residual=False, padding="batch", filters=[(3, 1)])
    encoder.fit(zoo.pairs)
    alone = encoder.transform(["w1"])[0]
    beside = encoder.transform(["w1", "w1 w2 w3 w4"])[0]
    bias = encoder.parameters_["filters.0.bias"]
    assert bias.any()
    assert_allclose(beside - alone, 3 * bias, atol=1e-6)
