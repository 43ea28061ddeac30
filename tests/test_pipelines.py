"""Encoders and later steps with scikit-learn's tools and searches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

from skparaphrase._math import cosine
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, CNNEncoder, ParaphraseEncoder
from skparaphrase.losses import MarginLoss
from skparaphrase.metrics import (
    RetrievalScorer,
    STSScorer,
    pearson_score,
    pearson_scorer,
)
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity

FOLDS = KFold(3, shuffle=True, random_state=0)
GRID = {"sifencoder__a": [1e-1, 1e-3], "commoncomponentremoval__n_components": [0, 1]}


@pytest.fixture
def similarity(encoders):
    return make_pipeline(encoders["sif"], CommonComponentRemoval(), PairSimilarity())


@pytest.fixture(params=["sif", "paragram", "cse"])
def pipe(request, encoders, vectors):
    encoders["cse"] = CNNEncoder(
        vectors, filters=[(2, 1), (2, 3)], max_epochs=1, device="cpu", random_state=0,
    )  # fmt: skip
    return make_pipeline(
        encoders[request.param], CommonComponentRemoval(), PairSimilarity()
    )


@pytest.mark.parametrize(
    ("empty", "shape"),
    [
        ([], (0, 6)),
        (pd.DataFrame({"text": []}, dtype=str), (0, 6)),
        (np.empty((0, 2), dtype=object), (0, 2, 6)),
    ],
)
@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_zero_rows(encoder, pairs, empty, shape):
    encoder.fit(pairs)
    assert encoder.transform(empty).shape == shape
    with pytest.raises(ValueError, match="Found 0 samples"):
        encoder.fit(empty)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_set_output(encoder, pairs, sentences, kind):
    steps = make_pipeline(encoder, CommonComponentRemoval(), LastAxis(PCA(2)))
    expected = clone(steps).fit(pairs)
    steps.fit(pairs).set_output(transform=kind)
    names = [
        [f"{type(encoder).__name__.lower()}{i}" for i in range(6)],
        [f"commoncomponentremoval{i}" for i in range(6)],
        ["pca0", "pca1"],
    ]
    for end, columns in enumerate(names, start=1):
        frame = steps[:end].transform(sentences)
        assert type(frame).__module__.startswith(kind)
        assert list(frame.columns) == columns
        assert steps[:end].get_feature_names_out().tolist() == columns
        for found, texts in ((frame, sentences), (steps[:end].transform(pairs), pairs)):
            wanted = expected[:end].transform(texts)
            assert_allclose(np.asarray(found), wanted, atol=1e-6)
            assert found.shape == wanted.shape
        assert isinstance(found, np.ndarray)
    steps.set_output(transform="default")
    assert isinstance(steps.transform(sentences), np.ndarray)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_global_output(pipe, pairs, gold, sentences, kind):
    expected = clone(pipe).fit(pairs, gold).predict(pairs)
    with config_context(transform_output=kind):
        assert_array_equal(pipe.fit(pairs, gold).predict(pairs), expected)
        features = make_pipeline(pipe[0], PairFeatures(), LastAxis(PCA(2)))
        assert type(features.fit_transform(pairs)).__module__.startswith(kind)
        assert type(pipe[:-1].transform(sentences)).__module__.startswith(kind)


OURS = [
    "skparaphrase.decomposition.CommonComponentRemoval",
    "skparaphrase.encoders._sequences.CNNEncoder",
    "skparaphrase.encoders._paraphrase.ParaphraseEncoder",
    "skparaphrase.encoders._average.SIFEncoder",
    "skparaphrase.pairs._similarity.PairSimilarity",
    "skparaphrase.vectors._frequencies.WordFrequencies",
    "skparaphrase.vectors._word_vectors.WordVectors",
]


def through_joblib(pipe, folder, mmap_mode=None):
    joblib.dump(pipe, folder / "pipe.joblib")
    return joblib.load(folder / "pipe.joblib", mmap_mode=mmap_mode)


ROUND_TRIPS = {
    "pickle": lambda pipe, folder: pickle.loads(pickle.dumps(pipe)),
    "joblib": through_joblib,
    "joblib mapped": lambda pipe, folder: through_joblib(pipe, folder, "r"),
    "skops": lambda pipe, folder: skops.io.loads(skops.io.dumps(pipe), trusted=OURS),
}


@pytest.mark.parametrize("way", ROUND_TRIPS)
def test_round_trips(pipe, pairs, sentences, tmp_path, way):
    pipe.fit(pairs)
    again = ROUND_TRIPS[way](pipe, tmp_path)
    assert_array_equal(again.predict(pairs), pipe.predict(pairs))
    assert_array_equal(again[:-1].transform(sentences), pipe[:-1].transform(sentences))
    assert "w1" in again[0].vectors
    if way == "joblib mapped":
        for array in (again[0].vectors.matrix, again[1].components_):
            assert isinstance(array, np.memmap)
    assert_array_equal(again.fit(pairs).predict(pairs), pipe.predict(pairs))


def test_skops_needs_trust_in_our_classes_only(pipe, pairs):
    untrusted = skops.io.get_untrusted_types(data=skops.io.dumps(pipe.fit(pairs)))
    assert set(untrusted) <= set(OURS)


# Searches, caches and metadata


def test_grid_search_over_paragram(encoders, vectors, pairs, gold):
    search = GridSearchCV(
        encoders["paragram"].set_params(loss=MarginLoss()),
        {"loss__margin": [0.2, 0.6], "learning_rate": [0.05, 0.5]},
        scoring=STSScorer({"all": (pairs, gold), "few": (pairs[:9], gold[:9])}),
        cv=ShuffleSplit(1, test_size=0.1, random_state=0),
        refit="mean",
        n_jobs=2,
        error_score="raise",
    )
    search.fit(pairs)
    results = search.cv_results_
    means = (results["mean_test_all"] + results["mean_test_few"]) / 2
    assert_allclose(results["mean_test_mean"], means)
    assert search.best_index_ == means.argmax()
    assert search.best_estimator_.vectors is vectors
    serial = clone(search).set_params(n_jobs=1).fit(pairs).cv_results_
    assert_allclose(results["mean_test_all"], serial["mean_test_all"], atol=1e-6)


def test_labels_train_an_encoder_in_a_search(vectors, sentences):
    """The encoder of each candidate is fitted with the labels of its fold."""
    labels = np.array([*"abc"])[[int(text.split()[0][1:]) % 3 for text in sentences]]
    texts = np.array(sentences, dtype=object)
    model = make_pipeline(
        ParaphraseEncoder(vectors, random_state=0, device="cpu"), LogisticRegression()
    )
    name = "paraphraseencoder__max_epochs"
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


@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_a_cache_serves_processes(encoder, pairs, tmp_path):
    """`joblib.Memory(mmap_mode="r")` hashes arrays that workers map as any others."""
    encoder.fit(pairs)
    mapped = through_joblib(encoder, tmp_path, "r")
    assert isinstance(mapped.vectors.matrix, np.memmap)
    assert joblib.hash(mapped, coerce_mmap=True) == joblib.hash(
        encoder, coerce_mmap=True
    )


def test_groups_reach_the_splitters_of_nested_searches(vectors, pairs):
    groups = pair_groups(pairs)
    encoder = ParaphraseEncoder(vectors, max_epochs=1, random_state=0, device="cpu")
    model = make_pipeline(encoder, LastAxis(PCA(3)))
    grid = {"paraphraseencoder__max_epochs": [0, 1]}
    scorer = RetrievalScorer(metric=["mrr", "recall@1"])
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            model,
            grid,
            cv=GroupKFold(2),
            scoring=RetrievalScorer(),
            error_score="raise",
        )
        results = cross_validate(
            search, pairs, cv=GroupKFold(3), params={"groups": groups}, scoring=scorer,
            return_estimator=True, error_score="raise",
        )  # fmt: skip
        fitted = make_pipeline(search, CommonComponentRemoval(1)).fit(
            pairs, groups=groups
        )
    assert fitted.transform(pairs).shape[:2] == (30, 2)
    texts = np.array(pairs, dtype=object)
    folds = GroupKFold(3).split(pairs, groups=groups)
    for (train, test), found, mrr in zip(
        folds, results["estimator"], results["test_mrr"], strict=True
    ):
        alone = GridSearchCV(model, grid, cv=GroupKFold(2), scoring=RetrievalScorer())
        alone.fit(texts[train], groups=groups[train])
        assert_allclose(
            found.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
        )
        assert mrr == RetrievalScorer(texts[test])(found)


def test_weights_of_pairs_reach_the_scorer(vectors, pairs, gold):
    weight = np.linspace(0.1, 3, 30)
    with config_context(enable_metadata_routing=True):
        scorer = clone(pearson_scorer, safe=False).set_score_request(sample_weight=True)
        results = cross_validate(
            AverageEncoder(vectors), pairs, gold, cv=GroupKFold(3), scoring=scorer,
            params={"groups": np.arange(30) % 3, "sample_weight": weight},
            return_indices=True, error_score="raise",
        )  # fmt: skip
    for test, score in zip(
        results["indices"]["test"], results["test_score"], strict=True
    ):
        u, v = AverageEncoder(vectors).transform(pairs)[test].transpose(1, 0, 2)
        expected = pearson_score(gold[test], cosine(u, v), sample_weight=weight[test])
        assert score == pytest.approx(expected)
