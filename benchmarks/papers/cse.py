"""PP and CSE on phrases, on sentences, and on phrases first, then sentences; widths.

Tables 1 to 6 of Jiao et al. (2018). Phrases are the lexical pairs of PPDB and the
aligned phrases of rewrites and news; sentences are captions, rewrites and news. Rates
were chosen on the training sets of STS 2012 and SICK.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.frozen import FrozenEstimator

from _lib.grouped_scores import word_overlaps
from _lib.paper_encoders import paper_encoder
from _lib.paper_tables import Results, Runs, Table, lines, plus_minus, said, spread
from _lib.papers import COLUMNS, YEARS, Data, cell, median, score_sts, sts_means, table
from _lib.published import (
    CSE,
    METHODS,
    mean_of_sets,
    printed,
    printed_row,
    published,
    tables,
)
from papers.supervised import evaluate, read
from skparaphrase.encoders import AverageEncoder
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervised import SimilarityRegressor

MODELS = ("PP", "CSE")
GOLD = (0, 2), (2, 4), (4, 5)
OVERLAPS = (0.0, 0.3), (0.3, 0.6), (0.6, 1.0)
PHRASES, SENTENCES, BOTH = STAGES = ("phrases", "sentences", "phrases, then sentences")
PHRASE_EPOCHS = 3
SENTENCE_EPOCHS = {"CSE": 2, "PP": 4}
OTHERS = "GRAN", "ATT-CCG"  # systems of table 2 that are networks of other papers
# The names of the rows of tables 1, 2 and 4 in `_lib/published.py`.
PUBLISHED = {
    ("PP", PHRASES): "PP",
    ("CSE", PHRASES): "CSE",
    ("CSE", SENTENCES): "CSE on sentences",
    ("CSE", BOTH): "CSE on both",
}


def encoder(model: str, stage: str, data: Data, seed: int, init: Any = None) -> Any:
    """The paper's setting for phrases or sentences."""
    params = {
        "vectors": data.vectors,
        "max_epochs": data.epochs(
            PHRASE_EPOCHS if stage == PHRASES else SENTENCE_EPOCHS[model]
        ),
        "random_state": seed,
        "init": init,
    }
    if model == "PP":
        return paper_encoder("ParaphraseEncoder", learning_rate=0.01, **params)
    setting = "ppdb-xl" if stage == PHRASES else "simple-wikipedia"
    return paper_encoder("CNNEncoder", setting, learning_rate=0.0003, **params)


def fitted(model: str, stage: str, data: Data, seed: int, init: Any = None) -> Any:
    """An encoder trained on phrases or on sentences."""
    return encoder(model, stage, data, seed, init).fit(_pairs(data, stage))


def _pairs(data: Data, stage: str) -> Any:
    return data.shuffled(*(data.phrases if stage == PHRASES else data.sentences))


def _scores(one: Any, data: Data) -> dict[str, float]:
    sets = score_sts(one, data)
    return {**sets, **sts_means(sets)}


class Cumulative(Table):
    name = "cse_cumulative"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores by stage: phrases and then sentences, or sentences alone."""
        if name == "start":
            return _scores(AverageEncoder(data.vectors), data)
        if name == "examples":
            return self._examples(data)
        model, _, stage = name.partition(", ")
        found, before = {}, None
        stages = (
            {PHRASES: PHRASES, SENTENCES: BOTH} if stage == BOTH else {stage: stage}
        )
        for trained_on, called in stages.items():
            started = time.process_time()
            before = fitted(model, trained_on, data, seed, before)
            seconds = time.process_time() - started
            found[called] = {
                **_scores(before, data),
                "fit seconds": seconds,
                "pairs": float(len(_pairs(data, trained_on))),
            }
        return {"stages": found}

    def _examples(self, data: Data) -> Results:
        """Pairs of SICK with much smaller errors by PP than by CSE, or vice versa."""
        number = self.description["examples"]
        encoders = {model: fitted(model, SENTENCES, data, 0) for model in MODELS}
        texts, gold = data.sts["sick"]
        scores = {
            model: _on_scale(one, data.development["sick-train"], texts)
            for model, one in encoders.items()
        }
        nearer = np.abs(scores["PP"] - gold) - np.abs(scores["CSE"] - gold)
        order = np.argsort(nearer, kind="stable")
        return {
            "pairs": [
                {
                    "line": int(i) + 2,  # the file has a header
                    "gold": float(gold[i]),
                    **{model: float(of[i]) for model, of in scores.items()},
                }
                for i in [*order[-(number // 2) :][::-1], *order[: number // 2]]
            ],
            "groups": _by_overlap(encoders, data),
        }

    def combine(self, runs: Runs) -> Results:
        found: Results = {"start": runs["start"][0]}
        for name, of in runs.items():
            model, _, stage = name.partition(", ")
            if stage:
                for key, scores in median([run["stages"] for run in of]).items():
                    found[f"{model}, {key}"] = scores
        return {**found, "examples": runs["examples"][0]}

    def cells(self, results: Any, n_seeds: int) -> Results:
        begin = results["start"]
        rows = [[None, "none", *_means(begin)]]
        for model, stage in product(MODELS, STAGES):
            rows.append([model, stage, *_means(results[f"{model}, {stage}"])])
            if (model, stage) in PUBLISHED:
                theirs = published(PUBLISHED[model, stage])
                rows.append([f"published, {model}", stage, *_means(theirs)])
        for method in OTHERS:
            name = f"{method}, as the paper prints it"
            rows.append([name, None, *_means(published(method))])
        sets = [key for key in begin if key.startswith("20") and "." in key]
        each = [[None, "none", *map(begin.get, sets)]]
        for key, of in results.items():
            model, _, stage = key.partition(", ")
            if stage:
                each.append([model, stage, *map(of.get, sets)])
        for (model, stage), of in PUBLISHED.items():
            if of in METHODS:
                row = map(published(of).get, sets)
                each.append([f"published, {model}", stage, *row])
        shown = ["line", "PP", "CSE", "gold"]
        groups = ["gold", "overlap", "pairs", *MODELS, "nearer"]
        return {
            "n_phrases": f"{results['CSE, phrases']['pairs']:,.0f}",
            "groups": table(
                groups, [[*map(of.get, groups)] for of in results["examples"]["groups"]]
            ),
            "means": table(["encoder", "trained on", *COLUMNS, "mean of sets"], rows),
            "sets": table(["encoder", "trained on", *sets], each),
            "pairs": table(
                shown,
                [[*map(of.get, shown)] for of in results["examples"]["pairs"]],
            ),
        }


def _on_scale(one: Any, known: Any, texts: Any) -> Any:
    """Cosines on the scale of known scores, by least squares."""
    cosines = [
        PairSimilarity().predict(one.transform(each)) for each in (known[0], texts)
    ]
    return np.polyval(np.polyfit(cosines[0], known[1], 1), cosines[1])


def _by_overlap(encoders: dict[str, Any], data: Data) -> list[Results]:
    """Errors on all pairs of STS, by their gold score and the words that they share."""
    sets = [of for name, of in data.development.items() if name != "sick-train"]
    known = tuple(map(np.concatenate, zip(*sets, strict=True)))
    sets = [of for name, of in data.sts.items() if name != "sick"]
    pairs, gold = map(np.concatenate, zip(*sets, strict=True))
    errors = {
        model: _on_scale(one, known, pairs) - gold for model, one in encoders.items()
    }
    nearer = np.abs(errors["CSE"]) < np.abs(errors["PP"])
    overlap = word_overlaps(pairs)
    found = []
    for scores, shares in product(GOLD, OVERLAPS):
        chosen = _within(gold, *scores) & _within(overlap, *shares)
        found.append(
            {
                "gold": f"{scores[0]} to {scores[1]}",
                "overlap": f"{shares[0]} to {shares[1]}",
                "pairs": int(chosen.sum()),
                **{name: float(of[chosen].mean()) for name, of in errors.items()},
                "nearer": 100 * float(nearer[chosen].mean()),
            }
        )
    return found


def _within(values: Any, lowest: float, highest: float) -> Any:
    """Whether values are in an interval; its lower end is open unless it is 0."""
    return (values <= highest) & ((values > lowest) | (lowest == 0))


def _means(of: dict[str, float]) -> list[float | None]:
    values = [*map(of.__getitem__, COLUMNS), mean_of_sets(of)]
    return [None if np.isnan(value) else value for value in values]


class Pairs(Table):
    """Seven of the pairs of table 6; the other one is in STS 2016.

    As in the authors' code, a cosine becomes a score of 0 to 5 by (cosine + 1) x 2.5.
    """

    name = "cse_pairs"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores of the pairs, and their gold scores."""
        phrases = fitted(name, PHRASES, data, 0)
        both = fitted(name, SENTENCES, data, 0, init=phrases)
        places = self.description["pairs"].values()
        chosen = [(data.sts[of["set"]], of["line"] - 2) for of in places]  # a header
        pairs = np.array([texts[i] for (texts, _), i in chosen])
        cosines = PairSimilarity().predict(both.transform(pairs))
        return {
            "scores": [2.5 * (float(cosine) + 1) for cosine in cosines],
            "gold": [float(gold[i]) for (_, gold), i in chosen],
        }

    def combine(self, runs: Runs) -> Results:
        scores = {model: runs[model][0]["scores"] for model in MODELS}
        return {**scores, "gold": runs["PP"][0]["gold"]}

    def cells(self, results: Any, n_seeds: int) -> Results:
        places, theirs = self.description["pairs"], tables()[f"{CSE} 6"]
        rows = []
        for i, (number, of) in enumerate(places.items()):
            row = [number, f"{of['set']} {of['line']}"]
            for name in ("gold", *MODELS):
                row += [results[name][i], theirs[name][number]]
            rows.append(row)
        heads = ["pair", "data set, line", "gold", "published"]
        heads += ["PP", "published", "CSE", "published"]
        return {"table": table(heads, rows, 2)}


class Widths(Table):
    """Filters of one width, or of three, on sentences alone.

    Additional rows test choices that the paper's text does not specify: without
    scrambled words, with tanh, and with the padding of the released code and the
    windows of the paper.
    """

    name = "cse_widths"
    means = (*COLUMNS, "mean of 19 sets")

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores of one setting."""
        params = {**self.description["params"], **self.rows[name]}
        widths = params.pop("widths")
        n_filters = params.pop("n_filters") // len(widths)
        params["max_epochs"] = data.epochs(params["max_epochs"])
        one = paper_encoder(
            "CNNEncoder",
            "widths",
            vectors=data.vectors,
            filters=[(n_filters, width) for width in widths],
            random_state=seed,
            **params,
        ).fit(data.shuffled(*data.sentences))
        return {**sts_means(score_sts(one, data)), "loss": one.loss_curve_[-1]}

    def cells(self, results: Any, n_seeds: int) -> Results:
        combined = "1, 2, 3"
        results = {
            row: {**of, "mean of 19 sets": mean_of_sets(of, YEARS)}
            for row, of in results.items()
        }
        systems = {str(n): f"width {n}" for n in (1, 2, 3, 4)}
        systems[combined] = "widths 1,2,3"
        rows: list[list[Any]] = []
        for widths, system in systems.items():
            plain = results[f"{widths} without scramble"]["mean of years"]
            rows.append([widths, *map(results[widths].get, self.means), plain])
            rows.append(["published", *map(_published(system).get, self.means), None])
        variants = {
            name.removeprefix(combined).strip() or "as above": of
            for name, of in results.items()
            if self.rows[name]["widths"] == (1, 2, 3)
        }
        return {
            "params": self.description["params"],
            "widths": table(
                ["widths", *self.means, "mean of years, no scramble"], rows
            ),
            "variants": table(
                ["widths 1, 2, 3", *self.means, "seconds"],
                lines(variants, [*self.means, "seconds"]),
            ),
        }


def _published(row: str) -> dict[str, float]:
    years = {year: printed(f"{CSE} 5", row, f"{year}.average") for year in YEARS}
    means = sts_means({**years, "sick": np.nan})
    del means["SICK"]  # not in table 5
    total = printed(f"{CSE} 5", row, "average of 19 sets")
    return {**means, "mean of 19 sets": total}


class CSEFitted(Table):
    """A convolutional encoder, from random or trained filters."""

    name = "cse_supervised"
    summary = staticmethod(spread)
    measures = ("r", "rho", "MSE")

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """r, rho and mean squared error of one model on the test set."""
        row = self.rows[name]
        started = time.process_time()
        if row["universal"]:
            phrases = fitted(row["encoder"], PHRASES, data, seed)
            both = fitted(row["encoder"], SENTENCES, data, seed, init=phrases)
            encoder: Any = FrozenEstimator(both)
        else:
            cse = row["encoder"] == "CSE"
            class_ = "CNNEncoder" if cse else "ParaphraseEncoder"
            encoder = paper_encoder(class_, vectors=data.vectors)
        seconds = time.process_time() - started
        start = {"init": encoder} if row["universal"] else {"encoder": encoder}
        model = SimilarityRegressor.paper(
            "cse", **{"init": None, **start}, random_state=seed
        ).set_params(**row["params"])
        model.set_params(max_epochs=data.epochs(model.max_epochs))
        parts = read(data, "similarity")
        costs = evaluate(model, parts)
        X, y = parts["test"]
        predicted = model.predict(X)
        return {
            **costs,
            "r": costs["test"] / 100,
            "rho": float(spearmanr(y, predicted).statistic),
            "MSE": float(np.mean((y - predicted) ** 2)),
            "prior seconds": seconds,
        }

    def cells(self, results: Any, n_seeds: int) -> Results:
        rows = []
        for name, row in self.rows.items():
            theirs: tuple[Any, ...] = ()
            if "published" in row:
                theirs = printed_row(f"{CSE} 3", row["published"])
            theirs = (*theirs, None, None, None)
            cells = [
                f"{plus_minus(results[name][key], 4)} ({cell(published, 4)})"
                for key, published in zip(self.measures, theirs, strict=False)
            ]
            rows.append([name, *cells])
        printed = self.rows["CSE universal, h* as printed"]["params"]
        return {
            "scores": table(
                ["model", *(f"{m} (published)" for m in self.measures)], rows
            ),
            "printed": said(printed),
            "ours": said(self.rows["CSE universal"]["params"]),
        }
