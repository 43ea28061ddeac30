"""Neighbours against a search of one query and one candidate at a time."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cosine
from sklearn.frozen import FrozenEstimator

from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import _neighbors, nearest_units, neighbors
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


@pytest.mark.parametrize("block", [1, 4, 100])
@pytest.mark.parametrize("n", [1, 3, 50])
def test_neighbors_are_those_of_a_slow_search(
    vectors, sentences, monkeypatch, block, n
):
    monkeypatch.setattr(_neighbors, "_BLOCK", block)
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


def test_nearest_units_are_those_of_the_table(letters, trained, monkeypatch):
    monkeypatch.setattr(_neighbors, "_BLOCK", 3)
    found = nearest_units(letters, ["a", "d", "a"], n_neighbors=4)
    for start, unit in ((0, "a"), (4, "d"), (8, "a")):
        rows = found[start : start + 4]
        expected = letters.vectors_.nearest(unit, 4)
        assert rows["neighbor"].tolist() == [word for word, _ in expected]
        assert_allclose(rows["similarity"], [s for _, s in expected], atol=1e-6)
    few = nearest_units(letters.vectors_, ["a"], ["a", "c", "b", "c"])
    assert sorted(few["neighbor"]) == ["b", "c"]
    monkeypatch.undo()
    found = nearest_units(FrozenEstimator(trained), ["king"], n_neighbors=3)
    expected = trained.vectors_.nearest("king", 3)
    assert found["neighbor"].tolist() == [word for word, _ in expected]


def test_bad_queries(vectors):
    encoder = AverageEncoder(vectors)
    with pytest.raises(TypeError, match="got 'cat'"):
        neighbors(encoder, "cat")
    with pytest.raises(ValueError, match="queries must hold texts, shape"):
        neighbors(encoder, [("a", "b")])
    with pytest.raises(ValueError, match="n_neighbors must be an integer"):
        neighbors(encoder, ["w1"], n_neighbors=0)
    with pytest.raises(ValueError, match=r"1 of 2 units are not in .* 'nothing'"):
        nearest_units(encoder, ["w1", "nothing"])
    with pytest.raises(TypeError, match="must be a list of str; got the str 'w1'"):
        nearest_units(encoder, "w1")
    assert len(neighbors(encoder, [])) == len(neighbors(encoder, ["w1"], [])) == 0
