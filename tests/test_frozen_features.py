"""Frozen encoders before classifiers: pipelines, grids and caches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from joblib import Memory
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from skparaphrase.datasets import load_paraphrases, load_sentiment, load_similarity
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairFeatures, PairVectorizer
from skparaphrase.vectors import WordVectors

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared"))


class Counting(AverageEncoder):
    """Writes down the texts that reach `_embed`, one line each, for all processes."""

    def __init__(self, path=None, vectors=None):
        super().__init__(vectors)
        self.path = path

    def _embed(self, texts):
        with open(self.path, "a", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for text in texts)
        return super()._embed(texts)

    @property
    def seen(self):
        if not Path(self.path).exists():
            return []
        return Path(self.path).read_text("utf-8").splitlines()


@pytest.fixture
def counting(tmp_path, vectors):
    return Counting(str(tmp_path / "seen.txt"), vectors)


@pytest.fixture
def labels(gold):
    return (gold > 3).astype(int)


@pytest.fixture(scope="module")
def trained():
    """An encoder of the bundled paraphrases."""
    encoder = ParagramEncoder(
        weighting="sif", loss="infonce", batch_size=256, max_epochs=5, random_state=0
    )
    return FrozenEstimator(encoder.fit(load_paraphrases().data))


@pytest.fixture(scope="module")
def sentiment():
    return load_sentiment(return_X_y=True)


@pytest.fixture(scope="module")
def paraphrases():
    """Pairs, whether they mean the same, and groups of pairs that share a sentence."""
    pairs, scores = load_similarity(return_X_y=True)
    return pairs, scores >= 4, pair_groups(pairs)


# Classifiers -----------------------------------------------------------------------


def test_sentences(trained, sentiment):
    pipe = make_pipeline(trained, StandardScaler(), LogisticRegression(C=0.01))
    scores = cross_val_score(pipe, *sentiment, cv=5)
    by_hand = cross_val_score(
        make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
        trained.transform(sentiment[0]),
        sentiment[1],
        cv=5,
    )
    assert_array_equal(scores, by_hand)
    assert scores.mean() > 0.55  # labels are half and half


def test_pairs(trained, paraphrases):
    pairs, y, groups = paraphrases
    pipe = make_pipeline(trained, PairFeatures(), LogisticRegression(max_iter=1000))
    options = {"groups": groups, "cv": StratifiedGroupKFold(5), "scoring": "roc_auc"}
    scores = cross_val_score(pipe, pairs, y, **options)
    u, v = trained.transform(pairs).swapaxes(0, 1)
    features = np.hstack([u * v, abs(u - v)])
    assert_array_equal(scores, cross_val_score(pipe[-1], features, y, **options))
    assert scores.mean() > 0.6


def test_union_with_tfidf(trained, sentiment):
    texts, y = sentiment
    words = TfidfVectorizer(ngram_range=(1, 2))
    union = FeatureUnion([("vectors", trained), ("words", words)])
    found = union.fit_transform(texts, y)
    vectors = trained.transform(texts)
    assert_array_equal(found[:, : vectors.shape[1]].toarray(), vectors)
    rest = found[:, vectors.shape[1] :]
    assert_array_equal(rest.toarray(), words.fit_transform(texts).toarray())
    names = union.get_feature_names_out()
    assert names[0] == "vectors__paragramencoder0"
    assert names[-1].startswith("words__")
    scores = cross_val_score(make_pipeline(union, LogisticRegression()), texts, y)
    assert scores.mean() > 0.55


def test_union_of_pairs(trained, paraphrases):
    pairs, y, groups = paraphrases
    union = FeatureUnion(
        [
            ("vectors", make_pipeline(trained, PairFeatures())),
            ("words", PairVectorizer(TfidfVectorizer(ngram_range=(1, 2)))),
        ]
    )
    options = {"groups": groups, "cv": StratifiedGroupKFold(5), "scoring": "roc_auc"}
    vectors, words = (
        cross_val_score(
            make_pipeline(part, LogisticRegression(max_iter=1000)), pairs, y, **options
        ).mean()
        for _, part in union.transformer_list
    )
    pipe = make_pipeline(union, LogisticRegression(max_iter=1000))
    assert cross_val_score(pipe, pairs, y, **options).mean() > max(vectors, words)


def test_frozen_arrays_stay(vectors, sentences):
    encoder = SIFEncoder(vectors, frequencies="corpus").fit(sentences)
    before = encoder.transform(sentences)
    y = np.arange(len(sentences)) % 2
    make_pipeline(FrozenEstimator(encoder), LogisticRegression()).fit(
        sentences[:10], y[:10]
    )
    assert_array_equal(encoder.transform(sentences), before)


# Each text is embedded once --------------------------------------------------------


def test_repeated_texts_are_embedded_once_in_a_call(counting, pairs, labels):
    pipe = make_pipeline(
        FrozenEstimator(counting), PairFeatures(), LogisticRegression()
    )
    twice = [*pairs, *pairs, *((text, text) for text, _ in pairs)]
    distinct = sorted({text for pair in pairs for text in pair})
    pipe.fit(twice, np.tile(labels, 3))
    assert sorted(counting.seen) == distinct
    pipe.predict(twice)
    assert sorted(counting.seen) == sorted(distinct * 2)


def test_memory_embeds_once(counting, pairs, labels, tmp_path):
    distinct = sorted({text for pair in pairs for text in pair})

    def fit(C):
        steps = [
            ("encoder", FrozenEstimator(counting)),
            ("features", PairFeatures()),
            ("classifier", LogisticRegression(C=C)),
        ]
        return Pipeline(steps, memory=str(tmp_path / "cache")).fit(pairs, labels)

    first = fit(1)
    assert sorted(counting.seen) == distinct
    fit(10)
    assert sorted(counting.seen) == distinct
    again = fit(1)
    assert_array_equal(first.decision_function(pairs), again.decision_function(pairs))


def test_memory_of_joblib_knows_other_encoders(counting, vectors, sentences, tmp_path):
    memory = Memory(tmp_path / "cache", verbose=0)
    y = np.arange(len(sentences)) % 2

    def fit(encoder, texts):
        pipe = make_pipeline(
            FrozenEstimator(encoder), LogisticRegression(), memory=memory
        )
        pipe.fit(texts, y[: len(texts)])
        return len(encoder.seen)

    n_first = fit(counting, sentences)
    assert fit(counting, sentences) == n_first
    other = Counting(counting.path, WordVectors(vectors.words, 2 * vectors.matrix))
    n_other = fit(other, sentences)  # other vectors
    assert n_other == 2 * n_first
    assert fit(counting, sentences[:20]) > n_other  # other texts


def test_memory_of_a_trained_encoder(trained, sentiment, tmp_path):
    texts, y = sentiment
    plain = make_pipeline(trained, LogisticRegression()).fit(texts, y)
    for _ in range(2):
        pipe = make_pipeline(trained, LogisticRegression(), memory=str(tmp_path))
        pipe.fit(texts, y)
        assert_array_equal(pipe.predict_proba(texts), plain.predict_proba(texts))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_over_the_classifier_with_memory(
    counting, pairs, labels, tmp_path, n_jobs
):
    steps = [
        ("encoder", FrozenEstimator(counting)),
        ("features", PairFeatures()),
        ("classifier", LogisticRegression()),
    ]
    Cs = [0.1, 1, 10, 100]
    options = {"param_grid": {"classifier__C": Cs}, "cv": StratifiedKFold(3)}
    pipe = Pipeline(steps, memory=str(tmp_path / "cache"))
    search = GridSearchCV(pipe, n_jobs=n_jobs, refit=False, **options)
    search.fit(np.array(pairs, dtype=object), labels)
    n_seen = len(counting.seen)
    n_learnt, n_tried = (
        sum(len({text for i in fold for text in pairs[i]}) for fold in folds)
        for folds in zip(*search.cv.split(pairs, labels), strict=True)
    )
    # The cache is for what is fitted on; what is scored is embedded for each C.
    if n_jobs is None:
        assert n_seen == n_learnt + len(Cs) * n_tried
    else:  # two processes may miss the same part at once
        assert n_seen < len(Cs) * (n_learnt + n_tried)
    plain = GridSearchCV(Pipeline(steps), refit=False, **options)
    plain.fit(pairs, labels)
    assert_array_equal(
        search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )


# Real data -------------------------------------------------------------------------

needs_data = pytest.mark.skipif(
    not (DATA / "data/msrp").is_dir(), reason=f"no evaluation data under {DATA}"
)


def labelled(path, columns=("text",)):
    with (DATA / "data" / path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    X = np.array([[row[column] for column in columns] for row in rows], dtype=object)
    y = np.array([row["label"] for row in rows])
    return X if len(columns) == 2 else X[:, 0], y


@pytest.fixture(scope="module")
def average():
    vectors = WordVectors.read(DATA / "vectors/minilm-words.300d.bin")
    return FrozenEstimator(AverageEncoder(vectors))


def accuracies(X_train, X_test, y_train, y_test, average):
    """Of the vectors, of tf-idf and of both under a classifier with the same grid."""
    words = TfidfVectorizer(
        ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"(?u)\b\w+\b"
    )
    if X_train.ndim == 2:
        words = PairVectorizer(words)
        vectors = make_pipeline(average, PairFeatures(), StandardScaler())
    else:
        vectors = make_pipeline(average, StandardScaler())
    union = FeatureUnion(
        [("vectors", vectors), ("words", words)], transformer_weights={"vectors": 0.02}
    )
    found = []
    for features in (vectors, words, union):
        X = features.fit_transform(X_train, y_train)
        search = GridSearchCV(
            LogisticRegression(max_iter=1000), {"C": [1e-3, 1e-1, 10]}, cv=3
        )
        search.fit(X, y_train)
        found.append(100 * search.score(features.transform(X_test), y_test))
    return found


@pytest.mark.data
@needs_data
def test_union_beats_each_of_its_parts_on_sentences(average):
    split = train_test_split(
        *labelled("classification/subj/all.tsv"),
        train_size=3000,
        test_size=3000,
        random_state=0,
    )
    vectors, words, union = accuracies(*split, average)
    assert union > max(vectors, words)
    assert min(vectors, words) > 85


@pytest.mark.data
@needs_data
def test_union_beats_each_of_its_parts_on_pairs(average):
    columns = ("sentence1", "sentence2")
    X_train, y_train = labelled("msrp/train.tsv", columns)
    X_test, y_test = labelled("msrp/test.tsv", columns)
    vectors, words, union = accuracies(X_train, X_test, y_train, y_test, average)
    assert union > max(vectors, words)
    assert min(vectors, words) > 100 * max(np.mean(y_test == "1"), 0.5)
