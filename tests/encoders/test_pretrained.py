"""The encoder that comes with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
import warnings
from importlib.resources import files

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_paraphrases, load_word_vectors
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    ParagramEncoder,
)
from skparaphrase.pairs import PairSimilarity, make_last_axis_union

FILE = files("skparaphrase.encoders") / "data" / "english.npz"


@pytest.fixture(scope="module")
def encoder():
    return skparaphrase.load_pretrained()


def test_the_file_is_small_and_is_read_as_it_was_written(encoder):
    vectors = encoder.vectors
    assert (len(vectors), vectors.dim, vectors.dtype) == (60_000, 256, np.int8)
    assert vectors.unknown == "subword"
    assert len(FILE.read_bytes()) < 5.5e6
    with FILE.open("rb") as file, np.load(file) as data:
        words = bytes(data["words"]).decode().split("\n")
        matrix, scale = data["matrix"], data["scale"]
    assert list(vectors.words) == words
    for row in (0, 1, 9_999, len(matrix) - 1):
        steps = np.float32(matrix[row].tolist())
        assert_array_equal(vectors[words[row]], steps * np.float32(scale[row]))


def test_no_word_is_lost(encoder):
    similarity = make_pipeline(encoder, PairSimilarity())
    first, second, third = similarity.fit([("a", "b")]).predict(
        [
            ("The refund is 10 dollars.", "The refund is 9000 dollars."),
            ("The unreadability of it", "The unreadabilities of it"),
            ("The unreadability of it", "The zebrafish of it"),
        ]
    )
    assert first < 0.8
    assert second > 0.7 > third


def test_every_call_gives_a_new_encoder_with_the_same_table(encoder):
    again = skparaphrase.load_pretrained()
    assert again is not encoder
    assert again.vectors is encoder.vectors
    assert clone(again).vectors is encoder.vectors


def test_fits_that_need_not_learn_are_silent(encoder):
    pairs = load_paraphrases().data[:20]
    labels = np.arange(20) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.fit(pairs[:, 0]).fit(pairs, labels)
        encoder.fit_transform(iter(pairs))
        make_pipeline(encoder, PairSimilarity()).fit(pairs)
        make_last_axis_union(encoder, AverageEncoder()).fit_transform(pairs)
        AverageEncoder().fit(pairs)
    assert_array_equal(encoder.fit_transform(pairs), encoder.transform(pairs))
    frame = encoder.set_output(transform="pandas").fit_transform(pairs[:, 0])
    assert frame.columns[0] == "averageencoder0"
    encoder.set_output(transform="default")


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


GERMAN = [
    "Wo ist mein Paket? Ich habe mein Passwort vergessen.",
    "Die Straßen standen nach dem Sturm unter Wasser.",
    "Gestern sind die Aktien stark gefallen.",
    "Eine Frau spielt Gitarre in einer Band.",
    "Wie kann ich mein Konto löschen?",
    "Der Hund läuft über die Wiese und bellt laut.",
    "Mein Zug hatte heute Morgen wieder Verspätung.",
]


def test_another_language_warns_once():
    encoder = AverageEncoder(
        pickle.loads(pickle.dumps(load_word_vectors().astype("float32")))
    )
    english = load_paraphrases().data[:200]
    encoder.transform(english)
    encoder.transform(
        [f"Order {number} was shipped" for number in range(10_000, 10_100)]
    )
    with pytest.warns(
        UserWarning, match=r"(\d+) of the first (\d+) tokens are"
    ) as caught:
        encoder.transform(GERMAN)
        encoder.transform(GERMAN)
    assert len(caught) == 1
    few = AverageEncoder(load_word_vectors().astype("float32"))
    with pytest.warns(UserWarning, match=r" of the first \d\d tokens are"):
        few.transform(GERMAN[:3])
    n_unknown = int(str(caught[0].message).split()[0])
    words = [word for text in GERMAN for word in re.findall(r"\w+", text.lower())]
    assert n_unknown == sum(word not in encoder.vectors for word in words)


def test_pooling_is_a_choice(encoder):
    plain = skparaphrase.load_pretrained(pooling="mean")
    assert plain.vectors is encoder.vectors
    texts = ["A cat sleeps.", "A cat, a cat and a kitten sleep."]
    expected = AverageEncoder(encoder.vectors, pooling="mean").transform(texts)
    assert_array_equal(plain.transform(texts), expected)
    assert (plain.transform(texts) != encoder.transform(texts)).any(axis=1).all()
    with pytest.raises(ValueError, match="'pooling' parameter"):
        skparaphrase.load_pretrained(pooling="max")


def test_the_large_encoder_is_a_folder_of_two(encoder, tmp_path):
    texts = ["A cat sleeps.", "The cat is asleep.", "It rained all day."]
    AverageEncoder(encoder.vectors).save(tmp_path / "words")
    characters = CharagramEncoder(min_count=1, dim=8, max_epochs=1, random_state=0)
    characters.fit([texts[:2], texts[1:]]).save(tmp_path / "characters")
    for pooling in ("mean", "distinct"):
        large = skparaphrase.load_pretrained(tmp_path, pooling=pooling)
        found = clone(large).fit(texts).transform(texts)
        words = AverageEncoder(encoder.vectors, pooling=pooling).transform(texts)
        parts = [(0.65, words), (0.35, characters.transform(texts))]
        unit = [
            share**0.5 * x / np.linalg.norm(x, axis=1)[:, np.newaxis]
            for share, x in parts
        ]
        assert_allclose(found, np.hstack(unit), atol=1e-5)
    with pytest.raises(FileNotFoundError):
        skparaphrase.load_pretrained(tmp_path / "nothing")
    with pytest.raises(ValueError, match="'pooling' parameter"):
        skparaphrase.load_pretrained(tmp_path, pooling="max")
