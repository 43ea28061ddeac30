"""Ragged batches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.text._lookup import TokenBatch

ROWS = [[5, 7], [], [5], [1, 2, 3], [], []]


def batch_of(rows):
    ids = np.array([row for r in rows for row in r], dtype=np.int32)
    return TokenBatch(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64))


def test_positions_in_a_batch():
    batch = batch_of(ROWS)
    assert batch[-3].tolist() == ROWS[-3]
    assert batch.lengths.tolist() == [len(row) for row in ROWS]
    assert batch[np.int64(3)].tolist() == ROWS[3]
    for i in (6, -7):
        with pytest.raises(IndexError):
            batch[i]


@given(st.lists(st.integers(0, len(ROWS) - 1), max_size=9))
def test_take_any_texts_in_any_order(as_lists, texts):
    taken = batch_of(ROWS).take(np.array(texts, dtype=np.int64))
    assert as_lists(taken) == [ROWS[i] for i in texts]


def test_an_empty_batch(as_lists):
    batch = batch_of([])
    assert as_lists(batch) == as_lists(batch.take(np.empty(0, np.int64))) == []
