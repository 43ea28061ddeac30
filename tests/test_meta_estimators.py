"""Encoders in searches, caches, calibration and metadata routing."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import subprocess
import sys

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.metrics import pearson_score, pearson_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairSimilarity

FOLDS = KFold(3, shuffle=True, random_state=0)
GRID = {"sifencoder__a": [1e-1, 1e-3], "commoncomponentremoval__n_components": [0, 1]}


@pytest.fixture
def similarity(encoders):
    return make_pipeline(encoders["sif"], CommonComponentRemoval(), PairSimilarity())


@pytest.fixture
def labels(sentences):
    return np.array([len(text.split()) > 2 for text in sentences])


@pytest.fixture
def rows(vectors, sentences):
    return AverageEncoder(vectors).transform(sentences)


@pytest.fixture
def classifier(vectors):
    return make_pipeline(AverageEncoder(vectors), LogisticRegression())


def score_by_hand(similarity, params, pairs, gold, train, test):
    """The steps one by one, with the encoder alone in front."""
    encoder, removal, head = map(clone, dict(similarity.steps).values())
    encoder.set_params(a=params["sifencoder__a"]).fit(pairs[train])
    removal.n_components = params["commoncomponentremoval__n_components"]
    removal.fit(encoder.transform(pairs[train]))
    vectors = removal.transform(encoder.transform(pairs[test]))
    return pearson_score(gold[test], head.fit(vectors).predict(vectors))


# Searches --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("Search", "settings", "n_fits"),
    [(HalvingGridSearchCV, {}, 6), (HalvingRandomSearchCV, {"n_candidates": 3}, 5)],
)
def test_halving(similarity, pairs, gold, Search, settings, n_fits):
    pairs = np.array(pairs, dtype=object)
    search = Search(
        similarity, GRID, scoring=pearson_scorer, cv=3, min_resources=15, factor=2,
        random_state=0, error_score="raise", **settings,
    ).fit(pairs, gold)  # fmt: skip
    results = search.cv_results_
    assert search.n_resources_ == [15, 30]
    assert len(results["params"]) == n_fits
    for i in np.flatnonzero(results["n_resources"] == 30):
        found = [results[f"split{k}_test_score"][i] for k in range(3)]
        expected = [
            score_by_hand(similarity, results["params"][i], pairs, gold, train, test)
            for train, test in KFold(3).split(pairs)
        ]
        assert_allclose(found, expected, atol=1e-6)
    best = clone(similarity).set_params(**search.best_params_).fit(pairs, gold)
    assert_array_equal(search.predict(pairs), best.predict(pairs))


def test_labels_train_an_encoder_in_a_search(vectors, sentences):
    """The encoder of each candidate is fitted with the labels of its fold."""
    labels = np.array([*"abc"])[[int(text.split()[0][1:]) % 3 for text in sentences]]
    texts = np.array(sentences, dtype=object)
    model = make_pipeline(
        ParagramEncoder(vectors, random_state=0, device="cpu"), LogisticRegression()
    )
    name = "paragramencoder__max_epochs"
    search = GridSearchCV(
        model, {name: [0, 4]}, cv=StratifiedKFold(3), error_score="raise"
    ).fit(texts, labels)
    for i, n_epochs in enumerate([0, 4]):
        for k, (train, test) in enumerate(StratifiedKFold(3).split(texts, labels)):
            encoder = clone(model[0]).set_params(max_epochs=n_epochs)
            rows = encoder.fit(texts[train], labels[train]).transform(texts)
            head = LogisticRegression().fit(rows[train], labels[train])
            score = head.score(rows[test], labels[test])
            assert search.cv_results_[f"split{k}_test_score"][i] == score
    best = clone(model[0]).set_params(max_epochs=search.best_params_[name])
    rows = best.fit(texts, labels).transform(texts)
    assert_array_equal(search.best_estimator_[0].transform(texts), rows)
    assert (rows != AverageEncoder(vectors).transform(texts)).any() or not (
        search.best_params_[name]
    )


def test_threads_share_a_table(similarity, pairs, gold):
    search = GridSearchCV(
        similarity, GRID, scoring=pearson_scorer, cv=FOLDS, error_score="raise"
    )
    serial = clone(search).fit(pairs, gold).cv_results_["mean_test_score"]
    with joblib.parallel_config("threading", n_jobs=2):
        search.fit(pairs, gold)
    assert_array_equal(search.cv_results_["mean_test_score"], serial)
    assert len(set(serial)) == 4
    assert search.best_estimator_[0].vectors is similarity[0].vectors
    assert search.best_estimator_[:-1].transform(["w1 w2"]).shape == (1, 6)


# Caches ----------------------------------------------------------------------------


CACHED = """
import sys
from pathlib import Path

import joblib
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline

from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import WordVectors

folds = KFold(3, shuffle=True, random_state=0)
matrix = np.random.default_rng(0).normal(size=(3000, 100)).astype(np.float32)
assert matrix.nbytes > 1e6  # joblib maps those
encoder = AverageEncoder(WordVectors([f"w{i}" for i in range(3000)], matrix))
texts = np.array([f"w{i} w{3 * i}" for i in range(60)], dtype=object)
y, alphas = np.sin(np.arange(60)), [0.1, 1, 10]
memory = joblib.Memory(sys.argv[1], mmap_mode="r", verbose=0)
model = Pipeline([("e", encoder), ("h", Ridge())], memory=memory)
search = GridSearchCV(model, {"h__alpha": alphas}, cv=folds, refit=False)
rows = encoder.transform(texts)
expected = [
    cross_val_score(Ridge(alpha=alpha), rows, y, cv=folds).mean() for alpha in alphas
]
for n_jobs in (1, 2, 1):
    search.set_params(n_jobs=n_jobs).fit(texts, y)
    found = search.cv_results_["mean_test_score"]
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    print(len([*Path(sys.argv[1]).rglob("output.pkl")]))
"""


def test_cache_for_processes(tmp_path):
    # Mapped arrays, which workers get, have another hash, unless the cache maps too.
    # Results are counted: joblib has no lock, so that two workers may compute the same.
    # In a separate process, because importing imbalanced-learn changes the hash of
    # pipelines.
    run = subprocess.run(
        [sys.executable, "-c", CACHED, str(tmp_path)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["3", "3", "3"]


# Around a classifier ---------------------------------------------------------------


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_calibration(classifier, sentences, rows, labels, method, ensemble):
    settings = {"method": method, "cv": 3, "ensemble": ensemble}
    model = CalibratedClassifierCV(classifier, **settings).fit(sentences, labels)
    alone = CalibratedClassifierCV(LogisticRegression(), **settings).fit(rows, labels)
    found = model.predict_proba(sentences)
    assert_allclose(found, alone.predict_proba(rows), rtol=1e-5)


# Routing of metadata ---------------------------------------------------------------


def test_weights_and_groups_are_routed(classifier, sentences, rows, labels):
    weight = np.linspace(0.1, 3, 30)
    groups = np.arange(30) // 4
    with config_context(enable_metadata_routing=True):
        head = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        model = make_pipeline(classifier[0], head)
        found = cross_validate(
            model, sentences, labels, cv=GroupKFold(3), scoring=scorer,
            params={"sample_weight": weight, "groups": groups}, return_estimator=True,
        )  # fmt: skip
        fitted = clone(model).fit(sentences, labels, sample_weight=weight)
    folds = GroupKFold(3).split(rows, labels, groups)
    for (train, test), score, pipe in zip(
        folds, found["test_score"], found["estimator"], strict=True
    ):
        alone = LogisticRegression().fit(rows[train], labels[train], weight[train])
        assert_allclose(pipe[-1].coef_, alone.coef_, rtol=1e-5)
        assert_allclose(score, alone.score(rows[test], labels[test], weight[test]))
    alone = LogisticRegression().fit(rows, labels, weight)
    assert_allclose(fitted[-1].coef_, alone.coef_, rtol=1e-5)


def test_groups_are_routed_to_a_search(similarity, pairs, gold):
    pairs = np.array([*pairs, *(pair[::-1] for pair in pairs)], dtype=object)
    gold = np.tile(gold, 2)
    groups = pair_groups(pairs)
    search = GridSearchCV(
        similarity, GRID, scoring=pearson_scorer, cv=GroupKFold(3), refit=False
    )
    with config_context(enable_metadata_routing=True):
        found = search.fit(pairs, gold, groups=groups).cv_results_
    for i, params in enumerate(found["params"]):
        for k, (train, test) in enumerate(GroupKFold(3).split(pairs, gold, groups)):
            expected = score_by_hand(similarity, params, pairs, gold, train, test)
            assert_allclose(found[f"split{k}_test_score"][i], expected, atol=1e-6)


@pytest.mark.parametrize("make", [AverageEncoder, TfidfEncoder, SIFEncoder])
def test_encoders_ask_for_no_metadata(vectors, sentences, make):
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(make(vectors), CommonComponentRemoval(), Ridge())
        with pytest.raises(UnsetMetadataPassedError, match=r"Ridge\.fit"):
            model.fit(sentences, np.arange(30), sample_weight=np.ones(30))
