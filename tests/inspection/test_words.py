"""Neighbours against a slow search, and weights of words by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cosine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.encoders import (
    AverageEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.encoders._base import TextEncoder
from skparaphrase.inspection import nearest_texts, token_weights
from skparaphrase.inspection._pipelines import pair_similarities
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors


class Letters(TextEncoder):
    """Sum of vectors of letters: an encoder whose table has no words."""

    def fit(self, X, y=None):
        letters = [*"abcdefghij"]
        matrix = np.random.default_rng(0).normal(size=(len(letters), 4))
        self.vectors_ = WordVectors(letters, matrix)
        return self

    def _embed(self, texts):
        words, matrix = self.vectors_.words, self.vectors_.matrix
        rows = [[words.get(c) for c in text if c in words] for text in texts]
        return np.float32([matrix[row].sum(axis=0) for row in rows]).reshape(-1, 4)


def slow_neighbors(encoder, queries, candidates, n):
    """One query and one candidate at a time."""
    rows = []
    for query in queries:
        scored = []
        for candidate in set(candidates) - {query}:
            first, second = encoder.transform([query, candidate]).astype(float)
            known = first.any() and second.any()
            scored.append(1 - cosine(first, second) if known else 0.0)
        best = enumerate(sorted(scored, reverse=True)[:n], 1)
        rows += [(query, rank, similarity) for rank, similarity in best]
    return zip(*rows, strict=True)


@pytest.mark.parametrize("n", [1, 3, 50])
def test_neighbors_are_those_of_a_slow_search(vectors, sentences, n):
    encoder = AverageEncoder(vectors)
    queries = [*sentences[:4], "w1 w2", "nothing"]
    candidates = [*sentences, "w1 w2", "w3", sentences[0]]
    found = nearest_texts(encoder, queries, candidates, k=n)
    query, rank, similarity = slow_neighbors(encoder, queries, candidates, n)
    assert_array_equal(found["query"], query)
    assert_array_equal(found["rank"], rank)
    assert_allclose(found["similarity"], similarity, atol=1e-6)
    own = pair_similarities(encoder, found[["query", "neighbor"]].to_numpy(object))
    assert_allclose(found["similarity"], own, atol=1e-6)
    assert not found.duplicated(["query", "neighbor"]).any()


AVERAGE, OTHER, LETTERS = AverageEncoder(), LogisticRegression(), Letters().fit(["a"])
FLAT = FunctionTransformer(lambda X: np.ones(len(X)))


@pytest.mark.parametrize(
    ("look_up", "arguments", "error", "message"),
    [
        (nearest_texts, (AVERAGE, "cat"), TypeError, "got 'cat'"),
        (nearest_texts, (AVERAGE, [("a", "b")]), ValueError, "queries must hold tex"),
        (nearest_texts, (AVERAGE, ["a"], ["b"], 0), ValueError, "k == 0, must be >= 1"),
        (
            nearest_texts,
            (LETTERS, ["a"]),
            TypeError,
            "no table of words; .*candidates=",
        ),
        (nearest_texts, (ParaphraseEncoder(), ["a"], ["b"]), NotFittedError, "fitted"),
        (nearest_texts, (OTHER, ["a"], ["b"]), TypeError, "sion, which has no transf"),
        (nearest_texts, (FLAT, ["a"], ["b"]), ValueError, r"shape \(1, 'dim'\)"),
        (token_weights, (AVERAGE, "corpus"), TypeError, "frequencies must be"),
        (token_weights, (OTHER,), TypeError, "got LogisticRegression"),
        (token_weights, (SIFEncoder(),), NotFittedError, "not fitted"),
        (token_weights, (Letters(),), NotFittedError, "not fitted"),
    ],
)
def test_errors(look_up, arguments, error, message):
    with pytest.raises(error, match=message):
        look_up(*arguments)


def test_no_queries_and_no_candidates(vectors):
    encoder = AverageEncoder(vectors)
    assert len(nearest_texts(encoder, [])) == 0
    assert len(nearest_texts(encoder, ["w1"], [])) == 0


def test_token_weights_by_hand():
    table = WordVectors(["a", "b", "c"], [[3, -4], [0, 1], [1, 1]])
    found = token_weights(table, {"a": 6, "b": 2}, a=0.25)
    assert found.index.tolist() == ["a", "b", "c"]
    expected = [[7, 1, 2], [5, 1, np.sqrt(2)], [6, 2, 0], [0.75, 0.25, 0]]
    assert_allclose(found.T, [*expected, [0.25, 0.5, 1]])
    assert [*found] == ["l1", "l2", "count", "frequency", "sif"]


def test_token_weights_of_letters_have_no_frequencies():
    frame = token_weights(LETTERS)
    assert frame[["count", "frequency", "sif"]].isna().all(axis=None)
    assert token_weights(LETTERS, {"a": 2})["count"].tolist() == [2] + [0] * 9


@pytest.mark.parametrize("make", [SIFEncoder, TfidfEncoder])
def test_token_weights_of_weighted_averages(bundled, make):
    encoder = make_pipeline(make(), PairSimilarity()).fit(bundled[0])
    frame = token_weights(encoder)
    vectors = encoder[0].transform(["the", "cat"])
    for column, order in (("l1", 1), ("l2", 2)):
        expected = np.linalg.norm(vectors, order, axis=1)
        assert_allclose(frame.loc[["the", "cat"], column], expected, rtol=1e-5)
