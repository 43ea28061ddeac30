"""Checks of vectors whose last axis holds the features."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from skparaphrase._output import check_last_axis, check_pair_vectors


@pytest.mark.parametrize(
    "X",
    [
        ["a text", "another"],
        [("a", "b")],
        np.array(["a", "b"]),
        np.array([["a", "b"]], dtype=object),
        pd.DataFrame({"sentence1": ["a"], "sentence2": ["b"]}),
        pd.DataFrame({"n": [1.0], "sentence": ["b"]}),
        pd.Series(["a", "b"]),
        pd.Series([("a", "b")]),
        [pd.Series(["a", "b"])],
        pl.DataFrame({"sentence1": ["a"], "sentence2": ["b"]}),
        pl.Series(["a", "b"]),
        pa.table({"sentence1": ["a"], "sentence2": ["b"]}),
        pa.array(["a", "b"]),
        np.array(["a", "b"], dtype=np.dtypes.StringDType()),
    ],
    ids=lambda X: type(X).__name__,
)
@pytest.mark.parametrize("check", [check_last_axis, check_pair_vectors])
def test_texts_are_told_from_vectors(check, X):
    with pytest.raises(ValueError, match="but got texts: add an encoder before it"):
        check(X, BaseEstimator(), reset=True)


def test_a_failed_fit_leaves_nothing_fitted():
    estimator = BaseEstimator()
    with pytest.raises(ValueError, match=r"vectors of pairs.*\(6, 5\)"):
        check_pair_vectors(np.ones((6, 5)), estimator, reset=True)
    assert not hasattr(estimator, "n_features_in_")
    assert check_pair_vectors([[[1, 2], [3, 4]]], estimator, reset=True).dtype == float
    assert estimator.n_features_in_ == 2
