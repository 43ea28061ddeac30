"""Encoders that a supervised model or a tagger starts from."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator

from skparaphrase.encoders import (
    AverageEncoder,
    DistilledEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.encoders._initialize import (
    begin_training,
    copy_fitted,
    warn_if_fitted,
)
from skparaphrase.optimizers import Optimizer


def initialize(zoo, encoder):
    texts = np.array(zoo.texts, dtype=object)
    rng = np.random.RandomState(0)
    steps = SimpleNamespace(optimizer=Optimizer(), random_state=rng)
    return begin_training(encoder, texts, zoo.texts, steps)[0]


@pytest.mark.parametrize("wrap", [lambda encoder: encoder, FrozenEstimator])
def test_a_trained_encoder_starts_anew(zoo, name, wrap):
    fitted = zoo.fitted(name)
    start = initialize(zoo, wrap(fitted))
    assert start is not fitted and start.n_epochs_ == 0
    assert not zoo.same(start, fitted)
    assert zoo.same(start, initialize(zoo, zoo.make(name)))  # fitted or not


@pytest.mark.parametrize(
    "encoder", [AverageEncoder(), TfidfEncoder(), SIFEncoder(frequencies="corpus")]
)
def test_an_average_becomes_one_that_can_be_trained(zoo, encoder):
    encoder.set_params(vectors=zoo.vectors)
    start = initialize(zoo, encoder)
    expected = encoder.fit(zoo.texts).transform(zoo.texts)
    assert type(start).__name__ == "ParaphraseEncoder" and start.parameters_ == {}
    assert_allclose(start.transform(zoo.texts), expected, rtol=1e-5, atol=1e-6)


def test_a_fitted_encoder_is_copied_and_not_shared(zoo, name):
    fitted = zoo.make(name, warm_start=True).fit(zoo.pairs)
    curve = list(fitted.loss_curve_)
    copied = copy_fitted(FrozenEstimator(fitted))
    assert zoo.same(copied, fitted) and copied.loss_curve_ == curve
    assert_array_equal(copied.transform(zoo.texts), fitted.transform(zoo.texts))
    before = fitted._random_state.get_state()[1].copy()
    copied.partial_fit(zoo.pairs)
    assert fitted.loss_curve_ == curve
    assert_array_equal(fitted._random_state.get_state()[1], before)


def test_a_fitted_average_is_copied_with_its_weights(zoo):
    encoder = TfidfEncoder(zoo.vectors).fit(zoo.texts[:3])
    copied = copy_fitted(FrozenEstimator(encoder))
    expected = encoder.transform(zoo.texts)
    assert_allclose(copied.transform(zoo.texts), expected, rtol=1e-5, atol=1e-6)
    teacher = np.random.default_rng(0).normal(size=(len(zoo.texts), 4))
    learnt = DistilledEncoder(zoo.vectors, dim=3, n_subwords=None)
    learnt.fit(zoo.texts, teacher)
    assert_array_equal(
        copy_fitted(learnt).transform(zoo.texts), learnt.transform(zoo.texts)
    )


def test_encoders_that_cannot_serve(zoo):
    with pytest.raises(TypeError, match="freeze='encoder' accepts any transformer"):
        initialize(zoo, PCA())
    with pytest.raises(TypeError, match="init must be a fitted encoder"):
        copy_fitted(PCA())
    for encoder in (zoo.make("dan"), SIFEncoder(zoo.vectors)):
        with pytest.raises(ValueError, match="is not fitted"):
            copy_fitted(encoder)


def test_training_that_will_not_be_used_is_warned_of(zoo, recwarn):
    warn_if_fitted(zoo.make("dan"), "`init`")
    assert not recwarn.list
    with pytest.warns(UserWarning, match="is fitted, but .* `init` starts"):
        warn_if_fitted(zoo.fitted("dan"), "`init`")
