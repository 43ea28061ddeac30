"""Recurrent networks and convolutions; their equations: test_embedding.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import skparaphrase
from skparaphrase.optimizers import Optimizer


@pytest.mark.filterwarnings("ignore:The loss of .* a constant output")
@pytest.mark.parametrize("name", ["rnn", "irnn"])
def test_the_penalty_pulls_matrices_to_their_anchor(zoo, name):
    encoder = zoo.make(
        name, learning_rate=0.01, max_epochs=60,
        optimizer=Optimizer(vectors_penalty=1e-6, composition_penalty=1e4),
    ).fit(zoo.pairs)  # fmt: skip
    anchor = np.eye(5) if name == "irnn" else 0.0
    for key, value in encoder.parameters_.items():
        expected = anchor if ".W" in key else 0.0
        assert np.abs(value - expected).max() < 0.05


def relu(h):
    return np.maximum(h, 0)


def direction(encoder, words, f):
    """The unit vector of a text, with states scaled to length 1."""
    p = {k: v.astype(np.float64) for k, v in encoder.parameters_.items()}
    h, scale = np.zeros(len(p["b"])), 1.0
    for word in words:
        x = encoder.vectors_.matrix[encoder.vectors_.words.index(word)]
        h = f(p["W_h"] @ h + scale * (p["W_x"] @ x + p["b"]))
        length = np.linalg.norm(h)
        h, scale = h / length, scale / length
    return h


@pytest.mark.parametrize(("name", "growth"), [("irnn", 30.0), ("rnn", 1.2)])
def test_texts_of_any_length_have_finite_vectors(name, growth, zoo):
    f = {"irnn": np.positive, "rnn": relu}[name]
    relus = {"activation": "relu", "dim": None} if name == "rnn" else {}
    encoder = zoo.make(name, **relus, residual=False, max_epochs=1).fit(zoo.pairs)
    encoder.parameters_["W_h"] = np.float32(growth) * np.eye(5, dtype=np.float32)
    rng = np.random.RandomState(1)
    texts = [rng.choice(zoo.words, length) for length in (10, 500, 5000, 3)]
    found = encoder.transform([" ".join(words) for words in texts])
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    assert np.isfinite(lengths).all() and lengths.min() > 1e-4
    expected = [direction(encoder, words, f) for words in texts]
    assert_allclose(found / lengths, expected, atol=2e-4)


def test_the_identity_with_another_activation_and_dimension(zoo):
    """As in Le et al. (2015): negative values are lost, and so are later dimensions."""
    encoder = zoo.make("irnn", activation="relu", dim=3, residual=False, max_epochs=0)
    encoder.fit(zoo.pairs)
    (vector,) = encoder.transform(["w1 w2"])
    state = np.zeros(3)
    for word in ("w1", "w2"):
        state = relu(state + encoder.vectors_[word][:3])
    assert_allclose(vector, state / 2, rtol=1e-5, atol=1e-6)


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
