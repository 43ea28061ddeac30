"""The rows of a table that a batch uses."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal

from skparaphrase.networks import WordTable
from skparaphrase.networks._table import gather_rows, scatter_rows

CPU = torch.device("cpu")


def normal(n_rows=20, seed=0):
    return np.random.RandomState(seed).randn(n_rows, 4).astype(np.float32)


@pytest.mark.parametrize("sparse", [True, False])
def test_a_leaf_holds_each_word_once(sparse):
    matrix, initial = normal(), normal(seed=1)
    table = WordTable(matrix, anchors=initial, sparse=sparse, device=CPU)
    for size in (30, 5, 0, 12):
        ids = np.random.RandomState(size).randint(20, size=size).astype(np.int32)
        used = table.used(ids)
        leaf = table.leaf(used)
        assert_array_equal(leaf.detach()[used.local], matrix[ids])
        rows = np.unique(ids) if sparse else np.arange(20)
        assert_array_equal(np.arange(20) if used.rows is None else used.rows, rows)
        assert_array_equal(used.anchors, initial[rows])


def test_steps_write_into_the_matrix_given():
    matrix, expected = normal(), normal()
    table = WordTable(matrix, device=CPU)
    used = table.used(np.array([5, 2, 5]))
    leaf = table.leaf(used)
    assert leaf.requires_grad and used.anchors is None
    table.write(torch.zeros(2, 4), used)
    expected[[2, 5]] = 0
    assert_array_equal(matrix, expected)
    assert np.shares_memory(matrix, table.numpy())
    assert not WordTable(matrix, device=CPU, frozen=True).leaf(used).requires_grad


@pytest.mark.parametrize("n_threads", [1, 2])
def test_rows_are_gathered_and_scattered_in_one_thread_or_more(n_threads):
    matrix, rows = normal(), np.array([7, 0, 3])
    try:
        torch.set_num_threads(n_threads)
        table, out = torch.tensor(matrix), torch.empty(3, 4)
        assert_array_equal(gather_rows(table, torch.from_numpy(rows)), matrix[rows])
        assert gather_rows(table, torch.from_numpy(rows), out) is out
        assert_array_equal(out, matrix[rows])
        scatter_rows(table, torch.from_numpy(rows), -out)
        by_columns = torch.tensor(matrix).T.contiguous().T
        scatter_rows(by_columns, torch.from_numpy(rows), -out)
        assert_array_equal(by_columns, table)
    finally:
        torch.set_num_threads(1)
    matrix[rows] *= -1
    assert_array_equal(table, matrix)
