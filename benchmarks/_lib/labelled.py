"""Texts with labels, and the settings of the classifiers that learn from them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np

# The weight of the vectors, the tokens and the minimum count were chosen by
# cross-validation on training parts of MR, SUBJ, TREC and MSRP.
WEIGHT = 0.02
WORDS: dict[str, Any] = {
    "ngram_range": (1, 2),
    "min_df": 2,
    "sublinear_tf": True,
    "token_pattern": r"(?u)\b\w+\b",
}
CS = (1.0, 5.0, 25.0)
N_INNER = 3  # folds of the training set that choose C
SENTENCES = ("sentence1", "sentence2")


def read_labelled(args: argparse.Namespace, name: str) -> tuple[Any, Any, Any]:
    """Texts or pairs, labels, and which rows are tested (None: cross-validation)."""
    root = args.data / "data"
    if name in ("MR", "SUBJ"):
        return *read_rows(args, root / f"classification/{name.lower()}/all.tsv"), None
    if name == "MSRP":
        parts = [root / f"msrp/{part}.tsv" for part in ("train", "dev", "test")]
    else:
        folder = root / "classification" / name.lower().replace("-", "")
        parts = [folder / "train.tsv", folder / "test.tsv"]
    parts_read = [read_rows(args, path) for path in parts]
    X = np.concatenate([X for X, _ in parts_read])
    y = np.concatenate([y for _, y in parts_read])
    test = np.arange(len(X)) >= len(X) - len(parts_read[-1][0])
    if name == "SST-2":  # a few sentences are in both
        keep = test | ~np.isin(X, X[test])
        X, y, test = X[keep], y[keep], test[keep]
    return X, y, test


def read_rows(args: argparse.Namespace, path: Path) -> tuple[Any, Any]:
    """Texts, or two columns of texts, and labels."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    columns = [column for column in lines[0] if column in ("text", *SENTENCES)]
    X = np.array([[line[column] for column in columns] for line in lines], object)
    y = np.array([int(line["label"]) for line in lines])
    if args.quick:
        some = np.random.RandomState(0).permutation(len(X))[:600]
        X, y = X[some], y[some]
    return X if len(columns) == 2 else X[:, 0], y
