"""Metrics of the hits of a search, as in trec_eval."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from skparaphrase._estimator import warn_caller

Grades = Mapping[Hashable, float]  # grades of texts, by id

_DEPTH = 100  # hits per query if the metric has no @k


def check_qrels(queries: Mapping[Any, str], qrels: Mapping[Any, Grades]) -> None:
    """Raise an error unless each query has a text and a relevant document."""
    for name, grades in qrels.items():
        is_mapping = isinstance(grades, Mapping) and name in queries
        is_graded = is_mapping and all(grade == grade for grade in grades.values())
        if not is_graded or not any(grade > 0 for grade in grades.values()):
            raise ValueError(
                f"qrels[{name!r}] must be a mapping {{document id: grade}} with a "
                f"grade above 0, and queries[{name!r}] its text. Leave out queries "
                "that have no relevant document: their scores are not defined."
            )


def cutoff(metric: str) -> int:
    """The k of "name@k"."""
    return int(metric.partition("@")[2] or _DEPTH)


def mean_score(
    metric: str, hits: Sequence[Sequence[Hashable]], qrels: Sequence[Grades]
) -> float:
    """Mean over queries, from the ids of their hits, best first, and the grades."""
    longest = max(map(len, [*hits, *qrels]), default=1)
    k = min(cutoff(metric), longest)
    gains, ideal = np.zeros((2, len(hits), k))
    for i, (row, grades) in enumerate(zip(hits, qrels, strict=True)):
        left = dict(grades)  # a repeated id has no gain
        found = [left.pop(each, 0) for each in row[:k]]
        best = sorted(grades.values(), reverse=True)[:k]
        gains[i, : len(found)], ideal[i, : len(best)] = found, best
    is_right, ranks = gains > 0, np.arange(1, k + 1)
    if not is_right.any():
        warn_caller(
            f"No hit is relevant: relevant ids look like {next(iter(qrels[0]))!r}, and "
            f"ids of hits like {hits[0][:1]!r}. Do they have the same type?"
        )
    n_right = [sum(grade > 0 for grade in grades.values()) for grades in qrels]
    discount = 1 / np.log2(1 + ranks)  # Järvelin and Kekäläinen (2002)
    scores = {
        "mrr": (is_right / ranks).max(axis=1),
        "map": (is_right * is_right.cumsum(axis=1) / ranks).sum(axis=1) / n_right,
        "ndcg": gains.clip(min=0) @ discount / (ideal.clip(min=0) @ discount),
        "recall": is_right.sum(axis=1) / n_right,
        "success": is_right.any(axis=1),
    }
    return float(scores[metric.partition("@")[0]].mean())
