"""Encoders and data shared by the tests of inspection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import matplotlib
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParaphraseEncoder, SIFEncoder
from skparaphrase.pairs import PairFeatures, PairSimilarity

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close(close_figures):
    """No test leaves a figure open."""


@pytest.fixture(scope="session")
def bundled():
    return load_graded_pairs(return_X_y=True)


@pytest.fixture(scope="session")
def paraphrases():
    return load_paraphrases().data


@pytest.fixture(scope="session")
def trained(paraphrases):
    encoder = ParaphraseEncoder(max_epochs=2, device="cpu", random_state=0)
    return encoder.fit(paraphrases)


@pytest.fixture(scope="session")
def ways(bundled):
    """Estimators with the same encoder that remove a component."""
    pairs = bundled[0]
    encoder, removal = SIFEncoder(), CommonComponentRemoval()
    pipe = make_pipeline(encoder, removal, "passthrough", PairSimilarity()).fit(pairs)
    search = GridSearchCV(pipe, {}, cv=2, scoring=lambda *_: 0.0).fit(pairs)
    frozen = map(FrozenEstimator, (pipe[0], pipe[1]))
    return {
        "pipeline": pipe,
        "frozen": FrozenEstimator(pipe),
        "search": search,
        "features": make_pipeline(FrozenEstimator(pipe[:-1]), PairFeatures()),
        "classifier": make_pipeline(*frozen, PairFeatures(), LogisticRegression()),
        "transformer": pipe[:-1],
    }
