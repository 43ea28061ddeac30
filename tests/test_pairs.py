"""Similarities, features and transformers of the vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import distance
from scipy.stats import pearsonr
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler

from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity


@pytest.fixture
def paired():
    return np.random.default_rng(0).normal(size=(40, 2, 5)) + 0.5


@pytest.fixture
def gold(paired):
    noise = np.random.default_rng(1).normal(size=len(paired))
    return PairSimilarity().fit(paired).predict(paired) + noise / 4


METRICS = {
    "cosine": lambda first, second: 1 - distance.cosine(first, second),
    "dot": np.dot,
    "euclidean": lambda first, second: -distance.euclidean(first, second),
    "manhattan": lambda first, second: -distance.cityblock(first, second),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_similarity_is_that_of_scipy(paired, metric, dtype):
    similarity = PairSimilarity(metric).fit(paired.astype(dtype))
    expected = [METRICS[metric](first, second) for first, second in paired]
    found = similarity.predict(paired.astype(dtype))
    assert found.dtype == dtype
    assert_allclose(found, expected, rtol=1e-4 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_zero_vectors(metric):
    vectors = np.array([[[0, 0], [1, 2]], [[1, 2], [0, 0]], [[0, 0], [0, 0]]], float)
    found = PairSimilarity(metric).fit(vectors).predict(vectors)
    assert np.isfinite(found).all()
    assert found[2] == 0
    if metric in ("cosine", "dot"):
        assert_array_equal(found, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", [-0.9, -0.6, 0.6, 0.9])
def test_cosine_of_any_magnitude(paired, dtype, exponent):
    bound = np.finfo(dtype).max if exponent > 0 else np.finfo(dtype).tiny
    scale = dtype(float(bound) ** abs(exponent))
    scaled = paired.astype(dtype) * scale
    found = PairSimilarity().fit(scaled).predict(scaled)
    assert_allclose(found, PairSimilarity().fit(paired).predict(paired), rtol=1e-4)


@given(arrays(np.float64, (3, 2, 4), elements=st.floats(-1e6, 1e6)))
def test_cosine_is_symmetric_and_bounded(vectors):
    similarity = PairSimilarity().fit(vectors)
    found = similarity.predict(vectors)
    assert (np.abs(found) <= 1 + 1e-12).all()
    assert_array_equal(found, similarity.predict(vectors[:, ::-1]))


def test_score_is_pearson(paired, gold):
    similarity = PairSimilarity().fit(paired)
    r = pearsonr(gold, similarity.predict(paired)).statistic
    assert similarity.score(paired, gold) == pytest.approx(r, abs=1e-12)


def test_score_with_weights_is_that_of_repeated_pairs(paired, gold):
    repeats = np.random.default_rng(0).integers(0, 4, size=len(gold))
    similarity = PairSimilarity().fit(paired)
    repeated = similarity.score(paired.repeat(repeats, axis=0), gold.repeat(repeats))
    weighted = similarity.score(paired, gold, sample_weight=repeats)
    assert weighted == pytest.approx(repeated, abs=1e-12)


FEATURES = {
    "product": lambda u, v: u * v,
    "absdiff": lambda u, v: abs(u - v),
    "difference": lambda u, v: u - v,
    "sum": lambda u, v: u + v,
    "first": lambda u, v: u,
    "second": lambda u, v: v,
    "cosine": lambda u, v: [1 - distance.cosine(u, v)],
}


@pytest.mark.parametrize(
    "how", [*((name,) for name in FEATURES), tuple(FEATURES), ("cosine", "sum")]
)
def test_features_stand_side_by_side(paired, how):
    features = PairFeatures(how).fit(paired)
    expected = [np.hstack([FEATURES[name](u, v) for name in how]) for u, v in paired]
    assert_allclose(features.transform(paired), expected, rtol=1e-12)
    names = [
        name + ("" if name == "cosine" else str(i))
        for name in how
        for i in range(1 if name == "cosine" else 5)
    ]
    assert features.get_feature_names_out().tolist() == names


def test_default_features_are_product_and_absolute_difference(paired):
    u, v = paired[:, 0], paired[:, 1]
    assert_array_equal(
        PairFeatures().fit_transform(paired), np.hstack([u * v, abs(u - v)])
    )


def test_features_keep_single_precision(paired):
    features = PairFeatures(list(FEATURES)).fit(paired.astype(np.float32))
    assert features.transform(paired.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_features_as_frames(paired, kind):
    features = PairFeatures(("cosine", "product")).set_output(transform=kind)
    frame = features.fit_transform(paired)
    assert type(frame).__module__.startswith(kind)
    assert list(frame.columns) == ["cosine", *(f"product{i}" for i in range(5))]


@pytest.mark.parametrize("how", [(), ("product", "prod"), "product", [["sum"]], None])
def test_features_refuse_unknown_names(paired, how):
    with pytest.raises(ValueError, match="how"):
        PairFeatures(how).fit(paired)


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
    with pytest.raises(NotFittedError):
        getattr(type(step)(), method)(paired)
    apply = getattr(step.fit(paired), method)
    assert apply(np.empty((0, 2, 5))).shape[0] == 0
    assert_array_equal(apply(paired.tolist()), apply(paired))
    for wrong in (paired[..., :3], paired[:, 0], np.full_like(paired, np.nan)):
        with pytest.raises(ValueError, match=r"features|pairs|NaN"):
            apply(wrong)


def test_unknown_metric(paired):
    with pytest.raises(ValueError, match="metric"):
        PairSimilarity("jaccard").fit(paired)


@pytest.mark.parametrize("shape", [(80, 5), (40, 2, 5), (8, 5, 2, 5)])
@pytest.mark.parametrize("transformer", [PCA(3), StandardScaler(), Normalizer()])
def test_last_axis_is_reshaping(paired, shape, transformer):
    rows = paired.reshape(-1, 5)
    expected = transformer.fit_transform(rows)
    found = LastAxis(transformer).fit_transform(rows.reshape(shape))
    assert_allclose(found, expected.reshape(*shape[:-1], -1), atol=1e-10)


def test_last_axis_fits_a_clone(paired):
    pca = PCA(2)
    step = LastAxis(pca).fit(paired)
    assert not hasattr(pca, "components_")
    assert step.transformer_.n_components_ == 2
    assert step.n_features_in_ == 5


def test_last_axis_repeats_y(paired, gold):
    rows, targets = paired.reshape(-1, 5), gold.repeat(2)
    step = LastAxis(SelectKBest(f_regression, k=2)).fit(paired, gold)
    selected = SelectKBest(f_regression, k=2).fit(rows, targets)
    assert_array_equal(step.transformer_.scores_, selected.scores_)
    both = np.column_stack([gold, -(gold**2)])
    step = LastAxis(PLSRegression(2)).fit(paired, both)
    partial = PLSRegression(2).fit(rows, both.repeat(2, axis=0))
    assert_allclose(step.transform(paired).reshape(-1, 2), partial.transform(rows))


def test_last_axis_makes_sparse_results_dense():
    pairs = np.array([[[0.0], [1.0]], [[2.0], [1.0]]])
    found = LastAxis(OneHotEncoder()).fit_transform(pairs)
    assert_array_equal(found, [[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 1, 0]]])


def test_last_axis_in_a_grid(paired, gold):
    pipe = make_pipeline(LastAxis(PCA(random_state=0)), PairSimilarity())
    search = GridSearchCV(pipe, {"lastaxis__transformer__n_components": [1, 3, 5]})
    search.fit(paired, gold)
    best = search.best_params_["lastaxis__transformer__n_components"]
    assert search.best_estimator_[0].transform(paired).shape == (40, 2, best)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_last_axis_names_and_frames(paired):
    step = LastAxis(PCA(2)).fit(paired)
    assert step.get_feature_names_out().tolist() == ["pca0", "pca1"]
    frame = step.set_output(transform="pandas").transform(paired[:, 0])
    assert frame.columns.tolist() == ["pca0", "pca1"]
    assert isinstance(step.transform(paired), np.ndarray)


def test_last_axis_around_a_frame_maker(paired):
    inner = StandardScaler().set_output(transform="pandas")
    expected = LastAxis(StandardScaler()).fit_transform(paired)
    assert_array_equal(LastAxis(inner).fit_transform(paired), expected)


@pytest.mark.parametrize("shape", [(0, 5), (0, 2, 5)])
@pytest.mark.parametrize("transformer", [PCA(3), StandardScaler()], ids=str)
def test_last_axis_of_zero_rows(paired, shape, transformer):
    step = LastAxis(transformer).fit(paired)
    expected = (*shape[:-1], step.transform(paired).shape[-1])
    assert step.transform(np.empty(shape)).shape == expected
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        LastAxis(transformer).fit(np.empty(shape))


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
    with pytest.raises(ValueError, match=message):
        step.transform(vectors)


def test_last_axis_wants_a_y_of_its_length(paired):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LastAxis(SelectKBest(f_regression)).fit(paired, np.ones(7))


@pytest.mark.parametrize("step", [PairSimilarity(), PairFeatures(["cosine"])], ids=str)
def test_nothing_warns_on_zero_vectors(step):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step.fit(np.zeros((3, 2, 4)))
