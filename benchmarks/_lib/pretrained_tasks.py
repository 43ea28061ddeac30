"""The pretrained encoders on six kinds of tasks, confidence intervals, and `dim`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import statistics
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.stats import pearsonr
from sklearn.pipeline import make_pipeline

from _lib.adaptation_data import AdaptationData
from _lib.duplicates import best, duplicates, repeated_questions
from _lib.fits import logistic, neighbour
from _lib.labelled import SETS, accuracies
from _lib.pages import Row
from _lib.readers import read_answers
from _lib.shipped import TESTS, YEARS, Material, year_means
from skparaphrase import load_pretrained
from skparaphrase.metrics import RetrievalScorer, map_score
from skparaphrase.pairs import PairSimilarity

N_TEXTS = 10  # of each intent
N_SEEDS = 3
N_RESAMPLES = 1000
DIMS = (256, 128, 64)
# Columns of each kind of task; the mean of kinds is the last column.
KINDS = (
    ("STS", "SICK"),
    ("neighbour", "logistic"),
    ("TrecQA",),
    ("FAQ",),
    ("questions", "titles"),
    ("frozen",),
)


def tasks(data: Material) -> Iterator[Row]:
    return _rows(data, data.pretrained)


def _rows(data: Material, encoders: Mapping[str, Any]) -> Iterator[Row]:
    for name, encoder in encoders.items():
        scores = _scores(data, encoder)
        means = [statistics.mean(map(scores.__getitem__, of)) for of in KINDS]
        yield {"": name, **scores, "mean": statistics.mean(means)}


def _scores(data: Material, encoder: Any) -> dict[str, float]:
    similarity = year_means(encoder, data.scored(*TESTS))
    intents = AdaptationData(argparse.Namespace(**vars(data.args) | {"seeds": N_SEEDS}))
    asked = intents.intents("test")
    near, classified = [], []
    for seed in intents.seeds:
        known = intents.few_texts(N_TEXTS, seed)
        near.append(neighbour(encoder, known, asked))
        classified.append(logistic(encoder, known, asked))
    answers = read_answers(data.root / "data/trecqa/test.tsv")
    cosines = make_pipeline(encoder, PairSimilarity()).predict(answers.data)
    rows = np.isin(answers.query, answers.query[answers.target == 1])  # answerable
    ranked = answers.target[rows], cosines[rows], answers.query[rows]
    pairs, questions = repeated_questions()
    first = RetrievalScorer(pairs, corpus=questions, metric="mrr")
    groups = duplicates()
    frozen: list[float] = []
    for name in SETS:
        frozen += accuracies(data.args, name, {"": encoder}, [""])[""].values()
    return {
        "STS": similarity["mean"],
        "SICK": similarity["SICK"],
        "neighbour": statistics.mean(near),
        "logistic": statistics.mean(classified),
        "TrecQA": 100 * map_score(*ranked),
        "FAQ": 100 * first(encoder),
        "questions": 100 * best(*groups["questions"], encoder, None)["F1"],
        "titles": 100 * best(*groups["product titles"], encoder, None)["F1"],
        "frozen": statistics.mean(frozen),
    }


# Fewer dimensions --------------------------------------------------------------------


def dimensions(data: Material) -> Iterator[Row]:
    encoders = {
        f'dim={dim}, pooling="{pooling}"': load_pretrained(pooling=pooling, dim=dim)
        for pooling in ("distinct", "mean")
        for dim in DIMS
    }
    return _rows(data, encoders)


# How sure the order is ---------------------------------------------------------------


def intervals(data: Material) -> list[Row]:
    """Gains over averages of all words, and their intervals, on STS 2012 to 2015."""
    sets = {
        name: of for name, of in data.scored(TESTS[0]).items() if "train" not in name
    }
    cosines = {
        name: {
            key: make_pipeline(encoder, PairSimilarity()).predict(X)
            for key, (X, _) in sets.items()
        }
        for name, encoder in data.pretrained.items()
    }
    random = np.random.default_rng(0)
    gold = {key: np.asarray(y) for key, (_, y) in sets.items()}
    draws = [
        {key: random.integers(len(y), size=len(y)) for key, y in gold.items()}
        for _ in range(20 if data.quick else N_RESAMPLES)
    ]
    everything = {key: np.arange(len(y)) for key, y in gold.items()}
    base, *_ = [name for name in cosines if name.startswith("shipped, pooling")]
    drawn = {
        name: np.array([_mean(of, gold, rows) for rows in [everything, *draws]])
        for name, of in cosines.items()
    }
    rows = []
    for name, (score, *scores) in drawn.items():
        low, high = np.quantile(scores, [0.025, 0.975])
        row = {"": name, "STS": score, "from": low, "to": high}
        if name != base:
            gain, *gains = drawn[name] - drawn[base]
            low, high = np.quantile(gains, [0.025, 0.975])
            row |= {"gain": gain, "gain from": low, "gain to": high}
        rows.append({key: v if key == "" else float(v) for key, v in row.items()})
    return rows


def _mean(
    cosines: Mapping[str, Any], gold: Mapping[str, Any], rows: Mapping[str, Any]
) -> float:
    """Pearson x 100 on some rows of each set: the mean over years of their means."""
    scores = {
        key: 100 * pearsonr(cosines[key][some], gold[key][some]).statistic
        for key, some in rows.items()
    }
    return statistics.mean(
        statistics.mean(s for key, s in scores.items() if f"-{year}." in key)
        for year in YEARS
    )
