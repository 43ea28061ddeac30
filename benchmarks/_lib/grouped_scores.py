"""Scores of groups of pairs, by length or by number of unknown words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from skparaphrase import _core
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import WordTokenizer, check_texts
from skparaphrase.vectors import WordVectors

LENGTH_BINS = (4, 5, 6, 7, 8, 9, 10, 15, 20)  # table 7 of the Charagram paper
UNKNOWN_BINS = (0, 1, 2)  # table 6


def unknown_words(X: Any, vocabulary: Iterable[str] | WordVectors) -> np.ndarray:
    """Number of words of each text, or each pair, that are not in a vocabulary.

    A compound with a known part is known.
    """
    words = vocabulary.words if isinstance(vocabulary, WordVectors) else vocabulary
    texts, index = check_texts(X), _core.core.WordIndex(words)
    unknown = len(index)
    settings = WordTokenizer(), unknown, False, _core.core.WordIndex()
    ids, offsets = _core.core.find_words(texts.ravel().tolist(), index, *settings)
    total = np.append(0, np.cumsum(ids == unknown))
    counts = np.diff(total[offsets]).reshape(texts.shape)
    return counts if texts.ndim == 1 else counts.sum(axis=1)


def scores_by_length(
    encoder: Any, pairs: Any, gold: Any, bins: Sequence[int] = LENGTH_BINS
) -> pd.DataFrame:
    """Scores by the number of words of the longer text of a pair."""
    lengths = unknown_words(np.ravel(pairs), []).reshape(-1, 2).max(axis=1)
    return grouped_scores(
        gold, PairSimilarity().predict(encoder.transform(pairs)), lengths, bins
    )


def scores_by_unknown(
    encoder: Any, pairs: Any, gold: Any, vocabulary: WordVectors
) -> pd.DataFrame:
    """Scores by the number of unknown words of a pair; "any" is at least one."""
    counts = unknown_words(pairs, vocabulary)
    cosines = PairSimilarity().predict(encoder.transform(pairs))
    scores = grouped_scores(gold, cosines, counts, UNKNOWN_BINS)
    some = grouped_scores(gold, cosines, counts > 0, [0]).loc[[">=1"]]
    return pd.concat([scores[:-1], some.rename({">=1": "any"}), scores[-1:]])


def word_overlaps(pairs: Any) -> np.ndarray:
    """Number of shared words of a pair, divided by the number of distinct words."""
    split = WordTokenizer()
    words = [[{*split(text)} for text in pair] for pair in pairs]
    return np.array([len(a & b) / max(len(a | b), 1) for a, b in words])


def grouped_scores(
    gold: Any, predicted: Any, counts: Any, bins: Sequence[int]
) -> pd.DataFrame:
    """Correlation with the gold scores in groups of pairs.

    `bins` contains the largest count of each group. Larger counts form an additional
    group, and the last row is "all". Scores are NaN for fewer than two pairs.
    """
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    group = np.searchsorted(bins, counts)
    masks = {name: group == i for i, name in enumerate(_names(bins))}
    masks["all"] = np.ones(len(gold), dtype=bool)
    rows = {}
    for name, mask in masks.items():
        n_pairs = int(mask.sum())
        pearson = spearman = np.nan
        if n_pairs > 1:
            pearson = pearson_score(gold[mask], predicted[mask])
            spearman = spearman_score(gold[mask], predicted[mask])
        rows[name] = {"n_pairs": n_pairs, "pearson": pearson, "spearman": spearman}
    return pd.DataFrame.from_dict(rows, orient="index").astype({"n_pairs": int})


def _names(bins: Sequence[int]) -> list[str]:
    names = ["0" if bins[0] == 0 else f"<={bins[0]}"]
    for last, edge in pairwise(bins):
        names.append(str(edge) if edge == last + 1 else f"{last + 1}-{edge}")
    return [*names, f">={bins[-1] + 1}"]
