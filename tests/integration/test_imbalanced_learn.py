"""Samplers of imbalanced-learn before and after an encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skparaphrase.pairs import PairFeatures

pytestmark = pytest.mark.integration

COLUMNS = {
    "array": lambda columns: np.array(columns["title"], dtype=object)[:, np.newaxis],
    "frame of pairs": lambda columns: pd.DataFrame(columns)[["title", "body"]],
}


@pytest.fixture
def imblearn():
    return pytest.importorskip("imblearn")


@pytest.fixture
def labels():
    return np.arange(30) % 5 == 0


@pytest.mark.parametrize("container", COLUMNS.values(), ids=COLUMNS)
def test_samplers_of_texts(imblearn, tfidf, columns, labels, container):
    sampler = imblearn.over_sampling.RandomOverSampler(random_state=0)
    X = container(columns)
    steps = [tfidf, LogisticRegression()]
    if X.shape[1] == 2:
        steps.insert(1, PairFeatures())
    model = imblearn.pipeline.make_pipeline(sampler, *steps).fit(X, labels)
    sampler.fit_resample(np.arange(30)[:, np.newaxis], labels)
    rows = sampler.sample_indices_
    assert len(rows) == 48
    texts = np.asarray(X)[rows]
    by_hand = make_pipeline(*map(clone, steps)).fit(texts, labels[rows])
    assert_array_equal(model.predict_proba(X), by_hand.predict_proba(X))
    assert_array_equal(model[1].weights_, by_hand[0].weights_)


@pytest.mark.parametrize("as_pairs", [False, True])
def test_samplers_of_vectors(imblearn, tfidf, columns, labels, as_pairs):
    sampler = imblearn.over_sampling.SMOTE(k_neighbors=3, random_state=0)
    X = pd.DataFrame(columns)[["title", "body"]] if as_pairs else columns["title"]
    steps = [tfidf, PairFeatures()] if as_pairs else [tfidf]
    head = LogisticRegression()
    model = imblearn.pipeline.make_pipeline(*steps, sampler, head).fit(X, labels)
    vectors = make_pipeline(*map(clone, steps)).fit_transform(X)
    resampled, new_labels = clone(sampler).fit_resample(vectors, labels)
    assert len(resampled) == 48
    by_hand = clone(head).fit(resampled, new_labels)
    assert_allclose(model.predict_proba(X), by_hand.predict_proba(vectors), rtol=1e-6)
