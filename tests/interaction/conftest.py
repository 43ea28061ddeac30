"""Small networks, pairs and questions that tests of interaction models share."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skparaphrase.interaction import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)


@pytest.fixture(autouse=True)
def always_narrow(narrow):
    """Networks of few channels; those of the paper are tested in `networks`."""


@pytest.fixture
def pairs(pairs):
    return pairs[:18]


@pytest.fixture
def gold(gold):
    """From one end of the scale to the other."""
    return np.where(gold == 4, 5.0, gold)[:18]


@pytest.fixture
def answers(sentences):
    """Six questions of three candidates; one has no right one, one no other."""
    X, y = [], []
    for i in range(6):
        found = [f"w{i} w{i + 10}", sentences[i + 10], sentences[i + 20]]
        right = {3: [0, 0, 0], 5: [1, 1, 1]}.get(i, [1, 0, 0])
        for k in np.roll(range(3), i):
            X.append((f"w{i} w{i + 10} {sentences[i]}", found[k]))
            y.append(right[k])
    return X, np.array(y)


@pytest.fixture
def examples(pairs, gold, answers):
    """Pairs and targets of a model."""
    return {
        PairwiseInteractionRegressor: (pairs, gold),
        PairwiseInteractionRanker: answers,
    }


@pytest.fixture(scope="session")
def tasks():
    """Pairs of four words that share none, two or all, in any order."""

    def draw(n, seed):
        rng = np.random.default_rng(seed)
        pairs, shared = [], rng.choice([0, 2, 4], n)
        for k in shared:
            words = rng.permutation(40)
            other = rng.permutation([*words[:k], *words[4 : 8 - k]])
            first = rng.permutation(words[:4])
            pairs.append(tuple(" ".join(f"w{i}" for i in t) for t in (first, other)))
        return pairs, shared

    return draw
