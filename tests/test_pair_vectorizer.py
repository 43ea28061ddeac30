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
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline

from skparaphrase.pairs import PairFeatures, PairVectorizer


@pytest.fixture
def labels(gold):
    return np.array(["same" if score > 3 else "other" for score in gold])


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
    vectorizer = clone(vectorizer).fit(flat(pairs), None)
    rows = []
    for first, second in pairs:
        both = vectorizer.transform([first, second])
        u, v = (both.toarray() if sparse.issparse(both) else both).astype(float)
        rows.append(np.hstack([FEATURES[name](u, v) for name in how]))
    return np.array(rows)


@pytest.mark.parametrize("how", HOWS, ids=",".join)
@pytest.mark.parametrize("name", VECTORIZERS)
def test_features_are_those_of_dense_rows(pairs, name, how):
    pairs = [*pairs, ("w1 w2", "w1 w2"), ("w1", "unheard"), ("", "")]
    step = PairVectorizer(VECTORIZERS[name], how)
    expected = by_hand(VECTORIZERS[name], pairs, how)
    for found in (step.fit_transform(pairs), step.fit(pairs).transform(pairs)):
        assert sparse.issparse(found) == (name != "dense")
        if sparse.issparse(found):
            assert found.format == "csr"
            found = found.toarray()
        assert_allclose(found.astype(float), expected, atol=1e-6)


def test_default_is_tfidf(pairs):
    found = PairVectorizer().fit_transform(pairs)
    expected = by_hand(TfidfVectorizer(), pairs, ("product", "absdiff"))
    assert_allclose(found.toarray(), expected, atol=1e-12)
    assert found.dtype == np.float64


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


@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_features_have_the_type_of_the_rows(pairs, kind):
    how = ["product", "absdiff", "sum"]
    found = PairVectorizer(CountVectorizer(dtype=kind), how).fit_transform(pairs)
    assert found.dtype == kind


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


def test_any_container_of_pairs(pairs, pair_container):
    expected = PairVectorizer().fit_transform(pairs).toarray()
    step = PairVectorizer()
    found = step.fit_transform(pair_container(pairs)).toarray()
    assert_array_equal(found, expected)
    step = PairVectorizer().fit(pair_container(pairs))
    found = step.transform(pair_container(pairs)).toarray()
    assert_allclose(found, expected, rtol=1e-12)  # sums in another order


def test_symmetric_by_default(pairs):
    step = PairVectorizer().fit(pairs)
    swapped = [(second, first) for first, second in pairs]
    assert_array_equal(
        step.transform(swapped).toarray(), step.transform(pairs).toarray()
    )


def test_fits_a_clone(pairs):
    vectorizer = TfidfVectorizer()
    step = PairVectorizer(vectorizer).fit(pairs)
    assert not hasattr(vectorizer, "vocabulary_")
    assert hasattr(step.vectorizer_, "vocabulary_")
    copy = clone(step)
    assert copy.vectorizer is not vectorizer
    assert not hasattr(copy, "vectorizer_")


def test_labels_reach_a_vectorizer_that_wants_them(pairs, labels):
    chosen = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=5))
    step = PairVectorizer(chosen, how=["first"]).fit(pairs, labels)
    alone = clone(chosen).fit(flat(pairs), np.repeat(labels, 2))
    assert_array_equal(step.vectorizer_[1].scores_, alone[1].scores_)
    assert step.transform(pairs).shape == (30, 5)


@pytest.mark.parametrize("how", [("absdiff", "cosine", "first"), ("product",)])
def test_feature_names(pairs, how):
    vectorizer = TfidfVectorizer(ngram_range=(1, 2)).fit(flat(pairs))
    expected = []
    for name in how:
        words = [""] if name == "cosine" else vectorizer.get_feature_names_out()
        expected += [f"{name}_{word}".rstrip("_") for word in words]
    step = PairVectorizer(vectorizer, how)
    features = step.fit_transform(pairs)
    assert step.get_feature_names_out().tolist() == expected
    assert step.get_feature_names_out().dtype == object
    assert features.shape[1] == len(expected)


def test_hashes_have_no_names(pairs):
    step = PairVectorizer(HashingVectorizer()).fit(pairs)
    with pytest.raises(AttributeError, match="HashingVectorizer, does not"):
        step.get_feature_names_out()
    step = PairVectorizer(HashingVectorizer(), how=["cosine"]).fit(pairs)
    assert step.get_feature_names_out().tolist() == ["cosine"]


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


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_sparse_rows_are_no_frames(pairs, kind):
    step = PairVectorizer().set_output(transform=kind).fit(pairs)
    with pytest.raises(ValueError, match=r"sparse.*set_output\(transform='default'\)"):
        step.transform(pairs)


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


def test_texts_without_words_give_zero_rows(pairs):
    step = PairVectorizer(how=list(FEATURES)).fit(pairs)
    found = step.transform([("", "unheard of"), ("", "w1")]).toarray()
    assert not found[0].any()
    assert np.isfinite(found).all()
    assert found[0, -1] == found[1, -1] == 0  # cosines


def test_grid_over_the_vectorizer(pairs, labels):
    pipe = make_pipeline(PairVectorizer(TfidfVectorizer()), LogisticRegression(C=100))
    grid = {
        "pairvectorizer__vectorizer__ngram_range": [(1, 1), (1, 2)],
        "pairvectorizer__how": [("product",), ("product", "absdiff")],
    }
    search = GridSearchCV(pipe, grid, cv=3, n_jobs=2).fit(pairs, labels)
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    best = search.best_params_["pairvectorizer__vectorizer__ngram_range"]
    assert search.best_estimator_[0].vectorizer_.ngram_range == best
    assert set(search.predict(pairs)) <= set(labels)


def test_nested_parameters():
    step = PairVectorizer(TfidfVectorizer(min_df=2))
    assert step.get_params()["vectorizer__min_df"] == 2
    step.set_params(vectorizer__min_df=1, how=["sum"])
    assert (step.vectorizer.min_df, step.how) == (1, ["sum"])


def test_beside_the_vectors_of_an_encoder(pairs, encoders, labels):
    encoder = FrozenEstimator(encoders["average"])
    union = FeatureUnion(
        [
            ("vectors", make_pipeline(encoder, PairFeatures())),
            ("words", PairVectorizer(TfidfVectorizer(ngram_range=(1, 2)))),
        ]
    )
    found = union.fit_transform(pairs)
    words = PairVectorizer(TfidfVectorizer(ngram_range=(1, 2))).fit_transform(pairs)
    vectors = PairFeatures().fit_transform(encoders["average"].transform(pairs))
    assert_allclose(found.toarray(), np.hstack([vectors, words.toarray()]), rtol=1e-6)
    classifier = make_pipeline(union, LogisticRegression()).fit(pairs, labels)
    assert classifier.score(pairs, labels) > 0.8


def test_tags():
    tags = PairVectorizer().__sklearn_tags__()
    assert tags.input_tags.string
    assert tags.input_tags.two_d_array
    assert not tags.input_tags.one_d_array


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


@pytest.mark.parametrize("how", [(), ("product", "prod"), "product", [["sum"]], None])
def test_refuses_unknown_names(pairs, how):
    with pytest.raises(ValueError, match="how"):
        PairVectorizer(how=how).fit(pairs)


@pytest.mark.parametrize("vectorizer", ["tfidf", 3, LogisticRegression()], ids=str)
def test_refuses_what_is_no_vectorizer(pairs, vectorizer):
    with pytest.raises(ValueError, match="'vectorizer' parameter"):
        PairVectorizer(vectorizer).fit(pairs)


def test_before_fit_and_after_a_fit_that_failed(pairs):
    step = PairVectorizer()
    with pytest.raises(NotFittedError):
        step.transform(pairs)
    with pytest.raises(NotFittedError):
        step.get_feature_names_out()
    with pytest.raises(ValueError, match="empty vocabulary"):
        step.fit([("", "")])
    with pytest.raises(NotFittedError):
        step.transform(pairs)
