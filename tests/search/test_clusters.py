"""The pairs compared in clusters, against a loop over all pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skparaphrase._math import unit_vectors
from skparaphrase.search import _clusters
from skparaphrase.search._clusters import Clusters


def test_texts_meet_in_the_clusters_near_the_query(monkeypatch):
    monkeypatch.setattr(_clusters, "_PROBES", 3)
    monkeypatch.setattr(_clusters, "QUERIES", 50)
    vectors = np.random.default_rng(0).normal(size=(700, 5)).astype(np.float32)
    vectors = unit_vectors(vectors)
    vectors[10] = 0  # as near to each centre
    rows = np.arange(0, 700, 2)
    clusters = Clusters(vectors, rows)
    queries, others = rows[100:200], rows[rows % 3 == 0]
    met = [
        (query, other)
        for asked, known in clusters.parts(queries, others)
        for query in asked.tolist()
        for other in known.tolist()
    ]
    assert len(met) == len(set(met))

    members = dict(zip(rows.tolist(), clusters.nearest.tolist(), strict=True))
    assert {*members.values()} == {*range(clusters.n_clusters)}
    for query in queries.tolist():
        probed = clusters.probed[query // 2].tolist()
        assert len(set(probed)) == 3 and members[query] in probed
        expected = {row for row in others.tolist() if members[row] in probed}
        assert {other for asked, other in met if asked == query} == expected


def test_texts_of_equal_vectors_are_in_one_cluster():
    vectors = np.zeros((500, 4), np.float32)
    vectors[np.arange(500), np.arange(500) % 4] = 1
    clusters = Clusters(vectors, np.arange(500))
    for i in range(4):
        assert len(set(clusters.nearest[i::4].tolist())) == 1
