"""Ranks of paraphrases and hits, against a slow loop and cases by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    ShuffleSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline

from skparaphrase import load_pretrained
from skparaphrase._math import unit_vectors
from skparaphrase.callback import ScoreMonitor
from skparaphrase.datasets import load_faq, load_paraphrases
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.metrics import RetrievalScorer, _retrieval
from skparaphrase.metrics._retrieval import partner_ranks
from skparaphrase.model_selection import pair_groups
from skparaphrase.search import SemanticSearch
from skparaphrase.vectors import WordVectors


def retrieval_mrr(left, right, texts):
    return np.mean(1 / partner_ranks(unit_vectors(left), unit_vectors(right), texts))


def slow(left, right, texts):
    """Every query against every candidate, one cosine after the other."""

    def cosine(u, v):
        norms = np.linalg.norm(u) * np.linalg.norm(v)
        return u @ v / norms if norms else 0.0

    found = []
    for queries, others, numbers in (
        (left, right, texts),
        (right, left, [pair[::-1] for pair in texts]),
    ):
        for query, partner, (asked, answer) in zip(
            queries, others, numbers, strict=True
        ):
            partners = {b for a, b in numbers if a == asked}
            rivals = {}
            for vector, (_, text) in zip(others, numbers, strict=True):
                if text != asked and text not in partners:
                    rivals[text] = cosine(query, vector)
            least = cosine(query, partner) - 1e-6
            found.append(1 / (1 + sum(value >= least for value in rivals.values())))
            assert answer in partners
    return np.mean(found)


@given(
    texts=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12
    ),
    seed=st.integers(0, 9),
    entries=st.sampled_from([1, 20, 2**22]),
)
def test_the_score_is_that_of_a_slow_loop(texts, seed, entries):
    table = np.random.default_rng(seed).integers(-2, 3, size=(10, 3)).astype(float)
    left, right = table[[a for a, _ in texts]], table[[b for _, b in texts]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_retrieval, "_ENTRIES", entries)
        found = retrieval_mrr(left, right, np.array(texts))
    assert found == pytest.approx(slow(left, right, texts), abs=1e-12)


def test_equal_texts():
    encoder = AverageEncoder(WordVectors([f"w{i}" for i in range(10)], np.eye(10)))
    pairs = [("w1 w2", "w1 w3"), ("w5 w6", "w5 w7"), ("w8", "w9 w8")]
    assert RetrievalScorer(pairs)(encoder) == 1
    # A partner that occurs twice, a second partner, and the text itself on the right.
    more = [*pairs, ("w5 w6 w6", "w5 w7"), ("w1 w2", "w2"), ("w9", "w1 w2")]
    alone = RetrievalScorer([*pairs, ("w5 w6 w6", "w5 w7")])
    assert alone(encoder) == 1
    transformed = encoder.transform(more)
    numbers = {text: i for i, text in enumerate({t for pair in more for t in pair})}
    texts = [tuple(numbers[text] for text in pair) for pair in more]
    expected = slow(transformed[:, 0], transformed[:, 1], texts)
    assert RetrievalScorer(more)(encoder) == pytest.approx(expected, abs=1e-6)
    reordered = RetrievalScorer([("w1 w2", "w3 w4"), ("w2 w1", "w4 w3")])
    assert reordered(encoder) == 1 / 2  # averages cannot distinguish these


def test_in_searches(vectors, pairs, sentences):
    scorer = RetrievalScorer(pairs)
    assert repr(scorer) == "RetrievalScorer(30 pairs)"
    encoder = SIFEncoder(vectors, frequencies={f"w{i}": 2**i for i in range(30)})
    search = GridSearchCV(
        make_pipeline(encoder, CommonComponentRemoval(0)),
        {"commoncomponentremoval__n_components": [0, 3]},
        cv=ShuffleSplit(1, random_state=0),
        scoring=scorer,
    ).fit(sentences)
    found = search.cv_results_["mean_test_score"]
    assert len(set(found)) == 2
    assert pickle.loads(pickle.dumps(scorer))(search.best_estimator_) > 0
    search.transform = lambda X: np.full((len(X), 2, 4), np.nan)
    with pytest.raises(ValueError, match="vectors contains NaN"):
        scorer(search)
    search.transform = lambda X: np.ones((len(X), 4))
    with pytest.raises(ValueError, match=r"\(n_pairs, 2, d\); transform gives"):
        scorer(search)


@pytest.mark.callbacks
def test_in_callbacks(vectors, pairs):
    scorer = RetrievalScorer(pairs)
    encoder = ParaphraseEncoder(vectors, max_epochs=2, random_state=0, device="cpu")
    encoder.set_callbacks(monitor := ScoreMonitor(scorer)).fit(pairs)
    assert monitor.scores_[-1]["score"] == pytest.approx(scorer(encoder))


def test_without_pairs_the_fold_is_scored():
    # As typed by a user; 40 paraphrase pairs, some of which share a text.
    pairs = load_paraphrases().data[:40]
    pairs[1, 0], pairs[5, 1] = pairs[0, 0], pairs[4, 1]
    encoder = ParaphraseEncoder(max_epochs=0, device="cpu", random_state=0)
    grid, groups = {"max_epochs": [0, 1]}, pair_groups(pairs)
    search = GridSearchCV(
        encoder, grid, cv=GroupKFold(3), scoring=RetrievalScorer()
    ).fit(pairs, groups=groups)
    expected = [
        [
            RetrievalScorer(pairs[test])(
                clone(encoder).set_params(max_epochs=n).fit(pairs[train])
            )
            for train, test in GroupKFold(3).split(pairs, groups=groups)
        ]
        for n in (0, 1)
    ]
    assert_allclose(search.cv_results_["mean_test_score"], np.mean(expected, axis=1))
    options = {"cv": GroupKFold(3), "groups": groups}
    scores = cross_val_score(encoder, pairs, scoring=RetrievalScorer(), **options)
    assert_allclose(scores, expected[0])
    both = RetrievalScorer(metric=["mrr", "recall@1"])
    pipe = make_pipeline(encoder, CommonComponentRemoval(0))
    results = cross_validate(pipe, pairs.tolist(), scoring=both, **options)
    assert_allclose(results["test_mrr"], expected[0])
    halving = HalvingGridSearchCV(
        pipe, {"commoncomponentremoval__n_components": [0, 1]}, cv=GroupKFold(2),
        scoring=RetrievalScorer(), random_state=0, min_resources=10,
    ).fit(pairs, groups=groups)  # fmt: skip
    assert np.isfinite(halving.cv_results_["mean_test_score"]).all()
    assert repr(RetrievalScorer()) == "RetrievalScorer()"


@pytest.mark.parametrize("kind", [bool, int, float])
def test_of_a_fold_only_marked_pairs_are_paraphrases(kind):
    pairs, encoder = load_paraphrases().data[:30], AverageEncoder()
    y = (np.arange(30) % 2 == 0).astype(kind)
    expected = RetrievalScorer(pairs[::2])(encoder)
    assert RetrievalScorer()(encoder, pairs, y) == expected
    assert RetrievalScorer()(encoder, pairs, y.tolist()) == expected
    assert RetrievalScorer(pairs)(encoder, pairs[:3], y[:3]) != expected  # its own


def test_of_a_fold_hard_negatives_are_in_the_corpus():
    encoder, pairs = AverageEncoder(), load_paraphrases().data[:40]
    triplets = np.column_stack([pairs[:20], pairs[20:, 0]])
    expected = RetrievalScorer(pairs[:20], corpus=pairs[20:, 0])(encoder)
    assert RetrievalScorer()(encoder, triplets) == expected
    more = RetrievalScorer(pairs[:20], corpus=pairs[20:].ravel())(encoder)
    assert RetrievalScorer(corpus=pairs[20:, 1])(encoder, triplets) == more


def test_memory_is_bounded():
    rng = np.random.default_rng(0)
    left = rng.normal(size=(6000, 4)).astype(np.float32)
    tracemalloc.start()
    try:
        retrieval_mrr(left, left + 0.01, np.arange(12000).reshape(-1, 2))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6000**2  # a quarter of all cosines


def test_a_corpus_and_recall_by_hand():
    angles = {"a": 0, "b": 40, "c": 90, "d": 130, "e": 10, "f": 95, "g": 60}
    radians = np.radians([*angles.values()])
    words = WordVectors(list(angles), np.stack([np.cos(radians), np.sin(radians)], 1))
    encoder = AverageEncoder(words)
    pairs = [("a", "b"), ("c", "d")]
    # From a: e 10, b 40, g 60; from c: f 5, g 30, d 40, and b 50 degrees.
    corpus = ["e", "f", "g", "a", "b", "e"]
    assert RetrievalScorer(pairs, corpus=corpus)(encoder) == (1 / 2 + 1 / 3) / 2
    for k, expected in {1: 0, 2: 0.5, 3: 1}.items():
        scorer = RetrievalScorer(pairs, corpus=corpus, metric=f"recall@{k}")
        assert scorer(encoder) == expected
        assert scorer.__name__ == f"recall@{k}"
    # Both ways and without a corpus: a to b 1, c to d 1, b to a 1, d to c 1.
    assert RetrievalScorer(pairs, metric="recall@1")(encoder) == 1


def reciprocal_ranks(cosines, relevant):
    """Rank of each relevant row among the rows that are not relevant."""
    rivals = [cosine for i, cosine in enumerate(cosines) if i not in relevant]
    return [1 / (1 + sum(c > cosines[row] for c in rivals)) for row in relevant]


def test_several_relevant_texts():
    rng = np.random.default_rng(0)
    names = [f"w{i}" for i in range(60)]
    table = rng.normal(size=(60, 4))
    encoder = AverageEncoder(WordVectors(names, table))
    relevant = {0: [10, 11, 12], 1: [13], 2: [10, 20, 21, 22, 23], 3: [30, 31]}
    pairs = [(f"w{q}", f"w{row}") for q, rows in relevant.items() for row in rows]
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    expected = np.concatenate(
        [
            reciprocal_ranks(unit[10:] @ unit[q], [row - 10 for row in rows])
            for q, rows in relevant.items()
        ]
    )
    scorer = RetrievalScorer(pairs, corpus=names[10:], metric=["mrr", "recall@3"])
    found = scorer(encoder)
    assert found == {
        "mrr": pytest.approx(expected.mean()),
        "recall@3": pytest.approx(np.mean(expected >= 1 / 3)),
    }


def test_metrics_of_partners_by_hand():
    angles = np.radians([0, 30, 10, 90, 100, 5])
    table = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    encoder = AverageEncoder(WordVectors([*"abcdef"], table))
    # a finds b in place 3, after f and c; d finds e in place 1.
    scorer = RetrievalScorer([("a", "b"), ("d", "e")], corpus=["c", "f"], metric=[
        "mrr", "mrr@2", "map", "success@2", "recall@3", "ndcg@3",
    ])  # fmt: skip
    assert scorer(encoder) == pytest.approx({
        "mrr": 2 / 3, "mrr@2": 1 / 2, "map": 2 / 3, "success@2": 1 / 2,
        "recall@3": 1, "ndcg@3": (1 / 2 + 1) / 2,
    })  # fmt: skip


# Searches ----------------------------------------------------------------------------


class Served:
    """A search whose hits are given, by query."""

    def __init__(self, **hits):
        self.hits, self.calls = hits, []

    def search(self, queries, k, **params):
        self.calls.append((list(queries), k, params))
        rows = np.array([self.hits[query][:k] for query in queries])
        return {"id": rows, "text": np.char.add("text ", rows), "document": rows}


def test_a_search_is_asked_as_it_is_served():
    search = Served(one=["a", "b", "c"], two=["d", "e", "f"])
    scorer = RetrievalScorer(
        queries={"q1": "one", "q2": "two", "unjudged": "three"},
        qrels={"q2": {"f": 1}, "q1": {"a": 1, "c": 1}},
        metric=["mrr@3", "recall@2"],
        search_params={"mask": "mask", "groups": "document"},
    )
    assert scorer(search) == {"mrr@3": (1 / 3 + 1) / 2, "recall@2": 1 / 4}
    params = {"mask": "mask", "groups": "document"}
    assert search.calls == [(["two", "one"], 3, params)]
    assert repr(scorer) == "RetrievalScorer(2 queries)"
    # Pairs: equal queries are searched once, for one more text, which may be their own.
    pairs = [("one", "text c"), ("one", "text b"), ("two", "text g")]
    scorer = RetrievalScorer(pairs, metric="recall@2")
    assert scorer(search) == 1 / 4
    assert search.calls[-1] == (["one", "two"], 3, {})


def test_pairs_leave_out_the_text_of_the_query():
    search = Served(**{"text a": ["a", "b", "c"], "text b": ["b", "c", "a"]})
    pairs = [("text a", "text c"), ("text b", "text b")]
    assert RetrievalScorer(pairs, metric="mrr@2")(search) == (1 / 2 + 1) / 2


def test_a_search_scores_as_its_encoder():
    """As long as each query has one right text and the search is exact."""
    faq = load_faq()
    first = dict(zip(faq.groups[::-1], faq.data[::-1], strict=True))
    pairs = [
        (text, first[group])
        for text, group in zip(faq.data, faq.groups, strict=True)
        if text != first[group]
    ]
    metrics = ["mrr@100", "map@5", "ndcg@10", "recall@5", "success@1"]
    scorer = RetrievalScorer(pairs, corpus=faq.data, metric=metrics)
    encoder = load_pretrained()
    expected = scorer(encoder)
    assert scorer(SemanticSearch(encoder).fit(faq.data)) == pytest.approx(expected)
    assert expected["ndcg@10"] > expected["map@5"] > expected["success@1"]


class EvenRows(NearestNeighbors):
    """An approximate index, which finds no other rows."""

    def kneighbors(self, X, n_neighbors, return_distance=True):
        cosines = X @ self._fit_X.T
        cosines[:, 1::2] = -2
        rows = np.argsort(-cosines, axis=1)[:, :n_neighbors]
        return (
            (-np.take_along_axis(cosines, rows, 1), rows) if return_distance else rows
        )


def test_what_an_index_misses_is_not_found():
    texts = load_faq().data[:40]
    pairs = [(f"{text} please", text) for text in texts]
    scorer = RetrievalScorer(pairs, metric="recall@3")
    vectors = load_pretrained().transform(texts)
    queries = load_pretrained().transform([query for query, _ in pairs])
    ranks = np.argsort(np.argsort(-queries @ vectors.T, axis=1), axis=1)
    assert scorer(SemanticSearch().fit(texts)) == np.mean(np.diag(ranks) < 3) > 0.9
    among = np.argsort(np.argsort(-queries @ vectors[::2].T, axis=1), axis=1)
    found = scorer(SemanticSearch(neighbors=EvenRows()).fit(texts))
    assert found == np.sum(np.diag(among[::2]) < 3) / 40 < 0.6


def test_masks_thresholds_and_groups_are_measured():
    texts = ["a red bike", "a blue bike", "two cats", "a cat", "a dog"]
    documents = ["shop", "shop", "pets", "pets", "pets"]
    search = SemanticSearch().fit(texts, ids=[*"abcde"], payload={"of": documents})
    judged = {
        "queries": {1: "my cat", 2: "my bike"},
        "qrels": {1: {"c": 1}, 2: {"b": 1}},
    }

    def recall(metric="recall@2", **params):
        return RetrievalScorer(**judged, metric=metric, search_params=params)(search)

    assert recall() == 1
    assert recall(mask=np.array([1, 1, 0, 1, 1], bool)) == 1 / 2
    assert recall(mask=lambda columns: columns["of"] == "shop") == 1 / 2
    with pytest.warns(UserWarning, match="No hit is relevant"):
        assert recall(threshold=0.999) == 0
    judged["qrels"] = {1: {"pets": 1}, 2: {"shop": 1}}
    assert recall("recall@1", groups="of") == 1
    judged["qrels"] = {1: {"c": 1, "d": 1}, 2: {"b": 1, "a": 1}}
    assert recall(groups=np.array(documents)) == 1 / 2  # one of each document


def test_a_grid_search_chooses_the_settings_of_a_search():
    faq = load_faq()
    ids = np.array([f"q{row}" for row in range(len(faq.data))])
    groups = np.array(faq.groups)
    rows = np.unique(groups, return_index=True)[1]  # the first question of each group
    others = np.setdiff1d(np.arange(len(groups)), rows)
    scorer = RetrievalScorer(
        queries={row: faq.data[row] for row in others},
        qrels={
            row: {ids[first]: 1 for first in rows if groups[first] == groups[row]}
            for row in others
        },
        metric=["ndcg@10", "success@1"],
    )
    encoders = [FrozenEstimator(load_pretrained()), SIFEncoder()]
    grid = {"encoder": encoders, "neighbors": [None, NearestNeighbors()]}
    texts, everything = faq.data[rows], np.arange(len(rows))
    grid_search = GridSearchCV(
        SemanticSearch(), grid, scoring=scorer, refit="ndcg@10", error_score="raise",
        cv=[(everything, everything)],
    ).fit(texts, ids=ids[rows])  # fmt: skip
    expected = [
        scorer(SemanticSearch(clone(encoder), index).fit(texts, ids=ids[rows]))
        for encoder in encoders
        for index in grid["neighbors"]
    ]
    for metric in scorer.metric:
        found = grid_search.cv_results_[f"mean_test_{metric}"]
        assert_allclose(found, [scores[metric] for scores in expected])
        assert found[0] > found[2] + 0.05
    assert grid_search.best_params_["encoder"].transform(["a"]).shape == (1, 256)
    # On folds of the texts, texts of the other folds are not found.
    folds = GridSearchCV(
        SemanticSearch(encoders[0]), {}, scoring=scorer, refit=False, cv=3
    ).fit(texts, ids=ids[rows])
    assert folds.cv_results_["mean_test_ndcg@10"] < 0.8 * expected[0]["ndcg@10"]


PAIRS = [("a", "b"), ("c", "d"), ("e", "f")]
QUERIES, QRELS = {1: "one"}, {1: {"a": 1}}
REFUSED = [  # arguments of the scorer, and of its call, if there is one; words
    ({"pairs": [("a", "b")]}, None, "at least 2 pairs; got 1"),
    ({"pairs": ["a", "b"]}, None, "pairs of texts"),
    *(
        ({"pairs": PAIRS, "metric": metric}, None, "recall@k")
        for metric in ("recall", "recall@0", "ndcg", "mrr@3@4", ["mrr", "recall@x"])
    ),
    (
        {"pairs": PAIRS, "corpus": PAIRS[:1]},
        None,
        r"corpus must hold .* shape \(1, 2\)",
    ),
    *(
        (arguments, None, "Pass pairs, or queries and qrels")
        for arguments in (
            {"queries": QUERIES},
            {"qrels": QRELS},
            {"queries": QUERIES, "qrels": {}},
            {"queries": QUERIES, "qrels": QRELS, "pairs": PAIRS},
        )
    ),
    (
        {"queries": QUERIES, "qrels": QRELS | {2: {"a": 1}}},
        None,
        r"qrels\[2\] must be a",
    ),
    ({}, (AverageEncoder(),), "pass X, or RetrievalScorer"),
    ({}, (AverageEncoder(), PAIRS, [0, 1, 0]), "at least 2 pairs; got 1"),
    ({}, (AverageEncoder(), PAIRS, [0, 2.5, 1]), r"y_true\[1\] is 2.5"),
    ({}, (AverageEncoder(), PAIRS, [0, 1]), "inconsistent numbers of samples"),
    ({}, (AverageEncoder(), ["a", "b"], [0, 1]), "Expected pairs of texts"),
    ({}, (Served(one=["a"]), PAIRS), "pass pairs, or queries and qrels"),
]


@pytest.mark.parametrize(("arguments", "call", "words"), REFUSED)
def test_refused(arguments, call, words):
    with pytest.raises(ValueError, match=words):
        scorer = RetrievalScorer(**arguments)
        assert call is not None, "it is refused at once"
        scorer(*call)


def test_an_encoder_has_no_ids():
    scorer = RetrievalScorer(queries=QUERIES, qrels=QRELS)
    with pytest.raises(TypeError, match=r"SemanticSearch\(encoder\)\.fit\(texts, ids"):
        scorer(AverageEncoder())
