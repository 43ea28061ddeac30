"""The start of a fit: `vectors`, `init`, or the pretrained table."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator

import skparaphrase
from skparaphrase import load_pretrained
from skparaphrase.encoders import (
    AverageEncoder,
    DistilledEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.encoders._start import (
    weighted_table,
)
from skparaphrase.optimizers import Optimizer
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._subwords import Subwords

ODD = ["unheard", "w1 unheard of", "unheard of", "W3 w3-unheard", "", "★"]
DISTINCT = {"pooling": "distinct"}  # as in what is trained by default
MAKE = {
    "average": partial(AverageEncoder, **DISTINCT),
    "tfidf": partial(TfidfEncoder, **DISTINCT),
    "sif": partial(SIFEncoder, frequencies="corpus", **DISTINCT),
    "distilled": partial(
        DistilledEncoder, dim=3, n_subwords=None, norm=None, **DISTINCT
    ),
}


def table(zoo, unknown):
    if unknown != "subword":
        return WordVectors(zoo.words, zoo.vectors.matrix, unknown=unknown)
    rows = np.random.RandomState(0).standard_normal((16, zoo.vectors.dim))
    return WordVectors(
        zoo.words,
        zoo.vectors.matrix,
        unknown=unknown,
        subwords=Subwords(rows.astype(np.float32), ngram_range=(1, 2)),
    )


@pytest.fixture(params=MAKE)
def average(request, zoo):
    """A fitted average of word vectors."""
    init = MAKE[request.param](zoo.vectors)
    if request.param == "distilled":
        teacher = np.random.RandomState(0).randn(len(zoo.texts), 4)
        return init.fit(zoo.texts, teacher)
    return init.fit(zoo.texts)


@pytest.mark.parametrize("wrap", [lambda init: init, FrozenEstimator])
def test_init_is_where_training_starts(zoo, average, wrap):
    encoder = zoo.make("paragram", vectors=None, init=wrap(average), max_epochs=0)
    before = average.transform(zoo.texts)
    encoder.fit(zoo.pairs)
    texts = [*zoo.texts, *ODD]
    expected = average.transform(texts)
    assert_allclose(encoder.transform(texts), expected, rtol=1e-5, atol=1e-6)
    encoder.set_params(max_epochs=2).fit(zoo.pairs)
    assert np.abs(encoder.transform(zoo.texts) - before).max() > 1e-3
    assert_array_equal(average.transform(zoo.texts), before)  # not changed


@pytest.mark.parametrize("unknown", [None, "w3", "subword"])
@pytest.mark.parametrize("kind", ["average", "tfidf", "sif"])
def test_unknown_words_are_those_of_init(zoo, kind, unknown):
    init = MAKE[kind](table(zoo, unknown)).fit(zoo.texts)
    pairs = [*zoo.pairs, ("w1 brandnew", "newer w2")]  # also of the training texts
    encoder = zoo.make("paragram", vectors=None, init=init, max_epochs=0).fit(pairs)
    texts = [*zoo.texts, *ODD, "brandnew", "w1 newer brandnew"]
    expected = init.transform(texts)
    assert_allclose(encoder.transform(texts), expected, rtol=1e-5, atol=1e-6)
    assert encoder.added_words_ == []  # nothing was trained
    encoder.set_params(max_epochs=1).fit(pairs)
    added = ["brandnew", "newer"] if unknown == "subword" else []
    assert encoder.added_words_ == added
    assert encoder.vectors_.words[len(encoder.vectors_) - len(added) :] == added


def test_the_pretrained_encoder_as_init_is_the_default():
    pairs = [("A cat sleeps.", "The cat is asleep."), ("It rains zzqx.", "Rain falls.")]
    settings = {"max_epochs": 2, "shrinkage": 0, "random_state": 0, "device": "cpu"}
    given, default = (
        ParaphraseEncoder(**settings, init=init).fit(pairs)
        for init in (load_pretrained(), None)
    )
    assert_array_equal(given.transform(pairs), default.transform(pairs))
    assert given.added_words_ == default.added_words_ == ["zzqx"]


def test_networks_start_from_init_too(zoo, of_words, average):
    encoder = zoo.make(of_words, vectors=None, init=average, max_epochs=0)
    encoder.fit(zoo.pairs)
    assert_allclose(
        encoder.vectors_.matrix, weighted_table(average).matrix, rtol=1e-6, atol=1e-7
    )
    if getattr(encoder, "residual", of_words != "network"):
        expected = average.transform(zoo.texts)
        assert_allclose(encoder.transform(zoo.texts), expected, rtol=1e-5, atol=1e-6)


def test_init_and_vectors_exclude_each_other(zoo, average):
    with pytest.raises(ValueError, match="pass either vectors or init"):
        zoo.make("paragram", init=average).fit(zoo.pairs)


def test_init_has_the_same_tokenizer(zoo):
    cased = WordTokenizer(lowercase=False)
    init = AverageEncoder(zoo.vectors, tokenizer=cased).fit(zoo.texts)
    encoder = zoo.make("paragram", vectors=None, init=init)
    with pytest.raises(ValueError, match="has another tokenizer: also pass its"):
        encoder.fit(zoo.pairs)
    encoder.set_params(tokenizer=WordTokenizer(lowercase=False), max_epochs=0)
    encoder.fit(zoo.pairs)
    texts = ["W1 w2", "W1"]
    assert_allclose(encoder.transform(texts), init.transform(texts), atol=1e-6)
    alike = zoo.make("paragram", init=encoder)
    with pytest.raises(ValueError, match="has another tokenizer: also pass its"):
        alike.fit(zoo.pairs)


def test_init_that_cannot_serve(zoo, average):
    with pytest.raises(ValueError, match=r"is not fitted.*FrozenEstimator"):
        zoo.make("paragram", vectors=None, init=TfidfEncoder(zoo.vectors)).fit(
            zoo.pairs
        )
    with pytest.raises(TypeError, match="or an average of word vectors, or one in a"):
        zoo.make("dan", init=zoo.fitted("lstm")).fit(zoo.pairs)
    with pytest.raises(TypeError, match=r"must be a fitted CharagramEncoder, or one"):
        zoo.make("charagram", init=average).fit(zoo.pairs)


def test_a_trained_encoder_of_averages_starts_networks(zoo):
    first = zoo.fitted("paragram")
    encoder = zoo.make("dan", vectors=None, init=first, max_epochs=0).fit(zoo.pairs)
    expected = first.transform(zoo.texts)
    assert_allclose(encoder.transform(zoo.texts), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("penalty", [True, False])
def test_penalties_pull_to_init(zoo, average, penalty):
    init = weighted_table(average).matrix
    pulled = Optimizer("adagrad", vectors_penalty=1e4)
    settings = {"optimizer": pulled, "learning_rate": 1e-3, "max_epochs": 5}
    if not penalty:
        settings = {"optimizer": Optimizer(max_change=1e-3), "learning_rate": 0.5}
    encoder = zoo.make("paragram", vectors=None, init=average, **settings)
    encoder.fit(zoo.pairs)
    assert_allclose(encoder.vectors_.matrix, init, atol=1e-2)
    assert (encoder.vectors_.matrix != init).any()


def test_init_far_from_its_start_is_not_undone(zoo):
    far = zoo.make("paragram", optimizer=Optimizer("adagrad", max_change=None))
    far.set_params(learning_rate=0.5, max_epochs=20).fit(zoo.pairs)
    moved = np.linalg.norm(far.vectors_.matrix - zoo.vectors.matrix, axis=1)
    assert (moved > 0.8 * np.linalg.norm(zoo.vectors.matrix, axis=1)).any()
    still = {"learning_rate": 1e-9, "optimizer": "adagrad"}
    later = zoo.make("paragram", vectors=None, init=far, **still).fit(zoo.pairs)
    assert_allclose(later.vectors_.matrix, far.vectors_.matrix, atol=1e-6)
    far.set_params(**still).partial_fit(zoo.pairs)
    assert_allclose(later.vectors_.matrix, far.vectors_.matrix, atol=1e-6)


def test_a_loaded_encoder_does_not_start_from_other_vectors_of_the_same_words(tmp_path):
    table = load_pretrained().vectors
    turned = AverageEncoder(table.replace(-table.rows()))
    pairs = [("a cat", "a kitten"), ("it rains", "the rain falls")]
    encoder = ParaphraseEncoder(init=turned, max_epochs=1, random_state=0).fit(pairs)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    before = loaded.transform(["a cat"])
    after = loaded.partial_fit(pairs).transform(["a cat"])
    assert (before * after).sum() > 0.9 * (before**2).sum()


@pytest.mark.parametrize("way", ["pickle", "folder"])
def test_copies_resume_and_know_their_start(zoo, average, way, tmp_path):
    tight = {"optimizer": Optimizer("adagrad", max_change=0.05), "learning_rate": 0.2}
    encoder = zoo.make(
        "paragram", vectors=None, init=average, warm_start=True, **tight
    ).fit(zoo.pairs)
    if way == "pickle":
        again = pickle.loads(pickle.dumps(encoder))
        assert zoo.same(again.fit(zoo.pairs), encoder.fit(zoo.pairs))
    else:  # the folder contains neither `init` nor the state of the optimizer
        encoder.save(tmp_path / "encoder")
        again = skparaphrase.load(tmp_path / "encoder")
        before = again.vectors_.matrix.copy()
        again.fit(zoo.pairs)
        assert (again.vectors_.matrix != before).any()
    assert again.n_epochs_ == 4
    start = weighted_table(average).matrix
    found = np.linalg.norm(again.vectors_.matrix - start, axis=1)
    bound = 0.05 if way == "pickle" else 0.1025
    lengths = np.linalg.norm(start, axis=1)
    assert (found <= bound * lengths * (1 + 1e-5) + 1e-7).all()
