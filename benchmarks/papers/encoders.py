"""All encoders of the papers on the STS data sets of 2012 to 2015 and SICK.

Table 2 of Wieting et al. (2016), tables 3 and 11 of the Charagram paper and table 1 of
the CSE paper; adds a union of a word and a character encoder.

"Defaults" are the defaults of the classes. Encoders of words then start from the
pretrained encoder, whose scores are in the row "pretrained", and not from the vectors
of the other rows. "Own setting" is a setting with which the charLSTM learns: InfoNCE
and fewer dimensions. The charLSTMs of 100 dimensions differ from the paper's in one
thing each; "short pairs first" is a curriculum, since our pairs have no order of
confidence. Because PPDB's pairs are phrases, "phrases" are words and aligned phrases
alone, and "phrases first" come before a quarter of the sentences.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

from _lib.paper_encoders import INFONCE, paper_encoder, row_encoder
from _lib.paper_tables import Results, Runs, Table, lines
from _lib.papers import COLUMNS, Data, median, score_sts, sts_means, table
from _lib.published import SYSTEMS, beaten, label, published
from skparaphrase import load_pretrained
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import EncoderUnion, PairSimilarity
from skparaphrase.vectors import apply_sif_weights, remove_mean

# For characters; chosen on development data.
UNION_WEIGHTS = (0.0625, 0.125, 0.25, 0.5, 1.0)
UNION = "union of these two"


class Encoders(Table):
    name = "wieting_encoders"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Rows of one encoder; for Charagram, also the rows of the union."""
        encoder, costs = self.fitted(data, name, seed)
        rows = {name: {**_sets(score_sts(encoder, data)), **costs}}
        if name == "Charagram":
            rows |= _union(data, encoder, seed)
        return {"rows": rows}

    def fitted(self, data: Data, name: str, seed: int) -> tuple[Any, dict[str, float]]:
        """A trained encoder, and the cost of its training."""
        row = self.rows[name]
        if name == "pretrained":
            return _train(data.pairs, clone(load_pretrained()))
        encoder = row_encoder(row, data, seed)
        if data.quick and hasattr(encoder, "max_epochs"):
            encoder.set_params(max_epochs=1)
        share = row.get("share", 1.0)
        pairs = data.shuffled(*row["corpora"]) if "corpora" in row else data.pairs
        if "phrases_first" in row:
            phrases = clone(encoder).set_params(max_epochs=1)
            encoder.set_params(init=phrases.fit(data.shuffled(*data.phrases)))
        pairs = pairs[: int(share * len(pairs))]
        if "short_first" in row:
            lengths = [len(first) + len(second) for first, second in pairs]
            pairs = pairs[np.argsort(lengths, kind="stable")]
        return _train(pairs, encoder)

    def combine(self, runs: Runs) -> Results:
        found: dict[str, list[Any]] = {}
        for of in runs.values():
            for run in of:
                for name, values in run["rows"].items():
                    found.setdefault(name, []).append(values)
        return {name: {**median(of), "seeds": len(of)} for name, of in found.items()}

    def cells(self, results: Any, n_seeds: int) -> Results:
        names = [*reversed(self.rows), *(n for n in results if n not in self.rows)]
        methods = {
            name: row["published"]
            for name, row in self.rows.items()
            if "published" in row
        }
        sets = [key for key in results["PP"] if key.startswith("20") and "." in key]
        scores = {}
        for name in names:
            scores[name] = results[name]
            scores |= {label(of): published(of) for of in methods.get(name, ())}
        costs = [
            [
                name,
                f"{of['epochs']:.0f}",
                f"{of['pairs']:,.0f}",
                of["seeds"],
                of["fit seconds"],
                f"{of['pairs/s']:,.0f}",
                of["million parameters"],
                self._differences(name),
            ]
            for name, of in ((name, results[name]) for name in names)
            if "epochs" in of
        ]
        heads = ["encoder", "epochs", "pairs", "seeds", "seconds", "pairs/s"]
        heads += ["million parameters", "not the paper's"]
        return {
            "means": table(["encoder", *COLUMNS], lines(scores, COLUMNS)),
            "weight": results[UNION]["weight of characters"],
            "claims": table(
                ["claim", "here", "published", "paper"],
                [_claim(results, **of) for of in self.description["claims"]],
            ),
            "beaten": table(["encoder", *SYSTEMS], self._beaten(results, methods)),
            "costs": table(heads, costs),
            "sets": table(["encoder", *sets], lines(scores, sets)),
        }

    def _differences(self, name: str) -> str:
        """Differences from the paper, other than sparse updates and the pairs."""
        if self.rows.get(name, {}).get("defaults"):
            return "all: the defaults of the class, and its initial vectors"
        params = self.rows[name].get("params", {}) if name in self.rows else INFONCE
        return ", ".join(f"{k}={v!r}" for k, v in params.items() if k != "max_epochs")

    def _beaten(self, results: Any, methods: Any) -> list[list[Any]]:
        """The number of data sets on which an encoder is better than systems."""
        rows: list[list[Any]] = []
        for name in [*reversed(self.rows), UNION]:
            ours = beaten(results[name])
            cells = [str(ours[system]) for system in SYSTEMS]
            if name in methods:
                theirs = beaten(published(methods[name][-1]))
                cells = [f"{ours[system]} ({theirs[system]})" for system in SYSTEMS]
            rows.append([name, *cells])
        for method in ("PP-XXL", "PP of the Charagram paper", "skip-thought"):
            theirs = beaten(published(method))
            rows.append([label(method), *(f"({theirs[s]})" for s in SYSTEMS)])
        return rows


def _claim(
    results: Any,
    claim: str,
    better: list[str],
    than: list[str],
    paper: str,
    less: float = 0.0,
    there: Results | None = None,
) -> list[str]:
    """Numbers of data sets on which encoders beat others, here and in the papers.

    `there` maps rows to published methods with another name.
    """
    names = {name: name for name in (*better, *than)} | (there or {})
    counts = []
    for scores in (
        {name: results.get(name) or published(name) for name in names},
        {name: published(of) for name, of in names.items()},
    ):
        sets = [name for name in scores[better[0]] if "." in name or name == "sick"]
        wins = sum(
            max(scores[one][name] for one in better)
            > max(scores[one][name] for one in than) - less
            for name in sets
        )
        counts.append(f"{wins} of {len(sets)}")
    return [claim, *counts, paper]


def _train(pairs: Any, encoder: Any) -> tuple[Any, dict[str, float]]:
    started = time.process_time()
    encoder.fit(pairs)
    seconds = time.process_time() - started
    if not hasattr(encoder, "parameters_"):
        return encoder, {}
    sizes = [len(encoder.vectors_) * encoder.vectors_.dim]
    sizes += [value.size for value in encoder.parameters_.values()]
    return encoder, {
        "fit seconds": seconds,
        "epochs": float(encoder.n_epochs_),
        "pairs": float(len(pairs)),
        "pairs/s": len(pairs) * encoder.n_epochs_ / seconds,
        "million parameters": sum(sizes) / 1e6,
    }


def _sets(scores: dict[str, float]) -> dict[str, float]:
    return {**scores, **sts_means(scores)}


def _union(data: Data, characters: Any, seed: int) -> dict[str, dict[str, float]]:
    """Rows of the members, with a component removed, and of their union."""
    vectors = apply_sif_weights(remove_mean(data.vectors), data.frequencies)
    words, costs = _train(
        data.pairs,
        paper_encoder(
            "ParaphraseEncoder", vectors=vectors, random_state=seed, **INFONCE
        ),
    )
    removal = CommonComponentRemoval()
    members = [  # a union fits its members in place, so each has its own removal
        ("words", make_pipeline(FrozenEstimator(words), clone(removal))),
        ("characters", make_pipeline(FrozenEstimator(characters), clone(removal))),
    ]
    weighed = [
        EncoderUnion(members, weights={"characters": weight})
        for weight in UNION_WEIGHTS
    ]
    best = max(weighed, key=lambda one: _development(one, data))
    assert isinstance(best.weights, dict)
    return {
        "PP, InfoNCE from SIF": {**_sets(score_sts(words, data)), **costs},
        "the same + R": _sets(score_sts(words, data, removal)),
        "Charagram + R": _sets(score_sts(characters, data, removal)),
        UNION: {
            **_sets(_fitted_scores(best, data.sts)),
            "weight of characters": best.weights["characters"],
        },
    }


def _fitted_scores(union: EncoderUnion, sets: Any) -> dict[str, float]:
    """Pearson x 100; like component removal, the union is fitted on each data set."""
    scores = {}
    for name, (pairs, gold) in sets.items():
        model = make_pipeline(union, PairSimilarity()).fit(pairs)
        scores[name] = 100 * float(pearson_score(gold, model.predict(pairs)))
    return scores


def _development(union: EncoderUnion, data: Data) -> float:
    """Mean of STS 2012 train and SICK train, with equal weights."""
    scores = _fitted_scores(union, data.development)
    sts = [score for name, score in scores.items() if name.startswith("sts")]
    return float(np.mean([np.mean(sts), scores["sick-train"]]))
