"""Shared parts of the scripts of pairwise word interaction: fits that are cached."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from _lib.paper_encoders import paper_encoder
from _lib.papers import Data, cell
from _lib.supervised import said
from skparaphrase import load_pretrained
from skparaphrase.datasets import load_word_vectors
from skparaphrase.vectors import WordVectors


class Row(NamedTuple):
    """A row: parameters that differ from the defaults, seeds, and published figures."""

    params: dict[str, Any]
    seeds: int = 3
    published: Mapping[str, float] = MappingProxyType({})


def once(
    args: argparse.Namespace, name: str, params: Any, compute: Callable[[], Any]
) -> Any:
    """Return `compute()`, or its result in an earlier run with the same parameters.

    A table takes hours, so results are cached in the folder `runs`, and an interrupted
    run is resumed. Remove the folder to start again.
    """
    if args.quick or args.short:
        return compute()
    path = args.out / "runs" / f"{name}.json"
    if path.exists():
        kept = json.loads(path.read_text("utf-8"))
        if kept["params"] == repr(params):
            return kept["result"]
    result = compute()
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"params": repr(params), "result": result}), "utf-8")
    new.replace(path)
    return result


def part_of(args: argparse.Namespace, X: Any, y: Any) -> tuple[Any, Any]:
    """The training data, or a sample in a quick or short run."""
    step = 20 if args.quick else 3 if args.short else 1
    return X[::step], y[::step]


def find_vectors(args: argparse.Namespace, name: str | None) -> WordVectors:
    """The vectors of the data folder, the same trained on paraphrases, or our own.

    The paper uses PARAGRAM-PHRASE vectors for STS 2014 and for questions; here "PP"
    replaces them. The paraphrase pairs contain no sentence of an evaluation set.
    "pretrained" is the default of the models, "bundled" the smaller table of words.
    """
    if name == "pretrained":
        return load_pretrained().vectors
    if name == "bundled":
        return load_word_vectors()
    data = Data(args)
    if name is None:
        return data.vectors
    folder = args.out / "runs/PP"
    part = args.quick or args.short
    if part or not folder.exists():
        encoder = paper_encoder(
            "ParagramEncoder",
            vectors=data.vectors,
            learning_rate=0.01,
            max_epochs=3,
            random_state=0,
        )
        vectors: WordVectors = encoder.fit(data.pairs).vectors_
        if part:
            return vectors
        vectors.save(folder)
    return WordVectors.load(folder)


def build(args: argparse.Namespace, class_: Any, params: Mapping[str, Any]) -> Any:
    """The model of a row, by the name of a paper's setting if there is one."""
    params = {**params, "vectors": find_vectors(args, params.get("vectors"))}
    setting = params.pop("paper", None)
    model = class_.paper(setting, **params) if setting else class_(**params)
    if args.quick or args.short:
        model.set_params(max_epochs=min(model.max_epochs, 1 if args.quick else 2))
    return model


def timed_fit(model: Any, *data: Any, **validation: Any) -> dict[str, Any]:
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


def medians(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Medians, lowest and highest of all measures that are numbers."""
    return {
        key: {
            "median": float(np.median([run[key] for run in runs])),
            "low": float(min(run[key] for run in runs)),
            "high": float(max(run[key] for run in runs)),
            "n": len(runs),
        }
        for key, value in runs[0].items()
        if isinstance(value, (int, float))
    }


def shown(of: Mapping[str, Any], published: float | None, digits: int = 4) -> str:
    """Median, its spread over seeds, and the published figure."""
    text = cell(of["median"], digits)
    if of["n"] > 1:
        text += f" [{of['low']:.{digits}f}, {of['high']:.{digits}f}]"
    return text + ("" if published is None else f" ({published:.{digits}f})")


def settings(rows: Mapping[str, Row]) -> list[str]:
    """The rows, explained as a list."""
    return [f"- {name}: {said(row.params)}" for name, row in rows.items()]
