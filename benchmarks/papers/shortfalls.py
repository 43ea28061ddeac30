"""Experiments on why five figures are below the published ones.

Each row changes one thing of a row of another table: the number of pairs, the kind of
pairs, the initial vectors, or the number of epochs. One seed.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from _lib.paper_encoders import paper_encoder
from _lib.paper_tables import Results, Runs, Table, lines, recorded
from _lib.papers import COLUMNS, Data, score_sts, sts_means, table
from _lib.published import CHARAGRAM, PWIM, SIF, printed, published, tables
from papers.cse import PHRASES, SENTENCES, encoder, fitted
from papers.interaction import timed_fit
from papers.ranking import ranks, read_questions
from papers.supervised import evaluate, lengthened, read
from skparaphrase import load_pretrained
from skparaphrase.callback import ScoreMonitor
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.supervised import (
    PairwiseInteractionRanker,
    TextClassifier,
)
from skparaphrase.vectors import remove_mean


class Shortfalls(Table):
    name = "shortfalls"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        part = name.partition(": ")[0]
        return MEASURES[part](data, **self.rows[name])

    def combine(self, runs: Runs) -> Results:
        found: Results = {}
        for name, (result,) in runs.items():
            part, _, row = name.partition(": ")
            found.setdefault(part, {})[row] = result
        return found

    def cells(self, results: Any, n_seeds: int) -> Results:
        found = {
            part: {row: {**of, "count": f"{_count(of):,}"} for row, of in rows.items()}
            for part, rows in results.items()
        }
        cse_recorded = recorded("cse_cumulative")["results"]
        return {
            "charagram": table(
                ["pairs", "epochs", *COLUMNS], _charagram_rows(found["charagram"])
            ),
            "short_texts": table(["", "pairs", "r", "low", "high"], _short_texts()),
            "cse": _with_recorded(
                ("sentences", "after phrases"),
                found["cse"],
                {
                    "all sentences, 2 epochs, recorded": {
                        **cse_recorded["CSE, phrases, then sentences"],
                        "count": "75,827",
                        "after phrases": cse_recorded["CSE, phrases"]["mean of years"],
                    },
                    "published": {
                        **published("CSE on both"),
                        "count": "167,689",
                        "after phrases": published("CSE")["mean of years"],
                    },
                },
            ),
            "sst": table(
                ["", "phrases", "dev", "test", "best epoch"], _sst_rows(found["sst"])
            ),
            **_trecqa_cells(found["trecqa"]),
        }


# Experiments -------------------------------------------------------------------------


def charagram(data: Data, *, epochs: int, share: int) -> Results:
    """Means after each epoch."""
    pairs = data.pairs[::share]
    monitor = ScoreMonitor(lambda encoder: sts_means(score_sts(encoder, data)))
    model = paper_encoder(
        "CharagramEncoder", max_epochs=data.epochs(epochs), random_state=0
    )
    model.set_callbacks(monitor).fit(pairs)
    return {
        "pairs": len(pairs),
        "epochs": [{key: of[key] for key in COLUMNS} for of in monitor.scores_[1:]],
    }


def cse(
    data: Data,
    *,
    centered: bool = False,
    phrases: bool = True,
    share: int = 4,
    epochs: int = 2,
) -> Results:
    """CSE on phrases, then on sentences: the row "both" of table 4."""
    if centered:
        data.vectors = remove_mean(data.vectors)
    found, before = {}, None
    if phrases:
        before = fitted("CSE", PHRASES, data, 0)
        found["after phrases"] = sts_means(score_sts(before, data))["mean of years"]
    both = encoder("CSE", SENTENCES, data, 0, init=before)
    both.set_params(max_epochs=data.epochs(epochs))
    sentences = data.shuffled(*data.sentences)[::share]
    scores = sts_means(score_sts(both.fit(sentences), data))
    return {**found, "pairs": len(sentences), **scores}


def sst(
    data: Data,
    *,
    epochs: int = 3,
    start: str = "minilm-words",
    share: int = 1,
    projection: int | None = None,
) -> Results:
    """SST-2 with a head on frozen SIF averages: accuracy x 100."""
    features: Any = SIFEncoder(data.vectors, a=1e-3, frequencies=data.frequencies)
    if start == "pretrained":
        features = AverageEncoder(load_pretrained().vectors)  # already weighted
    parts = read(data, "sentiment")
    X, y = parts["train"]
    parts["train"] = X[::share], y[::share]
    model = TextClassifier.paper(
        "sif",
        encoder=FrozenEstimator(lengthened(features.fit(X[::share]), X[::share], 6.0)),
        projection_dim=projection,
        max_epochs=data.epochs(epochs),
        optimizer__name="adam",
        learning_rate=0.001,
        random_state=0,
    )
    return evaluate(model, parts)


def trecqa(data: Data, *, share: int, epochs: int, seed: int = 0) -> Results:
    """MAP and MRR of the paper's model, trained on a part of the questions."""
    train, dev, test = (read_questions(data, part) for part in ("train", "dev", "test"))
    queries = np.unique(train.query)[:: share * (10 if data.quick else 1)]
    keep = np.isin(train.query, queries)
    model = PairwiseInteractionRanker(
        data.vectors, similarity=None, max_epochs=data.epochs(epochs), random_state=seed
    )
    costs = timed_fit(
        model, train.data[keep], train.target[keep], X_val=dev.data, y_val=dev.target
    )
    return {"pairs": int(keep.sum()), **ranks(model, test), **costs}


MEASURES: dict[str, Any] = {
    "sst": sst,
    "cse": cse,
    "charagram": charagram,
    "trecqa": trecqa,
}


# Tables ------------------------------------------------------------------------------


def _count(of: Results) -> int:
    return int(of.get("pairs", of.get("n_train", 0)))


def _with_recorded(columns: Any, found: Results, others: Results) -> list[str]:
    """Our means by year, and the recorded or published ones."""
    keys = ["count", *columns[1:], *COLUMNS]
    return table(["", *columns, *COLUMNS], lines({**found, **others}, keys))


def _charagram_rows(found: Results) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for of in found.values():
        for epoch in (1, 2, 4, 8):
            if epoch <= len(of["epochs"]):
                means = of["epochs"][epoch - 1]
                rows.append([of["count"], epoch, *map(means.get, COLUMNS)])
    every = recorded("wieting_encoders")["results"]["Charagram"]
    epochs = f"{every['epochs']:.0f}, recorded"
    rows.append([f"{every['pairs']:,.0f}", epochs, *map(every.get, COLUMNS)])
    theirs = published("Charagram")
    return [*rows, ["published, 9 million", 10, *map(theirs.get, COLUMNS)]]


def _short_texts() -> list[list[Any]]:
    """Fisher's 95 % intervals of the correlations of few pairs."""
    of = recorded("charagram_unknown_and_length")["results"]
    group = next(iter(of["pairs"]["length"]))
    n_pairs = of["pairs"]["length"][group]
    rows = [
        [name, n_pairs, *_interval(of[name]["length"][group], n_pairs)]
        for name in ("Charagram", "PP", "PP, centred start", "LSTM")
    ]
    table_7 = tables()[f"{CHARAGRAM} 7"]
    there = table_7["pairs"]["max tokens ≤ 4"]
    for name, system in (("Charagram", "CHARAGRAM-PHRASE"), ("PP", "PARAGRAM-PHRASE")):
        score = table_7[system]["max tokens ≤ 4"]
        rows.append([f"published, {name}", there, *_interval(score, there)])
    return rows


def _interval(score: float, n_pairs: int) -> tuple[float, float, float]:
    """A correlation x 100, and the ends of its 95 % interval."""
    middle, width = np.arctanh(score / 100), 1.96 / np.sqrt(n_pairs - 3)
    low, high = np.tanh([middle - width, middle + width])
    return score, 100 * float(low), 100 * float(high)


def _sst_rows(found: Results) -> list[list[Any]]:
    rows = [
        [name, of["count"], of["dev"], of["test"], f"{of['epoch']:.0f}"]
        for name, of in found.items()
    ]
    row = "SIF weights, GloVe (no removal)"
    theirs = printed(f"{SIF} 2", row, "SST binary sentiment")
    return [*rows, ["published, GloVe", None, None, theirs, None]]


def _trecqa_cells(found: Results) -> Results:
    seeds = recorded("interaction_ranking")["results"]["paper's model"]
    maps = [of["MAP"] for of in seeds]
    n_pairs = printed(f"{PWIM} section 8", "TrecQA TRAIN-ALL pairs")
    others = {
        "all questions, recorded": {**seeds[0], "count": "4,718"},
        "published": {**tables()[f"{PWIM} 7"]["This work"], "count": f"{n_pairs:,}"},
    }
    rows = lines({**found, **others}, ["count", "MAP", "MRR"])
    return {
        "trecqa": table(["", "pairs", "MAP", "MRR"], rows, 4),
        "best_epoch": seeds[0]["best epoch"],
        "lowest": min(maps),
        "highest": max(maps),
    }
