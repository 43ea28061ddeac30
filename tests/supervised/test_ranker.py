"""Ranking by interaction: odds, questions, reciprocal ranks and their scorers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import (
    GroupKFold,
    cross_val_score,
)

from skparaphrase.metrics import (
    map_score,
    mrr_score,
)
from skparaphrase.supervised import PairwiseInteractionRanker

SMALL = {
    "hidden_dim": 4, "max_epochs": 1, "batch_size": 9, "device": "cpu",
    "random_state": 0,
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("narrow")  # `networks` tests those of the paper


@pytest.fixture
def model(vectors):
    return PairwiseInteractionRanker(vectors, similarity=None, **SMALL)


def test_probabilities_and_odds(model, answers):
    assert not is_regressor(model) and not is_classifier(model)
    X, y = answers
    model.fit(X, y)
    shares = model.predict_proba(X)
    assert shares.shape == (18, 2)
    assert_array_equal(model.classes_, [0, 1])
    assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    found = model.decision_function(X)
    assert_allclose(found, np.log(shares[:, 1] / shares[:, 0]), atol=1e-12)
    model.parameters_["grid.output.bias"] -= np.float32([0, np.median(found)])
    expected = model.predict_proba(X).argmax(axis=1)
    assert_array_equal(model.predict(X), expected)
    assert 0 < expected.sum() < 18
    model.parameters_["grid.output.weight"][:] = 0
    model.parameters_["grid.output.bias"][:] = [1, 2.5]
    assert_allclose(model.decision_function(X), np.full(18, 1.5))
    assert model.predict_proba([]).shape == (0, 2)


def slow_mrr(y, scores, query):
    found = []
    for one in set(query):
        rows = [i for i in range(len(y)) if query[i] == one]
        rows.sort(key=lambda i: (-scores[i], -i))
        found.append(next((1 / k for k, i in enumerate(rows, 1) if y[i]), 0))
    return np.mean(found)


def test_score_is_the_mrr_score(model, answers):
    X, y = answers
    model.fit(X, y)
    scores = model.decision_function(X)
    texts = [question for question, _ in X]
    assert 0.3 < slow_mrr(y, scores, texts) < 0.9
    assert_allclose(model.score(X, y), slow_mrr(y, scores, texts))
    halves = np.arange(18) // 9
    for query in (halves, halves.astype(str), [f"q{i}" for i in halves]):
        expected = slow_mrr(y, scores, halves)
        assert_allclose(model.score(X, y, query=query), expected)
        both = np.column_stack([y, query])
        assert_allclose(model.score(X, both), expected)
        assert_allclose(model.score(X, both.tolist()), expected)
    with pytest.raises(ValueError, match="query must be None"):
        model.score(X, both, query=halves)


def test_rank(model, answers):
    X, y = answers
    model.fit(X, y)
    candidates = ["w1 w5", "w9", "", "w1 w2 w3", "w9", "nothing known"]
    order = model.rank("w1 w2", candidates)
    scores = model.decision_function([("w1 w2", text) for text in candidates])
    assert sorted(order) == list(range(6))
    assert (np.diff(scores[order]) <= 0).all() and len(set(scores)) == 4
    assert order.tolist().index(1) == order.tolist().index(4) - 1  # the first first
    assert_array_equal(model.rank("w1 w2", np.array(candidates)), order)
    found = model.rank("w1 w2", [])
    assert found.shape == (0,) and found.dtype == np.intp
    for question in (["w1"], None, 3, ("w1", "w2")):
        with pytest.raises(TypeError, match="question must be a str"):
            model.rank(question, candidates)
    with pytest.raises(ValueError, match="candidates must hold texts"):
        model.rank("w1", [("w1", "w2")])
    with pytest.raises(TypeError):
        model.rank("w1", "w2")


def test_validation_by_question(model, answers, splits):
    X, y = answers
    model.set_params(validation_fraction=0.3, max_epochs=0)
    queries = np.arange(18) % 6  # not those of the texts
    for seed in range(4):
        model.set_params(random_state=seed).fit(X, y)
        train, held = ({one for one, _ in part.texts} for part in splits[-1])
        assert len(train) == 4 and len(held) == 2 and not train & held
        for names in (queries, [f"q{k}" for k in queries]):
            model.fit(X, [list(row) for row in zip(y, names, strict=True)])
            train, held = splits[-1]
            found = [X.index(tuple(pair)) % 6 for pair in held.texts]
            assert set(found) == set(held.targets[:, 1]) and len(set(found)) == 2
            assert len(train) == 12 and len(held) == 6


def test_questions_in_a_second_column(model, answers):
    """Groups only determine the validation part."""
    X, y = answers
    plain = clone(model).fit(X, y)
    query = np.arange(18) % 3
    both = np.column_stack([y, query])
    frame = [[str(one), f"q{name}"] for one, name in both]
    for targets in (both, both.astype(str), both.tolist(), frame):
        found = clone(model).fit(X, targets)
        for name, value in found.parameters_.items():
            assert_array_equal(value, plain.parameters_[name])
    for y_val, names in ((both, query), (y, [question for question, _ in X])):
        model.fit(X, both, X_val=X, y_val=y_val)
        best = slow_mrr(y, model.decision_function(X), names)
        assert_allclose(max(model.validation_scores_), best)


def test_validation_that_cannot_select_is_refused(model, answers):
    X, y = answers
    with pytest.raises(ValueError, match="None of the 3 validation answers"):
        model.fit(X, y, X_val=X[9:12], y_val=y[9:12])
    model.set_params(validation_fraction=0.5)
    with pytest.raises(ValueError, match="questions or shared texts connect all"):
        model.fit(X[:3], y[:3])
    same = [(1, 0), (1, 0), (0, 1), (0, 1)]
    with pytest.raises(ValueError, match="right and wrong"):
        model.set_params(random_state=1).fit(X[:4], same)
    assert not hasattr(model, "parameters_")


def test_right_answers_share_words(vectors, tasks):
    X, y = tasks(120, 0)
    model = PairwiseInteractionRanker(
        vectors, hidden_dim=8, max_epochs=8, batch_size=16, learning_rate=0.01,
        device="cpu", random_state=0,
    ).fit(X, y == 4)  # fmt: skip
    X, y = tasks(90, 1)
    scores = model.decision_function(X)
    both = np.column_stack([y == 4, np.arange(90) % 15])
    assert mrr_score(both, scores) > 0.9
    assert map_score(both, scores) > 0.85
    chance = np.random.RandomState(0).uniform(size=90)
    assert mrr_score(both, chance) < 0.75


def test_groups_are_routed_to_score(model, answers):
    X, y = answers
    names = np.array([f"q{i}" for i in np.arange(18) // 3 % 4])  # not those of texts
    with config_context(enable_metadata_routing=True):
        routed = clone(model).set_score_request(query="groups")
        scores = cross_val_score(
            routed, X, y, params={"groups": names}, cv=GroupKFold(2)
        )
    expected = []
    for train, test in GroupKFold(2).split(X, y, names):
        fitted = clone(model).fit([X[i] for i in train], y[train])
        odds = fitted.decision_function([X[i] for i in test])
        expected.append(mrr_score(y[test], odds, names[test]))
    assert_allclose(scores, expected)


# Bad input


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"y": [0] * 18}, "right and wrong .* all 18 are wrong"),
        (
            {"y": [0, 1] * 9, "sample_weight": [0, 1] * 9},
            "right and wrong .* all 9 are right",
        ),
        ({"y": [0, 1, 2] * 6}, r"0 or 1; y_true\[2\] is 2"),
        ({"X_val": [("a", "b")], "y_val": [2]}, "0 or 1"),
        ({"X_val": [("a", "b")], "y_val": [1], "sample_weight_val": [1]}, "support we"),
    ],
)
def test_bad_targets(change, match, model, answers):
    X, y = answers
    with pytest.raises(ValueError, match=match):
        model.fit(**{"X": X, "y": y, **change})
    assert not [name for name in vars(model) if name.endswith("_")]
