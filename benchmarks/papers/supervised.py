"""Similarity, entailment and sentiment: encoders trained end to end, and as features.

Tables 5 and 6 of Wieting et al. (2016) on SICK and SST-2. As in the paper, the epoch is
the best one on the development set, and settings were chosen there, with the first
seed. "Universal" starts from an encoder trained on paraphrases, and is regularised
towards it. SST-2 models train on phrases, without those that equal a sentence of the
development or test set except for case and punctuation.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import shutil
import time
from collections.abc import Iterable
from copy import copy
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.base import is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import skparaphrase
from _lib.paper_encoders import multiplied, paper_encoder, row_encoder
from _lib.paper_tables import Results, Runs, Table, plus_minus, resolved, spread
from _lib.papers import Data, cell, table
from _lib.published import WIETING, printed_row
from skparaphrase import supervised
from skparaphrase.datasets import read_pairs, read_texts
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.vectors import apply_sif_weights, remove_mean

MODELS = {
    "similarity": "SimilarityRegressor",
    "entailment": "PairClassifier",
    "sentiment": "TextClassifier",
}
LONGEST_FIRST = tuple(reversed(MODELS))
TEST = ("dev", "test")
Parts = dict[str, tuple[Any, Any]]


def read(data: Data, task: str) -> Parts:
    """Texts or pairs, and targets, of "train", "dev" and "test"."""
    parts: Parts
    if task == "sentiment":
        folder = data.root / "data/classification/sst2"
        files = {"train": "train-phrases", "dev": "dev", "test": "test"}
        parts = {
            name: read_texts(folder / f"{file}.tsv", return_X_y=True)
            for name, file in files.items()
        }
        known = {_letters(text) for name in TEST for text in parts[name][0]}
        texts, labels = parts["train"]
        keep = np.array([_letters(text) not in known for text in texts])
        parts["train"] = texts[keep], labels[keep]
    elif task == "similarity":
        parts = {name: data.sick(name) for name in ("train", *TEST)}
    else:
        folder, options = data.root / "data/sick", {"label": "entailment"}
        parts = {
            name: read_pairs(folder / f"{name}.tsv", **options, return_X_y=True)
            for name in ("train", *TEST)
        }
    X, y = parts["train"]
    step = len(X) // 600 if data.quick else data.step
    return {**parts, "train": (X[::step], y[::step])}


def _letters(text: str) -> str:
    """A text without case, spaces and punctuation."""
    return "".join(filter(str.isalnum, text.lower()))


def evaluate(model: Any, parts: Parts) -> Results:
    """Fit with validation on the development set, and score on the test set."""
    started = time.process_time()
    X_val, y_val = parts["dev"]
    model.fit(*parts["train"], X_val=X_val, y_val=y_val)
    scorer = pearson_scorer if is_regressor(model) else type(model).score
    return {
        "test": 100 * float(scorer(model, *parts["test"])),
        "dev": 100 * max(model.validation_scores_),
        "epoch": float(model.best_epoch_),
        "fit seconds": time.process_time() - started,
        "n_train": len(parts["train"][0]),
    }


def lengthened(encoder: Any, X: Any, length: float) -> Any:
    """A fitted encoder, scaled to this mean length of the vectors of texts."""
    lengths = np.linalg.norm(encoder.transform(X[:1000]), axis=-1)
    times = length / float(lengths.mean())
    if not isinstance(encoder, ParaphraseEncoder):
        return make_pipeline(encoder, FunctionTransformer(partial(np.multiply, times)))
    encoder = copy(encoder)  # word vectors are scaled, so it can be trained
    encoder.vectors_ = multiplied(encoder.vectors_, times)
    return encoder


def beside(found: Iterable[Any], theirs: Iterable[float | None]) -> list[str]:
    """Cells with our scores and, in brackets, the published ones."""
    return [
        f"{plus_minus(of and of['test'])} ({cell(published)})"
        for of, published in zip(found, theirs, strict=True)
    ]


HEADS = [f"{task} (published)" for task in MODELS]


class Wieting(Table):
    name = "wieting_supervised"

    @cached_property
    def rows(self) -> dict[str, Any]:
        """The encoders of paraphrases, a model for each task and row, and speed."""
        of = resolved(self.description)
        rows = {f"prior, {name}": row for name, row in of["priors"].items()}
        for task in LONGEST_FIRST:
            for name in reversed(of["features"]):
                settings = {**of["settings"][task], **of["frozen"][task]}
                rows[f"{task}, features, {name}"] = {"prior": name, "params": settings}
            for name, row in reversed(of["end_to_end"].items()):
                if task in row.get("tasks", MODELS):
                    own = row.get("settings", {}).get(task, {})
                    settings = {**of["settings"][task], **own}
                    rows[f"{task}, row, {name}"] = {
                        "prior": row.get("prior"),
                        "encoder": (row.get("encoder"), row.get("params", {})),
                        "params": settings,
                    }
        return {**rows, "speed": {"seeds": 1}}

    def stages(self) -> list[list[str]]:
        priors = [name for name in self.rows if name.startswith("prior, ")]
        others = [name for name in self.rows if name not in {*priors, "speed"}]
        return [priors, others, ["speed"]]

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores x 100 of one model on development and test set."""
        task, _, called = name.partition(", ")
        if name == "speed":
            return _speed(data)
        if task == "prior":
            return self._train(data, called, seed)
        parts = read(data, task)
        model = self._model(data, task, called, seed, parts["train"][0])
        if data.quick:
            model.set_params(max_epochs=2)
        return evaluate(model, parts)

    def _train(self, data: Data, name: str, seed: int) -> Results:
        """Train an encoder on paraphrases, and save it."""
        row = self.rows[f"prior, {name}"]
        if name == "InfoNCE":  # the best encoder of table `wieting_encoders`
            data.vectors = apply_sif_weights(remove_mean(data.vectors))
        encoder = row_encoder(row, data, seed)
        path = self._path(data, name, seed)
        shutil.rmtree(path, ignore_errors=True)  # from an interrupted run
        path.parent.mkdir(parents=True, exist_ok=True)
        encoder.fit(data.pairs).save(path)
        return {"n_pairs": len(data.pairs)}

    def _path(self, data: Data, name: str, seed: int) -> Path:
        assert data.runs is not None
        return data.runs / self.name / f"{name} {seed}"

    def _model(self, data: Data, task: str, called: str, seed: int, X: Any) -> Any:
        """The model of a row, before fitting on the texts `X`."""
        kind, _, name = called.partition(", ")
        row, class_ = self.rows[f"{task}, {called}"], getattr(supervised, MODELS[task])
        if name == "defaults":
            return class_(random_state=seed)
        ours = class_.paper("wieting", random_state=seed)
        ours.set_params(optimizer__sparse=True)
        settings = {**row["params"]}
        length = settings.pop("length", 6.0)
        if row["prior"] is not None:
            encoder: Any = skparaphrase.load(self._path(data, row["prior"], seed))
            if length is not None:
                encoder = lengthened(encoder, X, length)
            encoder = FrozenEstimator(encoder)
            if kind == "row":
                return ours.set_params(encoder=None, init=encoder, **settings)
            return ours.set_params(encoder=encoder, **settings)
        encoder_class, params = row["encoder"]
        vectors = data.vectors  # their lengths are about 1
        if name == "averaging, paper's setting":
            settings = {}
        else:
            vectors = multiplied(vectors, length)
        encoder = paper_encoder(encoder_class, vectors=vectors, **params)
        return ours.set_params(encoder=encoder, **settings)

    def combine(self, runs: Runs) -> Results:
        return {
            name: of[0] if name == "speed" else spread(of) for name, of in runs.items()
        }

    def cells(self, results: Any, n_seeds: int) -> Results:
        of = resolved(self.description)
        end_to_end, features = of["end_to_end"], of["features"]

        def row(label: str, key: str, theirs: Iterable[Any]) -> list[str]:
            found = [results.get(f"{task}, {key}") for task in MODELS]
            return [label, *beside(found, theirs)]

        table_6 = f"{WIETING} 6"
        return {
            "end_to_end": table(
                ["", *HEADS],
                [
                    row(name, f"row, {name}", _table_5(each["published"]))
                    for name, each in end_to_end.items()
                ],
            ),
            "features": table(
                ["features", *HEADS],
                [
                    row(
                        each["label"],
                        f"features, {name}",
                        printed_row(table_6, each["published"]),
                    )
                    for name, each in features.items()
                ],
            ),
            "speed": results["speed"],
        }


def _table_5(system: str) -> tuple[float | None, ...]:
    """Published figures; the universal LSTM and averages share a row."""
    if not system.startswith("universal"):
        return printed_row(f"{WIETING} 5", system)
    row = "universal regularization (averaging; sentiment: LSTM with o.g.)"
    *averaging, lstm = printed_row(f"{WIETING} 5", row)
    return (None, None, lstm) if "LSTM" in system else (*averaging, None)


def _speed(data: Data) -> Results:
    """Training pairs of SICK per second of the whole `fit`, on one thread."""
    X, y = read(data, "similarity")["train"]
    rates: dict[str, list[float]] = {"sparse": [], "dense": []}
    for kind, of in rates.items():
        epochs, n_fits = (10, 5) if kind == "sparse" else (1, 1)
        for _ in range(n_fits):
            model = SimilarityRegressor.paper(
                "wieting",
                encoder__vectors=multiplied(data.vectors, 6.0),
                optimizer__sparse=kind == "sparse",
                max_epochs=epochs,
                random_state=0,
            )
            started = time.process_time()
            model.fit(X, y)
            of.append(epochs * len(X) / (time.process_time() - started))
    return {
        "threads": torch.get_num_threads(),
        "n_words": len(data.vectors),
        **{kind: float(np.median(of)) for kind, of in rates.items()},
    }
