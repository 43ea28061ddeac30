"""Vectors and scores that are zero, constant, huge or not finite."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ConstantInputWarning, NearConstantInputWarning, pearsonr
from sklearn.exceptions import UndefinedMetricWarning

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.pairs import PairFeatures
from skparaphrase.vectors import WordFrequencies, WordVectors, nearest_words

X = np.random.default_rng(0).normal(size=(500, 6)) + np.arange(6)


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_is_removed_after_a_fit_on_zeros(n_components, dtype):
    removal = CommonComponentRemoval(n_components)
    with pytest.warns(UserWarning, match="fewer than n_components"):
        removal.fit(np.zeros((5, 6), dtype))
    assert_array_equal(removal.transform(X), X)
    assert_array_equal(removal.components_, np.zeros((n_components, 6)))
    assert_array_equal(removal.explained_variance_ratio_, np.zeros(n_components))
    # More vectors have directions.
    assert_allclose(
        removal.partial_fit(X).components_,
        CommonComponentRemoval(n_components).fit(X).components_,
        atol=1e-5,
    )


def test_only_directions_that_there_are_are_removed():
    line = np.outer(np.arange(1.0, 9), [1, 2, 2])
    removal = CommonComponentRemoval(2)
    with pytest.warns(UserWarning, match="fewer than n_components=2"):
        removal.fit(line)
    expected = [[1 / 3, 2 / 3, 2 / 3], [0, 0, 0]]
    assert_allclose(removal.components_, expected, atol=1e-12)
    sides = np.stack([line, np.zeros_like(line)], axis=1)
    with pytest.warns(UserWarning, match="fewer than n_components=1"):
        removal = CommonComponentRemoval(per_side=True).fit(sides)
    assert_allclose(removal.components_[0], expected[:1], atol=1e-12)
    assert_array_equal(removal.components_[1], np.zeros((1, 3)))


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_removal_of_any_magnitude(unit):
    expected = CommonComponentRemoval(2).fit(X)
    removal = CommonComponentRemoval(2).fit(X * unit)
    assert_allclose(removal.components_, expected.components_, atol=1e-10)
    with pytest.raises(ValueError, match="squares of the vectors overflow"):
        removal.fit(X * 1e200)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_words_near_a_vector_that_is_not_finite(value):
    vectors = WordVectors(["a", "b"], np.eye(2))
    with pytest.raises(ValueError, match="The vector is not finite"):
        nearest_words(vectors, np.array([1, value]))


@pytest.mark.parametrize("name", ["product", "absdiff", "difference", "sum"])
def test_features_that_overflow(name):
    rows = np.array([[[3e38, 1], [-3e38, 1]]])
    if name == "sum":
        rows = np.abs(rows)
    with pytest.raises(ValueError, match="Features overflow float32: make the vectors"):
        PairFeatures([name]).fit_transform(rows.astype(np.float32))
    assert np.isfinite(PairFeatures([name]).fit_transform(rows)).all()
    cosine = PairFeatures(["cosine"]).fit_transform(rows.astype(np.float32))
    assert_allclose(cosine, [[1.0 if name == "sum" else -1.0]])


@pytest.mark.parametrize("score", [pearson_score, spearman_score])
def test_correlations_that_are_not_defined(score):
    for true, predicted in (([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0.1, 0.1, 0.1])):
        with pytest.warns(UndefinedMetricWarning, match="constant values") as warned:
            assert score(true, predicted) == 0
        assert warned[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning, match="fewer than two samples"):
        assert np.isnan(score([1], [2]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert score([1, 2, 4], [1, 2, 3]) > 0.9


@pytest.mark.parametrize(
    "size", [1e-200, 1e-170, 1e-20, 1e150, 1e153, 1 + 1e-9, 1e9, 1e15]
)
def test_correlations_are_those_of_scipy(size):
    """Of scores that hardly differ, or whose squares are not numbers."""
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 50))
    for x in (true * size, true + size, true * 1e-9 + size):
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            found = pearson_score(x, predicted)
            weighted = pearson_score(x, predicted, sample_weight=np.full(50, 1e-200))
        with warnings.catch_warnings(record=True) as theirs:
            warnings.simplefilter("always")
            expected = pearsonr(x, predicted).statistic
        kinds = [{each.category for each in found} for found in (ours, theirs)]
        if ConstantInputWarning in kinds[1]:
            assert kinds[0] == {UndefinedMetricWarning} and found == 0
        else:
            assert_allclose(found, expected, rtol=1e-7)
            assert kinds[0] == kinds[1] <= {NearConstantInputWarning}
        assert_allclose(weighted, found)


@pytest.mark.parametrize("total", [float("nan"), float("inf"), 2, -1])
def test_totals_of_counts(total):
    with pytest.raises(ValueError, match="total must be finite and at least the sum"):
        WordFrequencies({"a": 3}, total=total)
