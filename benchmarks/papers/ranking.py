"""Pairwise word interaction on answer ranking: table 7 of He & Lin (2016), TrecQA."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from _lib.paper_tables import Results
from _lib.papers import Data, table
from _lib.published import PWIM, tables
from _lib.readers import read_answers
from papers.interaction import (
    Grouped,
    build,
    part_of,
    shown,
    summaries,
    timed_fit,
)
from skparaphrase import load_pretrained
from skparaphrase.encoders import SIFEncoder
from skparaphrase.metrics import map_score, mrr_score
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervised import PairwiseInteractionRanker

RANKS = {"MAP": map_score, "MRR": mrr_score}


def read_questions(data: Data, part: str) -> Any:
    """Questions, candidates, labels and queries of "train", "dev" or "test"."""
    return read_answers(data.root / f"data/trecqa/{part}.tsv")


def ranks(model: Any, bunch: Any) -> dict[str, float]:
    """MAP and MRR as in trec_eval, and without unanswered questions."""
    ranker = hasattr(model, "decision_function")
    score = (model.decision_function if ranker else model.predict)(bunch.data)
    answerable = np.isin(bunch.query, bunch.query[bunch.target == 1])
    return {
        name + suffix: metric(bunch.target[rows], score[rows], bunch.query[rows])
        for suffix, rows in (("", slice(None)), (", answerable", answerable))
        for name, metric in RANKS.items()
    }


class Ranking(Grouped):
    name = "interaction_ranking"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """One model, or the cosine of averages without training, on the test set."""
        row, test = self.rows[name], read_questions(data, "test")
        if row["kind"] == "cosine":
            pretrained = row["encoder"] == "pretrained"
            encoder = load_pretrained() if pretrained else SIFEncoder(data.vectors)
            model = make_pipeline(encoder, PairSimilarity())
            return ranks(model.fit(test.data), test)
        train, dev = (read_questions(data, part) for part in ("train", "dev"))
        params = {"random_state": seed, **row["params"]}
        model = build(data, PairwiseInteractionRanker, params)
        X, y = part_of(data, train.data, train.target)
        costs = timed_fit(model, X, y, X_val=dev.data, y_val=dev.target)
        scores = costs["dev"] or [ranks(model, dev)["MRR"]]
        return {**ranks(model, test), "dev MRR": max(scores), **costs}

    def cells(self, results: Any, n_seeds: int) -> Results:
        found = summaries(results)
        keys = ("MAP", "MRR", "MAP, answerable", "MRR, answerable")
        theirs = tables()[f"{PWIM} 7"]["This work"]
        rows = [
            [name]
            + [
                shown(found[name][key], theirs.get(key) if "published" in row else None)
                for key in keys
            ]
            for name, row in self.rows.items()
        ]
        ablations = [
            row["WikiQA"]
            for name, row in tables()[f"{PWIM} 8"].items()
            if name != "Full Model"
        ]
        return {
            "table": table(["", *keys], rows),
            "context": ablations[0],
            "focus": ablations[1],
            "dropout": ablations[2],
            "settings": self.settings("model"),
            "wikiqa": tables()[f"{PWIM} 6"]["This work"],
        }
