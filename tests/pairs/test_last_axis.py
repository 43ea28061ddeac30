"""Transformers and unions on the last axis, against reshaping and FeatureUnion."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
import registry  # of the folder that conftest.py adds to the path
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.utils import get_tags

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder
from skparaphrase.pairs import EncoderUnion, LastAxis, PairFeatures
from skparaphrase.vectors import WordVectors

TRANSFORMERS = [PCA(3), StandardScaler(), Normalizer(), OneHotEncoder()]
TRANSFORMERS += [StandardScaler().set_output(transform="pandas")]


@pytest.mark.parametrize("shape", [(80, 5), (40, 2, 5), (8, 5, 2, 5)])
@pytest.mark.parametrize("transformer", TRANSFORMERS)
def test_last_axis_is_reshaping(paired, shape, transformer):
    rows = paired.reshape(-1, 5)
    expected = transformer.fit_transform(rows)
    expected = expected.toarray() if issparse(expected) else np.asarray(expected)
    found = LastAxis(transformer).fit_transform(rows.reshape(shape))
    assert_allclose(found, expected.reshape(*shape[:-1], -1), atol=1e-10)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones((6, 2, 4)), "X has 4 features"),
        (np.full((6, 2, 5), np.nan), "NaN"),
        (np.ones(5), "2D"),
    ],
)
def test_last_axis_refuses(paired, vectors, message):
    step = LastAxis(StandardScaler()).fit(paired)
    for shape in ((0, 5), (0, 2, 5)):
        assert step.transform(np.empty(shape)).shape == shape
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        step.fit(np.empty((0, 5)))
    with pytest.raises(ValueError, match=message):
        step.transform(vectors)


def test_last_axis_repeats_y(paired, paired_gold):
    rows, targets = paired.reshape(-1, 5), paired_gold.repeat(2)
    step = LastAxis(SelectKBest(f_regression, k=2)).fit(paired, paired_gold)
    selected = SelectKBest(f_regression, k=2).fit(rows, targets)
    assert_array_equal(step.transformer_.scores_, selected.scores_)
    both = np.column_stack([paired_gold, -(paired_gold**2)])
    step = LastAxis(PLSRegression(2)).fit(paired, both)
    partial = PLSRegression(2).fit(rows, both.repeat(2, axis=0))
    assert_allclose(step.transform(paired).reshape(-1, 2), partial.transform(rows))


def test_last_axis_names_and_frames(paired):
    step = LastAxis(PCA(2)).fit(paired)
    assert not hasattr(step.transformer, "components_")  # a clone is fitted
    assert step.get_feature_names_out().tolist() == ["pca0", "pca1"]
    frame = step.set_output(transform="pandas").transform(paired[:, 0])
    assert frame.columns.tolist() == ["pca0", "pca1"]
    assert isinstance(step.transform(paired), np.ndarray)


# Unions

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
    return EncoderUnion(members, weights={"char": 0.25})


def test_feature_union_on_rows(paired):
    rows, y = paired[:, 0], paired[:, 1, 0]
    members = [
        ("pca", PCA(2)),
        ("same", "passthrough"),
        ("out", "drop"),
        ("best", SelectKBest(f_regression, k=3)),
    ]
    theirs = FeatureUnion(members, transformer_weights={"pca": 3.0, "best": 0.5})
    ours = EncoderUnion(members, weights={"pca": 9.0, "best": 0.25}, normalize=False)
    expected = theirs.fit_transform(rows, y)
    assert_allclose(ours.fit_transform(rows, y), expected, rtol=1e-12)
    assert_allclose(ours.fit(rows, y).transform(rows), expected, rtol=1e-12)
    names = theirs.get_feature_names_out().tolist()
    assert ours.get_feature_names_out().tolist() == names
    assert ours["best"] is ours.named_transformers["best"]
    assert ours.n_features_in_ == theirs.n_features_in_ == 5
    frame = ours.set_output(transform="pandas").transform(rows)
    assert frame.columns.tolist() == names


def test_unit_by_hand():
    vectors = np.array([[[3.0, 4.0, 2.0], [6.0, 8.0, 0.0]]])
    halves = [
        ("two", FunctionTransformer(np.take, kw_args={"indices": [0, 1], "axis": -1})),
        ("one", FunctionTransformer(np.take, kw_args={"indices": [2], "axis": -1})),
    ]
    union = EncoderUnion(halves, weights={"two": 4, "one": 9}).fit(vectors)
    expected = [[[1.2, 1.6, 3], [1.2, 1.6, 0]]]
    assert_allclose(union.transform(vectors), expected, rtol=1e-12)


def test_a_zero_vector_leaves_the_other_members(union, pairs):
    (vectors,) = union.fit(pairs).transform([("zzz w", "w w")])  # letters, no words
    assert not vectors[:, :6].any()
    assert_allclose(np.linalg.norm(vectors, axis=1), 0.5, rtol=1e-6)  # sqrt(0.25)


def infinite(texts):
    return np.full((len(texts), 2), np.inf)


@pytest.mark.parametrize(
    ("weights", "other", "message"),
    [
        ({"chars": 1}, "drop", "got 1 for 'chars'"),
        ({"char": -1}, "drop", "got -1 for 'char'"),
        ({"char": np.nan}, "drop", "got nan for 'char'"),
        ([1, 2], "drop", "'weights' parameter"),
        (None, FunctionTransformer(infinite), "Input other contains infinity"),
        (
            None,
            make_pipeline(AverageEncoder(LETTERS, tokenizer=list), PairFeatures()),
            "same number of dimensions",
        ),
    ],
)
def test_errors(members, pairs, weights, other, message):
    union = EncoderUnion([*members, ("other", other)], weights=weights)
    with pytest.raises(ValueError, match=message):
        union.fit_transform(pairs)


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
    union = EncoderUnion([("same", "passthrough")])
    found = union.fit_transform(vectors)
    copied = union.set_params(normalize=False).transform(vectors)
    assert not np.shares_memory(copied, vectors)
    lengths = np.linalg.norm(found.astype(float), axis=-1)
    assert found.dtype == np.float32
    assert_allclose(lengths, vectors.any(axis=-1), rtol=1e-6)


@pytest.mark.parametrize("normalize", [True, False])
def test_shapes(union, pairs, sentences, normalize):
    with pytest.raises(NotFittedError):
        union.transform(pairs)
    vectors = union.set_params(normalize=normalize).fit(pairs).transform(pairs)
    with parallel_config("threading"):
        parallel = clone(union).set_params(n_jobs=2).fit_transform(pairs)
    assert_array_equal(parallel, vectors)
    assert vectors.shape == (30, 2, 10)
    assert vectors.dtype == np.float32
    assert_allclose(union.transform(sentences), vectors[:, 0], atol=1e-6)
    assert union.transform([]).shape == (0, 10)
    assert union.transform(np.empty((0, 2), dtype=object)).shape == (0, 2, 10)
    with pytest.raises(ValueError, match="Found 0 samples"):
        union.fit([])


def test_names_and_frames(union, pairs, sentences):
    union.fit(pairs)
    names = union.get_feature_names_out().tolist()
    assert names[0] == "word__commoncomponentremoval0"
    assert names[-1] == "char__averageencoder3"
    expected = union.transform(sentences)
    with config_context(transform_output="pandas"):
        found = union.transform(pd.Series(sentences, index=range(5, 35)))
    assert found.columns.tolist() == names
    assert found.index.tolist() == [*range(5, 35)]
    assert_array_equal(found, expected)
    union.set_output(transform="polars")
    assert union.transform(sentences).columns == names
    assert isinstance(union.transform(pairs), np.ndarray)
    nameless = EncoderUnion([("f", FunctionTransformer())]).fit(expected)
    with pytest.raises(AttributeError, match="Transformer f"):
        nameless.get_feature_names_out()


@pytest.mark.parametrize("normalize", [True, False])
def test_sparse_members(members, sentences, normalize):
    tfidf = TfidfVectorizer(analyzer="char", norm=None)
    union = EncoderUnion([*members, ("tfidf", tfidf)], normalize=normalize)
    union.set_params(weights={"char": 2, "tfidf": 3})
    found = union.fit_transform(sentences)
    assert issparse(found)
    dense = make_pipeline(tfidf, FunctionTransformer(lambda X: X.toarray()))
    union.set_params(tfidf=dense)
    assert_allclose(found.toarray(), union.fit_transform(sentences), atol=1e-6)
    union.set_params(tfidf=tfidf).set_output(transform="pandas")
    with pytest.raises(ValueError, match="sparse"):
        union.fit_transform(sentences)


def test_tags(union):
    inputs = get_tags(union).input_tags
    assert (inputs.string, inputs.one_d_array, inputs.two_d_array) == (1, 1, 0)
    removal = EncoderUnion([("removal", CommonComponentRemoval())])
    assert get_tags(removal).input_tags.three_d_array


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_fit_parameters(paired, method):
    rows, weight = paired[:, 0], np.full(40, 0.5)
    union = EncoderUnion([("a", StandardScaler()), ("b", StandardScaler())])
    getattr(union, method)(rows, sample_weight=weight)
    assert [step.n_samples_seen_ for _, step in union.transformer_list] == [20, 20]
    with config_context(enable_metadata_routing=True):
        union.set_params(
            a=StandardScaler().set_fit_request(sample_weight=True),
            b=StandardScaler().set_fit_request(sample_weight=False),
        )
        getattr(union, method)(rows, sample_weight=weight)
    assert [step.n_samples_seen_ for _, step in union.transformer_list] == [20, 40]


ESTIMATORS = [
    EncoderUnion([("a", StandardScaler()), ("b", CommonComponentRemoval(0))]),
    EncoderUnion([("a", LastAxis(PCA(1))), ("same", "passthrough")], normalize=False),
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_common_checks(estimator):
    reason = "transformers are fitted in place, as in FeatureUnion"
    names = "check_estimators_overwrite_params", "check_dont_overwrite_parameters"
    registry.check(estimator, dict.fromkeys(names, reason))
