"""Arrays that carry the index of a frame."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd

from skparaphrase._output import IndexedArray


def test_only_the_array_itself_has_the_index(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(4, 2, 3))
    indexed = IndexedArray.wrap(vectors, pd.Index(list("abcd")))
    assert np.shares_memory(indexed, vectors)
    again = pickle.loads(pickle.dumps(indexed))
    assert again.index.tolist() == indexed.index.tolist() == list("abcd")
    np.testing.assert_array_equal(again, vectors)
    assert indexed[1:].index is indexed.copy().index is None
    assert type(indexed + 1) is type(np.asarray(indexed)) is np.ndarray
    assert type(indexed.sum()) is np.float64
    np.save(tmp_path / "vectors.npy", indexed)
    np.testing.assert_array_equal(np.load(tmp_path / "vectors.npy"), vectors)
