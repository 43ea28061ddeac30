"""Frozen vectors, tf-idf, and both together, with the same classifier.

    python benchmarks/quality/frozen_features.py --data ../shared [--quick] [--seeds 3]

The features of sentences (MR, SUBJ, TREC, SST-2) and pairs (MSRP) do not depend on
labels: vectors of an encoder, tf-idf of words and word pairs, or a `FeatureUnion` of
both. The classifier is `LogisticRegressionCV`, which chooses C on the training set. MR
and SUBJ are cross-validated, the others have a test set. Includes model2vec, with the
same table of words, if it is installed. Writes
`benchmarks/results/frozen_features.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
import time
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import f1_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import skparaphrase
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.pairs import PairFeatures, PairVectorizer
from skparaphrase.vectors import apply_sif_weights, remove_mean

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import word_level
from _lib.labelled import (
    SETS,
    WEIGHT,
    WORDS,
    classifier,
    read_labelled,
    splits_of,
)
from _lib.pages import publish
from _lib.paper_encoders import INFONCE, paper_encoder
from _lib.papers import Data, cell, parse_args, table

N_OUTER = 10
UNIONS = {"average + tf-idf": "average", "trained + tf-idf": "trained"}


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    publish(args, "frozen_features", partial(measure, args), cells)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Accuracies of all kinds of features on all sets, for all seeds."""
    seeds = range(args.seeds)
    with TemporaryDirectory() as folder:
        for seed in seeds:
            train(args, folder, seed)
        return {
            name: summary([run(args, folder, seed, name) for seed in seeds])
            for name in SETS
        }


def train(args: argparse.Namespace, folder: str, seed: int) -> None:
    """An encoder of paraphrases, saved to the folder.

    Pairs of MSRP are left out. They are its training pairs with one label, so in
    cross-validation the encoder would have been trained on test pairs.
    """
    data = Data(args)
    names = ("ppdb-lexical", "flickr8k", "rewrites")
    pairs = np.concatenate([data.corpus(name) for name in names])
    np.random.RandomState(seed).shuffle(pairs)
    encoder = paper_encoder(
        "ParaphraseEncoder",
        vectors=apply_sif_weights(remove_mean(data.vectors)),
        random_state=seed,
        **INFONCE,
    )
    encoder.fit(pairs[: 3000 if args.quick else None]).save(Path(folder) / str(seed))


def run(args: argparse.Namespace, folder: str, seed: int, name: str) -> dict[str, Any]:
    """Accuracy and F1 x 100 of every kind of features on one set."""
    X, y, test = read_labelled(args, name)
    kinds = features(Data(args), Path(folder) / str(seed), pairs=X.ndim == 2)
    started, n_folds = time.process_time(), 3 if args.quick else N_OUTER
    splits = splits_of(X, y, test, n_folds, seed)
    tested = np.concatenate([tried for _, tried in splits])
    predictions: dict[str, Any] = {}
    chosen: dict[str, list[float]] = {}
    for kind, transformer in kinds.items():
        pipe = make_pipeline(transformer, classifier(seed))
        parts = []
        chosen[kind] = []
        for learnt, tried in splits:
            parts.append(pipe.fit(X[learnt], y[learnt]).predict(X[tried]))
            chosen[kind].append(float(pipe[-1].C_))
        predictions[kind] = np.concatenate(parts)
    return {
        "n_train": len(splits[0][0]),
        "n_test": len(tested),
        "C": {kind: float(np.median(of)) for kind, of in chosen.items()},
        "accuracy": {
            kind: 100 * float(np.mean(found == y[tested]))
            for kind, found in predictions.items()
        },
        "F1": {
            kind: 100 * float(f1_score(y[tested], found))
            for kind, found in predictions.items()
            if name == "MSRP"
        },
        "gain": gains(predictions, y[tested]),
        "seconds": time.process_time() - started,
    }


def features(data: Data, trained: Path, *, pairs: bool) -> dict[str, Any]:
    """Transformers of texts, or of pairs, by name."""

    def vectors(*steps: Any) -> Any:
        steps = (*steps, PairFeatures(("product", "absdiff"))) if pairs else steps
        scaled = make_pipeline(*steps, StandardScaler())
        weights = {"vectors": WEIGHT}  # also for one part, so all share one grid of C
        return FeatureUnion([("vectors", scaled)], transformer_weights=weights)

    words = TfidfVectorizer(**WORDS)
    found = {
        "average": vectors(FrozenEstimator(AverageEncoder(data.vectors))),
        "SIF, component removed": vectors(
            FrozenEstimator(SIFEncoder(data.vectors).fit(["any"])),
            CommonComponentRemoval(norm=None),
        ),
        "trained": vectors(FrozenEstimator(skparaphrase.load(trained))),
    }
    if find_spec("model2vec"):
        found["model2vec"] = vectors(FunctionTransformer(model2vec(data)))
    found["tf-idf"] = PairVectorizer(words) if pairs else words
    for name, part in UNIONS.items():
        found[name] = FeatureUnion([(kind, found[kind]) for kind in (part, "tf-idf")])
    return found


def model2vec(data: Data) -> Any:
    """A function from texts or pairs to model2vec's means of the same table."""
    from model2vec import StaticModel

    tokenizer, matrix = word_level(data.vectors)
    model = StaticModel(matrix, tokenizer)

    def encode(X: Any) -> Any:
        vectors = model.encode(X.ravel().tolist(), use_multiprocessing=False)
        return vectors.reshape(*X.shape, -1)

    return encode


def gains(predictions: Mapping[str, Any], y: Any) -> dict[str, Any]:
    """The accuracy of a union minus its better part, and the standard error."""
    found = {}
    for union, vectors in UNIONS.items():
        right = {kind: predictions[kind] == y for kind in (union, vectors, "tf-idf")}
        better = max((vectors, "tf-idf"), key=lambda kind: right[kind].mean())
        difference = 100.0 * (right[union].astype(int) - right[better])
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        found[union] = {"gain": float(difference.mean()), "error": float(error)}
    return found


def summary(runs: list[Any]) -> dict[str, Any]:
    """Means over seeds, and the standard deviation of accuracy and F1."""
    found = {key: runs[0][key] for key in ("n_train", "n_test")}
    for key in ("accuracy", "F1"):
        found[key] = {
            kind: {
                "mean": float(np.mean([run[key][kind] for run in runs])),
                "spread": float(np.std([run[key][kind] for run in runs])),
            }
            for kind in runs[0][key]
        }
    found["C"] = {kind: [run["C"][kind] for run in runs] for kind in runs[0]["C"]}
    found["gain"] = {
        union: {
            key: float(np.mean([run["gain"][union][key] for run in runs]))
            for key in ("gain", "error")
        }
        for union in UNIONS
    }
    found["seconds"] = [run["seconds"] for run in runs]
    return found


def cells(results: Mapping[str, Any]) -> dict[str, Any]:
    columns = [(name, "accuracy") for name in SETS] + [("MSRP", "F1")]
    accuracy, gained = [], []
    for kind in results["MR"]["accuracy"]:
        found = [results[name][key][kind] for name, key in columns]
        shown = [f"{cell(of['mean'])} ± {cell(of['spread'])}" for of in found]
        accuracy.append([kind, *shown])
    for union in UNIONS:
        found = [results[name]["gain"][union] for name in SETS]
        gained.append(
            [union, *(f"{of['gain']:+.1f} ± {of['error']:.1f}" for of in found)]
        )
    return {
        "accuracy": table(["features", *SETS, "MSRP F1"], accuracy),
        "gains": table(["union", *SETS], gained),
    }


if __name__ == "__main__":
    main()
