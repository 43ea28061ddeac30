"""Texts with labels, and classifiers on frozen vectors, tf-idf, or both."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from _lib.readers import read_tsv
from skparaphrase.pairs import PairFeatures, PairVectorizer

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
SETS = ("MR", "SUBJ", "TREC", "SST-2", "MSRP")  # the longest first
N_OUTER = 5  # folds of MR and SUBJ


def read_labelled(args: argparse.Namespace, name: str) -> tuple[Any, Any, Any]:
    """Texts or pairs, labels, and a mask of test rows (None for cross-validation)."""
    root = args.data / "data"
    if name in ("MR", "SUBJ"):
        return *_read(args, root / f"classification/{name.lower()}/all.tsv"), None
    if name == "MSRP":
        parts = [root / f"msrp/{part}.tsv" for part in ("train", "dev", "test")]
    else:
        folder = root / "classification" / name.lower().replace("-", "")
        parts = [folder / "train.tsv", folder / "test.tsv"]
    parts_read = [_read(args, path) for path in parts]
    X = np.concatenate([X for X, _ in parts_read])
    y = np.concatenate([y for _, y in parts_read])
    test = np.arange(len(X)) >= len(X) - len(parts_read[-1][0])
    if name == "SST-2":  # a few sentences are in both parts
        keep = test | ~np.isin(X, X[test])
        X, y, test = X[keep], y[keep], test[keep]
    return X, y, test


def _read(args: argparse.Namespace, path: Path) -> tuple[Any, Any]:
    """Texts, or pairs of MSRP, and labels; a sample in a quick run."""
    pairs = path.parent.name == "msrp"
    X, y = read_tsv(path, ["sentence1", "sentence2"] if pairs else ["text"], "label")
    some = np.random.RandomState(0).permutation(len(X))[:600] if args.quick else ...
    return (X if pairs else X[:, 0])[some], y.astype(int)[some]


def classifier(seed: int) -> LogisticRegressionCV:
    """Logistic regression that chooses C on the training part."""
    return LogisticRegressionCV(
        Cs=CS,
        l1_ratios=(0,),
        cv=StratifiedKFold(N_INNER, shuffle=True, random_state=seed),
        scoring="accuracy",
        max_iter=1000,
        use_legacy_attributes=False,
    )


def splits_of(X: Any, y: Any, test: Any, n_folds: int, seed: int) -> list[Any]:
    """Training and test rows, of the test set or of all folds."""
    if test is not None:
        return [(np.flatnonzero(~test), np.flatnonzero(test))]
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(folds.split(X, y))


def accuracies(
    args: argparse.Namespace,
    name: str,
    encoders: Mapping[str, Any],
    kinds: Iterable[str],
) -> dict[str, dict[str, float]]:
    """Accuracy x 100 on one of SETS, and on MSRP also F1.

    A kind of features is the name of an encoder, "tf-idf", or several of them joined by
    " + ". The classifier chooses C on the training part.
    """
    X, y, test = read_labelled(args, name)
    pairs = X.ndim == 2
    words: Any = TfidfVectorizer(**WORDS)
    parts = {"tf-idf": [_selected(X), PairVectorizer(words) if pairs else words]}
    for kind, encoder in encoders.items():
        vectors = encoder.transform(X)
        if pairs:
            features = PairFeatures(("product", "absdiff"))
            vectors = features.fit_transform(vectors)
        parts[kind] = [_selected(vectors), StandardScaler()]
    splits = splits_of(X, y, test, N_OUTER, 0)
    splits = [[rows[:, np.newaxis] for rows in split] for split in splits]
    gold = np.concatenate([y[tried.ravel()] for _, tried in splits])
    found = {}
    for kind in kinds:
        steps = [(part, make_pipeline(*parts[part])) for part in kind.split(" + ")]
        pipe = make_pipeline(
            FeatureUnion(
                steps,
                transformer_weights={p: WEIGHT for p, _ in steps if p != "tf-idf"},
            ),
            classifier(seed=0),
        )
        predicted = np.concatenate(
            [pipe.fit(learnt, y[learnt.ravel()]).predict(t) for learnt, t in splits]
        )
        found[kind] = {name: 100 * float(np.mean(predicted == gold))}
        if pairs:
            found[kind][f"{name} F1"] = 100 * float(f1_score(gold, predicted))
        print(kind, found[kind], flush=True)
    return found


def _selected(values: Any) -> FunctionTransformer:
    """A transformer from row numbers to rows."""
    return FunctionTransformer(lambda rows: values[rows.ravel()])
