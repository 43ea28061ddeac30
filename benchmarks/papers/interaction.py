"""Pairwise word interaction: similarity, answer ranking, two matrices, parameters.

Tables 3 (SICK, with the LSTMs of Tai et al. 2015), 4 (MSRvid), 5 (STS 2014), 7
(TrecQA), 8 (ablations) and 10 of He & Lin (2016). Settings were chosen on the
development set with the first seed, and for MSRvid on pairs of its training set. The
epoch is the best one on the development set, and the last one for MSRvid and STS 2014.
Fits of more than two CPU minutes have one seed.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import string
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from _lib.paper_encoders import paper_encoder
from _lib.paper_tables import Results, Runs, Table, only, said
from _lib.papers import Data, cell, table
from _lib.published import CHARAGRAM, PWIM, printed, printed_row, tables
from _lib.readers import read_answers
from skparaphrase import load_pretrained
from skparaphrase.datasets import load_word_vectors, read_pairs
from skparaphrase.encoders import CharCNNEncoder, CharLSTMEncoder, SIFEncoder
from skparaphrase.inspection import word_interactions
from skparaphrase.interaction import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)
from skparaphrase.metrics import (
    mean_average_precision,
    mean_reciprocal_rank,
    pearson_score,
    spearman_score,
)
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.vectors import WordVectors

MEASURES = ("r", "rho", "MSE")
RANKS = {"MAP": mean_average_precision, "MRR": mean_reciprocal_rank}


# Models ------------------------------------------------------------------------------


def part_of(data: Data, X: Any, y: Any) -> tuple[Any, Any]:
    """The training data, or a sample in a quick or short run."""
    step = 20 if data.quick else data.step
    return X[::step], y[::step]


def find_vectors(data: Data, name: str | None) -> WordVectors:
    """The vectors of the data folder, the same trained on paraphrases, or our own.

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
        "ParagramEncoder",
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
        "dev": [round(score, 4) for score in getattr(model, "validation_scores_", [])],
    }


# Results -----------------------------------------------------------------------------


def _summaries(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> Results:
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


def _shown(of: Mapping[str, Any], published: float | None, digits: int = 4) -> str:
    """Median, its spread over seeds, and the published figure."""
    text = cell(of["median"], digits)
    if of["n"] > 1:
        text += f" [{of['low']:.{digits}f}, {of['high']:.{digits}f}]"
    return text + ("" if published is None else f" ({published:.{digits}f})")


def _costs(found: Results, names: Iterable[str]) -> list[list[Any]]:
    rows = []
    for name in names:
        of = found[name]
        best = of["best epoch"]["median"] if "best epoch" in of else None
        epochs = int(of["epochs"]["median"])
        rows.append([name, of["fit seconds"]["median"], epochs, best])
    return rows


class _Rows(Table):
    """Rows in groups, each with the parameters that differ from the defaults."""

    def combine(self, runs: Runs) -> Results:
        return {name: list(of) for name, of in runs.items()}

    def group(self, kind: str) -> dict[str, Any]:
        return {name: row for name, row in self.rows.items() if row["kind"] == kind}

    def settings(self, kind: str) -> list[str]:
        """The rows of a group, explained as a list."""
        return [
            f"- {name}: {said(row.get('params', {}))}"
            for name, row in self.group(kind).items()
        ]


class Similarity(_Rows):
    name = "interaction_similarity"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        row = self.rows[name]
        if row["kind"] == "STS":
            return self._sts(data, name, seed)
        train, *others = (
            read_pairs(
                data.root / f"data/sick/{part}.tsv", score="score", return_X_y=True
            )
            for part in ("train", "dev", "test")
        )
        X, y = part_of(data, *train)
        (X_val, y_val), (X_test, gold) = others
        if row["kind"] == "LSTM":
            model = _lstm(data, row["params"], seed)
        else:
            params = {"score_range": (1, 5), **row.get("params", {})}
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
        row, folder = self.rows[name], data.root / "data/sts"
        parts = [
            read_pairs(path, score="score", return_X_y=True)
            for pattern in row["train"]
            for path in sorted(folder.glob(f"{pattern}.tsv"))
        ]
        X, y = part_of(data, *map(np.concatenate, zip(*parts, strict=True)))
        model = _regressor(data, {"score_range": (0, 5), **row["params"]}, seed)
        costs = timed_fit(model, X, y)
        found, sizes = {}, []
        for path in sorted(folder.glob(f"{row['test']}.tsv")):
            pairs, gold = read_pairs(path, score="score", return_X_y=True)
            part = path.stem.partition(".")[2]
            found[part] = pearson_score(gold, model.predict(pairs))
            sizes.append(len(gold))
        mean = float(np.average(list(found.values()), weights=sizes))
        return {**found, "r": mean, "pairs": len(y), **costs}

    def cells(self, results: Any, n_seeds: int) -> Results:
        found = _summaries(results)
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
            "runs": table(runs, _costs(found, found)),
        }

    def _row(self, name: str, found: Results) -> list[Any]:
        """Our figures and the published ones, or, of an ablation, its r."""
        row = self.rows[name]
        theirs: dict[str, float] = {}
        if "published" in row:
            theirs = _table_3(row["published"])
        elif "ablation" in row:
            theirs = {"r": _ablated(row["ablation"])}
        return [name, *(_shown(found[key], theirs.get(key)) for key in MEASURES)]


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
    rows = [[paper, _shown(found[paper]["r"], msrvid), None]]
    parts = [("MSRvid", None, msrvid), ("STS 2014", None, mean)]
    for name, part, theirs in [
        *parts,
        *(("STS 2014", part, r) for part, r in sts_2014.items()),
    ]:
        of = found[name], found[f"{name}, PP vectors"]
        ours, pp = (each[part or "r"] for each in of)
        label = name if part is None else f"{name}, {part}"
        rows.append([label, _shown(ours, theirs), _shown(pp, None)])
    return rows


def _regressor(data: Data, params: Mapping[str, Any], seed: int) -> Any:
    """The model of a row, without the similarity, as in the paper."""
    params = {"random_state": seed, "similarity": None, **params}
    return build(data, PairwiseInteractionRegressor, params)


def _lstm(data: Data, params: Mapping[str, Any], seed: int) -> Any:
    """A row of table 3: last states of LSTMs under the head of Tai et al."""
    encoder = paper_encoder(
        "LSTMEncoder", vectors=data.vectors, peepholes=None, **params
    )
    return SimilarityRegressor.paper(
        "wieting",
        encoder=encoder,
        scale=6.0,
        score_range=(1, 5),
        freeze="vectors",
        optimizer="adagrad",  # as Tai et al.; better than Adam on dev
        learning_rate=0.05,
        max_epochs=data.epochs(10, short=2),
        random_state=seed,
    )


def _printed_focus(model: Any, pairs: Any, predicted: Any) -> dict[str, float]:
    """What changes if a model trained with the focus of the code gets the printed one.

    Of every tenth pair: picked cells that differ, as a share of those that either
    picks, and pairs with any. Of all: how far predictions move.
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


# Answer ranking ----------------------------------------------------------------------


def read_questions(data: Data, part: str) -> Any:
    """Questions, candidates, labels and queries of "train", "dev" or "test"."""
    return read_answers(data.root / f"data/trecqa/{part}.tsv")


def ranks(model: Any, bunch: Any) -> dict[str, float]:
    """MAP and MRR as in trec_eval, and without unanswered questions."""
    ranker = hasattr(model, "decision_function")
    score = (model.decision_function if ranker else model.predict)(bunch.data)
    return {
        name + suffix: metric(bunch.target, score, bunch.query, **params)
        for suffix, params in (("", {}), (", answerable", {"no_relevant": "skip"}))
        for name, metric in RANKS.items()
    }


class Ranking(_Rows):
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
        found = _summaries(results)
        keys = ("MAP", "MRR", "MAP, answerable", "MRR, answerable")
        theirs = tables()[f"{PWIM} 7"]["This work"]
        rows = [
            [name]
            + [
                _shown(
                    found[name][key], theirs.get(key) if "published" in row else None
                )
                for key in keys
            ]
            for name, row in self.rows.items()
        ]
        models = self.group("model")
        runs = [
            [*costs, f"{found[costs[0]]['dev MRR']['median']:.4f}"]
            for costs in _costs(found, models)
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
            "runs": table(
                ["", "fit seconds", "epochs", "best epoch", "MRR on dev"], runs
            ),
        }


# Two pairs, and parameters -----------------------------------------------------------


class Matrices(Table):
    """The cosines of the focus cube, times 10, for two pairs of SICK."""

    name = "interaction_matrices"
    channel = "concatenation cosine"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Cosines of the focus cube times 10, by pair."""
        X, y = read_pairs(
            data.root / "data/sick/train.tsv", score="score", return_X_y=True
        )
        model = PairwiseInteractionRegressor(
            data.vectors,
            similarity=None,  # as in the paper
            score_range=(1, 5),
            max_epochs=1,
            random_state=0,
        )
        step = 30 if data.quick else 1
        model.fit(X[::step], y[::step])
        found: Results = {}
        for name, pair in self.description["pairs"].items():
            of = word_interactions(model, pair)
            plane = of.channels.index(self.channel)
            found[name] = {
                "cosines": (10 * of.cube[plane] * of.weights[plane]).tolist(),
                "focus": of.focus.astype(int).tolist(),
                "score": of.score,
            }
        return found

    def combine(self, runs: Runs) -> Results:
        return only(runs)

    def _printed(self, name: str) -> np.ndarray:
        """The matrix of the paper."""
        shape = [len(text.split()) for text in self.description["pairs"][name]]
        (row,) = (
            of for key, of in tables()[f"{PWIM} 10"].items() if key.startswith(name)
        )
        return np.reshape(list(row.values()), shape)

    def cells(self, results: Any, n_seeds: int) -> Results:
        shown: Results = {}
        for name, (first, second) in self.description["pairs"].items():
            ours, theirs = np.array(results[name]["cosines"]), self._printed(name)
            focus = np.array(results[name]["focus"], dtype=bool)
            # With factor 0.1, a cosine times 10 is at most 1.
            selected = np.abs(theirs) > 1
            rows = []
            for i, word in enumerate(first.split()):
                cells = [
                    f"**{value:.2f}**" if focus[i, j] else f"{value:.2f}"
                    for j, value in enumerate(ours[i])
                ]
                both = zip(cells, theirs[i], strict=True)
                rows.append([word, *(f"{a} ({b:.2f})" for a, b in both)])
            shown[name.replace(" ", "_")] = {
                "table": "\n".join(table(["", *second.split()], rows)),
                "here": int(focus.sum()),
                "there": int(selected.sum()),
                "both": int((focus & selected).sum()),
            }
        return shown

    def draw(self, results: Any, path: Path) -> None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 7), layout="constrained")
        pairs = self.description["pairs"]
        for axes, (name, texts) in zip(
            figure.subplots(2, 2), pairs.items(), strict=True
        ):
            rows, columns = (text.split() for text in texts)
            here = np.array(results[name]["cosines"])
            matrices = {"here": here, "table 10": self._printed(name)}
            for of, (title, matrix) in zip(axes, matrices.items(), strict=True):
                of.imshow(matrix, cmap="Greys", vmin=0, vmax=10)
                of.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
                of.set_yticks(range(len(rows)), rows)
                of.set_title(f"{name}, {title}", fontsize=9)
                for (i, j), value in np.ndenumerate(matrix):
                    color = "white" if value > 5 else "black"
                    text = of.text(j, i, f"{value:.1f}", ha="center", va="center")
                    text.set(fontsize=7, color=color)
        figure.savefig(path, dpi=110)


class ParameterCounts(Table):
    name = "parameter_counts"

    @property
    def n_characters(self) -> int:
        return int(printed(f"{CHARAGRAM} text", "character embeddings"))

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Parameters of our models, by row; needs no data."""
        known = string.ascii_lowercase + string.digits + string.punctuation + " "
        others = range(0x4E00, 0x4E00 + self.n_characters - len(known) - 1)  # and <unk>
        text = known + "".join(map(chr, others))
        pairs = [(text, text[::-1]), ("a", "b")]

        def total(encoder: Any) -> int:
            sizes = [value.size for value in encoder.fit(pairs).parameters_.values()]
            return len(encoder.vectors_) * encoder.vectors_.dim + sum(sizes)

        words = WordVectors(["a", "cat", "dog"], np.ones((3, 300), dtype=np.float32))
        pwim = PairwiseInteractionRegressor.paper("sick", vectors=words, max_epochs=0)
        pwim.fit([("a cat", "a dog"), ("a cat", "a cat")], [1.0, 5.0])
        return {
            "charCNN": total(CharCNNEncoder.paper("phrases", max_epochs=0)),
            "charLSTM": total(CharLSTMEncoder.paper("words", max_epochs=0)),
            "charLSTM, no output gate": total(
                CharLSTMEncoder.paper("phrases", max_epochs=0)
            ),
            "PWIM": sum(value.size for value in pwim.parameters_.values()),
        }

    def combine(self, runs: Runs) -> Results:
        found = only(runs)
        del found["seconds"]
        return found

    def cells(self, results: Any, n_seeds: int) -> Results:
        def shown(value: Any) -> str | None:
            return f"{value:,}" if isinstance(value, int) else value or None

        text, table_9 = f"{CHARAGRAM} text", f"{PWIM} 9"
        theirs = {
            "charCNN": printed(text, "parameters charCNN (similarity)"),
            "charLSTM": printed(text, "parameters charLSTM (similarity)"),
            "PWIM": printed(table_9, "This work", "parameters"),
            "He et al. (2015)": printed(table_9, "He et al. (2015)", "parameters"),
        }
        rows = [
            [name, shown(results.get(name)), shown(theirs.get(name))]
            for name in dict.fromkeys([*results, *theirs])
        ]
        return {
            "table": table(["", "here", "published"], rows),
            "characters": self.n_characters,
        }
