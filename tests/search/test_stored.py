"""Vectors as they are stored."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import normalize

from skparaphrase.search._stored import ChosenRows, StoredVectors, _from_half

VECTORS = np.random.RandomState(0).randn(50, 7).astype(np.float32) * 4
VECTORS[3] = 0
UNIT = normalize(VECTORS.astype(float))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rows_are_unit_vectors_and_given_ones_are_not_copied(dtype):
    given = VECTORS.astype(dtype)
    stored = StoredVectors.given(given)
    assert stored.array is given
    assert_allclose(stored[:], UNIT, atol=1e-3 if dtype == np.float16 else 1e-6)
    assert stored[:].dtype == np.float32
    assert_array_equal(stored[np.array([4, 2])], stored[:][[4, 2]])
    assert StoredVectors.given(UNIT.astype(np.float32)).factors is None


def test_all_finite_halves_become_the_same_numbers():
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    assert len(finite) == 2**16 - 2**11
    found = _from_half(finite)
    assert_array_equal(found, finite.astype(np.float32))
    assert_array_equal(np.signbit(found), np.signbit(finite))


def test_types():
    stored = StoredVectors.given(VECTORS)
    half, small = stored.astype("float16"), stored.astype("int8")
    assert (half.array.itemsize, small.array.itemsize) == (2, 1)
    assert_allclose(half[:], UNIT, atol=5e-4)
    assert_allclose(small[:], UNIT, atol=0.5 / 127 + 1e-3)  # half a level
    assert_allclose(np.linalg.norm(np.delete(small[:], 3, 0), axis=1), 1, rtol=1e-6)
    assert not small[:][3].any()
    assert np.abs(small.array).max() == 127


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_rows_can_be_taken_and_added(dtype):
    stored = StoredVectors.given(VECTORS, dtype)
    rows = np.array([5, 3, 8])
    assert_array_equal(stored.take(rows)[:], stored[:][rows])
    assert_array_equal(ChosenRows(stored, rows)[1:], stored[:][rows[1:]])
    unit = StoredVectors(UNIT[:4].astype(np.float32))
    both = stored.extended(unit)
    assert both.array.dtype == dtype
    assert len(both) == 54
    assert_allclose(both[:], np.concatenate([UNIT, UNIT[:4]]), atol=1e-2)
    assert_array_equal(both[:][:50], stored[:])
