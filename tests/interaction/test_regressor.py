"""Scores from interaction: their scale, their correlation, and selection by it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from skparaphrase.interaction import PairwiseInteractionRegressor, _regressor

SMALL = {
    "hidden_dim": 4, "max_epochs": 1, "batch_size": 9, "device": "cpu",
    "random_state": 0,
}  # fmt: skip


@pytest.fixture
def model(vectors):
    return PairwiseInteractionRegressor(vectors, score_range=(0, 5), **SMALL)


@pytest.mark.parametrize(
    ("biases", "expected"),
    [
        ([0, 0, 0, 0, 0, 0], 2.5),
        ([0, 0, 0, 900, 0, 0], 3),
        ([-900, 0, -900, -900, -900, -900], 1),
        ([0, 0, 0, 0, 0, 1e4], 5),
        (np.log([1, 2, 3, 4, 5, 5]), 65 / 20),
    ],
)
def test_expectation_with_a_network_forced_by_hand(
    biases, expected, model, pairs, gold
):
    model.set_params(max_epochs=0, similarity=None).fit(pairs, gold)
    model.parameters_["grid.output.weight"][:] = 0
    model.parameters_["grid.output.bias"][:] = biases
    assert_allclose(model.predict(pairs), np.full(18, expected), rtol=1e-6)


def test_many_pairs_need_no_similarity(model, pairs, gold, monkeypatch):
    model.set_params(max_epochs=0)
    for n_pairs, expected in ((len(pairs), None), (len(pairs) + 1, "cosine")):
        monkeypatch.setattr(_regressor, "_MANY_PAIRS", n_pairs)
        assert model.fit(pairs, gold).similarity_ == expected
        assert ("shortcut.weight" in model.parameters_) == (expected is not None)


def test_any_scale_is_the_same_model(model, pairs, gold):
    one = clone(model).fit(pairs, gold)
    model.set_params(score_range=(-7, 3), n_levels=6)
    other = model.fit(pairs, 2 * gold - 7)
    for name, value in other.parameters_.items():
        assert_allclose(value, one.parameters_[name], atol=1e-6)
    assert_allclose(other.predict(pairs), 2 * one.predict(pairs) - 7, atol=1e-5)


def test_scores_follow_the_words_that_are_shared(vectors, tasks):
    X, y = tasks(120, 0)
    model = PairwiseInteractionRegressor(
        vectors, hidden_dim=8, max_epochs=12, batch_size=8, learning_rate=0.01,
        n_levels=3, similarity=None, device="cpu", random_state=0,
    )  # fmt: skip
    assert model.fit(X, y).score(*tasks(90, 1)) > 0.8
    assert model.loss_curve_[-1] < 0.7 * model.loss_curve_[0]
