"""Measures of hits against trec_eval, slow loops and cases by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.datasets import load_faq
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.metrics._relevance import check_qrels, mean_score
from skparaphrase.search import SemanticSearch

# Two queries. For the first, a, c and d are relevant, at ranks 1 and 4, and d is not
# found; b is judged and not relevant. For the second, only x is relevant, at rank 3.
HITS = [["a", "b", "e", "c", "f"], ["y", "z", "x", "u", "v"]]
QRELS = [{"a": 1, "b": 0, "c": 3, "d": 2}, {"x": 2, "w": -1}]


def gain(grade, rank):
    return grade / math.log2(rank + 1)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("mrr", (1 + 1 / 3) / 2),
        ("mrr@2", 1 / 2),
        ("map", ((1 + 2 / 4) / 3 + 1 / 3) / 2),
        ("map@3", (1 / 3 + 1 / 3) / 2),
        ("recall@1", (1 / 3) / 2),
        ("recall@4", (2 / 3 + 1) / 2),
        ("success@1", 1 / 2),
        ("success@3", 1),
        (
            "ndcg@4",
            (
                (gain(1, 1) + gain(3, 4)) / (gain(3, 1) + gain(2, 2) + gain(1, 3))
                + gain(2, 3) / gain(2, 1)
            )
            / 2,
        ),
        ("ndcg@2", gain(1, 1) / (gain(3, 1) + gain(2, 2)) / 2),
    ],
)
def test_cases_by_hand(metric, expected):
    assert mean_score(metric, HITS, QRELS) == pytest.approx(expected, abs=1e-15)


@pytest.fixture
def trec_eval():
    """Scores of ir_measures by our names, from hits and grades of each query."""
    measures = pytest.importorskip("ir_measures")
    names = {
        "mrr": measures.RR,
        "mrr@3": measures.RR @ 3,
        "map": measures.AP @ 100,
        "map@5": measures.AP @ 5,
        "ndcg@10": measures.nDCG @ 10,
        "ndcg@2": measures.nDCG @ 2,
        "recall@1": measures.R @ 1,
        "recall@10": measures.R @ 10,
        "success@1": measures.Success @ 1,
        "success@5": measures.Success @ 5,
    }

    def score(hits, qrels):
        judged = [
            measures.Qrel(f"{query}", f"{document}", grade)
            for query, grades in enumerate(qrels)
            for document, grade in grades.items()
        ]
        run = [
            measures.ScoredDoc(f"{query}", f"{document}", -float(rank))
            for query, row in enumerate(hits)
            for rank, document in enumerate(row)
        ]
        found = measures.calc_aggregate([*names.values()], judged, run)
        return {name: found[measure] for name, measure in names.items()}

    return score


@pytest.mark.integration
@pytest.mark.parametrize("params", [{}, {"lexical": "char_wb"}, {"threshold": 0.4}])
def test_scores_of_a_search_are_those_of_trec_eval(trec_eval, params):
    """The questions of a group are relevant, more so if they are of the topic."""
    faq, rng = load_faq(), np.random.default_rng(0)
    ids = [f"q{row}" for row in range(len(faq.data))]
    groups, topics = np.array(faq.groups), np.array(faq.topics)
    asked = [row for row, group in enumerate(groups) if (groups == group).sum() > 1]
    queries, qrels = {}, {}
    for row in asked:
        grades = rng.integers(-1, 2, len(ids)) * (topics == topics[row])
        grades[groups == groups[row]] = 3
        queries[row] = faq.data[row].lower()
        qrels[row] = {ids[i]: int(grades[i]) for i in np.flatnonzero(grades)}
    params = dict(params)
    search = SemanticSearch(lexical=params.pop("lexical", None)).fit(faq.data, ids=ids)
    hits = search.search([*queries.values()], k=100, **params).id.tolist()
    hits = [[name for name in row if name is not None] for row in hits]
    scores = trec_eval(hits, [*qrels.values()])
    scorer = RetrievalScorer(
        queries=queries, qrels=qrels, metric=[*scores], search_params=params
    )
    found = scorer(search)
    assert found == pytest.approx(scores, abs=1e-12)
    assert 0.1 < found["recall@10"] < found["success@5"] < 1.01


def slow(metric, hits, grades):
    """The score of one query, place by place."""
    name, _, k = metric.partition("@")
    k = int(k or 100)
    n_relevant = sum(grade > 0 for grade in grades.values())
    n_found, precisions, dcg, first = 0, 0.0, 0.0, 0.0
    for rank, document in enumerate(hits[:k], 1):
        grade = max(grades.get(document, 0), 0)
        dcg += gain(grade, rank)
        if grade:
            n_found += 1
            precisions += n_found / rank
            first = first or 1 / rank
    best = sorted((max(grade, 0) for grade in grades.values()), reverse=True)
    return {
        "mrr": first,
        "map": precisions / n_relevant,
        "recall": n_found / n_relevant,
        "success": float(n_found > 0),
        "ndcg": dcg / sum(gain(grade, rank) for rank, grade in enumerate(best[:k], 1)),
    }[name]


GRADES = st.dictionaries(st.integers(0, 30), st.integers(-1, 3), max_size=20).filter(
    lambda grades: any(grade > 0 for grade in grades.values())
)
ORDERS = st.lists(st.integers(0, 30), unique=True, max_size=15)


@pytest.mark.filterwarnings("ignore:No hit is relevant")
@pytest.mark.parametrize("name", ["mrr", "map", "ndcg", "recall", "success"])
@given(st.lists(st.tuples(ORDERS, GRADES), min_size=1, max_size=5), st.integers(1, 12))
def test_measures_follow_their_definitions(name, queries, k):
    hits, qrels = map(list, zip(*queries, strict=True))
    for metric in (f"{name}@{k}", name):
        expected = np.mean([slow(metric, *query) for query in queries])
        assert mean_score(metric, hits, qrels) == pytest.approx(expected, abs=1e-12)


def test_what_is_not_among_the_first_hundred_is_not_found():
    hits, qrels = [[*range(200)]], [{50: 1, 150: 1}]
    assert mean_score("map", hits, qrels) == 1 / 51 / 2
    assert mean_score("map@200", hits, qrels) == (1 / 51 + 2 / 151) / 2
    assert mean_score("mrr@200", hits, [{150: 1}]) == 1 / 151
    with pytest.warns(UserWarning, match="No hit is relevant"):
        assert mean_score("mrr", hits, [{150: 1}]) == 0


def test_a_hit_that_comes_twice_counts_once():
    assert mean_score("recall@3", [["a", "a", "b"]], [{"a": 1, "c": 1}]) == 1 / 2
    assert mean_score("ndcg@2", [["a", "a"]], [{"a": 3}]) == 1


def test_empty_places_are_not_relevant():
    assert mean_score("mrr", [[None, None], ["b", "a"]], [{"a": 1}, {"a": 1}]) == 1 / 4
    with pytest.warns(UserWarning, match="No hit is relevant"):
        assert mean_score("ndcg@3", [[], []], [{"a": 1}, {"a": 1}]) == 0


def test_ids_of_another_type_are_suspected():
    with pytest.warns(UserWarning, match=r"like '7', and ids of hits like \[7\]"):
        assert mean_score("mrr", [[7, 8]], [{"7": 1}]) == 0


@pytest.mark.parametrize(
    "qrels",
    [
        {"q1": {"a": 1}, "q2": {"a": 0, "b": -1}},
        {"q1": {"a": 1}, "q2": {}},
        {"q1": {"a": 1}, "q2": ["a"]},
        {"q1": {"a": 1}, "q3": {"a": 1}},
    ],
)
def test_qrels_that_are_refused(qrels):
    name = [*qrels][1]
    with pytest.raises(ValueError, match=rf"qrels\['{name}'\] .* Leave out queries"):
        check_qrels({"q1": "text", "q2": "text"}, qrels)
    check_qrels({"q1": "text", "q2": "text"}, {"q1": {"a": 0, "b": 0.5}})
