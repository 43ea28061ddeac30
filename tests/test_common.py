"""The common checks of scikit-learn, on encoders and on estimators of vectors.

Those of models of labelled examples are in `test_trained_model.py`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import facades  # which conftest.py imports
import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    DistilledEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParagramEncoder,
    ProjectionEncoder,
    RNNEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity
from skparaphrase.search import NearDuplicates, ParaphraseMiner, SemanticSearch

facade, VECTORS = facades.facade, facades.VECTORS


def reversed_rows(rows):
    """Each row and its reverse are the vectors of a pair."""
    return np.stack([rows, rows[:, ::-1]], axis=1)


def trained(Encoder, *vectors, **params):
    """Trained on each row and the next one; composed by products of matrices."""
    small = {"max_epochs": 1, "batch_size": 8, "device": "cpu"}
    Facade = facade(Encoder, fit_texts=facades.neighbours, targets=lambda rows, y: None)
    return Facade(*vectors, **{**small, **params})


PRODUCTS = [  # of float32 matrices
    trained(ProjectionEncoder, VECTORS, dim=4),
    trained(DeepAveragingEncoder, VECTORS, n_layers=2, activation="relu"),
    trained(RNNEncoder, VECTORS, dim=3),
    trained(IdentityRNNEncoder, VECTORS),
    trained(LSTMEncoder, VECTORS, output_gate=True),
    trained(ConvolutionalEncoder, VECTORS, n_filters=2, activation="tanh"),
    trained(CharCNNEncoder, embedding_dim=3, dim=4, filters=[(2, 2), (3, 1)]),
    trained(CharLSTMEncoder, embedding_dim=3, dim=4),
]
FeaturesFacade = facade(PairFeatures, reversed_rows, vectors=True)
SimilarityFacade = facade(PairSimilarity, reversed_rows, vectors=True)
ESTIMATORS = [
    *PRODUCTS,
    facade(AverageEncoder)(VECTORS),
    facade(TfidfEncoder)(VECTORS),
    facade(SIFEncoder)(VECTORS),
    facade(SIFEncoder)(VECTORS, frequencies="corpus"),
    facade(DistilledEncoder, targets=lambda rows, y: rows)(
        VECTORS, dim=None, n_subwords=None
    ),
    trained(ParagramEncoder, VECTORS, max_epochs=2),
    trained(ParagramEncoder, VECTORS, weighting="sif", loss="infonce"),
    trained(CharagramEncoder, dim=4),
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
    if not isinstance(estimator, tuple(map(type, PRODUCTS))):
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
