"""Every estimator, from `fit` to `load`, with defaults and papers' settings."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import pickle

import numpy as np
import pytest
import registry  # of the folder that conftest.py adds to the path
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import StandardScaler

import skparaphrase
from skparaphrase.datasets import (
    load_faq,
    load_graded_pairs,
    load_paraphrases,
    load_word_vectors,
)
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder
from skparaphrase.pairs import PairVectorizer
from skparaphrase.search import NearDuplicates, ParaphraseMiner, SemanticSearch
from skparaphrase.supervised import SequenceTagger

N = 12
GRADED, SCORES = (values[:N] for values in load_graded_pairs(return_X_y=True))
SCORES = SCORES.clip(1, 5)  # the range of SICK's
PARAPHRASES = load_paraphrases().data[:N]
FAQ = load_faq()
TEXTS, TOPICS = (values[:: len(FAQ.data) // N][:N] for values in (FAQ.data, FAQ.topics))
ARE_SIMILAR = (SCORES > np.median(SCORES)).astype(int)
TOKENS = [text.split() for text in TEXTS]
TAGS = [[token[:1].lower() for token in tokens] for tokens in TOKENS]
TEACHER = np.random.default_rng(0).normal(size=(N, 300))
VECTORS = np.random.default_rng(1).normal(size=(N, 5))
PAIR_VECTORS = np.random.default_rng(2).normal(size=(N, 2, 5))
DATA = {
    "CommonComponentRemoval": (VECTORS, None),
    "DistilledEncoder": (TEXTS, TEACHER),
    "LastAxis": (PAIR_VECTORS, None),
    "EncoderUnion": (GRADED, None),
    "NearDuplicates": (TEXTS, None),
    "PairClassifier": (GRADED, ARE_SIMILAR),
    "PairFeatures": (PAIR_VECTORS, None),
    "PairSimilarity": (PAIR_VECTORS, None),
    "PairVectorizer": (GRADED, None),
    "PairwiseInteractionRanker": (GRADED[:4], ARE_SIMILAR[:4]),
    "PairwiseInteractionRegressor": (GRADED[:4], SCORES[:4]),
    "ParaphraseMiner": (PARAPHRASES.ravel(), None),
    "SemanticSearch": (TEXTS, None),
    "TextClassifier": (TEXTS, TOPICS),
    "SequenceTagger": (TOKENS, TAGS),
    "SimilarityRegressor": (GRADED, SCORES),
}
REQUIRED = {  # arguments without a default
    "LastAxis": (StandardScaler(),),
    "EncoderUnion": ([("a", AverageEncoder()), ("b", AverageEncoder())],),
    "PairVectorizer": (TfidfVectorizer(),),
}
# Estimators that need another library are tested in `make integration`.
ESTIMATORS = {
    owner.__name__: owner
    for owner in registry.estimators()
    if hasattr(owner, "fit") and not owner.__name__.endswith("Index")
}
CASES = [
    *((name, None) for name in ESTIMATORS),
    *(
        (name, setting)
        for name, owner in ESTIMATORS.items()
        for setting in getattr(owner, "_paper_settings", ())
    ),
]


def make(name, setting):
    owner = ESTIMATORS[name]
    short = {"max_epochs": 1, "random_state": 0}
    short = {key: value for key, value in short.items() if registry.takes(owner, key)}
    if setting is None:
        return owner(*REQUIRED.get(name, ()), **short)
    model = owner.paper(setting, **short)
    needed = {"wieting-universal": "init", "cse": "init", "wieting-features": "encoder"}
    if setting in needed:
        start = ParaphraseEncoder(load_word_vectors(), max_epochs=0).fit(PARAPHRASES)
        model.set_params(**{needed[setting]: FrozenEstimator(start)})
    return model


def says(model, X):
    """The output of a fitted model for `X`, as an array of numbers."""
    if isinstance(model, SequenceTagger):
        return np.concatenate(model.predict_proba(X))
    if isinstance(model, SemanticSearch):
        return np.asarray(model.search(X, k=3).score)
    if isinstance(model, ParaphraseMiner):
        return model.mine(X).score
    if isinstance(model, NearDuplicates):
        return model.labels_
    if isinstance(model, PairVectorizer):
        return model.transform(X).toarray()
    methods = "transform", "predict_proba", "decision_function", "predict"
    return next(getattr(model, name) for name in methods if hasattr(model, name))(X)


@pytest.mark.filterwarnings("ignore:.* more than max_words")
@pytest.mark.parametrize(("name", "setting"), CASES)
@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_a_whole_life(name, setting, tmp_path):
    X, y = DATA.get(name, (PARAPHRASES, None))
    model = make(name, setting)
    assert model.fit(X, y) is model
    expected = says(model, X)
    assert np.isfinite(expected).all() and np.any(expected != expected.flat[0])
    again = {"pickle": pickle.loads(pickle.dumps(model))}
    if hasattr(model, "save"):
        model.save(tmp_path / "model")
        again["load"] = skparaphrase.load(tmp_path / "model")
    if setting is None:  # a setting is of the same class
        again |= {"clone": clone(model).fit(X, y), "copy": copy.deepcopy(model)}
    for other in again.values():
        assert type(other) is type(model)
        assert_array_equal(says(other, X), expected)
    if setting is None and hasattr(model, "partial_fit"):
        taught = {key: says(m.partial_fit(X, y), X) for key, m in again.items()}
        assert np.isfinite(taught.pop("load", 0)).all()  # without optimizer's state
        for other in taught.values():
            assert_array_equal(other, taught["clone"])
    assert_array_equal(says(model, X), expected)  # copies share nothing that changes


def test_every_estimator_has_a_life():
    assert {*registry.ENCODERS, *DATA} == {*ESTIMATORS}
