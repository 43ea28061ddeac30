"""Fitting by epochs, as all that trains a head does it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.frozen import FrozenEstimator

import skparaphrase
from skparaphrase.callback import EarlyStopping
from skparaphrase.encoders import CharagramEncoder, ParagramEncoder
from skparaphrase.supervised import SentenceClassifier, SimilarityRegressor
from skparaphrase.tagging import SequenceTagger

SMALL = {"max_epochs": 1, "device": "cpu", "random_state": 0}
TOKENS = [["a", "cat", "sleeps"], ["the", "dog", "barks"], ["a", "bird", "sings"]]
TAGS = [["D", "N", "V"]] * 3


@pytest.fixture
def labels(sentences):
    return np.array(["odd", "even"])[np.arange(len(sentences)) % 2]


def state(model):
    return {name: id(value) for name, value in vars(model).items()}


@pytest.mark.parametrize(
    ("texts", "targets", "fraction", "message"),
    [
        (["?", "!"], ["odd", "even"], None, "No word of the texts has a vector"),
        (["w1", "w2", "w3"], ["a", "b", "b"], 0.4, "least populated class"),
    ],
)
def test_what_cannot_begin_leaves_a_model_as_it_was(
    texts, targets, fraction, message, vectors, sentences, labels
):
    model = SentenceClassifier(
        ParagramEncoder(vectors), validation_fraction=fraction, **SMALL
    )
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.fit(texts, targets)
    assert state(model) == before
    before = state(model.fit(sentences, labels))
    with pytest.raises(ValueError, match=message):
        model.fit(texts, targets)
    assert state(model) == before


def test_tagger_that_cannot_begin_stays_as_it_was():
    tagger = SequenceTagger(CharagramEncoder(dim=4, min_count=5), **SMALL)
    before = state(tagger)
    with pytest.raises(ValueError, match="hold no n-gram"):
        tagger.fit([["x", "y"]], [["A", "B"]])
    assert state(tagger) == before


def test_patience_begins_anew_with_a_fit_that_goes_on(vectors, pairs, gold):
    model = SimilarityRegressor(
        ParagramEncoder(vectors), warm_start=True, patience=2, **SMALL
    )
    model.set_params(max_epochs=30, learning_rate=1e-9)
    model.fit(pairs, gold, X_val=pairs, y_val=np.zeros(len(pairs)))  # r is always 0
    assert (model.n_epochs_, model.best_epoch_) == (3, 1)
    model.fit(pairs, gold, X_val=pairs, y_val=np.zeros(len(pairs)))
    assert (model.n_epochs_, model.best_epoch_) == (5, 1)


def test_prior_of_other_words_is_refused(pairs, gold):
    priors = [
        FrozenEstimator(CharagramEncoder(dim=4, min_count=n, **SMALL).fit(pairs))
        for n in (1, 4)
    ]
    model = SimilarityRegressor(priors[0], prior="universal", warm_start=True, **SMALL)
    model.fit(pairs, gold)
    with pytest.raises(ValueError, match="now has others"):
        model.set_params(encoder=priors[1]).fit(pairs, gold)
    unfitted = CharagramEncoder(dim=4)
    with pytest.raises(ValueError, match="is not fitted"):
        model.set_params(encoder=unfitted).fit(pairs, gold)


def test_early_stopping_beside_validation(vectors, pairs, gold):
    scores = iter([3.0, 2.0, 1.0, 0.0])
    stopping = EarlyStopping(lambda model: next(scores), patience=3)
    model = SimilarityRegressor(ParagramEncoder(vectors), **SMALL)
    model.set_params(max_epochs=4).set_callbacks(stopping)
    model.fit(pairs, gold, X_val=pairs, y_val=gold)
    once = SimilarityRegressor(ParagramEncoder(vectors), **SMALL).fit(pairs, gold)
    assert_array_equal(model.predict(pairs), once.predict(pairs))
    assert stopping.best_epoch_ == 1 and not hasattr(model, "best_epoch_")


@pytest.mark.parametrize("tag", [[1, 0], ("N", 1)])
def test_tags_that_are_lists_are_refused(tag):
    with pytest.raises(TypeError, match="a token has one tag"):
        SequenceTagger().fit([["a", "b"]], [[tag, tag]])


def test_tagger_warns_of_a_fitted_encoder(pairs):
    encoder = CharagramEncoder(dim=4, **SMALL).fit(pairs)
    with pytest.warns(UserWarning, match="its training is not used") as record:
        SequenceTagger(encoder, **SMALL).fit(TOKENS, TAGS)
    assert record[0].filename == __file__


def test_frozen_encoder_is_saved_once(vectors, pairs, gold, tmp_path):
    encoder = ParagramEncoder(vectors, **SMALL).fit(pairs)
    model = SimilarityRegressor(FrozenEstimator(encoder), **SMALL).fit(pairs, gold)
    model.save(tmp_path / "model")
    assert not (tmp_path / "model/encoder_").exists()
    loaded = skparaphrase.load(tmp_path / "model")
    assert loaded.encoder_ is loaded.encoder.estimator
    assert_array_equal(loaded.predict(pairs), model.predict(pairs))


def test_tagger_is_saved(tmp_path):
    tagger = SequenceTagger(CharagramEncoder(dim=4), **SMALL).fit(TOKENS, TAGS)
    tagger.save(tmp_path / "tagger")
    loaded = skparaphrase.load(tmp_path / "tagger")
    assert loaded.classes_.tolist() == ["D", "N", "V"]
    for one, other in zip(
        loaded.predict_proba(TOKENS), tagger.predict_proba(TOKENS), strict=True
    ):
        assert_array_equal(one, other)
