"""scikit-learn transformers on the vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler

from skparaphrase.pairs import LastAxis, PairSimilarity

TRANSFORMERS = [PCA(3), StandardScaler(), Normalizer(), OneHotEncoder()]
TRANSFORMERS += [StandardScaler().set_output(transform="pandas")]


@pytest.mark.parametrize("shape", [(80, 5), (40, 2, 5), (8, 5, 2, 5)])
@pytest.mark.parametrize("transformer", TRANSFORMERS)
def test_last_axis_is_reshaping(paired, shape, transformer):
    rows = paired.reshape(-1, 5)
    expected = transformer.fit_transform(rows)
    expected = expected.toarray() if issparse(expected) else np.asarray(expected)
    found = LastAxis(transformer).fit_transform(rows.reshape(shape))
    assert_allclose(found, expected.reshape(*shape[:-1], -1), atol=1e-10)


def test_last_axis_repeats_y(paired, paired_gold):
    rows, targets = paired.reshape(-1, 5), paired_gold.repeat(2)
    step = LastAxis(SelectKBest(f_regression, k=2)).fit(paired, paired_gold)
    selected = SelectKBest(f_regression, k=2).fit(rows, targets)
    assert_array_equal(step.transformer_.scores_, selected.scores_)
    both = np.column_stack([paired_gold, -(paired_gold**2)])
    step = LastAxis(PLSRegression(2)).fit(paired, both)
    partial = PLSRegression(2).fit(rows, both.repeat(2, axis=0))
    assert_allclose(step.transform(paired).reshape(-1, 2), partial.transform(rows))


@config_context(enable_metadata_routing=True)
def test_last_axis_repeats_the_weights(paired):
    weights = np.arange(len(paired)) < 3
    scaler = StandardScaler().set_fit_request(sample_weight=True)
    pipe = make_pipeline(LastAxis(scaler)).fit(paired, sample_weight=weights)
    found = pipe[0].transformer_.mean_
    assert_allclose(found, paired[:3].mean(axis=(0, 1)), rtol=1e-6)
    with pytest.raises(ValueError, match="not explicitly set as requested"):
        LastAxis(StandardScaler()).fit(paired, sample_weight=weights)


def test_last_axis_in_a_grid(paired, paired_gold):
    pipe = make_pipeline(LastAxis(PCA(random_state=0)), PairSimilarity())
    search = GridSearchCV(pipe, {"lastaxis__transformer__n_components": [1, 3, 5]})
    search.fit(paired, paired_gold)
    best = search.best_params_["lastaxis__transformer__n_components"]
    assert search.best_estimator_[0].transform(paired).shape == (40, 2, best)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_last_axis_names_and_frames(paired):
    step = LastAxis(PCA(2)).fit(paired)
    assert not hasattr(step.transformer, "components_")  # a clone is fitted
    assert step.get_feature_names_out().tolist() == ["pca0", "pca1"]
    frame = step.set_output(transform="pandas").transform(paired[:, 0])
    assert frame.columns.tolist() == ["pca0", "pca1"]
    assert isinstance(step.transform(paired), np.ndarray)


@pytest.mark.parametrize("shape", [(0, 5), (0, 2, 5)])
@pytest.mark.parametrize("transformer", [PCA(3), StandardScaler()], ids=str)
def test_last_axis_of_zero_rows(paired, shape, transformer):
    step = LastAxis(transformer).fit(paired)
    expected = (*shape[:-1], step.transform(paired).shape[-1])
    assert step.transform(np.empty(shape)).shape == expected
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        LastAxis(transformer).fit(np.empty(shape))


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones((6, 2, 4)), "X has 4 features"),
        (np.full((6, 2, 5), np.nan), "NaN"),
        (np.ones(5), "2D"),
    ],
)
def test_last_axis_refuses(paired, vectors, message):
    step = LastAxis(StandardScaler()).fit(paired)
    with pytest.raises(ValueError, match=message):
        step.transform(vectors)
