"""The common checks of scikit-learn, through numbers that stand for texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity
from skparaphrase.vectors import WordVectors

N_WORDS = 101
VECTORS = WordVectors(
    [f"w{i}" for i in range(N_WORDS)],
    np.random.default_rng(0).normal(size=(N_WORDS, 5)),
)


class TwoDimensional:
    """Tags of a facade, which takes rows of numbers."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.one_d_array = False
        tags.input_tags.three_d_array = False
        tags.input_tags.string = False
        return tags


class RowsAsTexts(TwoDimensional):
    """Every row of numbers is a text, a word a number."""

    def fit(self, X, y=None):
        return super().fit(self._texts(X, reset=True), y)

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(self._texts(X, reset=False))

    def _texts(self, X, *, reset):
        rows = np.rint(4 * validate_data(self, X, reset=reset)).astype(int)
        numbers = (rows + 31 * np.arange(rows.shape[1])) % N_WORDS
        return [" ".join(f"w{number}" for number in row) for row in numbers]


class RowsAsParaphrases(RowsAsTexts):
    """Trained on every row and its neighbour."""

    def fit(self, X, y=None):
        return super(RowsAsTexts, self).fit(self._pairs(X, reset=True))

    def partial_fit(self, X, y=None):
        pairs = self._pairs(X, reset=not hasattr(self, "n_features_in_"))
        return super().partial_fit(pairs)

    def _pairs(self, X, *, reset):
        texts = self._texts(X, reset=reset)
        return list(zip(texts, texts[1:] + texts[:1], strict=True))


class RowsAsPairs(TwoDimensional):
    """Every row of numbers and its reverse are the vectors of a pair."""

    def fit(self, X, y=None):
        return super().fit(self._pair(X), y)

    @staticmethod
    def _pair(X):
        X = check_array(X, ensure_all_finite=False, ensure_min_samples=0)
        return np.stack([X, X[:, ::-1]], axis=1)


class AverageFacade(RowsAsTexts, AverageEncoder):
    pass


class TfidfFacade(RowsAsTexts, TfidfEncoder):
    pass


class SIFFacade(RowsAsTexts, SIFEncoder):
    pass


class ParagramFacade(RowsAsParaphrases, ParagramEncoder):
    pass


class FeaturesFacade(RowsAsPairs, PairFeatures):
    def transform(self, X):
        check_is_fitted(self)
        return super().transform(self._pair(X))


class SimilarityFacade(RowsAsPairs, PairSimilarity):
    def predict(self, X):
        check_is_fitted(self)
        return super().predict(self._pair(X))

    def score(self, X, y, sample_weight=None):
        return super().score(X, y, sample_weight)


ESTIMATORS = [
    AverageFacade(VECTORS),
    TfidfFacade(VECTORS),
    SIFFacade(VECTORS),
    SIFFacade(VECTORS, frequencies="corpus"),
    ParagramFacade(VECTORS, max_epochs=2, batch_size=8, device="cpu"),
    ParagramFacade(VECTORS, max_epochs=1, weighting="sif", loss="infonce"),
    CommonComponentRemoval(),
    CommonComponentRemoval(n_components=0),
    FeaturesFacade(),
    FeaturesFacade(how=["cosine", "sum"]),
    SimilarityFacade(),
    SimilarityFacade(metric="manhattan"),
    LastAxis(StandardScaler()),
]


@parametrize_with_checks(ESTIMATORS)
def test_common_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_all_checks_run(estimator):
    assert len(list(estimator_checks_generator(estimator))) >= 45
