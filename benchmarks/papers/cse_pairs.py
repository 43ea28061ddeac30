"""The pairs of table 6 of the CSE paper, scored by PP and CSE.

    python benchmarks/papers/cse_pairs.py --data ../shared [--quick]

Reproduces table 6 of Jiao et al. (2018) for seven of its eight pairs; the other one is
in STS 2016. Both encoders are those of `cse_cumulative.py`: trained on phrases, then on
sentences, with one seed. As in the authors' code, a cosine becomes a score of 0 to 5 by
(cosine + 1) x 2.5. Writes `benchmarks/results/cse_pairs.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from cse_cumulative import fit

from skparaphrase.pairs import PairSimilarity

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.papers import Data, parse_args, run_all, table, write
from _lib.published import CSE, tables

MODELS = ("PP", "CSE")
# The pairs by their number in the table: file and line, of which the first is a header.
PAIRS = {
    "1": ("2015.answers-forums", 94),
    "3": ("2015.images", 151),
    "4": ("2015.images", 227),
    "5": ("2014.images", 51),
    "6": ("2014.images", 73),
    "7": ("2015.images", 206),
    "8": ("2015.images", 10),
}


def main() -> None:
    args = parse_args(__doc__)
    found = run_all(args, [(run, (args, model)) for model in MODELS])
    results = {model: of["scores"] for model, of in zip(MODELS, found, strict=True)}
    results["gold"] = found[0]["gold"]
    write(args, "cse_pairs", results, report(results))


def run(args: argparse.Namespace, model: str) -> dict[str, Any]:
    """Scores of the pairs, and their gold scores."""
    data = Data(args)
    phrases, _ = fit(model, "phrases", data, 0)
    both, _ = fit(model, "sentences", data, 0, init=phrases)
    chosen = [(data.sts[name], line - 2) for name, line in PAIRS.values()]
    pairs = np.array([texts[i] for (texts, _), i in chosen])
    cosines = PairSimilarity().predict(both.transform(pairs))
    return {
        "scores": [2.5 * (float(cosine) + 1) for cosine in cosines],
        "gold": [float(gold[i]) for (_, gold), i in chosen],
    }


def report(results: dict[str, list[float]]) -> list[str]:
    theirs = tables()[f"{CSE} 6"]
    rows = []
    for i, (number, (name, line)) in enumerate(PAIRS.items()):
        cells: list[Any] = [number, f"{name} {line}", results["gold"][i]]
        cells.append(theirs["gold"][number])
        for model in MODELS:
            cells += [results[model][i], theirs[model][number]]
        rows.append(cells)
    gold = np.array(results["gold"])
    errors = {model: np.abs(np.array(results[model]) - gold) for model in MODELS}
    published = {
        model: np.abs([theirs[model][n] - theirs["gold"][n] for n in PAIRS])
        for model in MODELS
    }
    nearer = {
        who: int((of["CSE"] < of["PP"]).sum())
        for who, of in (("here", errors), ("published", published))
    }
    return [
        "# Pairs of table 6 of the CSE paper",
        "",
        "Scores of 0 to 5. PP and CSE are trained on phrases, then on sentences, with",
        "one seed; the score is (cosine + 1) x 2.5. Published: Jiao et al. (2018).",
        "Made by `python benchmarks/papers/cse_pairs.py`.",
        "",
        *table(
            [
                "pair",
                "data set, line",
                "gold",
                "published",
                "PP",
                "published",
                "CSE",
                "published",
            ],
            rows,
            2,
        ),
        "",
        "CSE is nearer to the gold score than PP for",
        f"{nearer['here']} of {len(PAIRS)} pairs (published: {nearer['published']}).",
    ]


if __name__ == "__main__":
    main()
