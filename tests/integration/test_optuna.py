"""Searches of Optuna over the parameters of an encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.metrics import pearson_score, pearson_scorer
from skparaphrase.pairs import PairSimilarity

pytestmark = pytest.mark.integration

FOLDS = KFold(3, shuffle=True, random_state=0)


@pytest.fixture
def similarity(encoders):
    return make_pipeline(encoders["sif"], CommonComponentRemoval(), PairSimilarity())


def score_by_hand(similarity, params, pairs, gold, train, test):
    """The steps one by one, with the encoder alone in front."""
    encoder, removal, head = map(clone, dict(similarity.steps).values())
    encoder.set_params(a=params["sifencoder__a"]).fit(pairs[train])
    removal.n_components = params["commoncomponentremoval__n_components"]
    removal.fit(encoder.transform(pairs[train]))
    vectors = removal.transform(encoder.transform(pairs[test]))
    return pearson_score(gold[test], head.fit(vectors).predict(vectors))


@pytest.mark.filterwarnings("ignore:`optuna.terminator`:FutureWarning")
@pytest.mark.filterwarnings("ignore:OptunaSearchCV is experimental")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_optuna_search(similarity, pairs, gold, n_jobs):
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
        n_jobs=n_jobs,
        random_state=0,
        error_score="raise",
    )
    search.fit(pairs, gold)
    assert len(search.trials_) == 4
    for trial in search.trials_:
        found = [trial.user_attrs[f"split{k}_test_score"] for k in range(3)]
        expected = [
            score_by_hand(similarity, trial.params, pairs, gold, train, test)
            for train, test in FOLDS.split(pairs)
        ]
        assert_allclose(found, expected, atol=1e-6)
        assert_allclose(trial.value, np.mean(expected), atol=1e-6)
    assert search.best_score_ == max(trial.value for trial in search.trials_)
    best = clone(similarity).set_params(**search.best_params_).fit(pairs, gold)
    assert_array_equal(search.predict(pairs), best.predict(pairs))
    assert search.best_estimator_[0].vectors is similarity[0].vectors
