"""Vectorizers of texts on pairs, against dense NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial import distance
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skparaphrase.pairs import PairVectorizer


def flat(pairs):
    return [text for pair in pairs for text in pair]


def cosine(u, v):
    return 1 - distance.cosine(u, v) if u.any() and v.any() else 0


FEATURES = {
    "product": lambda u, v: u * v,
    "absdiff": lambda u, v: np.abs(u - v),
    "difference": lambda u, v: u - v,
    "sum": lambda u, v: u + v,
    "first": lambda u, v: u,
    "second": lambda u, v: v,
    "cosine": lambda u, v: np.array([cosine(u, v)]),
}
HOWS = [*((name,) for name in FEATURES), tuple(FEATURES), ("product", "absdiff")]
VECTORIZERS = {
    "default": None,
    "tfidf": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
    "counts": CountVectorizer(),
    "binary": CountVectorizer(binary=True, dtype=bool),
    "bytes": CountVectorizer(dtype=np.uint8),
    "hashing": HashingVectorizer(n_features=64),
    "single": TfidfVectorizer(dtype=np.float32),
    "dense": make_pipeline(TfidfVectorizer(), TruncatedSVD(4, random_state=0)),
    "frozen": FrozenEstimator(TfidfVectorizer().fit(["w1 w2 w3", "w3 w4"])),
}


def by_hand(vectorizer, pairs, how):
    """Dense features of one pair after the other."""
    vectorizer = clone(vectorizer or TfidfVectorizer()).fit(flat(pairs), None)
    rows = []
    for first, second in pairs:
        both = vectorizer.transform([first, second])
        u, v = (both.toarray() if sparse.issparse(both) else both).astype(float)
        rows.append(np.hstack([FEATURES[name](u, v) for name in how]))
    return np.array(rows)


@pytest.mark.parametrize("how", HOWS, ids=",".join)
@pytest.mark.parametrize("name", VECTORIZERS)
def test_features_are_those_of_dense_rows(pairs, name, how):
    more = [("w1 w2", "w1 w2"), ("w1", "w1 w2"), ("w1", "unheard"), ("", "")]
    pairs = [*pairs, *more]
    step = PairVectorizer(VECTORIZERS[name], how)
    assert how != ("cosine",) or step.fit(pairs).get_feature_names_out() == ["cosine"]
    expected = by_hand(VECTORIZERS[name], pairs, how)
    for found in (step.fit_transform(pairs), step.fit(pairs).transform(pairs)):
        assert sparse.issparse(found) == (name != "dense")
        if sparse.issparse(found):
            assert found.format == "csr"
            found = found.toarray()
        assert_allclose(found.astype(float), expected, atol=1e-6)


def test_counts_of_a_worked_pair():
    pairs = [("a cat sat sat", "the cat sat"), ("buy bread", "")]
    step = PairVectorizer(CountVectorizer(), how=("product", "absdiff", "difference"))
    found = pd.DataFrame(
        step.fit_transform(pairs).toarray(), columns=step.get_feature_names_out()
    )
    assert {k: v for k, v in found.iloc[0].items() if v} == {
        "product_cat": 1,
        "product_sat": 2,
        "absdiff_sat": 1,
        "absdiff_the": 1,
        "difference_sat": 1,
        "difference_the": -1,
    }
    shared = {"absdiff_bread", "absdiff_buy", "difference_bread", "difference_buy"}
    assert {k: v for k, v in found.iloc[1].items() if v} == dict.fromkeys(shared, 1)


class Counting(TfidfVectorizer):
    """Remembers how many texts each call was given."""

    def fit(self, raw_documents, y=None):
        self.fitted_ = list(raw_documents)
        return super().fit(raw_documents, y)

    def transform(self, raw_documents):
        self.given_ = list(raw_documents)
        return super().transform(raw_documents)


def test_repeated_texts_are_vectorised_once(pairs):
    repeated = [*pairs, *pairs, *((text, text) for text, _ in pairs)]
    step = PairVectorizer(Counting()).fit(repeated)
    step.transform(repeated)
    assert step.vectorizer_.fitted_ == flat(repeated)
    assert sorted(step.vectorizer_.given_) == sorted(set(flat(repeated)))


def test_document_frequencies_count_every_pair():
    pairs = [("cat", "dog"), ("cat", "bird"), ("cat", "dog")]
    idf = PairVectorizer().fit(pairs).vectorizer_.idf_
    counts = np.array([1, 3, 2])  # bird, cat, dog among six texts
    assert_allclose(idf, np.log(7 / (1 + counts)) + 1)


def test_labels_reach_a_vectorizer_that_wants_them(pairs):
    labels = np.arange(30) % 3
    chosen = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=5))
    step = PairVectorizer(chosen, how=["first"]).fit(pairs, labels)
    alone = clone(chosen).fit(flat(pairs), np.repeat(labels, 2))
    assert_array_equal(step.vectorizer_[1].scores_, alone[1].scores_)


def test_hashes_have_no_names(pairs):
    step = PairVectorizer(HashingVectorizer()).fit(pairs)
    with pytest.raises(AttributeError, match="HashingVectorizer, does not"):
        step.get_feature_names_out()
    step = PairVectorizer(HashingVectorizer(), how=["cosine"]).fit(pairs)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_dense_rows_as_frames(pairs, frame, kind):
    dense = make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0))
    step = PairVectorizer(dense, how=["sum", "cosine"])
    expected = step.fit_transform(pairs)
    for found in (
        clone(step).set_output(transform=kind).fit_transform(pairs),
        step.set_output(transform=kind).fit(pairs).transform(pairs),
    ):
        assert type(found).__module__.startswith(kind)
        assert list(found.columns) == [
            *("sum_truncatedsvd0", "sum_truncatedsvd1", "cosine")
        ]
        assert_allclose(found.to_numpy(), expected)
    shifted = frame[["sentence1", "sentence2"]].set_axis(range(5, 35))
    found = clone(step).set_output(transform="pandas").fit_transform(shifted)
    assert_array_equal(found.index, shifted.index)


@pytest.mark.parametrize("name", VECTORIZERS)
def test_zero_pairs(pairs, name):
    step = PairVectorizer(VECTORIZERS[name], how=list(FEATURES)).fit(pairs)
    width = step.transform(pairs).shape[1]
    for nothing in ([], np.empty((0, 2), dtype=object)):
        found = step.transform(nothing)
        assert found.shape == (0, width)
        assert sparse.issparse(found) == (name != "dense")
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        clone(step).fit([])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        clone(step).fit_transform([])


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (["one text", "another"], ValueError, r"pairs of texts.*\(2,\)"),
        ([("a b", "c d", "e f")], ValueError, r"\(1, 3\)"),
        ([("a b", None)], ValueError, r"index \(0, 1\)"),
        ([("a b", "c"), (1, "d")], TypeError, r"index \(1, 0\)"),
        ("a b", TypeError, "'a b'"),
    ],
)
def test_refuses_what_are_no_pairs(pairs, X, error, message):
    with pytest.raises(error, match=message):
        PairVectorizer().fit(X)
    with pytest.raises(error, match=message):
        PairVectorizer().fit_transform(X)
    with pytest.raises(error, match=message):
        PairVectorizer().fit(pairs).transform(X)


def test_parameters_are_refused(pairs):
    for how in ((), ("product", "prod"), "product", [["sum"]], None):
        with pytest.raises(ValueError, match="how"):
            PairVectorizer(how=how).fit(pairs)
    for vectorizer in ("tfidf", 3, LogisticRegression()):
        with pytest.raises(ValueError, match="'vectorizer' parameter"):
            PairVectorizer(vectorizer).fit(pairs)


def test_before_fit_and_after_a_fit_that_failed(pairs):
    step = PairVectorizer().set_output(transform="pandas")
    with pytest.raises(NotFittedError):
        step.get_feature_names_out()
    with pytest.raises(ValueError, match="empty vocabulary"):
        step.fit([("", "")])
    with pytest.raises(NotFittedError):
        step.transform(pairs)
    with pytest.raises(ValueError, match=r"sparse.*set_output\(transform='default'\)"):
        step.fit(pairs).transform(pairs)
