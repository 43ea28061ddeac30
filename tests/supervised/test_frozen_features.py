"""Frozen encoders before scikit-learn's classifiers: pipelines, grids and caches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

from skparaphrase.datasets import load_graded_pairs
from skparaphrase.encoders import AverageEncoder
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairFeatures, PairVectorizer


class Counting(AverageEncoder):
    """Records the texts passed to `_embed`, one per line, in all processes."""

    def __init__(self, path=None, vectors=None):
        super().__init__(vectors)
        self.path = path

    def _embed(self, texts):
        with open(self.path, "a", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for text in texts)
        return super()._embed(texts)

    @property
    def seen(self):
        return Path(self.path).read_text("utf-8").splitlines()


@pytest.fixture
def counting(tmp_path, vectors):
    return Counting(str(tmp_path / "seen.txt"), vectors)


@pytest.fixture
def labels(gold):
    return (gold > 3).astype(int)


def test_pairs():
    pairs, y = load_graded_pairs(return_X_y=True)
    encoder = FrozenEstimator(AverageEncoder())
    options = {"groups": pair_groups(pairs), "cv": StratifiedGroupKFold(3)}
    classifier = LogisticRegression(max_iter=1000)
    features = PairFeatures(("product", "absdiff"))
    pipe = make_pipeline(encoder, features, classifier)
    found = cross_val_score(pipe, pairs, y >= 4, scoring="roc_auc", **options)
    u, v = encoder.transform(pairs).swapaxes(0, 1)
    by_hand = np.hstack([u * v, abs(u - v)])
    expected = cross_val_score(
        classifier, by_hand, y >= 4, scoring="roc_auc", **options
    )
    assert_array_equal(found, expected)
    assert found.mean() > 0.6
    words = PairVectorizer(TfidfVectorizer(ngram_range=(1, 2)))
    union = FeatureUnion([("vectors", pipe[:-1]), ("words", words)])
    both = union.fit_transform(pairs)
    n_vectors = by_hand.shape[1]
    assert_array_equal(both[:, :n_vectors].toarray(), by_hand)
    rest = words.fit_transform(pairs).toarray()
    assert_allclose(both[:, n_vectors:].toarray(), rest, atol=1e-12)


# Each text is embedded once


def test_memory_embeds_repeated_texts_once(counting, pairs, labels, tmp_path):
    twice = [*pairs, *pairs, *((text, text) for text, _ in pairs)]
    y = np.tile(labels, 3)
    distinct = sorted({text for pair in pairs for text in pair})

    def fit(C, X=twice):
        steps = [
            ("encoder", FrozenEstimator(counting)),
            ("features", PairFeatures()),
            ("classifier", LogisticRegression(C=C)),
        ]
        return Pipeline(steps, memory=str(tmp_path / "cache")).fit(X, y[: len(X)])

    first = fit(1)
    assert sorted(counting.seen) == distinct
    fit(10)
    assert sorted(counting.seen) == distinct
    again = fit(1)
    assert_array_equal(first.decision_function(pairs), again.decision_function(pairs))
    before = len(counting.seen)
    fit(1, twice[:20])
    assert len(counting.seen) > before
