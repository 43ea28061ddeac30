"""Clusters of texts, which avoid comparing all texts with each other."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans

from skparaphrase._math import UnitVectors, unit_vectors
from skparaphrase._nearest import QUERIES, Matches, Queries, Rows, lower_bound, top_k
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Indices

_PROBES = 16  # clusters that are searched for the near duplicates of a text
_SAMPLE = 20  # texts per cluster for learning the centres
_PASSES, _BATCHES = 5, 5  # passes over these texts, and batches in each

#: By algorithm, the number of texts up to which all pairs are compared
EXACT = {"exact": np.inf, "clusters": 1_000, "auto": 40_000}


class Clusters:
    """Texts grouped by the nearest of many centres.

    A text is compared only with texts whose nearest centre is one of its own `_PROBES`
    nearest centres. All comparisons within a cluster are one matrix product, unlike in
    an index, which processes queries one by one.

    Parameters
    ----------
    vectors : ndarray of shape (n_vectors, dim)
        Unit vectors.
    rows : ndarray of int of shape (n_texts,)
        The rows of `vectors` to compare, ascending; at least 100.
    """

    def __init__(self, vectors: UnitVectors, rows: Indices) -> None:
        self.rows = rows
        self.n_clusters = int(2 * len(rows) ** 0.5)
        step = max(1, len(rows) // (_SAMPLE * self.n_clusters))
        sample = vectors[rows[::step]]
        means = MiniBatchKMeans(
            self.n_clusters, init="random", n_init=1, random_state=0
        )
        random = np.random.RandomState(0)
        with progress_bar(_PASSES * _BATCHES, "Learning clusters", "batch") as update:
            for _ in range(_PASSES):
                for batch in np.array_split(random.permutation(len(sample)), _BATCHES):
                    means.partial_fit(sample[batch])
                    update(1)
        centres = unit_vectors(means.cluster_centers_)
        self.nearest = np.empty(len(rows), np.int32)
        self.probed = np.empty((len(rows), _PROBES), np.int32)
        with progress_bar(len(rows), "Clustering") as update:
            for start in range(0, len(rows), QUERIES):
                block = slice(start, start + QUERIES)
                cosines = vectors[rows[block]] @ centres.T
                self.nearest[block] = cosines.argmax(axis=1)
                # This is several times as fast as argpartition.
                least = np.partition(cosines, -_PROBES, axis=1)[:, [-_PROBES]]
                query, centre = np.nonzero(cosines >= least)
                rank = np.arange(len(query)) - np.searchsorted(query, query)
                self.probed[block] = centre[rank < _PROBES].reshape(-1, _PROBES)
                update(len(cosines))

    @property
    def n_queries(self) -> int:
        """Number of queries in a block, which fill the blocks of their clusters."""
        return QUERIES * self.n_clusters // _PROBES // 4

    def parts(
        self, queries: Indices, others: Indices
    ) -> Iterator[tuple[Indices, Indices]]:
        """Yield the queries and the other texts of each cluster."""
        probed = self.probed[np.searchsorted(self.rows, queries)].ravel()
        nearest = self.nearest[np.searchsorted(self.rows, others)]
        asked = self._by_cluster(np.repeat(queries, _PROBES), probed)
        yield from zip(asked, self._by_cluster(others, nearest), strict=True)

    def _by_cluster(self, texts: Indices, clusters: NDArray[np.int32]) -> list[Indices]:
        """The texts of each cluster."""
        order = np.argsort(clusters, kind="stable")
        edges = np.searchsorted(clusters[order], np.arange(1, self.n_clusters))
        return np.split(texts[order], edges)

    def k_nearest(
        self,
        every: Rows,
        queries: Indices,
        others: Indices,
        k: int,
        threshold: float,
        weight: float,
    ) -> Matches:
        """The `k` nearest other texts of each query, among texts of shared clusters."""
        matches = []
        with progress_bar(len(queries), "Comparing") as update:
            for start in range(0, len(queries), self.n_queries):
                block = queries[start : start + self.n_queries]
                kept: list[Matches] = []
                n_kept = 0
                parts = self.parts(block, others)
                for query, other, cosine in pairs_of_parts(
                    every, parts, threshold, weight
                ):
                    new = query != other
                    kept.append((query[new], other[new], cosine[new]))
                    n_kept += int(new.sum())
                    if n_kept > 4 * k * len(block):
                        kept = [top_k(kept, k)]
                        n_kept = len(kept[0][0])
                matches.append(top_k(kept, k))
                update(len(block))
        query, other, cosine = map(np.concatenate, zip(*matches, strict=True))
        return query, other, np.clip(cosine, -1, 1)


def pairs_of_parts(
    every: Rows,
    parts: Iterable[tuple[Indices, Indices]],
    threshold: float,
    weight: float,
) -> Iterator[Matches]:
    """Yield pairs of texts whose score is at least the threshold, in blocks."""
    for asked, known in parts:
        for start in range(0, len(asked) if len(known) else 0, QUERIES):
            block = slice(start, start + QUERIES)
            sides = replace(every, chosen=asked), replace(every, chosen=known)
            queries = Queries(sides[0], block, sides[1], weight)
            least = np.full((len(queries), 1), lower_bound(threshold))
            for query, row, score in queries.iter_matches(least):
                yield asked[block][query], known[row], score
