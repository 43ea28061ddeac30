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
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParagramEncoder,
    ProjectionEncoder,
    RNNEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity
from skparaphrase.tagging import SequenceTagger
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


class ProjectionFacade(RowsAsParaphrases, ProjectionEncoder):
    pass


class DeepAveragingFacade(RowsAsParaphrases, DeepAveragingEncoder):
    pass


class RNNFacade(RowsAsParaphrases, RNNEncoder):
    pass


class IdentityRNNFacade(RowsAsParaphrases, IdentityRNNEncoder):
    pass


class LSTMFacade(RowsAsParaphrases, LSTMEncoder):
    pass


class ConvolutionalFacade(RowsAsParaphrases, ConvolutionalEncoder):
    pass


class CharagramFacade(RowsAsParaphrases, CharagramEncoder):
    pass


class CharCNNFacade(RowsAsParaphrases, CharCNNEncoder):
    pass


class CharLSTMFacade(RowsAsParaphrases, CharLSTMEncoder):
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


# Their vectors are products of float32 matrices.
WITH_PRODUCTS = (
    ProjectionEncoder,
    DeepAveragingEncoder,
    RNNEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ConvolutionalEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
)


class TaggerFacade(TwoDimensional, SequenceTagger):
    """Every row of numbers is a sentence, whose words have the row's target as tag."""

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        type_of_target(y, raise_unknown=True)
        rows = [[int(tag)] * X.shape[1] for tag in np.rint(y)]
        rows[0][0] = -1  # two tags at least
        return super().fit(self._sentences(X), rows)

    def predict(self, X):
        return np.array([row[-1] for row in super().predict(self._checked(X))])

    def predict_proba(self, X):
        return np.array([row[-1] for row in super().predict_proba(self._checked(X))])

    def score(self, X, y):
        return float(np.mean(self.predict(X) == np.rint(y)))

    def _checked(self, X):
        check_is_fitted(self)
        return self._sentences(validate_data(self, X, reset=False))

    @staticmethod
    def _sentences(X):
        return [[f"w{number}" for number in row] for row in np.rint(4 * X).astype(int)]


SMALL = {"max_epochs": 1, "batch_size": 8, "device": "cpu"}
ESTIMATORS = [
    AverageFacade(VECTORS),
    TfidfFacade(VECTORS),
    SIFFacade(VECTORS),
    SIFFacade(VECTORS, frequencies="corpus"),
    ParagramFacade(VECTORS, max_epochs=2, batch_size=8, device="cpu"),
    ParagramFacade(VECTORS, max_epochs=1, weighting="sif", loss="infonce"),
    ProjectionFacade(VECTORS, dim=4, **SMALL),
    DeepAveragingFacade(VECTORS, n_layers=2, activation="relu", **SMALL),
    RNNFacade(VECTORS, dim=3, **SMALL),
    IdentityRNNFacade(VECTORS, scramble=0.5, word_dropout=0.2, **SMALL),
    LSTMFacade(VECTORS, output_gate=True, **SMALL),
    ConvolutionalFacade(VECTORS, n_filters=2, activation="tanh", **SMALL),
    CharagramFacade(dim=4, **SMALL),
    CharCNNFacade(embedding_dim=3, dim=4, filters=[(2, 2), (3, 1)], **SMALL),
    CharLSTMFacade(embedding_dim=3, dim=4, **SMALL),
    CommonComponentRemoval(),
    CommonComponentRemoval(n_components=0),
    FeaturesFacade(),
    FeaturesFacade(how=["cosine", "sum"]),
    SimilarityFacade(),
    SimilarityFacade(metric="manhattan"),
    LastAxis(StandardScaler()),
    TaggerFacade(CharagramEncoder(dim=4), hidden_dim=3, dense_dim=3, **SMALL),
]


def expected_failures(estimator):
    """Checks that may fail, and why."""
    if isinstance(estimator, WITH_PRODUCTS):
        # Our own tests ask for 1e-6.
        reason = "a product of matrices rounds a row by its place among the others"
        return {
            "check_methods_sample_order_invariance": reason,
            "check_methods_subset_invariance": reason,
        }
    return {}


@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=expected_failures, xfail_strict=False
)
def test_common_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_all_checks_run(estimator):
    n_checks = 42 if isinstance(estimator, SequenceTagger) else 45
    assert len(list(estimator_checks_generator(estimator))) >= n_checks
