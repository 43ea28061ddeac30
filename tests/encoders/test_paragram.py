"""ParagramEncoder: averages of trained vectors, and SIF weights as a start."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import AverageEncoder, ParagramEncoder


def cosine_margin(encoder, pairs):
    """Mean cosine of partners less that of texts of other pairs."""
    vectors = encoder.transform(pairs)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=2, keepdims=True), 1e-9)
    cosines = vectors[:, 0] @ vectors[:, 1].T
    return 2 * np.diag(cosines).mean() - cosines.mean()


@pytest.mark.parametrize("loss", ["margin", "infonce"])
def test_training_separates_real_pairs(loss):
    pairs = load_paraphrases().data
    encoder = ParagramEncoder(loss=loss, max_epochs=3, random_state=0).fit(pairs)
    first, second, third = encoder.loss_curve_
    assert first > second > third
    assert cosine_margin(encoder, pairs) > cosine_margin(AverageEncoder(), pairs) + 0.05


def test_it_starts_as_the_average_and_leaves_the_given_vectors_alone(zoo):
    before = zoo.vectors.matrix.copy()
    start = zoo.make("paragram", max_epochs=0).fit(zoo.pairs)
    average = AverageEncoder(zoo.vectors).transform(zoo.texts)
    assert_allclose(start.transform(zoo.texts), average, rtol=1e-5, atol=1e-6)
    encoder = zoo.make("paragram", weighting="sif", frequencies="corpus", scale=2.0)
    encoder.fit(zoo.pairs)
    assert encoder.vectors is zoo.vectors
    assert_array_equal(zoo.vectors.matrix, before)
    assert not np.shares_memory(encoder.vectors_.matrix, zoo.vectors.matrix)
    assert encoder.vectors_.words == zoo.words


def test_a_batch_larger_than_the_data_is_the_data(zoo):
    first, second = (zoo.make("paragram", batch_size=n) for n in (1000, 20))
    assert zoo.same(first.fit(zoo.pairs), second.fit(zoo.pairs))


@pytest.mark.parametrize("scale", [None, 3.0])
@pytest.mark.parametrize("source", ["mapping", "corpus"])
def test_sif_weighting_starts_from_weighted_centred_vectors(zoo, source, scale):
    tokens = " ".join(zoo.texts).split()
    counts = {word: tokens.count(word) for word in set(tokens)}
    changes = {"weighting": "sif", "a": 0.01, "scale": scale}
    changes["frequencies"] = counts if source == "mapping" else "corpus"
    encoder = zoo.make("paragram", max_epochs=0, **changes).fit(zoo.pairs)
    mean = np.mean(zoo.vectors.matrix, axis=0, dtype=np.float64)
    shares = np.array([counts.get(word, 0) / len(tokens) for word in zoo.words])
    weights = 0.01 / (0.01 + shares)
    expected = weights[:, None] * (zoo.vectors.matrix - mean)
    if scale is not None:
        expected *= scale / np.linalg.norm(expected[shares > 0], axis=1).mean()
    assert_allclose(encoder.vectors_.matrix, expected, rtol=1e-5, atol=1e-6)
    assert_allclose(encoder.initial_weights_, weights)
    held = zoo.make("paragram", vectors_penalty=1e4, learning_rate=1e-3, **changes)
    assert_allclose(held.fit(zoo.pairs).vectors_.matrix, expected, atol=1e-2)


def test_sif_weights_stay_those_of_the_start(zoo):
    settings = {"weighting": "sif", "frequencies": "corpus", "warm_start": True}
    encoder = zoo.make("paragram", **settings).fit(zoo.pairs)
    weights = encoder.initial_weights_
    assert_array_equal(encoder.fit(zoo.pairs[:8]).initial_weights_, weights)
    later = zoo.make("paragram", init=encoder, **settings).fit(zoo.pairs[:8])
    assert_array_equal(later.initial_weights_, weights)
    for uniform in (
        zoo.make("paragram", init=zoo.fitted("paragram"), **settings),
        zoo.make("paragram", warm_start=True).fit(zoo.pairs).set_params(**settings),
    ):
        with pytest.raises(ValueError, match="started with uniform weights"):
            uniform.fit(zoo.pairs)
    encoder.set_params(weighting="uniform", warm_start=False).fit(zoo.pairs)
    assert not hasattr(encoder, "initial_weights_")
