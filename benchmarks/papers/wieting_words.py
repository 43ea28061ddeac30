"""Nearest words of PP, and its longest and shortest vectors.

    python benchmarks/papers/wieting_words.py --data ../shared [--quick]

Reproduces table 8 of Wieting et al. (2016), nearest neighbours of five printed queries
in PP and in its initial vectors, and the lists of section 6, words whose vectors have
the largest and the smallest sum of absolute components. Candidates are the words that
occur ten times in the training pairs; in the paper, the 10,000 most frequent tokens of
PPDB. Writes `benchmarks/results/wieting_words.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr

from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import neighbors, token_weights
from skparaphrase.vectors import WordFrequencies

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import paper_encoder
from _lib.papers import Data, parse_args, run_all, table, write
from _lib.published import WIETING, tables

NUMBER = 5  # neighbours
LONGEST = 20  # words of each list
COUNT = 10  # occurrences of a candidate
MODELS = {"PP": "PARAGRAM-PHRASE", "start": "PARAGRAM-SL999"}


def main() -> None:
    args = parse_args(__doc__)
    (found,) = run_all(args, [(run, (args, "words"))])
    write(args, "wieting_words", found, report(found))


def run(args: argparse.Namespace, _: str) -> dict[str, Any]:
    """Neighbours by query, and words by length."""
    data = Data(args)
    encoder = paper_encoder(
        "ParagramEncoder",
        vectors=data.vectors,
        learning_rate=0.01,
        max_epochs=1 if args.quick else 4,
        random_state=0,
    ).fit(data.pairs)
    counts = WordFrequencies.from_texts(data.pairs)
    words = [w for w, n in counts.items() if n >= COUNT and w in data.vectors.words]
    frames = {
        "PP": token_weights(encoder, counts).loc[words],
        "start": token_weights(data.vectors, counts).loc[words],
    }
    begin = AverageEncoder(data.vectors).fit(data.pairs[:1])
    queries = list(tables()[f"{WIETING} 8"]["PARAGRAM-PHRASE"])
    nearest = {}
    for name, of in (("PP", encoder), ("start", begin)):
        frame = neighbors(of, queries, words, NUMBER)
        groups = frame.groupby("query", sort=False)["neighbor"]
        nearest[name] = {query: list(names) for query, names in groups}
    lengths = {}
    for name, frame in frames.items():
        order = frame["l1"].sort_values(kind="stable").index
        lengths[name] = {
            "largest": list(order[::-1][:LONGEST]),
            "smallest": list(order[:LONGEST]),
            "rank correlation with count": float(
                spearmanr(frame["l1"], frame["count"]).statistic
            ),
        }
    return {"nearest": nearest, "lengths": lengths, "candidates": len(words)}


def report(found: dict[str, Any]) -> list[str]:
    theirs = tables()[f"{WIETING} 8"]
    rows = [
        [
            query,
            ", ".join(found["nearest"][name].get(query, [])),
            f"({theirs[system][query]})",
        ]
        for query in theirs["PARAGRAM-PHRASE"]
        for name, system in [("PP", MODELS["PP"])]
    ]
    first = [
        [
            query,
            ", ".join(found["nearest"]["start"].get(query, [])),
            f"({theirs[MODELS['start']][query]})",
        ]
        for query in theirs["PARAGRAM-PHRASE"]
    ]
    return [
        "# Words of PP",
        "",
        f"After 4 epochs of 92 thousand pairs; {found['candidates']:,} words that",
        f"occur {COUNT} times in these pairs. Made by",
        "`python benchmarks/papers/wieting_words.py`.",
        "",
        "## Nearest neighbours",
        "",
        "The queries of table 8 of Wieting et al. (2016); in brackets, the first three",
        "printed neighbours.",
        "",
        *table(["query", "PP", "published"], rows),
        "",
        "In the initial vectors (published: PARAGRAM-SL999):",
        "",
        *table(["query", "start", "published"], first),
        "",
        "## Lengths",
        "",
        "Words whose vectors have the largest and smallest sum of absolute components,",
        "and the rank correlation of this length and the number of occurrences.",
        "",
        *table(
            ["vectors", "largest", "smallest", "rank correlation"],
            [
                [
                    name,
                    ", ".join(of["largest"]),
                    ", ".join(of["smallest"]),
                    of["rank correlation with count"],
                ]
                for name, of in found["lengths"].items()
            ],
            2,
        ),
    ]


if __name__ == "__main__":
    main()
