"""Vectors of pairs, their gold scores, and features by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.spatial import distance

from skparaphrase.pairs import PairSimilarity


def cosine(u, v):
    return [1 - distance.cosine(u, v) if u.any() and v.any() else 0]


FEATURES = {
    "product": lambda u, v: u * v,
    "absdiff": lambda u, v: abs(u - v),
    "difference": lambda u, v: u - v,
    "sum": lambda u, v: u + v,
    "first": lambda u, v: u,
    "second": lambda u, v: v,
    "cosine": cosine,
}
HOWS = [*((name,) for name in FEATURES), tuple(FEATURES)]


@pytest.fixture
def paired():
    return np.random.default_rng(0).normal(size=(40, 2, 5)) + 0.5


@pytest.fixture
def paired_gold(paired):
    noise = np.random.default_rng(1).normal(size=len(paired))
    return PairSimilarity().fit(paired).predict(paired) + noise / 4


@pytest.fixture(params=[*HOWS, ("product", "absdiff"), ("cosine", "sum")], ids=",".join)
def how(request):
    return request.param


@pytest.fixture
def by_hand():
    """Features, pair by pair."""
    return lambda how, rows: np.array(
        [np.hstack([FEATURES[name](u, v) for name in how]) for u, v in rows]
    )
