"""Scores as distributions over levels."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.supervised._graded import (
    check_levels,
    check_scores,
    smooth_targets,
    sparse_targets,
)


@given(
    low=st.integers(-3, 3),
    n_levels=st.integers(2, 9),
    step=st.sampled_from([0.25, 0.5, 1.0, 2.5]),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=20),
)
def test_expectation_of_sparse_targets_is_the_score(low, n_levels, step, shares):
    levels = low + step * np.arange(n_levels)
    assert_array_equal(sparse_targets(levels, levels), np.eye(n_levels))
    scores = levels[0] + np.array(shares) * (levels[-1] - levels[0])
    targets = sparse_targets(scores, levels)
    assert targets.shape == (len(shares), n_levels)
    assert_allclose(targets @ levels, scores, atol=1e-12)
    assert_allclose(targets.sum(axis=1), 1, atol=1e-12)
    assert 0 <= targets.min() <= targets.max() <= 1
    for row in targets:  # one level, or two next to each other
        assert np.ptp(np.flatnonzero(row)) <= 1


def test_sparse_targets_by_hand():
    targets = sparse_targets(np.array([3.6, 1.0, 5.0, 4.25]), np.arange(1.0, 6.0))
    expected = [
        [0, 0, 0.4, 0.6, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0.75, 0.25],
    ]  # fmt: skip
    assert_allclose(targets, expected, rtol=0, atol=1e-15)
    soft = smooth_targets(targets[:1])
    assert soft.dtype == np.float32
    assert_allclose(soft, [[1e-6, 1e-6, 0.400001, 0.600001, 1e-6]], rtol=1e-6)


@pytest.mark.parametrize(
    ("scores", "given", "n_levels", "expected"),
    [
        ([1.2, 4.9], None, None, [1, 2, 3, 4, 5]),
        ([1, 5], None, None, [1, 2, 3, 4, 5]),
        ([0.1, 0.7], None, None, [0, 1]),
        ([2.5], None, None, [2, 3]),
        ([-0.5, 0.5], None, None, [-1, 0, 1]),
        ([0.1, 0.7], None, 5, [0, 0.25, 0.5, 0.75, 1]),
        ([2, 3], (0, 5), None, [0, 1, 2, 3, 4, 5]),
        ([2, 3], (0.5, 3.5), None, [0.5, 1.5, 2.5, 3.5]),
        ([2, 3], [0, 5], 3, [0, 2.5, 5]),
        ([0.2, 1.2], (0.2, 1.2), None, [0.2, 1.2]),  # 1.2 - 0.2 is not 1 in floats
        ([1.2, 2.2], (1.2, 2.2), None, [1.2, 2.2]),
        ([1, 5.5], (1, 5.5), 10, np.arange(1, 6, 0.5)),
    ],
)
def test_levels(scores, given, n_levels, expected):
    levels = check_levels(np.array(scores, dtype=float), given, n_levels)
    assert_allclose(levels, expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("score_range", "match"),
    [
        (
            (1, 3),
            r"1 of 30 scores are outside .*\(1, 3\); the first is 4.5 at index 11",
        ),
        ((2.5, 5.5), "first is 2 at index 0"),
        ((5, 1), "increasing"),
        ((1, 1), "increasing"),
        ((0, np.inf), "finite"),
        ((np.nan, 5), "finite"),
        ((1,), "lowest, highest"),
        ((1, 2, 3), "lowest, highest"),
        (("low", "high"), "lowest, highest"),
        ((1, 5.5), "not a whole number of steps"),
        ((0, 1e6), "set n_levels"),
    ],
)
def test_bad_score_range(score_range, match):
    scores = np.full(30, 2.0)
    scores[11] = 4.5
    with pytest.raises(ValueError, match=match):
        check_levels(scores, score_range, None)


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([np.nan, 1.0], "NaN"),
        ([np.inf, 1.0], "infinity"),
        (["x", "y"], "could not convert"),
        (np.ones((2, 2)), "1d array"),
    ],
)
def test_bad_scores(y, match):
    with pytest.raises(ValueError, match=match):
        check_scores(y)
