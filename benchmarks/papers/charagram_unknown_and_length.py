"""Similarity of sentences by their length and by their number of unknown words.

    python benchmarks/papers/charagram_unknown_and_length.py --data ../shared [--quick]

Reproduces tables 6 and 7 of the Charagram paper and table 7 of Wieting et al. (2016),
on the pairs of all STS data sets of 2012 to 2015 together. Writes
`benchmarks/results/charagram_unknown_and_length.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.encoders import AverageEncoder

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.grouped_scores import scores_by_length, scores_by_unknown
from _lib.paper_encoders import multiplied, paper_encoder
from _lib.papers import Data, median, parse_args, run_all, table, write
from _lib.published import CHARAGRAM, WIETING, printed_row

_PP: tuple[str, dict[str, Any]] = (
    "ParagramEncoder",
    {"max_epochs": 4, "learning_rate": 0.01},
)
# Rates of wieting_encoders.py; slow encoders have fewer epochs. LSTMs start from word
# vectors of length 6: from length 1, their gates hardly open. Longest first.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "LSTM with gate": (
        "LSTMEncoder",
        {"max_epochs": 2, "output_gate": True},
    ),
    "LSTM": ("LSTMEncoder", {"max_epochs": 2}),
    "Charagram": ("CharagramEncoder", {"max_epochs": 2}),
    "PP, centred start": _PP,
    "PP": _PP,
    "start vectors": ("AverageEncoder", {}),
}
SLOW = {"LSTM with gate", "LSTM", "Charagram"}  # one seed
WIETING_BINS = (4, 5, 6, 7, 8, 9)
IN_CHARAGRAM = {"PP": "PARAGRAM-PHRASE", "Charagram": "CHARAGRAM-PHRASE"}
LENGTH = {
    name: printed_row(f"{CHARAGRAM} 7", system) for name, system in IN_CHARAGRAM.items()
}
BY_WIETING = {
    "PP": printed_row(f"{WIETING} 7", "PARAGRAM-PHRASE"),
    "LSTM": printed_row(f"{WIETING} 7", "LSTM (no o.g.)"),
    "LSTM with gate": printed_row(f"{WIETING} 7", "LSTM (o.g.)"),
    "start vectors": printed_row(f"{WIETING} 7", "PARAGRAM-SL999"),
}


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    tasks = [
        (run, (args, seed, name))
        for name in MODELS
        for seed in range(1 if name in SLOW else args.seeds)
    ]
    found = run_all(args, tasks)
    results: dict[str, Any] = {}
    for name in MODELS:
        runs = [
            one
            for one, (_, values) in zip(found, tasks, strict=True)
            if values[2] == name
        ]
        results[name] = {
            kind: median([one[kind] for one in runs])
            for kind in ("unknown", "length", "length as Wieting")
        }
        results[name]["seconds"] = runs[0]["seconds"]
    results["pairs"] = found[0]["pairs"]
    write(args, "charagram_unknown_and_length", results, report(args, results))


def run(args: argparse.Namespace, seed: int, name: str) -> dict[str, Any]:
    """Pearson x 100 of each group of pairs, and their numbers."""
    data = Data(args)
    cls, params = MODELS[name]
    vectors = data.vectors
    if name.endswith("centred start"):
        vectors = vectors.centered()
    if cls == "LSTMEncoder":
        vectors = multiplied(vectors, 6.0)
    if cls == "AverageEncoder":
        encoder: Any = AverageEncoder(vectors)
    elif cls == "CharagramEncoder":
        encoder = paper_encoder(cls, **params, random_state=seed)
    else:
        encoder = paper_encoder(cls, vectors=vectors, **params, random_state=seed)
    encoder.fit(data.pairs)
    sets = [data.sts[key] for key in data.sts if key != "sick"]
    pairs = np.concatenate([of[0] for of in sets])
    gold = np.concatenate([of[1] for of in sets])
    frames = {
        "unknown": scores_by_unknown(encoder, pairs, gold, vocabulary=data.vectors),
        "length": scores_by_length(encoder, pairs, gold),
        "length as Wieting": scores_by_length(encoder, pairs, gold, bins=WIETING_BINS),
    }
    return {
        **{key: (100 * frame["pearson"]).to_dict() for key, frame in frames.items()},
        "pairs": {key: frame["n_pairs"].to_dict() for key, frame in frames.items()},
    }


def report(args: argparse.Namespace, results: dict[str, Any]) -> list[str]:
    def lines(kind: str, published: dict[str, tuple[Any, ...]]) -> list[str]:
        counts = results["pairs"][kind]
        rows: list[list[Any]] = [["pairs", *counts.values()]]
        for name in reversed(MODELS):
            ours = [
                value if counts[group] > 1 else None
                for group, value in results[name][kind].items()
            ]
            rows.append([name, *ours])
            if name in published:
                theirs = published[name]
                rest = [None] * (len(ours) - len(theirs))
                rows.append([f"{name}, published", *theirs, *rest])
        return table(["", *counts], rows)

    unknown: dict[str, tuple[Any, ...]] = {}
    for name, system in IN_CHARAGRAM.items():
        few, more = np.split(np.array(printed_row(f"{CHARAGRAM} 6", system)), [3])
        unknown[name] = (*few.tolist(), None, *more.tolist())  # none of three and more
    return [
        "# Similarity by unknown words and by length",
        "",
        "Pearson x 100 over the pairs of all STS sets of 2012 to 2015 together (in",
        "the papers with SMT of 2013). Made by",
        "`python benchmarks/papers/charagram_unknown_and_length.py`. LSTMs start from",
        "word vectors of length 6 and have one seed, as Charagram; the others are",
        f"medians, number of seeds: {args.seeds}. Epochs on 92 thousand pairs: "
        + ", ".join(
            f"{name} {params['max_epochs']}"
            for name, (_, params) in MODELS.items()
            if params
        )
        + ".",
        "",
        "## Words that the table of word vectors lacks",
        "",
        "Table 6 of the Charagram paper, whose table has 1.7 million words; its last",
        "group before `any` is 2 words. Our table has 77 thousand.",
        "",
        *lines("unknown", unknown),
        "",
        "## Length of the longer sentence",
        "",
        "Table 7 of the Charagram paper.",
        "",
        *lines("length", LENGTH),
        "",
        "Table 7 of Wieting et al. (2016).",
        "",
        *lines("length as Wieting", BY_WIETING),
    ]


if __name__ == "__main__":
    main()
