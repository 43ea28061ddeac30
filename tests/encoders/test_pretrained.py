"""The encoder that comes with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib.resources import files

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_paraphrases, load_word_vectors
from skparaphrase.encoders import ParagramEncoder
from skparaphrase.pairs import PairSimilarity

FILE = files("skparaphrase.encoders") / "data" / "english.npz"


@pytest.fixture(scope="module")
def encoder():
    return skparaphrase.load_pretrained()


def test_the_file_is_small_and_is_unpacked_as_it_was_packed(encoder):
    assert encoder.vectors.words == load_word_vectors().words
    assert (encoder.vectors.dim, encoder.vectors.dtype) == (300, np.int8)
    assert len(FILE.read_bytes()) < 4e6
    with FILE.open("rb") as file, np.load(file) as data:
        nibbles, scale = data["nibbles"], data["scale"]
    for row in (0, 1, 9_999, len(nibbles) - 1):
        steps = [n - 8 for byte in nibbles[row].tolist() for n in divmod(byte, 16)]
        assert -7 <= min(steps) and max(steps) <= 7
        word = encoder.vectors.words[row]
        assert_array_equal(
            encoder.vectors[word], np.float32(steps) * np.float32(scale[row])
        )


def test_every_call_gives_a_new_encoder_with_the_same_table(encoder):
    again = skparaphrase.load_pretrained()
    assert again is not encoder
    assert again.vectors is encoder.vectors
    assert clone(again).vectors is encoder.vectors


def test_paraphrases_are_nearer_than_others(encoder):
    pairs = load_paraphrases().data
    shuffled = np.column_stack([pairs[:, 0], np.roll(pairs[:, 1], 7)])
    similarity = make_pipeline(encoder, PairSimilarity()).fit(pairs)
    assert similarity.predict(pairs).mean() > 0.6
    assert abs(similarity.predict(shuffled).mean()) < 0.1


def test_training_and_folders_keep_its_vectors(encoder, tmp_path):
    pairs = load_paraphrases().data[:100]
    encoder.save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model")
    assert_array_equal(loaded.transform(pairs), encoder.transform(pairs))
    trained = ParagramEncoder(
        encoder.vectors, max_epochs=0, random_state=0, device="cpu"
    ).fit(pairs)
    assert_array_equal(trained.transform(pairs), encoder.transform(pairs))
