"""Vectors of length 1 in every encoder, and in models that use them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import copy

import numpy as np
import pytest
import registry
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

import skparaphrase
from skparaphrase._estimator import PaperSettings
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.supervised import TextClassifier

PAPERS = [kind for kind in registry.estimators() if issubclass(kind, PaperSettings)]
TEXTS = [
    "A cat sleeps.",
    "",
    "Two dogs bark at the postman.",
    "★ ...",
    "It rains. " * 30,
]


def unit(rows):
    lengths = np.linalg.norm(rows.astype(float), axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros(rows.shape), where=lengths > 0)


def test_every_trained_encoder_scales_what_it_computes(zoo, name):
    raw = zoo.fitted(name)
    encoder = copy(raw).set_params(norm="l2")  # also after `fit`
    texts = [*zoo.texts, "", "w1 " * 40]
    found = encoder.transform(texts)
    assert_allclose(found, unit(raw.transform(texts)), atol=2e-7)
    is_zero = ~found.any(axis=1)
    assert_allclose(np.linalg.norm(found, axis=1), ~is_zero, atol=2e-7)
    assert_allclose(encoder.transform(zoo.pairs)[:, 1], found[1:40:2], atol=1e-6)


def test_defaults():
    for name, kind in registry.TRAINED.items():
        assert kind().norm == "l2", name
    for kind in (AverageEncoder, SIFEncoder, TfidfEncoder):
        assert kind().norm is None
    assert skparaphrase.load_pretrained().norm == "l2"
    assert CommonComponentRemoval().norm == "l2"


@pytest.mark.parametrize("kind", PAPERS)
def test_settings_of_papers_scale_nothing(kind):
    for setting in kind._paper_settings:
        model = kind.paper(setting)
        for name, value in model.get_params().items():
            if name.split("__")[-1] == "norm":
                assert value is None, (setting, name)
            if isinstance(value, FrozenEstimator):
                assert value.estimator.norm is None, (setting, name)
    if kind._paper_settings and hasattr(kind(), "norm"):
        assert kind.paper(norm="l2").norm == "l2"


@pytest.mark.parametrize("pooling", ["mean", "distinct"])
@pytest.mark.parametrize("name", ["english", "multilingual"])
def test_pretrained_vectors_have_length_one(name, pooling):
    encoder = skparaphrase.load_pretrained(name, pooling=pooling)
    raw = skparaphrase.load_pretrained(name, pooling=pooling, norm=None)
    found = encoder.transform(TEXTS)
    assert_allclose(found, unit(raw.transform(TEXTS)), atol=2e-7)
    assert_array_equal(found[1], 0)
    for text, row in zip(TEXTS, found, strict=True):  # to the bit
        assert_array_equal(encoder.transform([text])[0], row)
    assert_array_equal(found @ found[0] > 0.999, [True, *[False] * 4])


def test_removed_components_leave_length_one():
    rows = np.random.default_rng(0).standard_normal((50, 2, 6)) + 1
    rows[3, 1] = 0
    removal = CommonComponentRemoval(2).fit(rows)
    raw = clone(removal).set_params(norm=None).fit(rows).transform(rows)
    assert_allclose(removal.transform(rows), unit(raw), atol=1e-12)
    assert not removal.transform(rows)[3, 1].any()


@pytest.mark.parametrize("text_norm", [None, 4.0])
def test_heads_read_what_is_trained(text_norm, zoo):
    """A fit does not depend on `norm`, and neither does a prediction."""
    labels = [len(text) % 3 for text in zoo.texts]
    settings = {"text_norm": text_norm, "max_epochs": 2, "random_state": 0}
    models = [
        TextClassifier(ParaphraseEncoder(zoo.vectors, norm=norm), **settings)
        for norm in ("l2", None)
    ]
    first, second = (
        model.fit(zoo.texts, labels).predict_proba(zoo.texts) for model in models
    )
    assert_array_equal(first, second)
    scaled, raw = (model.encoder_.transform(zoo.texts) for model in models)
    assert_allclose(scaled, unit(raw), atol=1e-6)
    assert np.abs(scaled - raw).max() > 0.1


def test_an_average_that_training_starts_from_keeps_its_own(zoo):
    for norm in (None, "l2"):
        average = AverageEncoder(zoo.vectors, norm=norm)
        model = TextClassifier(average, max_epochs=0, random_state=0)
        model.fit(zoo.texts, [len(text) % 2 for text in zoo.texts])
        assert_allclose(
            copy(model.encoder_).set_params(pooling="mean").transform(zoo.texts),
            average.transform(zoo.texts),
            atol=1e-6,
        )


def test_other_norms_raise(zoo):
    removal = CommonComponentRemoval().fit(np.eye(3)).set_params(norm="l1")
    for call, X in [
        (AverageEncoder(norm="l1").fit, zoo.pairs),
        (zoo.make("lstm", norm="l1").fit, zoo.pairs),
        # Without a fit.
        (AverageEncoder(norm="l1").transform, ["w1"]),
        (skparaphrase.load_pretrained().set_params(norm="l1").transform, ["a cat"]),
        (removal.transform, np.eye(3)),
    ]:
        with pytest.raises(
            ValueError, match=r"'norm' parameter .* must be .* Got 'l1'"
        ):
            call(X)
