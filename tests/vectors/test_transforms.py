"""Weights of words as part of their vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import skparaphrase
from skparaphrase.datasets import (
    load_word_vectors,
)
from skparaphrase.encoders import (
    AverageEncoder,
    DistilledEncoder,
    SIFEncoder,
)
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    apply_sif_weights,
    fit_subwords,
    nearest_words,
    remove_mean,
    save_word_vectors,
)
from skparaphrase.vectors._transforms import append_new_words

WORDS = ["the", "cat", "catalogue", "sleeps", "<unk>"]
COUNTS = {"the": 60, "cat": 30, "sleeps": 10}
TEXTS = ["The cat sleeps.", "catalogues of the nobody", "", "sleeps sleeps"]


def make(dtype="float32", unknown=None):
    matrix = np.random.default_rng(0).normal(size=(5, 3))
    return WordVectors(WORDS, matrix, unknown=unknown).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("a", [1e-3, 0.1, 2])
@pytest.mark.parametrize("as_object", [True, False])
def test_rows_are_multiplied_by_smooth_inverse_frequencies(dtype, a, as_object):
    vectors = make(dtype)
    weighted = apply_sif_weights(
        vectors, WordFrequencies(COUNTS) if as_object else COUNTS, a
    )
    for word in WORDS:
        weight = a / (a + COUNTS.get(word, 0) / 100)
        assert_allclose(weighted[word], weight * vectors[word], rtol=1e-6)
    assert weighted.is_weighted and not vectors.is_weighted
    assert (weighted.words, weighted.dtype) == (vectors.words, np.float32)


@pytest.mark.parametrize("unknown", [None, "<unk>", "subword"])
def test_averages_are_those_of_sif(unknown):
    vectors = fit_subwords(make()) if unknown == "subword" else make(unknown=unknown)
    sif = SIFEncoder(vectors, frequencies=COUNTS, a=0.01).fit(TEXTS)
    average = AverageEncoder(apply_sif_weights(vectors, COUNTS, a=0.01))
    assert_allclose(average.transform(TEXTS), sif.transform(TEXTS), atol=1e-7)


def test_invalid_arguments():
    for a in (0, -1.0):
        with pytest.raises(ValueError, match="a == "):
            apply_sif_weights(make(), a=a)
    with pytest.raises(TypeError, match="mapping of words to counts"):
        apply_sif_weights(make(), "corpus")


def test_every_table_made_of_a_weighted_one_is_weighted(tmp_path):
    weighted = apply_sif_weights(make(), COUNTS)
    save_word_vectors(weighted, tmp_path / "v")
    fitted = fit_subwords(weighted)
    AverageEncoder(weighted).save(tmp_path / "model")
    made = [
        weighted.replace(np.eye(5)),
        weighted.astype("int8"),
        append_new_words(fitted, ["dog"], WordTokenizer())[0],
        fitted,
        remove_mean(weighted),
        copy.copy(weighted),
        pickle.loads(pickle.dumps(weighted)),
        skparaphrase.load(tmp_path / "v"),
        skparaphrase.load(tmp_path / "model").vectors,
        skparaphrase.load_pretrained().vectors,
    ]
    for vectors in made:
        assert vectors.is_weighted and repr(vectors).endswith(", weighted)")
        with pytest.raises(ValueError, match="weighted twice"):
            apply_sif_weights(vectors, COUNTS)
    assert not load_word_vectors().is_weighted
    assert repr(make()) == "WordVectors(5 words, dim=3, float32)"


def test_distillation_weights_its_start_once():
    texts, teacher = [*WORDS[:4], "the cat sleeps"], np.eye(5)[:, :4]
    once = apply_sif_weights(remove_mean(make()), COUNTS)
    options = {"dim": 2, "n_subwords": None}
    found = DistilledEncoder(once, **options).fit(texts, teacher)
    assert found.vectors_.is_weighted
    again = WordVectors(WORDS, once.matrix)  # as if it were not
    other = DistilledEncoder(again, a=1e9, **options).fit(texts, teacher)
    assert_array_equal(found.vectors_.matrix, other.vectors_.matrix)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_words_near_a_vector_that_is_not_finite(value):
    vectors = WordVectors(["a", "b"], np.eye(2))
    with pytest.raises(ValueError, match="The vector is not finite"):
        nearest_words(vectors, np.array([1, value]))
