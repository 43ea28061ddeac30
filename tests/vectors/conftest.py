"""Small tables with odd words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skparaphrase.vectors import WordVectors

ODD_WORDS = ["cat", "a\nb", "\ud800", "", "naïve", "😀\0", ". . .", "\u2028", "\\", '"']


def _table(dtype="float32", n=10, dim=4, unknown=None):
    matrix = np.random.default_rng(0).normal(size=(n, dim))
    words = ODD_WORDS if n == 10 else [f"w{i}" for i in range(n)]
    return WordVectors(words, matrix, unknown=unknown).astype(dtype)


def _full(vectors):
    matrix = vectors.matrix.astype(np.float32)
    return matrix if vectors.scale is None else matrix * vectors.scale[:, None]


def _assert_same(found, expected):
    assert found.words == expected.words
    assert [*map(found.index.get, expected.words)] == [*range(len(expected))]
    assert (found.unknown, found.dtype) == (expected.unknown, expected.dtype)
    assert found.is_weighted is expected.is_weighted
    assert_array_equal(found.matrix, expected.matrix)
    assert_array_equal(_full(found), _full(expected))


@pytest.fixture(scope="session")
def table():
    """Make a table."""
    return _table


@pytest.fixture(scope="session")
def full():
    """All vectors of a table in float32."""
    return _full


@pytest.fixture(scope="session")
def assert_same():
    """Compare two tables."""
    return _assert_same
