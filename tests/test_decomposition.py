"""Common component removal against a dense singular value decomposition."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from skparaphrase import _threads
from skparaphrase import decomposition as module
from skparaphrase.decomposition import CommonComponentRemoval


@pytest.fixture
def flat():
    return np.random.default_rng(0).normal(size=(60, 7)) + np.linspace(0, 2, 7)


@pytest.fixture
def paired(flat):
    return flat.reshape(30, 2, 7)


def svd(X, n_components):
    """Directions with the sign convention of the class, and shares of the squares."""
    _, singular, directions = np.linalg.svd(X, full_matrices=False)
    directions = directions[:n_components]
    for direction in directions:
        direction *= np.sign(direction[np.argmax(np.abs(direction))])
    return directions, (singular**2 / np.sum(singular**2))[:n_components]


@pytest.mark.parametrize("n_components", [0, 1, 3, 7])
def test_directions_are_those_of_the_uncentred_svd(flat, n_components):
    removal = CommonComponentRemoval(n_components, norm=None).fit(flat)
    directions, ratio = svd(flat, n_components)
    assert removal.components_.shape == (n_components, 7)
    assert_allclose(removal.components_, directions, atol=1e-10)
    assert_allclose(removal.explained_variance_ratio_, ratio, atol=1e-12)
    expected = flat - flat @ directions.T @ directions
    assert_allclose(removal.transform(flat), expected, atol=1e-10)
    assert_allclose(removal.transform(expected), expected, atol=1e-10)
    lengths = np.linalg.norm(removal.set_params(norm="l2").transform(flat), axis=1)
    assert_allclose(lengths, n_components < 7)  # nothing is left, or length 1
    assert removal.get_feature_names_out()[-1] == "commoncomponentremoval6"


def test_more_axes_are_rows(flat):
    rows = CommonComponentRemoval(2).fit(flat)
    for shape in ((30, 2, 7), (5, 6, 2, 7)):
        nested = CommonComponentRemoval(2).fit(flat.reshape(shape))
        assert_array_equal(nested.components_, rows.components_)
        assert nested.n_features_in_ == 7
        removed = nested.transform(flat.reshape(shape)).reshape(60, 7)
        assert_allclose(removed, rows.transform(flat), atol=1e-12)
        assert_allclose(nested.transform(flat), removed, atol=1e-12)


def test_types(paired):
    removal = CommonComponentRemoval().fit(paired)
    before = paired.copy()
    single = removal.transform(paired.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, removal.transform(paired), atol=1e-5)
    assert_array_equal(paired, before)
    removal.fit(paired.astype(np.float32))
    assert removal.components_.dtype == np.float32
    for dtype in (np.int64, np.int8, np.bool_):
        whole = (paired > 0.5).astype(dtype)
        removed = removal.fit_transform(whole)
        assert removed.dtype == np.float64
        assert_array_equal(removed, removal.fit_transform(whole * 1.0))


@pytest.mark.parametrize("block", [1, 7, 59, 60, 61])
def test_blocks_sum_to_the_whole(flat, monkeypatch, block):
    whole = CommonComponentRemoval(3).fit(flat)
    monkeypatch.setattr(module, "_ROWS", block)
    monkeypatch.setattr(module, "_TASK", 2 * block)
    removed = whole.transform(flat)
    for n_threads in (1, 3):
        monkeypatch.setattr(_threads, "available_threads", lambda n=n_threads: n)
        blocks = CommonComponentRemoval(3).fit(flat)
        assert_allclose(blocks.components_, whole.components_, atol=1e-10)
        assert_allclose(blocks.transform(flat), removed, atol=1e-10)


def test_single_precision_is_summed_in_double():
    # Small numbers added to large sums, which single precision would ignore.
    X = np.ones((2**20, 2), dtype=np.float32)
    X[:, 1] = 1e-3
    gram = module.add_gram(X)
    assert_allclose(gram, X.T.astype(float) @ X.astype(float), rtol=1e-5)
    more = module.add_gram(X, np.full((2, 2), 2.0**30))
    assert_allclose(more - 2.0**30, gram, rtol=1e-5)


@pytest.mark.parametrize("shape", [(0, 7), (0, 2, 7)])
def test_zero_rows(paired, shape):
    removal = CommonComponentRemoval().fit(paired)
    assert removal.transform(np.empty(shape)).shape == shape
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        CommonComponentRemoval().fit(np.empty(shape))


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (np.ones((1, 4)), {}, "needs at least 2"),
        (np.ones((3, 4)), {"n_components": 3}, "needs at least 4"),
        (np.ones((9, 4)), {"n_components": 5}, "exceeds the 4 features"),
        (np.full((9, 4), np.nan), {}, "NaN"),
        (np.ones((9, 2, 0)), {}, r"0 feature\(s\)"),
        (np.ones(9), {}, "2D array"),
        (np.ones((9, 4)), {"n_components": -1}, "n_components"),
    ],
)
def test_fit_refuses(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        CommonComponentRemoval(**parameters).fit(X)


# partial_fit -------------------------------------------------------------------------


@pytest.mark.parametrize("step", [4, 7, 29, 30])
def test_parts_sum_to_the_whole(paired, step):
    whole = CommonComponentRemoval(3).fit(paired)
    parts = CommonComponentRemoval(3)
    for start in range(0, len(paired), step):
        parts.partial_fit(paired[start : start + step])
    assert parts.n_samples_seen_ == whole.n_samples_seen_ == 60
    for name in ("components_", "explained_variance_ratio_"):
        assert_allclose(getattr(parts, name), getattr(whole, name), atol=1e-12)
    assert_allclose(parts.transform(paired), whole.transform(paired), atol=1e-12)


def test_fit_starts_anew_and_parts_go_on(flat):
    removal = CommonComponentRemoval(2).partial_fit(100 * flat[:, ::-1])
    removal.fit(flat[:30])
    assert_array_equal(
        removal.components_, CommonComponentRemoval(2).fit(flat[:30]).components_
    )
    removal.partial_fit(flat[30:])
    assert_allclose(removal.components_, svd(flat, 2)[0], atol=1e-10)


def test_what_is_refused_after_fit_changes_nothing(flat):
    removal = CommonComponentRemoval(2).partial_fit(flat)
    before = removal.components_.copy()
    for method in (removal.transform, removal.partial_fit):
        with pytest.raises(ValueError, match="X has 5 features"):
            method(np.ones((9, 5)))
        with pytest.raises(ValueError, match="NaN"):
            method(np.full((9, 7), np.nan))
    removal.partial_fit(np.empty((0, 7)))
    assert_array_equal(removal.components_, before)
    assert removal.n_samples_seen_ == 60
    assert removal.n_features_in_ == 7


def test_a_first_part_of_too_few_rows(flat):
    with pytest.raises(NotFittedError):
        CommonComponentRemoval().transform(flat)
    with pytest.raises(ValueError, match="needs at least 3"):
        CommonComponentRemoval(2).partial_fit(flat[:2])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        CommonComponentRemoval(0).partial_fit(flat[:0])


# Vectors that are zero, or huge

X = np.random.default_rng(0).normal(size=(500, 6)) + np.arange(6)


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_is_removed_after_a_fit_on_zeros(n_components, dtype):
    removal = CommonComponentRemoval(n_components, norm=None)
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


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_removal_of_any_magnitude(unit):
    expected = CommonComponentRemoval(2).fit(X)
    removal = CommonComponentRemoval(2).fit(X * unit)
    assert_allclose(removal.components_, expected.components_, atol=1e-10)
    with pytest.raises(ValueError, match="squares of the vectors overflow"):
        removal.fit(X * 1e200)
