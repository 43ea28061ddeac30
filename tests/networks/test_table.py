"""The rows of a table that a batch uses."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal

from skparaphrase.networks._table import WordTable, gather_rows

CPU = torch.device("cpu")


def normal(n_rows=20, seed=0):
    return np.random.RandomState(seed).randn(n_rows, 4).astype(np.float32)


@pytest.mark.parametrize("sparse", [True, False])
def test_a_leaf_holds_each_word_once(sparse):
    matrix = normal()
    table = WordTable(matrix, sparse=sparse, device=CPU)
    for size in (30, 5, 0, 12):
        ids = np.random.RandomState(size).randint(20, size=size).astype(np.int32)
        used = table.used(ids)
        leaf = table.leaf(used)
        assert_array_equal(leaf.detach()[used.local], matrix[ids])
        rows = np.unique(ids) if sparse else np.arange(20)
        assert_array_equal(np.arange(20) if used.rows is None else used.rows, rows)


def test_tables_are_trained_in_place_unless_frozen():
    matrix = normal()
    table, frozen = (WordTable(matrix, device=CPU, frozen=is_) for is_ in (False, True))
    used = table.used(np.array([5, 2, 5]))
    assert table.leaf(used).requires_grad and not frozen.leaf(used).requires_grad
    assert np.shares_memory(matrix, table.numpy())


@pytest.mark.parametrize("n_threads", [1, 2])
def test_rows_are_gathered_in_one_thread_or_more(n_threads):
    matrix, rows = normal(), np.array([7, 0, 3])
    try:
        torch.set_num_threads(n_threads)
        found = gather_rows(torch.tensor(matrix), torch.from_numpy(rows))
    finally:
        torch.set_num_threads(1)
    assert_array_equal(found, matrix[rows])
