"""Ranking by question against trec_eval, slow versions and cases by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from skparaphrase.metrics import (
    map_score,
    map_scorer,
    mrr_score,
    mrr_scorer,
)

METRICS = [map_score, mrr_score]
SCORERS = [map_scorer, mrr_scorer]
BOTH = list(zip(SCORERS, METRICS, strict=True))


def slow(relevance, scores, query, metric):
    """One value per question, by loops over a list in trec_eval's order."""
    found = {}
    for question in dict.fromkeys(query):
        rows = [i for i, other in enumerate(query) if other == question]
        rows.sort(key=lambda i: (scores[i], i), reverse=True)
        ranks = [k for k, i in enumerate(rows, 1) if relevance[i]]
        if metric is mrr_score:
            values = [1 / k for k in ranks[:1]]
        else:
            values = [hits / k for hits, k in enumerate(ranks, 1)]
        found[question] = np.mean(values or [0])
    return list(found.values())


def random_run(seed, n_questions=20, n_samples=120):
    """Interleaved questions, ties, questions of one candidate, without relevant ones
    and with relevant ones only.
    """
    rng = np.random.default_rng(seed)
    query = np.append(rng.integers(n_questions, size=n_samples), [100, 101, 102, 102])
    relevance = rng.integers(2, size=len(query)) * (query % 4 > 0)
    relevance[-4:] = 0, 1, 1, 1
    scores = rng.integers(4, size=len(query)) / 4 - 0.5
    return relevance, scores, query


@pytest.mark.integration
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_samples", [1, 120, 1000])
@pytest.mark.parametrize("seed", range(2))
def test_metrics_are_those_of_trec_eval(metric, n_samples, seed):
    measures = pytest.importorskip("ir_measures")
    measure = {map_score: measures.AP, mrr_score: measures.RR}
    relevance, scores, query = random_run(seed, n_samples=n_samples)
    rows = [
        (str(question), f"{i:06}", int(relevant), float(score))
        for i, (question, relevant, score) in enumerate(
            zip(query, relevance, scores, strict=True)
        )
    ]
    qrels = [measures.Qrel(q, name, relevant) for q, name, relevant, _ in rows]
    run = [measures.ScoredDoc(q, name, score) for q, name, _, score in rows]
    expected = measures.calc_aggregate([measure[metric]], qrels, run)
    found = metric(relevance, scores, query)
    assert found == pytest.approx(expected[measure[metric]], abs=1e-12)
    each = {
        one.query_id: one.value
        for one in measures.iter_calc([measure[metric]], qrels, run)
    }
    for question, value in each.items():
        rows = query == int(question)
        assert metric(relevance[rows], scores[rows]) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 4), st.sampled_from("abcde")),
        min_size=1,
        max_size=20,
    )
)
def test_metrics_follow_the_definition(metric, rows):
    relevance, scores, query = map(list, zip(*rows, strict=True))
    values = slow(relevance, scores, query, metric)
    found = metric(relevance, scores, query)
    assert isinstance(found, float)
    assert found == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_of_equal_scores_the_later_row_comes_first(metric):
    assert metric([1, 0, 0, 0], [2, 2, 2, 2]) == 1 / 4
    assert metric([0, 0, 0, 1], [2, 2, 2, 2]) == 1
    assert metric([1, 0], [0.0, -0.0]) == 1 / 2
    assert metric([1, 0], [-0.0, 0.0]) == 1 / 2


@pytest.mark.parametrize(
    "identify",
    [
        lambda query: [f"q{i}" for i in query],
        lambda query: np.array([f"q{i}" for i in query]),
        lambda query: pd.Series([f"q{i}" for i in query], dtype="category"),
        lambda query: pl.Series([f"q{i}" for i in query]),
        lambda query: pa.array([f"q{i}" for i in query]),
        lambda query: [i if i % 2 else str(i) for i in query.tolist()],
    ],
)
def test_identifiers_of_any_kind(identify):
    relevance, scores, query = random_run(1)
    expected = map_score(relevance, scores, query)
    assert map_score(relevance, scores, identify(query)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "join",
    [
        lambda y, q: list(zip(y.tolist(), q, strict=True)),
        lambda y, q: np.array([*zip(y.tolist(), q, strict=True)]),
        lambda y, q: pd.DataFrame({"y": y, "query": q}, index=range(len(y), 0, -1)),
        lambda y, q: pl.DataFrame({"y": y, "query": q}),
        lambda y, q: pa.table({"y": y, "query": q}),
    ],
)
def test_relevance_and_query_in_two_columns(join):
    relevance, scores, query = random_run(2)
    expected = map_score(relevance, scores, query)
    names = [f"q{i}" for i in query]
    assert map_score(join(relevance, names), scores) == pytest.approx(expected)
    numbers = np.column_stack([relevance, query])
    assert map_score(numbers, scores) == pytest.approx(expected)
    assert map_score(numbers / 1, scores) == pytest.approx(expected)
    with pytest.raises(ValueError, match="query must be None"):
        map_score(join(relevance, names), scores, query)


@pytest.mark.parametrize(
    "kind",
    [
        list,
        lambda y: y.astype(bool),
        lambda y: pd.Series(y, dtype="boolean"),
        pl.Series,
    ],
)
def test_kinds_of_relevance(kind):
    relevance, scores, query = random_run(3)
    expected = map_score(relevance, scores, query)
    assert map_score(kind(relevance), scores, query) == expected
    assert map_score(kind(relevance), list(scores), query) == expected


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0, 1], [1, 2]), "inconsistent numbers of samples"),
        (([1, 0], [1, 2], [1, 2, 3]), "inconsistent numbers of samples"),
        (([], []), "0 sample"),
        (([0, 1], [1, np.nan]), "y_score contains NaN"),
        (([0, 1], [-np.inf, 1]), "y_score contains infinity"),
        (([0, 1, 2, 3], [1, 2, 3, 4]), r"y_true\[2\] is .*2.*y_true >= 1"),
        (([0, None], [1, 2]), r"y_true\[1\] is None"),
        (([0, pd.NA], [1, 2]), r"y_true\[1\] is <NA>"),
        ((["0", "yes"], [1, 2]), r"y_true\[1\] is 'yes'"),
        ((np.zeros((2, 3)), [1, 2]), "1d array"),
        (([0, 1], np.zeros((2, 2))), "1d array"),
        (([0, 1], [1, 2], np.zeros((2, 2))), "1d array"),
        (([0, 1], [1, 2], ["a", None]), "query of row 1 is missing: None"),
        (([0, 1, 1], [1, 2, 3], [1, 1, np.nan]), "query of row 2 is missing: nan"),
        (([[0, "a"], [1, pd.NA]], [1, 2]), "query of row 1 is missing: None"),
        (([0, 1], [1, 2], [[1], [2, 3]]), "hashable|shape"),
    ],
)
def test_metrics_refuse(metric, arguments, message):
    with pytest.raises(ValueError, match=message):
        metric(*arguments)


# Scorers


class Given(BaseEstimator):
    """Ranks by numbers in X, or in its last column."""

    def fit(self, X, y=None):
        self.is_fitted_ = True
        return self

    def _numbers(self, X):
        X = np.asarray(X)
        return (X if X.ndim == 1 else X[:, -1]).astype(float)


class Predicts(RegressorMixin, Given):
    def predict(self, X):
        return self._numbers(X)


class Proba(ClassifierMixin, Given):
    def fit(self, X, y=None):
        self.classes_ = np.array([0, 1])
        return super().fit(X, y)

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X):
        positive = 1 / (1 + np.exp(-self._numbers(X)))
        return np.column_stack([1 - positive, positive])


class Decides(Proba):
    def decision_function(self, X):
        return self._numbers(X)

    def predict_proba(self, X):
        raise AssertionError("not asked for")


@pytest.fixture
def numbers():
    relevance, scores, query = random_run(4)
    return scores, relevance, query


@pytest.mark.parametrize(("scorer", "metric"), BOTH)
@pytest.mark.parametrize("owner", [Predicts, Proba, Decides])
def test_what_a_scorer_ranks_by(scorer, metric, owner, numbers):
    X, relevance, query = numbers
    expected = metric(relevance, X, query)
    model = owner().fit(X)
    two = np.column_stack([relevance, query])
    assert scorer(model, X, two) == expected
    pairs = np.array([[f"q{i}", str(x)] for i, x in zip(query, X, strict=True)])
    assert scorer(model, pairs, relevance) == expected
    assert scorer(model, pairs, two) == expected


@pytest.mark.parametrize("scorer", SCORERS)
def test_scorers_need_questions(scorer, numbers):
    X, relevance, _ = numbers
    model = Predicts().fit(X)
    for unsuited in (X, X[:, np.newaxis], np.column_stack([X, X]), list(map(str, X))):
        with pytest.raises(ValueError, match=rf"{scorer} needs the question"):
            scorer(model, unsuited, relevance)


@pytest.mark.parametrize(("scorer", "metric"), BOTH)
def test_scorers_are_copied(scorer, metric, numbers):
    X, relevance, query = numbers
    model, two = Predicts().fit(X), np.column_stack([relevance, query])
    for copied in (pickle.loads(pickle.dumps(scorer)), clone(scorer)):
        assert copied(model, X, two) == metric(relevance, X, query)
        assert repr(copied) == repr(scorer) == f"{copied}"
        assert copied.__doc__ == scorer.__doc__
        assert f"`{scorer}`" in scorer.__doc__
    search = GridSearchCV(model, {}, scoring=scorer)
    assert repr(scorer) in repr(search)
    assert repr(clone(search).scoring) == repr(scorer)


@pytest.mark.parametrize(("scorer", "metric"), BOTH)
def test_scorers_in_cross_validation(scorer, metric, numbers):
    X, relevance, query = numbers
    pairs = np.array([[f"q{i}", str(x)] for i, x in zip(query, X, strict=True)])
    options = {"cv": GroupKFold(3), "groups": query, "error_score": "raise"}
    found = cross_val_score(Decides(), pairs, relevance, scoring=scorer, **options)
    for value, (_, test) in zip(
        found, GroupKFold(3).split(X, groups=query), strict=True
    ):
        expected = slow(relevance[test], X[test], query[test], metric)
        assert value == pytest.approx(np.mean(expected), abs=1e-12)
