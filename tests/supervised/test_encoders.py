"""The encoder inside a supervised model: where it starts, and copies of it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from types import SimpleNamespace

import numpy as np
import pytest
import registry
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator

from skparaphrase.encoders import (
    AverageEncoder,
    DistilledEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised._encoders import copy_fitted, initialize_encoder
from skparaphrase.supervision._examples import Examples


def initialize(encoder, texts):
    rng = np.random.RandomState(0)
    steps = SimpleNamespace(optimizer=Optimizer(), random_state=rng)
    examples = Examples(np.array(texts, dtype=object))
    return initialize_encoder(encoder, examples, steps, "`init`")[0]


def arrays(encoder):
    return [encoder.vectors_.rows(), *encoder.parameters_.values()]


@pytest.fixture(params=registry.TRAINED.values(), ids=registry.TRAINED)
def fitted_encoder(request, vectors, pairs):
    return registry.small(request.param, vectors, warm_start=True).fit(pairs)


def test_a_trained_encoder_starts_anew(fitted_encoder, sentences):
    with pytest.warns(UserWarning, match="is fitted, but .* Use `init`"):
        start = initialize(fitted_encoder, sentences)
    assert start is not fitted_encoder and start.n_epochs_ == 0
    before = [array.copy() for array in arrays(fitted_encoder)]
    anew = initialize(clone(fitted_encoder), sentences)  # without a warning
    for first, same, other in zip(arrays(anew), arrays(start), before, strict=True):
        assert_array_equal(first, same)
        assert first.shape != other.shape or (first != other).any()


@pytest.mark.parametrize(
    "encoder", [AverageEncoder(), TfidfEncoder(), SIFEncoder(frequencies="corpus")]
)
def test_an_average_becomes_one_that_can_be_trained(encoder, vectors, sentences):
    encoder.set_params(vectors=vectors)
    start = initialize(encoder, sentences)
    expected = encoder.fit(sentences).transform(sentences)
    assert type(start).__name__ == "ParaphraseEncoder" and start.parameters_ == {}
    assert_allclose(start.transform(sentences), expected, rtol=1e-5, atol=1e-6)


def test_a_fitted_encoder_is_copied_and_not_shared(fitted_encoder, pairs):
    curve = list(fitted_encoder.loss_curve_)
    copied = copy_fitted(FrozenEstimator(fitted_encoder))
    assert copied.loss_curve_ == curve
    assert_array_equal(copied.transform(pairs), fitted_encoder.transform(pairs))
    before = fitted_encoder._random_state.get_state()[1].copy()
    copied.partial_fit(pairs)
    assert fitted_encoder.loss_curve_ == curve
    assert_array_equal(fitted_encoder._random_state.get_state()[1], before)


def test_a_fitted_average_is_copied_with_its_weights(vectors, sentences):
    encoder = TfidfEncoder(vectors).fit(sentences[:3])
    copied = copy_fitted(FrozenEstimator(encoder))
    expected = encoder.transform(sentences)
    assert_allclose(copied.transform(sentences), expected, rtol=1e-5, atol=1e-6)
    teacher = np.random.default_rng(0).normal(size=(len(sentences), 4))
    learnt = DistilledEncoder(vectors, dim=3, n_subwords=None)
    learnt.fit(sentences, teacher)
    copied = copy_fitted(learnt)
    assert_array_equal(copied.transform(sentences), learnt.transform(sentences))


def test_encoders_that_cannot_serve(vectors, sentences):
    with pytest.raises(TypeError, match="freeze='encoder' accepts any transformer"):
        initialize(PCA(), sentences)
    with pytest.raises(TypeError, match="init must be a fitted encoder"):
        copy_fitted(PCA())
    for Encoder in (registry.TRAINED["LSTMEncoder"], SIFEncoder):
        with pytest.raises(ValueError, match="is not fitted"):
            copy_fitted(Encoder(vectors))
