"""Neighbours against a search of one query and one candidate at a time."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cosine

from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import neighbors
from skparaphrase.inspection._estimators import pair_similarities
from skparaphrase.vectors import WordVectors


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
    found = neighbors(encoder, queries, candidates, n_neighbors=n)
    query, rank, similarity = slow_neighbors(encoder, queries, candidates, n)
    assert_array_equal(found["query"], query)
    assert_array_equal(found["rank"], rank)
    assert_allclose(found["similarity"], similarity, atol=1e-6)
    own = pair_similarities(encoder, found[["query", "neighbor"]].to_numpy(object))
    assert_allclose(found["similarity"], own, atol=1e-6)
    assert not found.duplicated(["query", "neighbor"]).any()


def test_neighbors_by_hand():
    matrix = [[1, 0], [1, 1], [0, 1], [1, 0]]
    table = WordVectors(["cat", "dog", "car", "<unk>"], matrix, unknown="<unk>")
    found = neighbors(AverageEncoder(table), ["cat"])
    assert found["neighbor"].tolist() == ["dog", "car"]
    assert_allclose(found["similarity"], [np.sqrt(0.5), 0], atol=1e-7)


def test_bad_queries(vectors):
    encoder = AverageEncoder(vectors)
    with pytest.raises(TypeError, match="got 'cat'"):
        neighbors(encoder, "cat")
    with pytest.raises(ValueError, match="queries must hold texts, shape"):
        neighbors(encoder, [("a", "b")])
    with pytest.raises(ValueError, match="n_neighbors must be an integer"):
        neighbors(encoder, ["w1"], n_neighbors=0)
    assert len(neighbors(encoder, [])) == len(neighbors(encoder, ["w1"], [])) == 0
