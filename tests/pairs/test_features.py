"""Features of pairs of vectors and of texts, against dense NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from unittest.mock import Mock

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skparaphrase.pairs import PairFeatures, PairSimilarity, PairVectorizer


def test_features_stand_side_by_side(paired, how, by_hand):
    features = PairFeatures(how).fit(paired)
    assert_allclose(features.transform(paired), by_hand(how, paired), rtol=1e-12)
    names = [
        name + ("" if name == "cosine" else str(i))
        for name in how
        for i in range(1 if name == "cosine" else 5)
    ]
    assert features.get_feature_names_out().tolist() == names
    assert features.transform(paired.astype(np.float32)).dtype == np.float32


def test_default_features_are_weighted(paired, by_hand):
    features = PairFeatures().fit(paired)
    expected = by_hand(("product", "absdiff", "cosine"), paired)
    expected[:, 5:10] *= 0.3
    expected[:, 10] *= 3
    assert_allclose(features.transform(paired), expected, rtol=1e-12)
    assert features.transform(paired.astype(np.float32)).dtype == np.float32
    assert len(features.get_feature_names_out()) == 11


@pytest.mark.parametrize("bad", [(), ("product", "prod"), "product", [["sum"]], 3])
@pytest.mark.parametrize("step", [PairFeatures, PairVectorizer])
def test_unknown_names_are_refused(paired, step, bad):
    with pytest.raises(ValueError, match="features"):
        step(features=bad).fit(paired)


@pytest.mark.parametrize("step", [PairSimilarity(), PairFeatures()], ids=str)
@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones((6, 5)), r"expects vectors of pairs.*\(6, 5\)"),
        (np.ones((6, 3, 5)), r"\(6, 3, 5\)"),
        (np.ones((6, 2, 5, 1)), r"\(6, 2, 5, 1\)"),
        (np.ones(6), "2D"),
        (np.ones((0, 2, 5)), r"0 sample\(s\)"),
        (np.ones((6, 2, 0)), r"0 feature\(s\)"),
        (np.full((6, 2, 5), np.nan), "NaN"),
        (np.full((6, 2, 5), np.inf), "infinity"),
    ],
)
def test_pair_steps_refuse(step, vectors, message):
    with pytest.raises(ValueError, match=message):
        step.fit(vectors)


@pytest.mark.parametrize(
    ("step", "method"),
    [(PairSimilarity(), "predict"), (PairFeatures(), "transform")],
    ids=["similarity", "features"],
)
def test_pair_steps_after_fit(paired, step, method):
    apply = getattr(step.fit(paired), method)
    assert apply(np.empty((0, 2, 5))).shape[0] == 0
    assert_array_equal(apply(paired.tolist()), apply(paired))
    for wrong in (paired[..., :3], paired[:, 0], np.full_like(paired, np.nan)):
        with pytest.raises(ValueError, match=r"features|pairs|NaN"):
            apply(wrong)


# Vectorizers


def flat(pairs):
    return [text for pair in pairs for text in pair]


VECTORIZERS = {
    "default": None,
    "tfidf": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
    "counts": CountVectorizer(),
    "bytes": CountVectorizer(dtype=np.uint8),
    "hashing": HashingVectorizer(n_features=64),
    "dense": make_pipeline(TfidfVectorizer(), TruncatedSVD(4, random_state=0)),
    "frozen": FrozenEstimator(TfidfVectorizer().fit(["w1 w2 w3", "w3 w4"])),
}


@pytest.mark.parametrize("name", VECTORIZERS)
def test_features_are_those_of_dense_rows(pairs, name, how, by_hand):
    more = [("w1 w2", "w1 w2"), ("w1", "w1 w2"), ("w1", "unheard"), ("", "")]
    pairs = [*pairs, *more]
    step = PairVectorizer(VECTORIZERS[name], how)
    vectorizer = clone(VECTORIZERS[name] or TfidfVectorizer()).fit(flat(pairs), None)
    rows = vectorizer.transform(flat(pairs))
    dense = rows.toarray() if sparse.issparse(rows) else rows
    expected = by_hand(how, dense.reshape(len(pairs), 2, -1).astype(float))
    for found in (step.fit_transform(pairs), step.fit(pairs).transform(pairs)):
        assert sparse.issparse(found) == (name != "dense")
        if sparse.issparse(found):
            assert found.format == "csr"
            found = found.toarray()
        assert_allclose(found.astype(float), expected, atol=1e-6)


def test_names_of_columns():
    features = ("product", "difference", "cosine")
    step = PairVectorizer(CountVectorizer(), features=features)
    (found,) = step.fit_transform([("a cat sat sat", "the cat sat")]).toarray()
    names = "product_cat product_sat product_the"
    names += " difference_cat difference_sat difference_the cosine"
    assert step.get_feature_names_out().tolist() == names.split()
    assert found[:6].tolist() == [1, 2, 0, 0, 1, -1]


def test_repeated_texts_are_vectorised_once(pairs):
    repeated = [*pairs, *pairs, *((text, text) for text, _ in pairs)]
    step = PairVectorizer().fit(repeated)
    expected = step.transform(repeated)
    step.vectorizer_.transform = Mock(wraps=step.vectorizer_.transform)
    assert_array_equal(step.transform(repeated).toarray(), expected.toarray())
    (given,) = step.vectorizer_.transform.call_args.args
    assert sorted(given) == sorted(set(flat(repeated)))


def test_document_frequencies_count_every_pair():
    pairs = [("cat", "dog"), ("cat", "bird"), ("cat", "dog")]
    idf = PairVectorizer().fit(pairs).vectorizer_.idf_
    counts = np.array([1, 3, 2])  # bird, cat, dog among six texts
    assert_allclose(idf, np.log(7 / (1 + counts)) + 1)


def test_labels_reach_a_vectorizer_that_wants_them(pairs):
    labels = np.arange(30) % 3
    chosen = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=5))
    step = PairVectorizer(chosen, features=["first"]).fit(pairs, labels)
    alone = clone(chosen).fit(flat(pairs), np.repeat(labels, 2))
    assert_array_equal(step.vectorizer_[1].scores_, alone[1].scores_)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_dense_rows_as_frames(pairs, frame, kind):
    dense = make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0))
    step = PairVectorizer(dense, features=["sum", "cosine"])
    expected = step.fit_transform(pairs)
    found = clone(step).set_output(transform=kind).fit_transform(pairs)
    assert type(found).__module__.startswith(kind)
    names = ["sum_truncatedsvd0", "sum_truncatedsvd1", "cosine"]
    assert list(found.columns) == names
    assert_allclose(found.to_numpy(), expected)
    shifted = frame[["sentence1", "sentence2"]].set_axis(range(5, 35))
    found = clone(step).set_output(transform="pandas").fit_transform(shifted)
    assert_array_equal(found.index, shifted.index)


@pytest.mark.parametrize("name", ["default", "dense"])
def test_zero_pairs(pairs, name):
    step = PairVectorizer(VECTORIZERS[name], ["product", "cosine"]).fit(pairs)
    width = step.transform(pairs).shape[1]
    for nothing in ([], np.empty((0, 2), dtype=object)):
        found = step.transform(nothing)
        assert found.shape == (0, width)
        assert sparse.issparse(found) == (name != "dense")
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        clone(step).fit([])


def test_texts_and_vectorizers_that_are_refused(pairs):
    step = PairVectorizer().fit(pairs)
    for method in (PairVectorizer().fit, step.transform):
        with pytest.raises(ValueError, match=r"pairs of texts.*\(2,\)"):
            method(["one text", "another"])
        with pytest.raises(TypeError, match=r"index \(1, 0\)"):
            method([("a b", "c"), (1, "d")])
    for vectorizer in ("tfidf", 3, LogisticRegression()):
        with pytest.raises(ValueError, match="'vectorizer' parameter"):
            PairVectorizer(vectorizer).fit(pairs)
