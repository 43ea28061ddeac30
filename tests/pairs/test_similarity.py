"""Similarities of the vectors of pairs, against SciPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import distance
from scipy.stats import pearsonr

from skparaphrase.pairs import PairSimilarity

METRICS = {
    "cosine": lambda first, second: 1 - distance.cosine(first, second),
    "dot": np.dot,
    "euclidean": lambda first, second: -distance.euclidean(first, second),
    "manhattan": lambda first, second: -distance.cityblock(first, second),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_similarity_is_that_of_scipy(paired, metric, dtype):
    similarity = PairSimilarity(metric).fit(paired.astype(dtype))
    expected = [METRICS[metric](first, second) for first, second in paired]
    found = similarity.predict(paired.astype(dtype))
    assert found.dtype == dtype
    assert_allclose(found, expected, rtol=1e-4 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_zero_vectors(metric):
    vectors = np.array([[[0, 0], [1, 2]], [[1, 2], [0, 0]], [[0, 0], [0, 0]]], float)
    found = PairSimilarity(metric).fit(vectors).predict(vectors)
    assert np.isfinite(found).all()
    assert found[2] == 0
    if metric in ("cosine", "dot"):
        assert_array_equal(found, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", [-0.9, -0.6, 0.6, 0.9])
def test_cosine_of_any_magnitude(paired, dtype, exponent):
    bound = np.finfo(dtype).max if exponent > 0 else np.finfo(dtype).tiny
    scale = dtype(float(bound) ** abs(exponent))
    scaled = paired.astype(dtype) * scale
    found = PairSimilarity().fit(scaled).predict(scaled)
    assert_allclose(found, PairSimilarity().fit(paired).predict(paired), rtol=1e-4)


@given(arrays(np.float64, (3, 2, 4), elements=st.floats(-1e6, 1e6)))
def test_cosine_is_symmetric_and_bounded(vectors):
    similarity = PairSimilarity().fit(vectors)
    found = similarity.predict(vectors)
    assert (np.abs(found) <= 1 + 1e-12).all()
    assert_array_equal(found, similarity.predict(vectors[:, ::-1]))


def test_score_is_pearson_and_nothing_is_learnt(paired, paired_gold):
    similarity = PairSimilarity()
    r = pearsonr(paired_gold, similarity.predict(paired)).statistic
    assert similarity.score(paired, paired_gold) == pytest.approx(r, abs=1e-12)
    weighted = similarity.score(paired, paired_gold, sample_weight=np.arange(40) < 20)
    assert weighted == pytest.approx(similarity.score(paired[:20], paired_gold[:20]))
    assert similarity.predict(paired[..., :2]).shape == (40,)  # of any length
    with pytest.raises(ValueError, match="X has 2 features"):
        similarity.fit(paired).predict(paired[..., :2])


@pytest.mark.parametrize("method", ["fit", "predict"])
def test_refused(method):
    with pytest.raises(ValueError, match="metric"):
        getattr(PairSimilarity("jaccard"), method)(np.ones((3, 2, 4)))
