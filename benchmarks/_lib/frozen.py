"""Logistic regression on frozen vectors, on tf-idf, and on both."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from _lib.labelled import CS, N_INNER, WEIGHT, WORDS, read_labelled
from skparaphrase.pairs import PairFeatures, PairVectorizer

N_OUTER = 5  # folds of MR and SUBJ
SETS = ("MR", "SUBJ", "TREC", "SST-2", "MSRP")


def accuracies(
    args: argparse.Namespace,
    name: str,
    encoders: Mapping[str, Any],
    kinds: Iterable[str],
) -> dict[str, dict[str, float]]:
    """Accuracy x 100 on one of SETS, and on MSRP also F1.

    A kind of features is the name of an encoder, "tf-idf", or several of them with
    " + " between. The classifier chooses C on the training part.
    """
    X, y, test = read_labelled(args, name)
    pairs = X.ndim == 2
    words: Any = TfidfVectorizer(**WORDS)
    parts = {"tf-idf": [_selected(X), PairVectorizer(words) if pairs else words]}
    for kind, encoder in encoders.items():
        vectors = encoder.transform(X)
        vectors = PairFeatures().fit_transform(vectors) if pairs else vectors
        parts[kind] = [_selected(vectors), StandardScaler()]
    folds = StratifiedKFold(N_OUTER, shuffle=True, random_state=0)
    splits = folds.split(X, y) if test is None else [map(np.flatnonzero, (~test, test))]
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
            LogisticRegressionCV(
                Cs=CS,
                l1_ratios=(0,),
                cv=StratifiedKFold(N_INNER, shuffle=True, random_state=0),
                scoring="accuracy",
                max_iter=1000,
                use_legacy_attributes=False,
            ),
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
    """A step from numbers of rows to these rows."""
    return FunctionTransformer(lambda rows: values[rows.ravel()])
