"""Targets, a fitted encoder and comparisons that tests of supervised models share."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skparaphrase.encoders import LSTMEncoder
from skparaphrase.supervised import (
    PairClassifier,
    SentenceClassifier,
    SimilarityRegressor,
)


@pytest.fixture
def labels(sentences):
    return np.array(["few" if len(text.split()) < 3 else "many" for text in sentences])


@pytest.fixture
def examples(sentences, pairs, gold, labels):
    """Texts or pairs, and targets, of a model."""
    return {
        SimilarityRegressor: (pairs, gold),
        PairClassifier: (pairs, labels),
        SentenceClassifier: (sentences, labels),
    }


@pytest.fixture
def fitted(vectors, pairs):
    settings = {"max_epochs": 2, "batch_size": 8, "device": "cpu"}
    settings["random_state"] = np.random.RandomState(1)  # drawing from it changes it
    return LSTMEncoder(vectors, residual=False, learning_rate=0.01, **settings).fit(
        pairs
    )


@pytest.fixture(scope="session")
def assert_same_bits():
    """Compares everything that is trained."""

    def compare(model, other):
        one, two = model.encoder_, other.encoder_
        assert_array_equal(one.vectors_.matrix, two.vectors_.matrix)
        for name, value in one.parameters_.items():
            assert_array_equal(value, two.parameters_[name], err_msg=name)
        for name, value in model.head_.items():
            assert_array_equal(value, other.head_[name], err_msg=name)

    return compare
