"""Checks of vectors on the last axis, and arrays that carry the index of a frame."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from skparaphrase._output import IndexedArray, check_last_axis, check_pair_vectors
from skparaphrase.encoders import AverageEncoder
from skparaphrase.pairs import PairFeatures


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


def test_a_cache_tells_the_indices_of_equal_pairs_apart(tmp_path):
    pairs = [("a cat", "the cat"), ("a dog", "the dog")]
    pipeline = make_pipeline(
        AverageEncoder(), PairFeatures(), StandardScaler(), memory=str(tmp_path)
    ).set_output(transform="pandas")
    for index in ([10, 20], ["x", "y"], [10, 20], pd.RangeIndex(2)):
        frame = pd.DataFrame(pairs, index=index)
        found = pipeline.fit_transform(frame)
        assert found.index.tolist() == [*index]
    vectors = IndexedArray.wrap(np.ones((2, 3)), pd.Index([1, 2]))
    same, other = (IndexedArray.wrap(np.ones((2, 3)), pd.Index([1, i])) for i in (2, 3))
    assert joblib.hash(vectors) == joblib.hash(same) != joblib.hash(other)


@pytest.mark.parametrize(
    "X",
    [
        ["a text", "another"],
        np.array(["a", "b"]),
        np.array([["a", "b"]], dtype=object),
        pd.DataFrame({"n": [1.0], "sentence": ["b"]}),
        pd.Series(["a", "b"]),
        pd.Series([["a", "b"]]),
        pl.Series(["a", "b"]),
        pa.table({"sentence1": ["a"], "sentence2": ["b"]}),
        np.array(["a", "b"], dtype=np.dtypes.StringDType()),
    ],
    ids=lambda X: type(X).__name__,
)
@pytest.mark.parametrize("check", [check_last_axis, check_pair_vectors])
def test_texts_are_told_from_vectors(check, X):
    with pytest.raises(ValueError, match="but got texts: add an encoder before it"):
        check(X, BaseEstimator(), reset=True)


@pytest.mark.parametrize(
    "X",
    [
        sparse.dia_array(np.eye(2)),
        [[1, 2], [3]],
        [[1, [2]]],
        {"a": 1},
        iter([1]),
        np.array(3),
    ],
    ids=lambda X: type(X).__name__,
)
def test_other_containers_have_the_message_of_scikit_learn(X):
    with pytest.raises((TypeError, ValueError)) as expected:
        check_array(X, allow_nd=True)
    with pytest.raises(type(expected.value)) as found:
        check_last_axis(X, BaseEstimator(), reset=True)
    start = str(expected.value)[:20]
    assert str(found.value).startswith(start)


def test_a_failed_fit_leaves_nothing_fitted():
    estimator = BaseEstimator()
    with pytest.raises(ValueError, match=r"vectors of pairs.*\(6, 5\)"):
        check_pair_vectors(np.ones((6, 5)), estimator, reset=True)
    assert not hasattr(estimator, "n_features_in_")
    assert check_pair_vectors([[[1, 2], [3, 4]]], estimator, reset=True).dtype == float
    assert estimator.n_features_in_ == 2
