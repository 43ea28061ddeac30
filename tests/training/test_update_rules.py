"""Update rules against their recurrences in NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import mmap
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from skparaphrase.training import _update_rules
from skparaphrase.training._update_rules import (
    RULES,
    AdaGrad,
    ChangeLimits,
    clip_norm_,
    limit_change_,
)

CPU = torch.device("cpu")
each_rule = pytest.mark.parametrize("name", RULES)


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


def update(rule, parameter, gradient, rows=None, **more):
    if rows is None:
        rule.step("w", parameter, gradient, parameter, **more)
    else:
        values = parameter[rows]
        rule.step("w", parameter, gradient[rows], values, rows, **more)
        parameter[rows] = values


@pytest.mark.parametrize("some_rows", [False, True])
@pytest.mark.parametrize("factor", [1.0, 0.5])
@each_rule
def test_updates_follow_the_recurrence(name, factor, some_rows, monkeypatch):
    monkeypatch.setattr(_update_rules, "_CHUNK", 2)
    start, rule = normal(), RULES[name](0.05 / factor)
    parameter = torch.tensor(start)
    used = [[0, 1], [2], [0], [1, 2, 4], [4]] if some_rows else [range(8)] * 5
    steps = [(normal(seed=seed), list(used[seed])) for seed in range(5)]
    for gradient, rows in steps:
        rows = torch.tensor(rows) if some_rows else None
        update(rule, parameter, torch.tensor(gradient), rows, factor=factor)
        update(rule, parameter, torch.tensor(gradient), torch.tensor([]).long()[:0])
        rule.state["w"]["n_steps"] -= 1  # a step without rows does nothing else
    assert_allclose(parameter, slow_updates(name, start, steps), rtol=1e-5, atol=1e-6)


def test_adagrad_with_rows_equals_dense_to_the_bit():
    dense, sparse = torch.tensor(normal()), torch.tensor(normal())
    first, second = AdaGrad(0.05), AdaGrad(0.05)
    for seed, rows in enumerate([[6, 1, 3], [1, 2, 5], [0, 6, 3]]):
        rows, gradient = torch.tensor(rows), torch.zeros(8, 4)
        gradient[rows] = torch.tensor(normal(3, seed=seed + 1))
        update(first, dense, gradient)
        update(second, sparse, gradient, rows)
    assert torch.equal(dense, sparse)


@each_rule
def test_a_rule_continues_from_its_state(name):
    whole, parts = torch.tensor(normal()), torch.tensor(normal())
    rule, interrupted = RULES[name](0.05), RULES[name](0.05)
    for seed in range(1, 5):
        gradient = torch.tensor(normal(seed=seed))
        update(rule, whole, gradient)
        update(interrupted, parts, gradient)
        state = interrupted.state_dict()
        assert not any(map(torch.is_tensor, state["w"].values()))
        interrupted = RULES[name](0.05)
        interrupted.load_state_dict(state, CPU)
    assert torch.equal(whole, parts)


@pytest.mark.parametrize("clip", [0.5, 1.0, 100.0])
def test_clip_scales_by_the_factor_of_the_papers_code(clip):
    gradient = torch.tensor(normal())
    clip_norm_(gradient, clip)
    norm = np.linalg.norm(normal())
    assert_allclose(gradient, normal() * min(norm, clip) / (norm + 1e-7), rtol=1e-6)


def limits_of(values, initial, most):
    """For all rows, and once more for rows of a table."""
    found = ChangeLimits(most).for_rows(values, initial, None, len(values))
    rows = torch.arange(len(values))
    assert (
        ChangeLimits(most).for_rows(values, initial, rows, len(values)) == found
    ).all()
    return found


@pytest.mark.parametrize("most", [0.01, 0.6, 1.0, 50.0])
def test_rows_are_moved_back_to_the_largest_change(most):
    initial = normal(40) * np.linspace(0.01, 3, 40, dtype=np.float32)[:, None]
    moved = initial + normal(40, seed=1)
    initial[3], moved[4] = 0, initial[4]  # a word without a vector; one that stayed
    rows = torch.tensor(moved)
    start = torch.tensor(initial)
    limit_change_(rows, start, limits_of(start, start, most))
    for row, start, found in zip(moved, initial, rows.numpy(), strict=True):
        change = row.astype(np.float64) - start
        length, limit = np.linalg.norm(change), most * np.linalg.norm(start)
        if length <= limit:
            assert (found == row).all()  # to the bit
        else:
            assert_allclose(
                found, start + change * limit / length, rtol=1e-5, atol=1e-6
            )
    assert not rows[3].any() and np.isfinite(rows.numpy()).all()


def test_rows_beyond_the_limit_may_stay_there():
    initial = torch.tensor([[1.0, 0.0]] * 3)
    moved = torch.tensor([[3.0, 0.0], [5.0, 0.0], [2.0, 0.0]])
    before = torch.tensor([[5.0, 0.0], [1.0, 2.0], [1.0, 0.0]])
    limit_change_(moved, initial, limits_of(before, initial, 0.5))
    assert_allclose(moved, [[3, 0], [3, 0], [1.5, 0]])


def test_rows_far_from_zero_or_next_to_it_are_moved_back_too():
    for scale in (1e-18, 1e15):
        initial, moved = torch.ones(1, 4) * scale, torch.full((1, 4), 3.0) * scale
        limit_change_(moved, initial, limits_of(initial, initial, 0.5))
        assert_allclose(moved, np.full((1, 4), 1.5 * scale), rtol=1e-6)


@pytest.mark.skipif(not hasattr(mmap, "MADV_NOHUGEPAGE"), reason="needs Linux")
def test_moments_take_memory_for_the_rows_in_use():
    def resident():
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        (line,) = [line for line in lines if line.startswith("RssAnon")]
        return int(line.split()[1]) / 1024  # MB

    table = torch.from_numpy(np.zeros((500_000, 300), np.float32))  # 600 MB
    rows = torch.arange(0, 500_000, 2500)
    values, gradient = torch.zeros(200, 300), torch.ones(200, 300)
    rule, before = AdaGrad(0.05), resident()
    rule.step("w", table, gradient, values, rows)
    assert resident() - before < 60
    square = rule.state_dict()["w"]["square"]
    assert_allclose(square[rows.numpy()], 1, atol=1e-5)
    assert not square[1:2500].any()
