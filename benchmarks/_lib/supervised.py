"""Shared parts of the scripts of supervised models: data, fits, spreads."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from _lib.papers import cell
from skparaphrase.datasets import read_pairs, read_texts

MODELS = {
    "similarity": "SimilarityRegressor",
    "entailment": "PairClassifier",
    "sentiment": "SentenceClassifier",
}
TEST = ("dev", "test")


def read(args: argparse.Namespace, task: str) -> dict[str, tuple[Any, Any]]:
    """Texts or pairs, and targets, of "train", "dev" and "test"."""
    parts: dict[str, tuple[Any, Any]]
    if task == "sentiment":
        folder = args.data / "data/classification/sst2"
        parts = {
            name: read_texts(folder / f"{file}.tsv", return_X_y=True)
            for name, file in [
                ("train", "train-phrases"),
                *zip(TEST, TEST, strict=True),
            ]
        }
        known = {letters(text) for name in TEST for text in parts[name][0]}
        texts, labels = parts["train"]
        keep = np.array([letters(text) not in known for text in texts])
        parts["train"] = texts[keep], labels[keep]
    else:
        folder = args.data / "data/sick"
        target = {"score": "score"}
        if task == "entailment":
            target = {"label": "entailment"}
        parts = {
            name: read_pairs(folder / f"{name}.tsv", **target, return_X_y=True)
            for name in ("train", *TEST)
        }
    if args.quick or args.short:
        X, y = parts["train"]
        step = len(X) // 1000 if args.quick else 3
        parts["train"] = X[::step], y[::step]
    return parts


def letters(text: str) -> str:
    """A text without case, spaces and punctuation."""
    return "".join(filter(str.isalnum, text.lower()))


def evaluate(model: Any, parts: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    """Fit with validation on the development set, and score on the test set."""
    started = time.process_time()
    X_val, y_val = parts["dev"]
    model.fit(*parts["train"], X_val=X_val, y_val=y_val)
    return {
        "test": 100 * float(model.score(*parts["test"])),
        "dev": 100 * max(model.validation_scores_),
        "epoch": float(model.best_epoch_),
        "fit seconds": time.process_time() - started,
        "n_train": len(parts["train"][0]),
    }


def spread(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean and standard deviation over seeds of all numbers."""
    return {
        key: {
            "mean": float(np.mean([run[key] for run in runs])),
            "std": float(np.std([run[key] for run in runs])),
            "n": len(runs),
        }
        for key in runs[0]
    }


def plus_minus(of: Mapping[str, Any] | None, digits: int = 1) -> str:
    """Mean ± standard deviation, the figure of a single seed, or a dash."""
    if of is None or of["n"] == 1:
        return cell(of and of["mean"], digits)
    return f"{of['mean']:.{digits}f} ± {of['std']:.{digits}f}"


def said(params: Mapping[str, Any]) -> str:
    """Parameters as they are written in Python."""
    return ", ".join(f"`{k}={v!r}`" for k, v in params.items()) or "nothing"
