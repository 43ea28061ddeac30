"""Scores of pairs: their scale, their correlation, and selection by it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from skparaphrase.encoders import LSTMEncoder, ParaphraseEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.text import WordTokenizer

SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 8, "device": "cpu",
    "random_state": 0,
}  # fmt: skip


@pytest.fixture
def model(vectors):
    return SimilarityRegressor(ParaphraseEncoder(vectors), levels=range(6), **SMALL)


@pytest.mark.filterwarnings("ignore:The loss of .* a constant output")
def test_best_epoch_of_another_validation_set(model, pairs, gold):
    model.set_params(levels=range(-5, 6), warm_start=True)
    model.fit(pairs, gold, X_val=pairs, y_val=gold)
    before = pearson_scorer(model, pairs, -gold)
    model.set_params(learning_rate=0.05, max_epochs=10)
    model.fit(pairs, -gold, X_val=pairs, y_val=-gold)
    assert max(model.validation_scores_[3:]) > before
    assert model.best_epoch_ > 2
    assert pearson_scorer(model, pairs, -gold) == max(model.validation_scores_[3:])


def test_grid_search_over_encoder_and_head(vectors, pairs, gold):
    encoder = LSTMEncoder(vectors, tokenizer=WordTokenizer())
    model = SimilarityRegressor(encoder, levels=range(6), **SMALL)
    upper = [(one.upper(), other.upper()) for one, other in pairs]
    grid = {
        "encoder__output_gate": [True, False],
        "encoder__tokenizer__split_compounds": [False],
        "hidden_dim": [2, 5],
    }
    search = GridSearchCV(model, grid, cv=KFold(2)).fit(upper, gold)
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) == 4
    best = clone(model).set_params(**search.best_params_)
    found = cross_val_score(best, upper, gold, cv=KFold(2)).mean()
    assert_allclose(found, max(scores), rtol=1e-4)
    shape = search.best_estimator_.head_["hidden.bias"].shape
    assert shape == (search.best_params_["hidden_dim"],)
    found = search.best_estimator_.fit(upper, gold).predict(upper)
    assert_array_equal(search.predict(upper), found)
