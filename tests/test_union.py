"""Encoders side by side."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.pairs import (
    LastAxis,
    LastAxisUnion,
    PairFeatures,
    PairSimilarity,
    make_last_axis_union,
)
from skparaphrase.vectors import WordVectors

LETTERS = WordVectors(
    list("w0123456789"), np.random.default_rng(5).normal(size=(11, 4))
)


@pytest.fixture
def members(encoders):
    return [
        ("word", make_pipeline(encoders["sif"], CommonComponentRemoval())),
        ("char", AverageEncoder(LETTERS, tokenizer=list)),
    ]


@pytest.fixture
def union(members):
    return LastAxisUnion(members, weights={"char": 0.25})


@pytest.fixture
def paired():
    return np.random.default_rng(0).normal(size=(40, 2, 5)) + 0.5


def cosine(first, second):
    lengths = np.sqrt(first @ first) * np.sqrt(second @ second)
    return first @ second / lengths if lengths else 0.0


def test_feature_union_on_rows(paired):
    rows, y = paired[:, 0], paired[:, 1, 0]
    members = [
        ("pca", PCA(2)),
        ("same", "passthrough"),
        ("out", "drop"),
        ("best", SelectKBest(f_regression, k=3)),
    ]
    theirs = FeatureUnion(members, transformer_weights={"pca": 3.0, "best": 0.5})
    ours = LastAxisUnion(members, weights={"pca": 9.0, "best": 0.25}, scale=None)
    expected = theirs.fit_transform(rows, y)
    assert_allclose(ours.fit_transform(rows, y), expected, rtol=1e-12)
    assert_allclose(ours.fit(rows, y).transform(rows), expected, rtol=1e-12)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert ours.n_features_in_ == theirs.n_features_in_ == 5
    assert ours.set_output(transform="pandas").transform(rows).columns.tolist() == (
        theirs.get_feature_names_out().tolist()
    )


def test_results_of_pairs_are_those_of_rows(paired):
    members = [("pca", PCA(2)), ("scaler", StandardScaler())]
    flat = paired.reshape(-1, 5)
    for scale in (None, "unit", "rms"):
        of_rows = LastAxisUnion(members, scale=scale).fit(flat)
        of_pairs = LastAxisUnion(
            [(name, LastAxis(member)) for name, member in members], scale=scale
        ).fit(paired)
        expected = of_rows.transform(flat).reshape(40, 2, 7)
        assert_allclose(of_pairs.transform(paired), expected, rtol=1e-12)
        assert_allclose(of_pairs.fit_transform(paired), expected, rtol=1e-12)


def test_unit_makes_the_cosine_a_weighted_mean(union, pairs):
    weights = {"word": 2.0, "char": 0.5}
    union.set_params(weights=weights).fit(pairs)
    found = PairSimilarity().fit(union.transform(pairs)).predict(union.transform(pairs))
    vectors = [union.named_transformers_[name].transform(pairs) for name in weights]
    by_hand = [
        (2 * cosine(*word) + 0.5 * cosine(*char)) / 2.5
        for word, char in zip(*vectors, strict=True)
    ]
    assert_allclose(found, by_hand, atol=1e-6)


def test_unit_by_hand():
    vectors = np.array([[[3.0, 4.0, 2.0], [6.0, 8.0, 0.0]]])
    halves = [
        ("two", FunctionTransformer(np.take, kw_args={"indices": [0, 1], "axis": -1})),
        ("one", FunctionTransformer(np.take, kw_args={"indices": [2], "axis": -1})),
    ]
    union = LastAxisUnion(halves, weights=[4, 9]).fit(vectors)
    expected = [[[1.2, 1.6, 3], [1.2, 1.6, 0]]]
    assert_allclose(union.transform(vectors), expected, rtol=1e-12)
    union.set_params(scale="rms").fit(vectors)
    assert union.lengths_ == pytest.approx({"two": 62.5**0.5, "one": 2**0.5})
    expected = [[[3, 4, 2], [6, 8, 0]] / np.sqrt([62.5 / 4, 62.5 / 4, 2 / 9])]
    assert_allclose(union.transform(vectors), expected, rtol=1e-12)


def test_rms_keeps_ratios_of_lengths(union, members, pairs):
    union.set_params(scale="rms", weights=None)
    vectors = union.fit_transform(pairs)
    assert_allclose(union.fit(pairs).transform(pairs), vectors, atol=1e-6)
    for (name, _), block in zip(members, np.split(vectors, [6], axis=-1), strict=True):
        assert (block**2).sum(axis=-1).mean() == pytest.approx(1, rel=1e-5)
        plain = union.named_transformers_[name].transform(pairs)
        assert_allclose(block * union.lengths_[name], plain, atol=1e-5)
    few = union.transform(pairs[:3])  # lengths are those of fit
    assert_allclose(few, vectors[:3], atol=1e-6)


@given(
    arrays(
        np.float32,
        (3, 2, 4),
        elements=st.one_of(
            st.just(0.0), st.floats(-(2.0**100), 2.0**100, width=32), st.just(1e-44)
        ),
    )
)
def test_lengths_are_one_or_zero(vectors):
    found = LastAxisUnion([("same", "passthrough")]).fit_transform(vectors)
    lengths = np.linalg.norm(found.astype(float), axis=-1)
    assert found.dtype == np.float32
    assert_allclose(lengths, vectors.any(axis=-1), rtol=1e-6)


def test_a_zero_vector_leaves_the_other_members(union, pairs):
    union.fit(pairs)
    (vectors,) = union.transform([("zzz w", "w w")])  # letters, but no words
    assert not vectors[:, :6].any()
    assert cosine(*vectors) == pytest.approx(1)
    assert not union.transform([""]).any()


@pytest.mark.parametrize("scale", ["unit", "rms", None])
def test_shapes(union, pairs, sentences, scale):
    union.set_params(scale=scale).fit(pairs)
    vectors = union.transform(pairs)
    assert vectors.shape == (30, 2, 10)
    assert vectors.dtype == np.float32
    assert_array_equal(union.transform(sentences), vectors[:, 0])
    assert union.transform([[text] for text in sentences]).shape == (30, 10)
    assert union.transform([]).shape == (0, 10)
    assert union.transform(np.empty((0, 2), dtype=object)).shape == (0, 2, 10)
    assert_array_equal(union.transform(sentences[:1]), vectors[:1, 0])
    with pytest.raises(ValueError, match="Found 0 samples"):
        union.fit([])


def test_pairs_in_any_container(union, pairs, pair_container):
    expected = clone(union).fit(pairs).transform(pairs)
    assert_array_equal(union.fit_transform(pair_container(pairs)), expected)
    assert_array_equal(union.fit(pair_container(pairs)).transform(pairs), expected)
    assert_array_equal(union.transform(pair_container(pairs)), expected)


def test_sentences_in_any_container(union, sentences, sentence_container):
    expected = clone(union).fit(sentences).transform(sentences)
    union.fit(sentence_container(sentences))
    assert_array_equal(union.transform(sentence_container(sentences)), expected)


def test_weights(members, pairs):
    plain = LastAxisUnion(members).fit(pairs)
    expected = plain.transform(pairs) * np.repeat([3, 0.5], [6, 4])
    for weights in ({"char": 0.25, "word": 9}, [9, 0.25], np.array([9, 0.25])):
        union = LastAxisUnion(members, weights=weights)
        assert_allclose(union.fit_transform(pairs), expected, rtol=1e-6)
    plain.set_params(weights={"char": 0})
    assert not plain.transform(pairs)[..., 6:].any()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"chars": 1}, "'chars', which is none of the members"),
        ([1, 2, 3], "3 numbers for 2 members"),
        ({"char": -1}, "The weight of member 'char'"),
        ({"char": np.nan}, "The weight of member 'char'"),
        ({"char": "much"}, "The weight of member 'char'"),
    ],
)
def test_wrong_weights(union, pairs, weights, message):
    with pytest.raises(ValueError, match=message):
        union.set_params(weights=weights).fit(pairs)


@pytest.mark.parametrize(
    ("transformers", "error", "message"),
    [
        ([], ValueError, "not dropped"),
        ([("a", "drop")], ValueError, "not dropped"),
        ([("a", PCA)], TypeError, r"'a' must be an instance, PCA\(\)"),
        ([("a", "pass")], TypeError, "'a' must have fit and transform"),
        ([("a", LogisticRegression())], TypeError, "'a' must have fit and transform"),
        ([PCA()], TypeError, r"tuples \(name, transformer\); got PCA"),
        ([("a", PCA()), ("a", PCA())], ValueError, "not unique"),
        ([("scale", PCA())], ValueError, "conflict with constructor"),
        ([("a__b", PCA())], ValueError, "must not contain __"),
        (PCA(), ValueError, "'transformers' parameter"),
    ],
)
def test_wrong_members(transformers, error, message, paired):
    with pytest.raises(error, match=message):
        LastAxisUnion(transformers).fit(paired[:, 0])


def test_errors_name_the_member(union, members, pairs, sentences):
    union.set_params(word__sifencoder__a=-1.0)
    with pytest.raises(ValueError, match="'a' parameter of SIFEncoder") as caught:
        union.fit(pairs)
    union.set_params(word__sifencoder__a=1e-3)
    assert caught.value.__notes__ == ["In member 'word' of LastAxisUnion."]
    with pytest.raises(ValueError) as caught:
        LastAxisUnion([*members, ("raw", "passthrough")]).fit(sentences)
    assert caught.value.__notes__ == ["In member 'raw' of LastAxisUnion."]
    flat = LastAxisUnion(
        [*members, ("f", make_pipeline(members[1][1], PairFeatures()))]
    )
    with pytest.raises(ValueError, match=r"'f' \(30, 8\)"):
        flat.fit_transform(pairs)
    lengths = FunctionTransformer(lambda texts: np.array([len(t) for t in texts]))
    with pytest.raises(ValueError, match=r"'n' gives an array of shape \(30,\)"):
        LastAxisUnion([("n", lengths)]).fit_transform(sentences)
    infinite = FunctionTransformer(lambda texts: np.full((len(texts), 2), np.inf))
    with pytest.raises(ValueError, match="infinity") as caught:
        LastAxisUnion([*members, ("inf", infinite)]).fit_transform(sentences)
    assert caught.value.__notes__ == ["In member 'inf' of LastAxisUnion."]


def test_not_fitted(union, pairs):
    with pytest.raises(NotFittedError):
        union.transform(pairs)
    union.fit(pairs).set_params(scale="rms")
    with pytest.raises(NotFittedError, match="only fit computes"):
        union.transform(pairs)


def test_drop_and_passthrough(union, members, pairs, paired):
    expected = union.fit_transform(pairs)
    union.set_params(word="drop")
    assert_array_equal(union.fit_transform(pairs), expected[..., 6:])
    assert [name for name, _ in union.transformers_] == ["char"]
    union = LastAxisUnion(
        [("same", "passthrough"), ("unit", LastAxis(Normalizer()))], scale=None
    )
    found = union.fit_transform(paired)
    assert_array_equal(found[..., :5], paired)
    assert_allclose(np.linalg.norm(found[..., 5:], axis=-1), 1)
    assert not np.shares_memory(found, paired)


def test_members_are_cloned(union, members, encoders, pairs):
    union.fit(pairs)
    assert not hasattr(members[0][1][0], "weights_")
    assert union.named_transformers_["word"][0].vectors is encoders["sif"].vectors
    frozen = FrozenEstimator(encoders["paragram"].fit(pairs))
    before = frozen.transform(pairs)
    union = LastAxisUnion([("paragram", frozen), members[1]]).fit(pairs[:5])
    assert union.named_transformers_["paragram"] is frozen
    alone = LastAxisUnion([("paragram", frozen)], scale=None).fit(pairs[:5])
    assert_array_equal(alone.transform(pairs), before)


def test_y_goes_to_the_members(encoders, members, pairs):
    positive = np.arange(30) % 3 == 0
    chosen = [pair for pair, keep in zip(pairs, positive, strict=True) if keep]
    union = LastAxisUnion([("paragram", encoders["paragram"]), members[1]], scale=None)
    union.set_params(paragram__positive_from=None)
    found = union.fit_transform(pairs, positive)[..., :6]
    alone = clone(encoders["paragram"]).set_params(positive_from=None).fit(chosen)
    assert_allclose(found, alone.transform(pairs), atol=1e-6)


def test_parameters_by_name(union, members):
    assert union.get_params()["word__sifencoder__a"] == 1e-3
    assert union.get_params()["char"] is members[1][1]
    assert "char" not in union.get_params(deep=False)
    union.set_params(word__sifencoder__a=0.5, char=AverageEncoder(), scale=None)
    assert members[0][1][0].a == 0.5
    assert union.transformers[1][1].tokenizer is None
    with pytest.raises(ValueError, match="Invalid parameter"):
        union.set_params(words__a=1)


def test_grid_search(union, pairs, gold):
    pipe = make_pipeline(union, PairSimilarity())
    grid = {
        "lastaxisunion__word__sifencoder__a": [1e-1, 1e-3],
        "lastaxisunion__weights": [{"char": 0.1}, {"char": 1}, [1, 10]],
    }
    search = GridSearchCV(
        pipe, grid, scoring=pearson_scorer, cv=3, n_jobs=2, error_score="raise"
    )
    search.fit(pairs, gold)
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) == 6
    serial = clone(search).set_params(n_jobs=1).fit(pairs, gold)
    assert_allclose(scores, serial.cv_results_["mean_test_score"])
    assert search.best_estimator_[:-1].transform(["w1 w2"]).shape == (1, 10)


def test_jobs(union, pairs):
    expected = clone(union).fit(pairs).transform(pairs)
    union.set_params(n_jobs=2)
    assert_array_equal(union.fit_transform(pairs), expected)
    assert_array_equal(union.fit(pairs).transform(pairs), expected)
    with pytest.raises(ValueError) as caught:
        union.set_params(word__sifencoder__a=-1.0).fit(pairs)
    assert "In member 'word' of LastAxisUnion." in caught.value.__notes__


def test_copies(union, pairs, tmp_path):
    expected = union.fit_transform(pairs)
    assert not hasattr(clone(union), "transformers_")
    assert_array_equal(clone(union).fit_transform(pairs), expected)
    again = pickle.loads(pickle.dumps(union))
    assert_array_equal(again.transform(pairs), expected)
    joblib.dump(union, tmp_path / "union.joblib")
    again = joblib.load(tmp_path / "union.joblib", mmap_mode="r")
    assert_array_equal(again.transform(pairs), expected)


def test_names_and_frames(union, pairs, sentences):
    union.fit(pairs)
    names = union.get_feature_names_out().tolist()
    assert names[0] == "word__commoncomponentremoval0"
    assert names[-1] == "char__averageencoder3"
    expected = union.transform(sentences)
    texts = pd.Series(sentences, index=range(5, 35))
    with config_context(transform_output="pandas"):
        found = union.transform(texts)
    assert found.columns.tolist() == names
    assert found.index.tolist() == texts.index.tolist()
    assert_array_equal(found, expected)
    union.set_output(transform="polars")
    assert union.transform(sentences).columns == names
    assert isinstance(union.transform(pairs), np.ndarray)
    nameless = LastAxisUnion([("f", FunctionTransformer())]).fit(expected)
    with pytest.raises(AttributeError, match="Member 'f'"):
        nameless.get_feature_names_out()


@pytest.mark.parametrize("scale", ["unit", "rms", None])
def test_sparse_members(members, sentences, scale):
    tfidf = TfidfVectorizer(analyzer="char", norm=None)
    union = LastAxisUnion([*members, ("tfidf", tfidf)], weights=[1, 2, 3], scale=scale)
    found = union.fit_transform(sentences)
    assert sparse.issparse(found)
    dense = make_pipeline(tfidf, FunctionTransformer(lambda X: X.toarray()))
    union.set_params(tfidf=dense)
    assert_allclose(found.toarray(), union.fit_transform(sentences), atol=1e-6)
    union.set_params(tfidf=tfidf).set_output(transform="pandas")
    with pytest.raises(ValueError, match="sparse"):
        union.fit_transform(sentences)


def test_in_pipelines(union, pairs, gold, sentences):
    labels = gold > np.median(gold)
    model = make_pipeline(union, PairFeatures(), LogisticRegression(max_iter=1000))
    assert model.fit(pairs, labels).predict(pairs).shape == (30,)
    model = make_pipeline(union, LogisticRegression()).fit(sentences, labels)
    assert model.predict(sentences).shape == (30,)


def test_verbose(union, pairs, capsys):
    union.set_params(verbose=True).fit(pairs)
    printed = capsys.readouterr().out
    assert "(1 of 2) word" in printed
    assert "(2 of 2) char" in printed


def test_diagram(union, pairs):
    for estimator in (union, clone(union).fit(pairs)):
        page = estimator._repr_html_()
        assert "SIFEncoder" in page
        assert ">char<" in page


def test_helper(encoders):
    union = make_last_axis_union(
        encoders["sif"], PCA(), PCA(), "passthrough", weights=[1, 2, 3, 4], scale="rms"
    )
    names = [name for name, _ in union.transformers]
    assert names == ["sifencoder", "pca-1", "pca-2", "passthrough"]
    assert union.weights == [1, 2, 3, 4]
    assert union.scale == "rms"


def test_tags(union, members):
    tags = get_tags(union)
    assert tags.input_tags.string
    assert tags.input_tags.one_d_array
    assert not tags.input_tags.two_d_array
    assert tags.transformer_tags.preserves_dtype == []
    tags = get_tags(LastAxisUnion([*members, ("rows", "passthrough")]))
    assert not tags.input_tags.string
    tags = get_tags(LastAxisUnion([("removal", CommonComponentRemoval())]))
    assert tags.input_tags.three_d_array
    assert tags.transformer_tags.preserves_dtype == ["float64", "float32"]


class Weighted(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None, sample_weight=None):
        self.sum_ = 0.0 if sample_weight is None else float(np.sum(sample_weight))
        return self

    def transform(self, X):
        return np.full((len(X), 1), self.sum_)


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
@pytest.mark.parametrize("scale", [None, "rms"])
def test_fit_parameters(paired, method, scale):
    rows, weight = paired[:, 0], np.full(40, 0.5)
    union = LastAxisUnion([("a", Weighted()), ("b", Weighted())], scale=scale)
    getattr(union, method)(rows, sample_weight=weight)
    assert [member.sum_ for _, member in union.transformers_] == [20, 20]
    with config_context(enable_metadata_routing=True):
        union.set_params(
            a=Weighted().set_fit_request(sample_weight=True),
            b=Weighted().set_fit_request(sample_weight=False),
        )
        getattr(union, method)(rows, sample_weight=weight)
    assert [member.sum_ for _, member in union.transformers_] == [20, 0]


class TextFacade(LastAxisUnion):
    """Every row of numbers is a text, a number a letter."""

    def fit(self, X, y=None):
        return super().fit(self._texts(X, reset=True), y)

    def fit_transform(self, X, y=None):
        return super().fit_transform(self._texts(X, reset=True), y)

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(self._texts(X, reset=False))

    def _texts(self, X, *, reset):
        rows = np.rint(4 * validate_data(self, X, reset=reset)).astype(int)
        numbers = (rows + 31 * np.arange(rows.shape[1])) % 101
        return [" ".join(f"w{number}" for number in row) for row in numbers]

    @property
    def n_features_in_(self):
        return self._width

    @n_features_in_.setter
    def n_features_in_(self, width):
        self._width = width

    @property
    def feature_names_in_(self):
        return self._names

    @feature_names_in_.setter
    def feature_names_in_(self, names):
        self._names = names

    @feature_names_in_.deleter
    def feature_names_in_(self):
        del self._names

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.one_d_array = False
        tags.input_tags.string = False
        return tags


TEXT_MEMBERS = [
    ("char", AverageEncoder(LETTERS, tokenizer=list)),
    ("sif", SIFEncoder(LETTERS, tokenizer=list, frequencies="corpus")),
]
ESTIMATORS = [
    LastAxisUnion([("a", StandardScaler()), ("b", CommonComponentRemoval(0))]),
    LastAxisUnion([("a", LastAxis(PCA(1)))], scale="rms", weights=[0.5]),
    LastAxisUnion([("a", StandardScaler()), ("same", "passthrough")], scale=None),
    TextFacade(TEXT_MEMBERS, weights=[1, 2]),
    TextFacade(TEXT_MEMBERS, scale="rms"),
]


@parametrize_with_checks(ESTIMATORS)
def test_common_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_all_checks_run(estimator):
    assert len(list(estimator_checks_generator(estimator))) >= 45
