"""Update rules against their recurrences in NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from skparaphrase.training._update_rules import (
    RULES,
    UpdateRule,
    change_limits,
    clip_norm_,
)

CPU = torch.device("cpu")
each_rule = pytest.mark.parametrize("name", RULES)


pytestmark = pytest.mark.usefixtures("core")  # the plain one leaves updates to torch


def normal(n_rows=8, dim=4, seed=0):
    return np.random.RandomState(seed).randn(n_rows, dim).astype(np.float32)


def slow_updates(name, value, steps):
    value = value.astype(np.float64)
    first, second = np.zeros((2, *value.shape))
    for t, (gradient, rows) in enumerate(steps, start=1):
        g, m, s = gradient[rows], first[rows], second[rows]
        if name == "adagrad":
            second[rows] = s + g**2
            value[rows] -= 0.05 * g / np.sqrt(s + g**2 + 1e-6)
        elif name == "adam":
            first[rows], second[rows] = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g**2
            root = np.sqrt(second[rows] / (1 - 0.999**t)) + 1e-8
            value[rows] -= 0.05 * first[rows] / (1 - 0.9**t) / root
        elif name == "rmsprop":
            second[rows] = 0.99 * s + 0.01 * g**2
            value[rows] -= 0.05 * g / (np.sqrt(second[rows]) + 1e-8)
        else:
            first[rows] = 0.95 * m - 0.05 * g
            value[rows] += first[rows]
    return value


@pytest.mark.parametrize("some_rows", [False, True])
@pytest.mark.parametrize("factor", [1.0, 0.5])
@each_rule
def test_updates_follow_the_recurrence(name, factor, some_rows):
    start, rule = normal(), UpdateRule(name, 0.05 / factor)
    parameter, none = torch.tensor(start), torch.tensor([], dtype=torch.int64)
    used = [[0, 1], [2], [0], [1, 2, 4], [4]] if some_rows else [range(8)] * 5
    steps = [(normal(seed=seed), list(used[seed])) for seed in range(5)]
    for gradient, chosen in steps:
        rows = torch.tensor(chosen) if some_rows else None
        rule.step("w", parameter, torch.tensor(gradient[chosen]), factor, rows)
        rule.step("w", parameter, torch.empty(0, 4), rows=none)
        rule.state["w"]["n_steps"] -= 1  # a step without rows does nothing else
    assert_allclose(parameter, slow_updates(name, start, steps), rtol=1e-5, atol=1e-6)


@each_rule
def test_parameters_may_have_any_shape_and_order(name):
    start, gradient = normal(6, 4), normal(6, 4, seed=1)
    expected = slow_updates(name, start, [(gradient, np.arange(6))])
    for change in (lambda x: x, lambda x: x.view(2, 3, 4), torch.ravel, lambda x: x.T):
        # Not contiguous, as transposed weights are.
        for parameter in (torch.tensor(start), torch.tensor(start).T.contiguous().T):
            if not parameter.is_contiguous() and change(parameter).ndim != 2:
                continue
            viewed = change(parameter)
            UpdateRule(name, 0.05).step("w", viewed, change(torch.tensor(gradient)))
            assert_allclose(parameter, expected, rtol=1e-5, atol=1e-6)


def test_adagrad_with_rows_equals_dense_to_the_bit():
    dense, sparse = torch.tensor(normal()), torch.tensor(normal())
    first, second = UpdateRule("adagrad", 0.05), UpdateRule("adagrad", 0.05)
    for seed, rows in enumerate([[6, 1, 3], [1, 2, 5], [0, 6, 3]]):
        rows, gradient = torch.tensor(rows), torch.zeros(8, 4)
        gradient[rows] = torch.tensor(normal(3, seed=seed + 1))
        first.step("w", dense, gradient)
        second.step("w", sparse, gradient[rows], rows=rows)
    assert torch.equal(dense, sparse)


@each_rule
def test_a_rule_continues_from_its_state(name):
    whole, parts = torch.tensor(normal()), torch.tensor(normal())
    rule, interrupted = UpdateRule(name, 0.05), UpdateRule(name, 0.05)
    for seed in range(1, 5):
        gradient = torch.tensor(normal(seed=seed))
        rule.step("w", whole, gradient)
        interrupted.step("w", parts, gradient)
        state = interrupted.state_dict()
        assert not any(map(torch.is_tensor, state["w"].values()))
        interrupted = UpdateRule(name, 0.05)
        interrupted.load_state_dict(state, CPU)
    assert torch.equal(whole, parts)


@pytest.mark.parametrize("clip", [0.5, 1.0, 100.0])
def test_clip_scales_by_the_factor_of_the_papers_code(clip):
    gradient = torch.tensor(normal())
    clip_norm_(gradient, clip)
    norm = np.linalg.norm(normal())
    assert_allclose(gradient, normal() * min(norm, clip) / (norm + 1e-7), rtol=1e-6)


def moved_by_step(before, moved, anchors, most, rows=None):
    """The share of the change that a gradient step from `before` to `moved` keeps."""
    values, anchors = torch.tensor(before), torch.tensor(anchors)
    gradient = torch.tensor(before) - torch.tensor(moved)
    limits = change_limits(values, anchors, most)
    rule = UpdateRule("sgd", 1.0)
    if rows is not None:
        rows = torch.tensor(rows)
        gradient = gradient[rows]
    rule.step("w", values, gradient, 1.0, rows, anchors, limits)
    return values.numpy()


@pytest.mark.parametrize("most", [0.01, 0.6, 1.0, 50.0])
def test_rows_are_moved_back_to_the_largest_change(most):
    anchors = normal(40) * np.linspace(0.01, 3, 40, dtype=np.float32)[:, None]
    moved = anchors + normal(40, seed=1)
    anchors[3], moved[4] = 0, anchors[4]  # a word without a vector; one that stayed
    result = moved_by_step(anchors, moved, anchors, most)
    unlimited = moved_by_step(anchors, moved, anchors, 1e6)
    for row, free, start, found in zip(moved, unlimited, anchors, result, strict=True):
        change = row.astype(np.float64) - start
        length, limit = np.linalg.norm(change), most * np.linalg.norm(start)
        if length <= limit:
            assert (found == free).all()  # to the bit
        else:
            expected = start + change * limit / length
            assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert not result[3].any() and np.isfinite(result).all()
    some = moved_by_step(anchors, moved, anchors, most, rows=[7, 0])
    assert (some[[0, 7]] == result[[0, 7]]).all()
    assert (some[8:] == anchors[8:]).all()


def test_rows_beyond_the_limit_may_stay_there():
    anchors = np.array([[1.0, 0.0]] * 3, np.float32)
    before = np.array([[5, 0], [1, 2], [1, 0]], np.float32)
    moved = np.array([[3, 0], [5, 0], [2, 0]], np.float32)
    result = moved_by_step(before, moved, anchors, 0.5)
    assert_allclose(result, [[3, 0], [3, 0], [1.5, 0]], atol=1e-6)


def test_rows_far_from_zero_or_next_to_it_are_moved_back_too():
    for scale in (1e-18, 1e15):
        anchors = np.full((1, 4), scale, np.float32)
        result = moved_by_step(anchors, 3 * anchors, anchors, 0.5)
        assert_allclose(result, np.full((1, 4), 1.5 * scale), rtol=1e-6)
