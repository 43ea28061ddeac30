"""Pairwise word interaction on similarity, and shared parts of its tables.

Tables 3 (SICK, with the LSTMs of Tai et al. 2015), 4 (MSRvid), 5 (STS 2014) and 8
(ablations) of He & Lin (2016). Settings were chosen on the
development set with the first seed, and for MSRvid on pairs of its training set. The
epoch is the best one on the development set, and the last one for MSRvid and STS 2014.
Fits of more than two CPU minutes have one seed.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from _lib.paper_encoders import multiplied, paper_encoder
from _lib.paper_tables import Results, Table, said
from _lib.papers import Data, cell, table
from _lib.published import PWIM, printed, printed_row, tables
from _lib.stacked_lstm import stacked
from skparaphrase import load_pretrained
from skparaphrase.datasets import load_word_vectors
from skparaphrase.inspection import word_interactions
from skparaphrase.metrics import (
    pearson_score,
    spearman_score,
)
from skparaphrase.supervised import (
    PairwiseInteractionRegressor,
    SimilarityRegressor,
)
from skparaphrase.vectors import WordVectors

MEASURES = ("r", "rho", "MSE")


# Models ------------------------------------------------------------------------------


def part_of(data: Data, X: Any, y: Any) -> tuple[Any, Any]:
    """The training data, or a sample in a quick or short run."""
    step = 20 if data.quick else data.step
    return X[::step], y[::step]


def find_vectors(data: Data, name: str | None) -> WordVectors:
    """The vectors of the data folder, also trained on paraphrases, or our vectors.

    The paper uses PARAGRAM-PHRASE vectors for STS 2014 and for questions; here "PP"
    replaces them. The paraphrase pairs contain no sentence of an evaluation set.
    "pretrained" is the default of the models, "bundled" the smaller table of words.
    """
    if name == "pretrained":
        return load_pretrained().vectors
    if name == "bundled":
        return load_word_vectors()
    if name is None:
        return data.vectors
    encoder = paper_encoder(
        "ParaphraseEncoder",
        vectors=data.vectors,
        learning_rate=0.01,
        max_epochs=3,
        random_state=0,
    )
    vectors: WordVectors = encoder.fit(data.pairs).vectors_
    return vectors


def build(data: Data, class_: Any, params: Mapping[str, Any]) -> Any:
    """The model of a row, by the name of a paper's setting if there is one."""
    params = {**params, "vectors": find_vectors(data, params.get("vectors"))}
    setting = params.pop("paper", None)
    model = class_.paper(setting, **params) if setting else class_(**params)
    return model.set_params(max_epochs=data.epochs(model.max_epochs, short=2))


def timed_fit(model: Any, *data: Any, **validation: Any) -> Results:
    """Seconds of a fit, its epochs, and its scores on the development set."""
    started = time.process_time()
    with warnings.catch_warnings():  # about long sentences, which the tables count
        warnings.simplefilter("ignore", UserWarning)
        model.fit(*data, **validation)
    return {
        "fit seconds": time.process_time() - started,
        "epochs": model.n_epochs_,
        "best epoch": getattr(model, "best_epoch_", None),
        "dev": [round(x, 4) for x in getattr(model, "validation_scores_", [])[1:]],
    }


# Results -----------------------------------------------------------------------------


def summaries(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> Results:
    """Medians, lowest and highest of all measures that are numbers, by row."""
    return {
        name: {
            key: {
                "median": float(np.median([run[key] for run in of])),
                "low": float(min(run[key] for run in of)),
                "high": float(max(run[key] for run in of)),
                "n": len(of),
            }
            for key, value in of[0].items()
            if isinstance(value, (int, float))
        }
        for name, of in runs.items()
    }


def shown(of: Mapping[str, Any], published: float | None, digits: int = 4) -> str:
    """Median, its spread over seeds, and the published figure."""
    text = cell(of["median"], digits)
    if of["n"] > 1:
        text += f" [{of['low']:.{digits}f}, {of['high']:.{digits}f}]"
    return text + ("" if published is None else f" ({published:.{digits}f})")


def costs_of(found: Results, names: Iterable[str]) -> list[list[Any]]:
    rows = []
    for name in names:
        of = found[name]
        best = of["best epoch"]["median"] if "best epoch" in of else None
        epochs = int(of["epochs"]["median"])
        rows.append([name, of["fit seconds"]["median"], epochs, best])
    return rows


class Grouped(Table):
    """Rows in groups, each with the parameters that are not defaults."""

    summary = staticmethod(list)

    def group(self, kind: str) -> dict[str, Any]:
        return {name: row for name, row in self.rows.items() if row["kind"] == kind}

    def settings(self, kind: str) -> list[str]:
        """The rows of a group, explained as a list."""
        return [
            f"- {name}: {said(row.get('params', {}))}"
            for name, row in self.group(kind).items()
        ]


class Similarity(Grouped):
    name = "interaction_similarity"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        row = self.rows[name]
        if row["kind"] == "STS":
            return self._sts(data, name, seed)
        train, *others = map(data.sick, ("train", "dev", "test"))
        X, y = part_of(data, *train)
        (X_val, y_val), (X_test, gold) = others
        if row["kind"] == "LSTM":
            model = _lstm(data, row["params"], seed)
        else:
            params = {"levels": range(1, 6), **row.get("params", {})}
            model = _regressor(data, params, seed)
        costs = timed_fit(model, X, y, X_val=X_val, y_val=y_val)
        predicted = model.predict(X_test)
        found = {
            "r": pearson_score(gold, predicted),
            "rho": spearman_score(gold, predicted),
            "MSE": float(np.mean((gold - predicted) ** 2)),
            **costs,
        }
        if name == "defaults" and not seed:
            moved = _printed_focus(model, X_test, predicted)
            found["printed focus"] = {"r of this model": found["r"], **moved}
        return found

    def _sts(self, data: Data, name: str, seed: int) -> Results:
        """Pearson's r on test sets, and the mean weighted by their size."""
        row = self.rows[name]
        parts = data.scored(*(f"sts/{of}.tsv" for of in row["train"])).values()
        X, y = part_of(data, *map(np.concatenate, zip(*parts, strict=True)))
        model = _regressor(data, {"levels": range(6), **row["params"]}, seed)
        costs = timed_fit(model, X, y)
        found, sizes = {}, []
        for part, (pairs, gold) in data.scored(f"sts/{row['test']}.tsv").items():
            score = pearson_score(gold, model.predict(pairs))
            found[part.partition(".")[2]] = score
            sizes.append(len(gold))
        mean = float(np.average(list(found.values()), weights=sizes))
        return {**found, "r": mean, "pairs": len(y), **costs}

    def cells(self, results: Any, n_seeds: int) -> Results:
        found = summaries(results)
        sick, lstms = self.group("SICK"), self.group("LSTM")
        scores = [self._row(name, found[name]) for name in sick]
        others = _table_3("He et al. (2015)")
        scores.append(
            [
                "He et al. (2015), published",
                *(f"({of:.4f})" for of in others.values()),
            ]
        )
        full, ours = _table_3("This work")["r"], found["defaults"]["r"]["median"]
        ablations = [
            [
                name,
                f"{found[name]['r']['median'] - ours:+.4f} "
                f"({_ablated(row['ablation']) - full:+.4f})",
            ]
            for name, row in sick.items()
            if "ablation" in row
        ]
        focus = results["defaults"][0]["printed focus"]
        runs = ["", "fit seconds", "epochs", "best epoch"]
        return {
            "sick": table(["", *MEASURES], scores),
            "sick_settings": self.settings("SICK"),
            "lstms": table(
                ["", *MEASURES], [self._row(name, found[name]) for name in lstms]
            ),
            "lstm_settings": self.settings("LSTM"),
            "focus": table(["", "value"], list(focus.items()), 3),
            "ablations": table(["", "change of r"], ablations),
            "pairs": results["STS 2014"][0]["pairs"],
            "pairs_there": printed(f"{PWIM} section 8", "STS2014 training pairs used"),
            "sts": table(["", "vectors as they are", "PP vectors"], _sts_rows(found)),
            "sts_settings": self.settings("STS"),
            "runs": table(runs, costs_of(found, found)),
        }

    def _row(self, name: str, found: Results) -> list[Any]:
        """Our figures and the published ones, or r of an ablation."""
        row = self.rows[name]
        theirs: dict[str, float] = {}
        if "published" in row:
            theirs = _table_3(row["published"])
        elif "ablation" in row:
            theirs = {"r": _ablated(row["ablation"])}
        return [name, *(shown(found[key], theirs.get(key)) for key in MEASURES)]


def _table_3(system: str) -> dict[str, float]:
    return dict(zip(MEASURES, printed_row(f"{PWIM} 3", system), strict=True))


def _ablated(system: str) -> float:
    """r of an ablation in table 8."""
    full, change = (printed(f"{PWIM} 8", row, "SICK") for row in ("Full Model", system))
    return float(full + change)


def _sts_rows(found: Results) -> list[list[Any]]:
    sts_2014 = dict(tables()[f"{PWIM} 5"]["This work"])
    mean, msrvid = sts_2014.pop("Wt. Mean"), printed(f"{PWIM} 4", "This work")
    paper = "MSRvid, paper's setting"
    rows = [[paper, shown(found[paper]["r"], msrvid), None]]
    parts = [("MSRvid", None, msrvid), ("STS 2014", None, mean)]
    for name, part, theirs in [
        *parts,
        *(("STS 2014", part, r) for part, r in sts_2014.items()),
    ]:
        of = found[name], found[f"{name}, PP vectors"]
        ours, pp = (each[part or "r"] for each in of)
        label = name if part is None else f"{name}, {part}"
        rows.append([label, shown(ours, theirs), shown(pp, None)])
    return rows


def _regressor(data: Data, params: Mapping[str, Any], seed: int) -> Any:
    """The model of a row, without the similarity, as in the paper."""
    params = {"random_state": seed, "similarity": None, **params}
    return build(data, PairwiseInteractionRegressor, params)


def _lstm(data: Data, params: Mapping[str, Any], seed: int) -> Any:
    """A row of table 3: last states of LSTMs under the head of Tai et al."""
    shape = {key: params[key] for key in ("n_layers", "bidirectional") if key in params}
    rest = {key: value for key, value in params.items() if key not in shape}
    vectors = multiplied(data.vectors, 6.0)
    encoder = stacked(**shape).paper(vectors=vectors, peepholes=None, **rest)
    encoder.set_params(optimizer__sparse=True)
    return SimilarityRegressor.paper(
        "wieting",
        encoder=encoder,
        levels=range(1, 6),
        freeze="vectors",
        optimizer__name="adagrad",  # as in Tai et al.; better than Adam on dev
        learning_rate=0.05,
        max_epochs=data.epochs(10, short=2),
        random_state=seed,
    )


def _printed_focus(model: Any, pairs: Any, predicted: Any) -> dict[str, float]:
    """Changes if a model trained with the focus of the code uses the printed one.

    For every tenth pair, picked cells that differ, as a share of the cells picked by
    either, and pairs with any such cell. For all pairs, changes of the predictions.
    """
    differ = []
    other = deepcopy(model).set_params(focus="paper")
    for pair in pairs[::10]:
        ours, theirs = (word_interactions(m, pair).focus for m in (model, other))
        differ.append((ours ^ theirs).sum() / (ours | theirs).sum())
    moved = np.abs(other.predict(pairs) - predicted)
    shares = np.array(differ)
    return {
        "share of cells that differ": float(shares.mean()),
        "share of pairs that differ": float((shares > 0).mean()),
        "prediction moves, mean": float(moved.mean()),
        "prediction moves, most": float(moved.max()),
    }
