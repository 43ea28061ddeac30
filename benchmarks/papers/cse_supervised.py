"""Convolutional sentence encoder under supervision, from random or trained filters.

    python benchmarks/papers/cse_supervised.py --data ../shared [--quick] [--seeds 3]

Reproduces table 3 of Jiao et al. (2018) on SICK similarity. "Universal" starts from an
encoder trained on phrases, then on sentences (as in `cse_cumulative.py`), and is
regularised towards it. Writes `benchmarks/results/cse_supervised.json` and `.md`.

The epoch is the best one on the development set, on which the settings were chosen as
well, with the first seed.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cse_cumulative import fit as trained
from scipy.stats import spearmanr
from sklearn.frozen import FrozenEstimator

from skparaphrase.supervised import SimilarityRegressor

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import paper_encoder
from _lib.papers import Data, cell, parse_args, run_all, table, write
from _lib.published import CSE, printed_row
from _lib.supervised import evaluate, plus_minus, read, said, spread

# Differences from `paper("cse")`, whose updates are dense.
SPARSE = {"optimizer__sparse": True}
OURS: dict[str, Any] = {**SPARSE, "scale": 6.0}
PRINTED: dict[str, Any] = {**SPARSE, "how": ("first", "second", "absdiff")}


class Row(NamedTuple):
    """A row: class, whether it starts trained, parameters, published r, rho and MSE."""

    encoder: str
    universal: bool
    params: dict[str, Any]
    published: tuple[float | None, ...] = (None, None, None)


TABLE = f"{CSE} 3"
CSE_RANDOM = printed_row(TABLE, "CSErandom(This work)")
CSE_UNIVERSAL = printed_row(TABLE, "CSEuniversal(This work)")
PP_UNIVERSAL = printed_row(TABLE, "PPuniversal (Wieting et al., 2016)")
ROWS = {  # the longest first
    "CSE universal, paper's setting": Row("CSE", True, SPARSE, CSE_UNIVERSAL),
    "CSE universal": Row("CSE", True, OURS, CSE_UNIVERSAL),
    "CSE universal, h* as printed": Row("CSE", True, PRINTED, CSE_UNIVERSAL),
    "CSE random, paper's setting": Row("CSE", False, SPARSE, CSE_RANDOM),
    "CSE random": Row("CSE", False, OURS, CSE_RANDOM),
    "PP universal": Row("PP", True, OURS, (*PP_UNIVERSAL, None, None)),
    "PP random": Row("PP", False, OURS),
}
MEASURES = ("r", "rho", "MSE")


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    tasks = [
        (run, (args, seed, kind))
        for kind in dict.fromkeys((row.encoder, row.universal) for row in ROWS.values())
        for seed in range(args.seeds)
    ]
    found = run_all(args, tasks)
    runs: dict[str, list[Any]] = {}
    for result in found:
        for name, values in result["rows"].items():
            runs.setdefault(name, []).append(values)
    scores = {name: spread(of) for name, of in runs.items()}
    write(args, "cse_supervised", scores, report(args, scores))


def run(args: argparse.Namespace, seed: int, kind: tuple[str, bool]) -> dict[str, Any]:
    """All rows of one encoder, trained on paraphrases once or not at all."""
    data = Data(args)
    name, universal = kind
    started = time.process_time()
    if universal:
        encoder = prior(data, name, seed)
    else:
        class_ = "ConvolutionalEncoder" if name == "CSE" else "ParagramEncoder"
        encoder = paper_encoder(class_, vectors=data.vectors)
    seconds = time.process_time() - started
    parts = read(args, "similarity")
    return {
        "rows": {
            name: {
                **measure(encoder, row, seed, parts, quick=args.quick),
                "prior seconds": seconds,
            }
            for name, row in ROWS.items()
            if (row.encoder, row.universal) == kind
        }
    }


def measure(
    encoder: Any, row: Row, seed: int, parts: Any, *, quick: bool
) -> dict[str, Any]:
    """r, rho and mean squared error of one model on the test set."""
    model = SimilarityRegressor.paper(
        "cse",
        encoder=encoder,
        prior="universal" if row.universal else None,
        random_state=seed,
    ).set_params(**row.params)
    if quick:
        model.set_params(max_epochs=1)
    costs = evaluate(model, parts)
    X, y = parts["test"]
    predicted = model.predict(X)
    return {
        **costs,
        "r": costs["test"] / 100,
        "rho": float(spearmanr(y, predicted).statistic),
        "MSE": float(np.mean((y - predicted) ** 2)),
    }


def prior(data: Data, model: str, seed: int) -> Any:
    """An encoder trained on phrases, then on sentences."""
    phrases, _ = trained(model, "phrases", data, seed)
    both, _ = trained(model, "sentences", data, seed, init=phrases)
    return FrozenEstimator(both)


def report(
    args: argparse.Namespace, scores: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    keys = ("dev", "epoch", "fit seconds", "prior seconds")
    return [
        "# CSE under supervision",
        "",
        f"SICK similarity, test set; mean and standard deviation over {args.seeds}",
        "seeds; of one seed where there is no deviation. Made by",
        "`python benchmarks/papers/cse_supervised.py`. Published: Jiao et al.",
        "(2018), table 3, from PARAGRAM-SL999 vectors, 3 million phrases and 167",
        "thousand sentences.",
        "",
        *table(
            ["model", *(f"{measure} (published)" for measure in MEASURES)],
            [
                [
                    name,
                    *(
                        f"{plus_minus(scores[name][key], 4)} ({cell(theirs, 4)})"
                        for key, theirs in zip(MEASURES, row.published, strict=True)
                    ),
                ]
                for name, row in ROWS.items()
            ],
        ),
        "",
        "Universal: trained on 16 thousand word pairs, then on 76 thousand pairs of",
        "sentences, none of them of SICK. Random: from the word vectors, and for CSE",
        "from filters as they are drawn.",
        "",
        'The paper\'s setting is `SimilarityRegressor.paper("cse")`, but with sparse',
        f"updates, and h* as printed has {said(PRINTED)} besides.",
        f"The other rows have {said(OURS)}: the",
        "head gets vectors of texts of that length; those of length 1 have small",
        "products.",
        "",
        "## Runs",
        "",
        "One thread each; prior: the training on paraphrases. Epoch: the best one on",
        "dev; dev: r x 100.",
        "",
        *table(
            ["model", *keys],
            [[name, *(plus_minus(scores[name][key]) for key in keys)] for name in ROWS],
        ),
    ]


if __name__ == "__main__":
    main()
