"""The common checks of scikit-learn, on encoders and on estimators of vectors.

Those of models of labelled examples are in `test_trained_model.py`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import facades  # of the folder that conftest.py adds to the path
import numpy as np
import pytest
import registry
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, CharagramEncoder, ParagramEncoder
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity
from skparaphrase.search import NearDuplicates, ParaphraseMiner, SemanticSearch

facade, VECTORS = facades.facade, facades.VECTORS


def reversed_rows(rows):
    """Each row and its reverse are the vectors of a pair."""
    return np.stack([rows, rows[:, ::-1]], axis=1)


def small(name, **params):
    """An encoder; if it is trained, on each row and the next one."""
    options = {}
    if name in registry.TRAINED:
        options = {"fit_texts": facades.neighbours, "targets": lambda rows, y: None}
    elif name == "DistilledEncoder":
        options = {"targets": lambda rows, y: rows}
    return registry.small(facade(registry.ENCODERS[name], **options), VECTORS, **params)


FeaturesFacade = facade(PairFeatures, reversed_rows, vectors=True)
SimilarityFacade = facade(PairSimilarity, reversed_rows, vectors=True)
ESTIMATORS = [
    *map(small, registry.ENCODERS),
    small("SIFEncoder", frequencies="corpus"),
    small("ParagramEncoder", loss="margin"),
    small("ParagramEncoder", max_epochs=2),
    small("DeepAveragingEncoder", n_layers=2, activation="relu"),
    small("LSTMEncoder", output_gate=True),
    small("ConvolutionalEncoder", activation="tanh"),
    CommonComponentRemoval(),
    CommonComponentRemoval(n_components=0),
    FeaturesFacade(),
    FeaturesFacade(how=["cosine", "sum"]),
    SimilarityFacade(),
    SimilarityFacade(metric="manhattan"),
    LastAxis(StandardScaler()),
    *(
        facade(Search)(AverageEncoder(VECTORS))
        for Search in (NearDuplicates, ParaphraseMiner, SemanticSearch)
    ),
]


def expected_failures(estimator):
    """Checks that may fail, and why; our own tests require 1e-6."""
    if isinstance(estimator, NearDuplicates):
        return {"check_clustering": "words say nothing about clusters of numbers"}
    is_average = isinstance(estimator, (ParagramEncoder, CharagramEncoder))
    if is_average or not isinstance(estimator, TrainedEncoder):
        return {}
    reason = "a product of matrices rounds a row by its place among the others"
    names = "sample_order_invariance", "subset_invariance"
    return {f"check_methods_{name}": reason for name in names}


@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=expected_failures, xfail_strict=False
)
def test_common_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_all_checks_run(estimator):
    assert len(list(estimator_checks_generator(estimator))) >= 40
