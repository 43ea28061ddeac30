"""Dense layers on averages, and custom networks, against their equations."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from functools import partial

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skparaphrase.encoders import NetworkEncoder, ParaphraseEncoder
from skparaphrase.networks import Composition, Residual, pool
from skparaphrase.networks._compositions import Average, DeepAverage
from skparaphrase.supervised import TextClassifier
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(30)]
VECTORS = WordVectors(WORDS, RNG.randn(30, 6).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(2, 6))) for _ in range(40)]
PAIRS = np.array(TEXTS, dtype=object).reshape(-1, 2)
LABELS = [int("w1" in text.split()) for text in TEXTS]
SHORT = {"vectors": VECTORS, "max_epochs": 2, "batch_size": 8, "random_state": 0}


def test_the_first_layer_of_dan_is_drawn_wider(zoo):
    wide = zoo.make("dan", dim=2000, n_layers=1, max_epochs=0).fit(zoo.pairs)
    weight = wide.parameters_["composition.layers.0.weight"]
    assert weight.std() == pytest.approx(0.1, rel=0.03)


class WordWeights(Composition):
    """An average with learnt weights."""

    def __init__(self, dim, sharpness=1.0):
        super().__init__()
        self.dim = dim
        self.sharpness = sharpness
        self.direction = torch.nn.Parameter(torch.zeros(dim))

    def compose(self, table, ids, offsets):
        weights = (self.sharpness * table @ self.direction).exp()[:, None]
        total = pool(weights, ids, offsets, "sum").clamp(min=1e-9)
        return pool(weights * table, ids, offsets, "sum") / total


def test_vectors_are_those_of_the_network():
    encoder = NetworkEncoder(WordWeights, norm=None, **SHORT).fit(PAIRS)
    direction = encoder.parameters_["direction"]
    assert direction.any()
    for text in TEXTS[:5]:
        rows = np.array([encoder.vectors_[word] for word in text.split()])
        weights = np.exp(rows @ direction)
        expected = weights @ rows / weights.sum()
        assert_allclose(encoder.transform([text])[0], expected, atol=1e-5)
    assert_array_equal(encoder.transform([""]), np.zeros((1, 6)))
    again = clone(encoder).fit(PAIRS)
    assert_array_equal(again.transform(PAIRS), encoder.transform(PAIRS))
    again = pickle.loads(pickle.dumps(encoder))
    assert_array_equal(again.transform(PAIRS), encoder.transform(PAIRS))


def test_none_is_the_average():
    average = ParaphraseEncoder(
        optimizer="adagrad", learning_rate=0.005, shrinkage=0, **SHORT
    )
    average = average.set_params(pooling="mean").fit(PAIRS)
    for network in (None, Average):
        encoder = NetworkEncoder(network, optimizer="adagrad", **SHORT).fit(PAIRS)
        assert_allclose(encoder.transform(PAIRS), average.transform(PAIRS), atol=1e-6)


def test_a_residual_starts_as_the_average():
    encoder = NetworkEncoder(
        lambda dim: Residual(WordWeights(dim), dim), **{**SHORT, "max_epochs": 0}
    )
    average = ParaphraseEncoder(pooling="distinct", **{**SHORT, "max_epochs": 0})
    found = encoder.fit(PAIRS).transform(PAIRS)
    assert_allclose(found, average.fit(PAIRS).transform(PAIRS), atol=1e-6)


def test_searches_and_supervised_models():
    networks = [partial(WordWeights, sharpness=value) for value in (0.5, 2.0)]
    networks.append(partial(DeepAverage, dim=3))
    pipe = make_pipeline(NetworkEncoder(**SHORT), LogisticRegression())
    grid = {"networkencoder__network": networks}
    search = GridSearchCV(pipe, grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_params_["networkencoder__network"] in networks
    model = TextClassifier(NetworkEncoder(WordWeights, **SHORT), max_epochs=1)
    assert model.fit(TEXTS, LABELS).predict(TEXTS).shape == (40,)


@pytest.mark.parametrize(
    ("network", "error", "message"),
    [
        (
            lambda dim: torch.nn.Linear(dim, dim),
            TypeError,
            "must return a skparaphrase",
        ),
        ("average", ValueError, "'network' parameter"),
        (WordWeights(256), TypeError, "not an instance: pass WordWeights, or p"),
    ],
)
def test_what_is_no_network(network, error, message):
    with pytest.raises(error, match=message):
        NetworkEncoder(network, **SHORT).fit(PAIRS)


def test_what_a_network_of_the_user_cannot_do(tmp_path):
    encoder = NetworkEncoder(WordWeights, **SHORT).fit(PAIRS)
    with pytest.raises(ValueError, match="save the model with joblib"):
        encoder.save(tmp_path / "model")
    other = NetworkEncoder(partial(DeepAverage, dim=3), **{**SHORT, "init": encoder})
    with pytest.raises(ValueError, match="does not have the parameters"):
        other.set_params(vectors=None).fit(PAIRS)


class Linear(Composition):
    def __init__(self, dim):
        super().__init__()
        self.dim = 8
        self.layer = torch.nn.Linear(dim, 8)

    def compose(self, table, ids, offsets):
        return self.layer(pool(table, ids, offsets, "mean"))


def test_layers_of_torch_are_drawn_from_random_state():
    first, second, other = (
        NetworkEncoder(Linear, **SHORT | {"random_state": seed})
        .fit(PAIRS)
        .transform(TEXTS)
        for seed in (0, 0, 1)
    )
    assert_array_equal(first, second)
    assert not np.allclose(first, other)
