"""Similarity, entailment and sentiment: encoders trained end to end, and as features.

    python benchmarks/papers/wieting_supervised.py [--quick] [--seeds 3]

Reproduces tables 5 and 6 of Wieting et al. (2016) on SICK and SST-2. Writes
`benchmarks/results/wieting_supervised.json` and `.md`.

As in the paper, the epoch is the best one on the development set, and settings were
chosen there, with the first seed. "Universal" starts from the encoder of a row after
training on 92 thousand paraphrases (words, captions, rewrites, news), and is
regularised towards it. SST-2 models train on phrases, without those that equal a
sentence of the development or test set except for case and punctuation.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.frozen import FrozenEstimator

import skparaphrase
from skparaphrase import supervised
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import SimilarityRegressor

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import INFONCE, multiplied, paper_encoder
from _lib.papers import Data, cell, parse_args, run_all, table, write
from _lib.published import WIETING, printed_row
from _lib.supervised import MODELS, evaluate, plus_minus, read, said, spread

ADAGRAD = {
    "optimizer": Optimizer("adagrad", max_change=None),
    "learning_rate": 0.05,
}
ADAM = {"optimizer": Optimizer("adam", max_change=None), "learning_rate": 0.001}
# Differences from the paper's setting with `scale=6.0` and sparse updates.
SETTINGS: dict[str, dict[str, Any]] = {
    "similarity": {**ADAGRAD, "scale": 12.0},
    "entailment": {},
    "sentiment": {**ADAGRAD, "scale": 12.0, "batch_size": 50, "max_epochs": 5},
}


class Row(NamedTuple):
    """A row of table 5: the encoder, the model's parameters by task, the figures."""

    encoder: str
    params: Mapping[str, Any]
    published: tuple[float | None, ...]  # similarity, entailment, sentiment
    model: Mapping[str, Mapping[str, Any]] = {}  # task: differences from SETTINGS
    tasks: Sequence[str] = tuple(MODELS)
    prior: str | None = None


GATE = {"output_gate": True}
RECURRENT: dict[str, Any] = {
    "similarity": {**ADAM, "scale": 6.0},
    "entailment": ADAM,
    "sentiment": {**ADAM, "scale": 6.0, "max_epochs": 3},
}
LAYERS: dict[str, Any] = {"entailment": ADAM, "sentiment": {**ADAM, "scale": 6.0}}
TABLE = f"{WIETING} 5"
AVERAGING = printed_row(TABLE, "word averaging")
*UNIVERSAL, UNIVERSAL_LSTM = printed_row(
    TABLE, "universal regularization (averaging; sentiment: LSTM with o.g.)"
)
ROWS = {
    "defaults": Row("pretrained", {}, AVERAGING),
    "averaging, paper's setting": Row("ParagramEncoder", {}, AVERAGING),
    "averaging": Row("ParagramEncoder", {}, AVERAGING),
    "projection": Row(
        "ProjectionEncoder",
        {},
        printed_row(TABLE, "projection"),
        {**LAYERS, "similarity": ADAM},  # unstable with AdaGrad
    ),
    "DAN": Row("DeepAveragingEncoder", {}, printed_row(TABLE, "DAN"), LAYERS),
    "RNN": Row("RNNEncoder", {}, printed_row(TABLE, "RNN"), RECURRENT),
    "LSTM": Row("LSTMEncoder", {}, printed_row(TABLE, "LSTM (no o.g.)"), RECURRENT),
    "LSTM with gate": Row(
        "LSTMEncoder", GATE, printed_row(TABLE, "LSTM (o.g.)"), RECURRENT
    ),
    "universal averaging": Row(
        "ParagramEncoder",
        {},
        (*UNIVERSAL, None),
        {"similarity": {"scale": 6.0}},
        prior="PP",
    ),
    "universal averaging, InfoNCE": Row(
        "ParagramEncoder",
        {},
        (*UNIVERSAL, None),
        {"similarity": {"scale": 6.0}},
        prior="InfoNCE",
    ),
    "universal LSTM with gate": Row(
        "LSTMEncoder",
        GATE,
        (None, None, UNIVERSAL_LSTM),
        {"sentiment": {**ADAM, "scale": None, "max_epochs": 3}},
        tasks=("sentiment",),
        prior="LSTM with gate",
    ),
}
DEFAULTS, PLAIN = "defaults", "averaging, paper's setting"

# Encoders trained on paraphrases, for the universal rows and table 6.
PRIORS: dict[str, tuple[str, dict[str, Any]]] = {
    "2400": ("ProjectionEncoder", {"dim": 2400, "learning_rate": 2e-4}),
    "1200": ("ProjectionEncoder", {"dim": 1200, "learning_rate": 2e-4}),
    "PP": ("ParagramEncoder", {"learning_rate": 0.01, "max_epochs": 4}),
    "InfoNCE": ("ParagramEncoder", INFONCE),
    "LSTM with gate": (
        "LSTMEncoder",
        {"output_gate": True, "max_epochs": 2, "times": 6.0},  # longer word vectors
    ),
}
EPOCHS = 3  # of paraphrases, unless said above


class Features(NamedTuple):
    """A row of table 6."""

    label: str
    published: tuple[float | None, ...]
    tasks: Sequence[str] = tuple(MODELS)


FEATURES = {
    "PP": Features("PP, 300", printed_row(f"{WIETING} 6", "PARAGRAM-PHRASE 300")),
    "1200": Features(
        "projection, 1200",
        printed_row(f"{WIETING} 6", "PARAGRAM-PHRASE 1200 (projection)"),
    ),
    "2400": Features(
        "projection, 2400",
        printed_row(f"{WIETING} 6", "PARAGRAM-PHRASE 2400 (projection)"),
    ),
}
FROZEN: dict[str, dict[str, Any]] = {
    "similarity": {"scale": 6.0, "max_epochs": 20},
    "entailment": {"max_epochs": 20},
    "sentiment": {"batch_size": 100, "max_epochs": 10},
}
N_SPEED = 5  # fits whose median is the speed


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    rows: dict[tuple[str, str], Row | Features] = {
        **{("row", name): row for name, row in ROWS.items()},
        **{("features", name): row for name, row in FEATURES.items()},
    }
    cells = [
        (seed, task, kind, name)
        for task in reversed(MODELS)  # the longest first
        for (kind, name), row in reversed(rows.items())
        if task in row.tasks
        for seed in range(args.seeds)
    ]
    with TemporaryDirectory() as folder:
        firsts = [
            (train, (args, folder, seed, name))
            for name in PRIORS
            for seed in range(args.seeds)
        ]
        costs = run_all(args, firsts)
        tasks = [(run, (args, folder, *cell)) for cell in cells]
        found = run_all(args, tasks)
    runs: dict[tuple[str, ...], list[Any]] = {}
    for (_, values), result in zip(tasks, found, strict=True):
        runs.setdefault(values[3:], []).append(result)
    priors: dict[str, list[float]] = {}
    for (_, values), cost in zip(firsts, costs, strict=True):
        priors.setdefault(values[-1], []).append(cost["seconds"])
    rates = run_all(args, [(speed, (args, "speed"))])[0]
    scores = {key: spread(of) for key, of in runs.items()}
    results = {
        **{", ".join(key): of for key, of in scores.items()},
        "seconds of priors": priors,
        "speed": rates,
    }
    write(args, "wieting_supervised", results, report(args, scores, priors, rates))


def train(
    args: argparse.Namespace, folder: str, seed: int, name: str
) -> dict[str, Any]:
    """An encoder of paraphrases, saved to the folder."""
    data = Data(args)
    class_, params = PRIORS[name]
    params = {"max_epochs": EPOCHS, **params, "random_state": seed}
    if args.quick:
        params["max_epochs"] = 1
    vectors = multiplied(data.vectors, params.pop("times", 1.0))
    if name == "InfoNCE":  # the best encoder of table `wieting_encoders`
        vectors = vectors.centered().weighted()
    encoder = paper_encoder(class_, vectors=vectors, **params)
    encoder.fit(data.pairs).save(Path(folder) / f"{name} {seed}")
    return {"n_pairs": len(data.pairs)}


def run(
    args: argparse.Namespace, folder: str, seed: int, task: str, kind: str, name: str
) -> dict[str, Any]:
    """Scores x 100 of one model on development and test set."""
    model = build(args, folder, seed, task, kind, name)
    if args.quick:
        model.set_params(max_epochs=2)
    return evaluate(model, read(args, task))


def build(
    args: argparse.Namespace, folder: str, seed: int, task: str, kind: str, name: str
) -> Any:
    """The model of a row, before fitting."""
    class_ = getattr(supervised, MODELS[task])
    if name == DEFAULTS:
        return class_(random_state=seed)
    ours = class_.paper("wieting", random_state=seed, scale=6.0)
    ours.set_params(optimizer__sparse=True)
    if kind == "features":
        prior = FrozenEstimator(skparaphrase.load(Path(folder) / f"{name} {seed}"))
        return ours.set_params(encoder=prior, **SETTINGS[task] | FROZEN[task])
    row = ROWS[name]
    encoder = paper_encoder(row.encoder, vectors=Data(args).vectors, **row.params)
    if name == PLAIN:
        return ours.set_params(encoder=encoder, scale=None)
    params = SETTINGS[task] | dict(row.model.get(task, {}))
    if row.prior is not None:
        path = Path(folder) / f"{row.prior} {seed}"
        encoder = FrozenEstimator(skparaphrase.load(path))
        params["prior"] = "universal"
    return ours.set_params(encoder=encoder, **params)


def speed(args: argparse.Namespace, _: str) -> dict[str, Any]:
    """Training pairs of SICK per second of the whole `fit`, on one thread."""
    X, y = read(args, "similarity")["train"]
    vectors = Data(args).vectors
    rates: dict[str, list[float]] = {"sparse": [], "dense": []}
    for kind, of in rates.items():
        epochs = 10 if kind == "sparse" else 1
        for _ in range(N_SPEED if kind == "sparse" else 1):
            model = SimilarityRegressor.paper(
                "wieting",
                encoder__vectors=vectors,
                scale=6.0,
                optimizer__sparse=kind == "sparse",
                max_epochs=epochs,
                random_state=0,
            )
            started = time.process_time()
            model.fit(X, y)
            of.append(epochs * len(X) / (time.process_time() - started))
    return {
        "threads": torch.get_num_threads(),
        "n_words": len(vectors),
        **{kind: float(np.median(of)) for kind, of in rates.items()},
    }


def report(
    args: argparse.Namespace,
    scores: Mapping[tuple[str, ...], Mapping[str, Any]],
    priors: Mapping[str, Sequence[float]],
    rates: Mapping[str, Any],
) -> list[str]:
    def cells(kind: str, name: str, published: Sequence[float | None]) -> list[str]:
        found = [scores.get((task, kind, name)) for task in MODELS]
        return [
            f"{plus_minus(of and of['test'])} ({cell(theirs)})"
            for of, theirs in zip(found, published, strict=True)
        ]

    heads = ["", *(f"{task} (published)" for task in MODELS)]
    keys = ("dev", "test", "epoch", "fit seconds")
    costs = [
        [
            task,
            name if kind == "row" else f"features, {PRIORS[name][0]} {name}",
            *(plus_minus(of[key]) for key in keys),
            f"{of['n_train']['mean']:,.0f}",
        ]
        for (task, kind, name), of in scores.items()
    ]
    return [
        "# Supervised use",
        "",
        "SICK similarity (Pearson x 100), SICK entailment and SST-2 sentiment",
        "(accuracy x 100) on the test sets; mean and standard deviation over",
        f"{args.seeds} seeds. Made by",
        "`python benchmarks/papers/wieting_supervised.py`. Published: Wieting et al.",
        "(2016), tables 5 and 6, from PARAGRAM-SL999 vectors and 3 million",
        "paraphrases.",
        "",
        "## Trained end to end (table 5)",
        "",
        *table(
            heads, [[n, *cells("row", n, row.published)] for n, row in ROWS.items()]
        ),
        "",
        "Universal: from an encoder of 92 thousand paraphrases. None of them is a",
        "sentence of SICK, but `flickr8k` holds captions like those it was made from.",
        "",
        "## Frozen features (table 6)",
        "",
        *table(
            ["features", *heads[1:]],
            [
                [row.label, *cells("features", name, row.published)]
                for name, row in FEATURES.items()
            ],
        ),
        "",
        "## Settings",
        "",
        "The defaults are those of the classes, on averages of the pretrained encoder.",
        'The paper\'s setting is `Model.paper("wieting")`, but with sparse updates;',
        "these word vectors have a length of about 1. The other rows give vectors",
        "the length `scale`: those of words, or of texts where the encoder is fitted",
        "before (universal, features). They differ from the paper's in:",
        "",
        *(f"- {task}: {said(SETTINGS[task])}" for task in MODELS),
        *(
            f"- {task}, {name}: {said(more)}"
            for name, row in ROWS.items()
            for task, more in row.model.items()
        ),
        *(f"- {task}, features: {said(FROZEN[task])}" for task in MODELS),
        *(
            f"- paraphrases: {class_}, {said({'max_epochs': EPOCHS, **params})}; "
            f"{np.mean(priors[name]):.0f} seconds"
            for name, (class_, params) in PRIORS.items()
        ),
        "",
        "## Runs",
        "",
        "One thread each; the seconds are of `fit` and the score of the test set.",
        "Epoch: the best one on dev.",
        "",
        *table(["task", "model", *keys, "examples"], costs),
        "",
        "## Speed",
        "",
        "`SimilarityRegressor` with the paper's setting on SICK, all that `fit` does",
        f"in 10 epochs on {rates['threads']} thread, median of {N_SPEED} fits:",
        f"{rates['sparse']:,.0f} pairs/s. With dense updates, as the paper's code, of",
        f"{rates['n_words']:,} words (1 epoch): {rates['dense']:,.0f} pairs/s.",
    ]


if __name__ == "__main__":
    main()
