"""Searches of Optuna over the parameters of an encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.metrics import pearson_scorer
from skparaphrase.pairs import PairSimilarity

pytestmark = pytest.mark.integration

FOLDS = KFold(3, shuffle=True, random_state=0)


@pytest.fixture
def similarity(encoders):
    return make_pipeline(encoders["sif"], CommonComponentRemoval(), PairSimilarity())


@pytest.mark.filterwarnings("ignore:`optuna.terminator`:FutureWarning")
@pytest.mark.filterwarnings("ignore:OptunaSearchCV is experimental")
def test_optuna_search(similarity, pairs, gold):
    optuna = pytest.importorskip("optuna")
    integration = pytest.importorskip("optuna_integration")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    pairs = np.array(pairs, dtype=object)
    space = {
        "sifencoder__a": optuna.distributions.FloatDistribution(1e-4, 1, log=True),
        "commoncomponentremoval__n_components": (
            optuna.distributions.IntDistribution(0, 2)
        ),
    }
    search = integration.OptunaSearchCV(
        similarity,
        space,
        scoring=pearson_scorer,
        cv=FOLDS,
        n_trials=4,
        n_jobs=2,
        random_state=0,
        error_score="raise",
    )
    search.fit(pairs, gold)
    assert len(search.trials_) == 4
    for trial in search.trials_:
        candidate = clone(similarity).set_params(**trial.params)
        scores = cross_val_score(
            candidate, pairs, gold, scoring=pearson_scorer, cv=FOLDS
        )
        assert_allclose(trial.value, scores.mean(), atol=1e-6)
    assert search.best_score_ == max(trial.value for trial in search.trials_)
    best = clone(similarity).set_params(**search.best_params_).fit(pairs, gold)
    assert_array_equal(search.predict(pairs), best.predict(pairs))
    assert search.best_estimator_[0].vectors is similarity[0].vectors
