"""CharCNNEncoder and CharLSTMEncoder; their equations: test_embedding.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from skparaphrase import load
from skparaphrase.encoders import CharCNNEncoder, CharLSTMEncoder

each = pytest.mark.parametrize("name", ["char cnn", "char lstm"])


@pytest.mark.parametrize(
    ("encoder", "n_numbers"),
    [
        (CharCNNEncoder(), 881_025),  # the paper's number
        # 134 * 300, filters of 875 * 300 * 9/5, 525 biases, a layer of 526 * 300
        (CharCNNEncoder(filters="equal"), 134 * 300 + 472_500 + 525 + 157_800),
        # Per gate two matrices, a bias and, but for the cell, a peephole.
        (CharLSTMEncoder(), 134 * 300 + 3 * 180_300 + 2 * 300),
        (CharLSTMEncoder(output_gate=True), 134 * 300 + 4 * 180_300 + 3 * 300),
    ],
)
def test_sizes_are_those_of_the_paper(zoo, encoder, n_numbers):
    # The paper has 134 symbols: a space, the unknown one and 132 others.
    texts = ["".join(map(chr, range(0x4E00 + i, 0x4E00 + i + 66))) for i in (0, 66)]
    encoder = clone(encoder).set_params(max_epochs=0, random_state=0).fit([texts] * 2)
    assert len(encoder.vectors_) == 134
    assert sum(array.size for array in zoo.state(encoder).values()) == n_numbers


@each
def test_characters_are_drawn_in_the_range_of_the_papers_code(zoo, name):
    encoder = zoo.make(name, embedding_dim=300, max_epochs=0).fit(zoo.pairs)
    matrix, limit = encoder.vectors_.matrix, 0.5 / len(encoder.vectors_)
    assert 0.99 * limit < np.abs(matrix).max() <= limit * (1 + 1e-6)
    assert matrix.std() == pytest.approx(limit / 3**0.5, rel=0.05)


@each
def test_unknown_characters_share_a_vector(zoo, name):
    unknown = zoo.fitted(name).transform(["é", "ü", "éé"])
    assert unknown.any(axis=1).all()
    assert_array_equal(unknown[0], unknown[1])


def test_dropout_before_the_layer(zoo):
    """Reproducible; only in training; as good as nothing with a share of nearly 0."""
    plain = zoo.fitted("char cnn")
    dropped = zoo.make("char cnn", dropout=0.6).fit(zoo.pairs)
    assert not zoo.same(dropped, plain)
    assert zoo.same(zoo.make("char cnn", dropout=0.6).fit(zoo.pairs), dropped)
    vectors = dropped.transform(zoo.texts)
    assert_array_equal(dropped.transform(zoo.texts), vectors)
    assert_array_equal(
        clone(dropped).set_params(dropout=0.0, init=dropped, max_epochs=0)
        .fit(zoo.pairs)
        .transform(zoo.texts),
        vectors,
    )  # fmt: skip
    more = zoo.make("char cnn", dropout=0.6, max_epochs=1, warm_start=True)
    assert zoo.same(more.fit(zoo.pairs).fit(zoo.pairs), dropped)
    infonce = zoo.make("char cnn", dropout=0.6, loss="infonce").fit(zoo.pairs)
    assert not zoo.same(zoo.make("char cnn", loss="infonce").fit(zoo.pairs), infonce)


def test_without_the_layer_vectors_are_the_maxima(zoo, tmp_path):
    encoder = zoo.make("char cnn", dim=None, filters=[(2, 1), (3, 3)]).fit(zoo.pairs)
    assert sorted(encoder.parameters_) == [
        f"filters.{i}.{part}" for i in range(2) for part in ("bias", "weight")
    ]
    vectors = encoder.transform(zoo.texts)
    assert vectors.shape == (len(zoo.texts), 5)
    assert len(encoder.get_feature_names_out()) == 5
    encoder.save(tmp_path / "encoder")
    assert_array_equal(load(tmp_path / "encoder").transform(zoo.texts), vectors)
