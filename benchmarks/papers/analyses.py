"""Analyses of PP and Charagram: lengths, unknown words, data, margins, weights.

Tables 6 and 7 of the Charagram paper, table 7 and figure 1 of Wieting et al. (2016),
and the figures in the text of its sections 5 and 6: the mean margin of four models on
their training pairs, which distinguishes underfitting from overfitting; rare words of a
data set and the distance of PP from the 75th percentile of the systems in the shared
task; and the lengths of PP's vectors as weights of its initial vectors.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from _lib.grouped_scores import scores_by_length, scores_by_unknown
from _lib.margins import margins
from _lib.paper_encoders import paper_encoder, row_encoder
from _lib.paper_tables import Results, Runs, Table, lines
from _lib.papers import COLUMNS, Data, median, score_sts, sts_means, table
from _lib.published import CHARAGRAM, WIETING, printed, printed_row, published
from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import token_weights
from skparaphrase.vectors import WordFrequencies, WordVectors

MEAN = "mean of sets"
STARTS = "start", "centred start"  # points of the curves of amounts of data


def _with_mean(scores: dict[str, float]) -> dict[str, float]:
    return {**sts_means(scores), MEAN: float(np.mean(list(scores.values())))}


class UnknownAndLength(Table):
    name = "charagram_unknown_and_length"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Pearson x 100 of each group of pairs, and their numbers."""
        encoder = row_encoder(self.rows[name], data, seed).fit(data.pairs)
        sets = [of for key, of in data.sts.items() if key != "sick"]
        pairs, gold = map(np.concatenate, zip(*sets, strict=True))
        frames = {
            "unknown": scores_by_unknown(encoder, pairs, gold, vocabulary=data.vectors),
            "length": scores_by_length(encoder, pairs, gold),
            "length as Wieting": scores_by_length(
                encoder, pairs, gold, bins=(4, 5, 6, 7, 8, 9)
            ),
        }
        found = {kind: (100 * of["pearson"]).to_dict() for kind, of in frames.items()}
        counts = {kind: of["n_pairs"].to_dict() for kind, of in frames.items()}
        return {**found, "pairs": counts}

    def combine(self, runs: Runs) -> Results:
        found: Results = {name: median(of) for name, of in runs.items()}
        for name, of in runs.items():
            del found[name]["pairs"]
            found[name]["seconds"] = of[0]["seconds"]
        return {**found, "pairs": of[0]["pairs"]}

    def cells(self, results: Any, n_seeds: int) -> Results:
        def beside(kind: str, theirs: dict[str, tuple[Any, ...]]) -> list[str]:
            counts = results["pairs"][kind]
            rows: list[list[Any]] = [["pairs", *counts.values()]]
            for name in reversed(self.rows):
                ours = [
                    value if counts[group] > 1 else None
                    for group, value in results[name][kind].items()
                ]
                rows.append([name, *ours])
                if name in theirs:
                    rest = [None] * (len(ours) - len(theirs[name]))
                    rows.append([f"{name}, published", *theirs[name], *rest])
            return table(["", *counts], rows)

        systems = {"PP": "PARAGRAM-PHRASE", "Charagram": "CHARAGRAM-PHRASE"}
        unknown, length = (
            {name: printed_row(f"{CHARAGRAM} {n}", s) for name, s in systems.items()}
            for n in (6, 7)
        )
        # The paper has no pairs with three and more unknown words.
        unknown = {name: (*of[:3], None, *of[3:]) for name, of in unknown.items()}
        in_wieting = {
            "PP": "PARAGRAM-PHRASE",
            "LSTM": "LSTM (no o.g.)",
            "LSTM with gate": "LSTM (o.g.)",
            "start vectors": "PARAGRAM-SL999",
        }
        by_wieting = {
            name: printed_row(f"{WIETING} 7", system)
            for name, system in in_wieting.items()
        }
        epochs = [
            f"{name} {row['params']['max_epochs']}"
            for name, row in self.rows.items()
            if "params" in row
        ]
        return {
            "epochs": ", ".join(epochs),
            "unknown": beside("unknown", unknown),
            "length": beside("length", length),
            "by_wieting": beside("length as Wieting", by_wieting),
        }


class Amount(Table):
    """PP trained on all pairs, on half of them, and so on down to five."""

    name = "wieting_amount"

    @property
    def _gain(self) -> float:
        """The gain from 92 pairs in the paper, in points."""
        system = "PARAGRAM-PHRASE trained on 92 pairs"
        return float(printed(f"{WIETING} figure 1 text", system))

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores of PP after training on the first n pairs, by n."""
        row = self.rows[name]
        if name in STARTS:
            average = row_encoder({**row, "encoder": "AverageEncoder"}, data, seed)
            return _with_mean(score_sts(average, data))
        pairs = np.concatenate([data.corpus(corpus) for corpus in row["corpora"]])
        if row["shuffled"]:
            np.random.RandomState(seed).shuffle(pairs)
        if data.quick:
            pairs = pairs[:: len(pairs) // 1000]
        sizes = [len(pairs)]
        while sizes[-1] // 2 >= 5:
            sizes.append(sizes[-1] // 2)
        encoder = row_encoder(
            {**row, "encoder": "ParaphraseEncoder"},
            data,
            seed,
            optimizer__ordered_first_epoch=not row["shuffled"],
            **self.description["params"],
        )
        return {
            size: _with_mean(score_sts(encoder.fit(pairs[:size]), data))
            for size in reversed(sizes)
        }

    def combine(self, runs: Runs) -> Results:
        found = super().combine(runs)
        starts = {name: found.pop(name) for name in STARTS}
        for of in found.values():
            del of["seconds"]
        return {**starts, **found}

    def cells(self, results: Any, n_seeds: int) -> Results:
        curves = {name: of for name, of in results.items() if name not in STARTS}
        begin = {name: results[self._start(name)] for name in curves}
        three = "in order", "random", "random, centred start"
        every = [["none", *(begin[name][MEAN] for name in three)]]
        for size in curves["random"]:
            every.append([f"{int(size):,}", *(curves[n][size][MEAN] for n in three)])
        largest = {name: of[max(of, key=int)] for name, of in curves.items()}
        pairs = {
            name: self._needed(begin[name][MEAN], of) for name, of in curves.items()
        }
        needed = [
            f"{name} {'not reached' if n is None else f'{n:,.0f}'}"
            for name, n in pairs.items()
        ]
        others = {
            name.replace(" ", "_").replace(",", ""): table(
                ["pairs", MEAN], [[f"{int(size):,}", of[MEAN]] for size, of in rows]
            )
            for name, rows in (
                (name, curves[name].items()) for name in curves if name not in three
            )
        }
        return {
            **self.description,
            "gain": self._gain,
            "every": table(["pairs", *three], every),
            **others,
            "needed": "; ".join(needed),
            "years": table(
                ["", *COLUMNS],
                lines({name: results[name] for name in STARTS} | largest, COLUMNS),
            ),
        }

    def _start(self, name: str) -> str:
        return STARTS["centered" in self.rows[name]]

    def _needed(self, begin: float, curve: dict[str, Any]) -> float | None:
        """The number of pairs with the same gain, interpolated logarithmically."""
        wanted, before, reached = self._gain, 1.0, 0.0
        for size, scores in curve.items():
            gain = scores[MEAN] - begin
            if gain >= wanted:
                share = (wanted - reached) / (gain - reached)
                return float(before * (float(size) / before) ** share)
            before, reached = float(size), gain
        return None


class MarginsAndWeights(Table):
    name = "wieting_margins_and_weights"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Mean margin of a model, or scores with the weights that PP learnt."""
        row, of = self.rows[name], self.description["margins"]
        if name == "weights":
            return _weights(data, seed, row["params"], of["rare"])
        pairs = data.pairs[: 1000 if data.quick else row.get("pairs", of["pairs"])]
        epochs = row.get("epochs", of["epochs"])
        encoder = row_encoder(row, data, seed, max_epochs=epochs).fit(pairs)
        frame = margins(encoder, pairs, random_state=0)
        return {
            "margin": float(frame["margin"].mean()),
            "positive": float(frame["positive"].mean()),
            "negative": float(frame[["negative1", "negative2"]].to_numpy().mean()),
            "loss": getattr(encoder, "loss_curve_", [np.nan])[-1],
            **sts_means(score_sts(encoder, data)),
        }

    def combine(self, runs: Runs) -> Results:
        models = {name: of[0] for name, of in runs.items() if name != "weights"}
        if "weights" not in runs:
            return {"margins": models}
        found = median(runs["weights"])
        return {
            "margins": models,
            "rare": found["rare"],
            "sets": found["sets"],
            "weights": found["scores"],
            "rank correlations": found["ranks"],
        }

    def cells(self, results: Any, n_seeds: int) -> Results:
        measured = dict(reversed(results["margins"].items()))
        rows = []
        for name, of in measured.items():
            system = self.rows[name].get("published")
            theirs = system and printed(f"{WIETING} section 5", system)
            rows.append([name, of["margin"], theirs, of["positive"], of["negative"]])
        years = [f"{name} {of['mean of years']:.1f}" for name, of in measured.items()]
        return {
            **self.description["margins"],
            "margins": table(
                ["model", "margin", "published", "positive", "negative"], rows, 4
            ),
            "years": ", ".join(years),
            **_about_rare(results["rare"], results["sets"]),
            "pp_epochs": self.rows["weights"]["params"]["max_epochs"],
            "ranks": results["rank correlations"],
            **_about_weights(results["weights"]),
        }

    def draw(self, results: Any, path: Path) -> None:
        from matplotlib.figure import Figure

        rare, distances = results["rare"], _distances(results["sets"])
        axes = Figure(figsize=(6, 4), layout="constrained").subplots()
        axes.scatter([rare[name] for name in distances], [*distances.values()], s=12)
        axes.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        left = ("2012.OnWN", "2012.SMTeuroparl", "2015.headlines")  # others are close
        for name in rare:
            side = -1 if name in left else 1
            place = {"xytext": (4 * side, 2), "textcoords": "offset points"}
            place["ha"] = "right" if name in left else "left"
            axes.annotate(name, (rare[name], distances[name]), fontsize=6, **place)
        axes.set_xmargin(0.15)
        axes.set(xlabel="rare words, %")
        axes.set(ylabel="PP less 75th percentile, Pearson x 100")
        axes.figure.savefig(path, dpi=120)


def _weights(data: Data, seed: int, params: Results, n_rare: int) -> Results:
    """Scores of PP's initial vectors, with the weights that it learnt."""
    begin = data.vectors
    encoder = paper_encoder(
        "ParaphraseEncoder", vectors=begin, random_state=seed, **params
    ).fit(data.pairs)
    frame = token_weights(encoder, data.frequencies)
    initial = token_weights(begin, data.frequencies)
    matrix = begin.rows()
    counts = WordFrequencies.from_texts(data.pairs)

    def weighted(by: Any) -> WordVectors:
        return begin.replace(matrix * np.asarray(by, dtype=np.float32)[:, np.newaxis])

    vectors = {
        "start": begin,
        "PP": encoder.vectors_,
        "start x length in PP (L1)": weighted(frame["l1"]),
        "start x length in PP / at start": weighted(frame["l1"] / initial["l1"]),
        "start x 1 / count": weighted(1 / frame["count"].clip(lower=1)),
        "start x 1 / count in the pairs": weighted(
            [1 / max(counts.get(word, 1), 1) for word in begin.words]
        ),
        "start x SIF": weighted(frame["sif"]),
    }
    sets = {name: score_sts(AverageEncoder(of), data) for name, of in vectors.items()}
    # Words that training changed; the others keep their initial lengths.
    moved = (encoder.vectors_.rows() != matrix).any(axis=1)
    seen = moved & (frame["count"] > 0)
    ranks = {
        name: float(spearmanr(of["l1"][seen], frame["count"][seen]).statistic)
        for name, of in (("start", initial), ("PP", frame))
    }
    return {
        "scores": {name: _with_mean(of) for name, of in sets.items()},
        "ranks": {**ranks, "words": float(seen.sum())},
        "rare": {
            name: _rare(pairs, counts, n_rare) for name, (pairs, _) in data.sts.items()
        },
        "sets": sets["PP"],
    }


def _rare(pairs: Any, counts: WordFrequencies, n_rare: int) -> float:
    """Percentage of the tokens of a data set that are rare in the training pairs."""
    tokens = WordFrequencies.from_texts(pairs)
    found = sum(n for word, n in tokens.items() if counts.get(word, 0) < n_rare)
    return 100 * found / tokens.total


def _distances(sets: dict[str, float]) -> dict[str, float]:
    """Difference of scores from the 75th percentile of the systems of their task."""
    quartiles = published("75%")
    return {name: score - quartiles[name] for name, score in sets.items()}


def _about_rare(rare: dict[str, float], sets: dict[str, float]) -> Results:
    distances = _distances(sets)
    rho = spearmanr(list(rare.values()), list(distances.values())).statistic
    systems = {share: published(share) for share in ("50%", "75%", "max")}

    def theirs(name: str) -> list[float]:
        return [scores[name] for scores in systems.values()]

    rows = [
        [name, rare[name], sets[name], *theirs(name), distances[name]]
        for name in sorted(rare, key=rare.__getitem__)
    ]
    return {
        "sets": table(["data set", "rare words", "PP", *systems, "PP less 75%"], rows),
        "rho": 100 * float(rho),
        "n_sets": len(rare),
        "published_rho": printed(f"{WIETING} section 5.1", "PARAGRAM-PHRASE"),
    }


def _about_weights(scores: Any) -> Results:
    systems = {
        "start": "PARAGRAM-SL999",
        "PP": "PARAGRAM-PHRASE",
        "start x length in PP (L1)": "PARAGRAM-SL999 x L1 weight of PARAGRAM-PHRASE",
        "start x 1 / count": "PARAGRAM-SL999 x 1/frequency",
    }
    theirs = {name: printed(f"{WIETING} section 6", of) for name, of in systems.items()}

    def share(means: dict[str, float]) -> str:
        gain = means["start x length in PP (L1)"] - means["start"]
        return f"{100 * gain / (means['PP'] - means['start']):.0f}%"

    def loss(means: dict[str, float]) -> float:
        return means["start x 1 / count"] - means["start"]

    ours = {name: of[MEAN] for name, of in scores.items()}
    columns = [*COLUMNS, MEAN]
    rows = [[*row, theirs.get(row[0])] for row in lines(scores, columns)]
    return {
        "weights": table(["vectors", *columns, "published"], rows),
        "share": share(ours),
        "published_share": share(theirs),
        "loss": loss(ours),
        "published_loss": loss(theirs),
    }
