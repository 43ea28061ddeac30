"""The common checks of scikit-learn, on encoders and on estimators of vectors.

The checks of supervised models are in `supervised/test_base.py`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from inspect import signature

import facades  # of the folder that conftest.py adds to the path
import numpy as np
import pytest
import registry
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder
from skparaphrase.pairs import (
    LastAxis,
    PairFeatures,
    PairSimilarity,
    PairVectorizer,
)
from skparaphrase.search import NearDuplicates, ParaphraseMiner, SemanticSearch

facade, VECTORS = facades.facade, facades.VECTORS


def reversed_rows(rows):
    """Each row and its reverse are the vectors of a pair."""
    return np.stack([rows, rows[:, ::-1]], axis=1)


def small(name, **params):
    """An encoder; if it is trained, on each row and a longer one."""
    options = {}
    if name in registry.TRAINED:
        options = {"fit_texts": facades.longer_texts, "targets": lambda rows, y: None}
        params["batch_size"] = 100  # one step of a fit
    elif name == "DistilledEncoder":
        options = {"targets": lambda rows, y: rows}
    return registry.small(facade(registry.ENCODERS[name], **options), VECTORS, **params)


FeaturesFacade = facade(PairFeatures, reversed_rows, vectors=True)
SimilarityFacade = facade(PairSimilarity, reversed_rows, vectors=True)
ESTIMATORS = [
    *map(small, registry.ENCODERS),
    small("SIFEncoder", frequencies="corpus"),
    CommonComponentRemoval(),
    CommonComponentRemoval(n_components=0),
    FeaturesFacade(),
    SimilarityFacade(),
    facade(PairVectorizer, facades.longer_texts)(),
    LastAxis(StandardScaler()),
    *(
        facade(Search)(AverageEncoder(VECTORS))
        for Search in (NearDuplicates, ParaphraseMiner, SemanticSearch)
    ),
]


def expected_failures(estimator):
    """Checks that fail, and why."""
    if isinstance(estimator, NearDuplicates):
        return {"check_clustering": "words say nothing about clusters of numbers"}
    name = type(estimator).__name__.removesuffix("OfTexts")
    if name in registry.TRAINED:
        why = "a repeated text is a negative example more often"
        return {"check_sample_weight_equivalence_on_dense_data": why}
    if name == "DistilledEncoder":
        return {"check_sample_weight_equivalence_on_dense_data": "single precision"}
    return {}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda x: type(x).__name__)
@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_common_checks(estimator):
    registry.check(estimator, expected_failures(estimator))


@pytest.mark.parametrize(
    "Estimator",
    [owner for owner in registry.estimators() if hasattr(owner, "fit")],
    ids=lambda owner: owner.__name__,
)
@pytest.mark.filterwarnings("ignore:Can't test estimator")
def test_tags_say_what_a_class_takes(Estimator):
    """scikit-learn then leaves out the checks with arrays of numbers."""
    parameters = signature(Estimator).parameters.values()
    if any(each.default is each.empty for each in parameters):
        pytest.skip("has no defaults")
    check_estimator(Estimator(), on_skip=None)
