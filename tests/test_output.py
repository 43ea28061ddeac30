"""Arrays that carry the index of a frame."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest

from skparaphrase._output import IndexedArray, without_metadata


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(4, 2, 3))


def test_only_the_array_itself_has_the_index(vectors):
    indexed = IndexedArray.of(vectors, pd.Index(list("abcd")))
    assert indexed.index.tolist() == list("abcd")
    assert pickle.loads(pickle.dumps(indexed)).index.tolist() == list("abcd")
    assert indexed[1:].index is indexed.copy().index is None
    assert type(indexed + 1) is np.ndarray
    assert type(indexed.sum()) is np.float64
    assert without_metadata(np.asarray(indexed)).dtype.metadata is None


def test_caches_see_the_index(vectors):
    names = ("abcd", "abcd", "efgh")
    first, same, other = (IndexedArray.of(vectors, pd.Index([*name])) for name in names)
    assert joblib.hash(first) == joblib.hash(same) != joblib.hash(other)
