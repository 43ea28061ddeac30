"""Shared by the tests of supervised models: targets, an encoder, comparisons."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skparaphrase.encoders import LSTMEncoder
from skparaphrase.supervised import (
    PairClassifier,
    SimilarityRegressor,
    TextClassifier,
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
        TextClassifier: (sentences, labels),
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
    """Compares all trained arrays."""

    def compare(model, other):
        one, two = model.encoder_, other.encoder_
        assert_array_equal(one.vectors_.matrix, two.vectors_.matrix)
        for name, value in one.parameters_.items():
            assert_array_equal(value, two.parameters_[name], err_msg=name)
        for name, value in model.head_.items():
            assert_array_equal(value, other.head_[name], err_msg=name)

    return compare


@pytest.fixture
def answers(sentences):
    """Six questions of three candidates; one has only wrong, one only right ones."""
    X, y = [], []
    for i in range(6):
        found = [f"w{i} w{i + 10}", sentences[i + 10], sentences[i + 20]]
        right = {3: [0, 0, 0], 5: [1, 1, 1]}.get(i, [1, 0, 0])
        for k in np.roll(range(3), i):
            X.append((f"w{i} w{i + 10} {sentences[i]}", found[k]))
            y.append(right[k])
    return X, np.array(y)


@pytest.fixture(scope="session")
def tasks():
    """Pairs of four words that share none, two or all, in any order."""

    def draw(n, seed):
        rng = np.random.default_rng(seed)
        pairs, shared = [], rng.choice([0, 2, 4], n)
        for k in shared:
            words = rng.permutation(40)
            other = rng.permutation([*words[:k], *words[4 : 8 - k]])
            first = rng.permutation(words[:4])
            pairs.append(tuple(" ".join(f"w{i}" for i in t) for t in (first, other)))
        return pairs, shared

    return draw
