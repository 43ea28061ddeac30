"""Nearest neighbours of negated words, of misspelt words and of n-grams.

    python benchmarks/papers/charagram_neighbors.py --data ../shared [--quick]

Reproduces tables 8, 9 and 10 of the Charagram paper, which show examples. Candidates
are the words that occur in the training pairs five times, and for n-grams the n-grams.
Writes `benchmarks/results/charagram_neighbors.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from skparaphrase.inspection import neighbors
from skparaphrase.text import WordTokenizer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import paper_encoder
from _lib.papers import Data, parse_args, run_all, table, write
from _lib.published import CHARAGRAM, tables

PRINTED = {number: tables()[f"{CHARAGRAM} {number}"] for number in (8, 9, 10)}
NEGATED = tuple(PRINTED[8]["CHARAGRAM-PHRASE"])
WORDS = tuple(PRINTED[9]["CHARAGRAM-PHRASE"])
NGRAMS = tuple(query.replace("_", " ") for query in PRINTED[10]["CHARAGRAM-PHRASE"])
NUMBER = 5


def main() -> None:
    args = parse_args(__doc__)
    (found,) = run_all(args, [(run, (args, "neighbours"))])
    write(args, "charagram_neighbors", found, report(found))


def run(args: argparse.Namespace, _: str) -> dict[str, Any]:
    """Neighbours by query, in Charagram and in PP."""
    data = Data(args)
    split = WordTokenizer()
    counts = Counter(w for pair in data.pairs for text in pair for w in split(text))
    words = sorted(word for word, n in counts.items() if n >= 5)
    epochs = 1 if args.quick else 2
    charagram = paper_encoder("CharagramEncoder", max_epochs=epochs, random_state=0)
    charagram.fit(data.pairs)
    pp = paper_encoder(
        "ParagramEncoder",
        vectors=data.vectors,
        learning_rate=0.01,
        max_epochs=epochs,
        random_state=0,
    ).fit(data.pairs)
    nearest = charagram.vectors_.nearest
    ngrams = [ngram for ngram in NGRAMS if ngram in charagram.vectors_]
    return {
        "Charagram": {
            **listed(neighbors(charagram, [*NEGATED, *WORDS], words, NUMBER)),
            **{
                ngram: [near for near, cosine in nearest(ngram, NUMBER) if cosine > 0]
                for ngram in ngrams
            },
        },
        "PP": listed(neighbors(pp, [*NEGATED, *WORDS], words, NUMBER)),
        "candidates": len(words),
    }


def listed(found: Any) -> dict[str, list[str]]:
    """Neighbours by query; none of a query without a vector."""
    groups = found[found["similarity"] > 0].groupby("query", sort=False)["neighbor"]
    return {query: list(names) for query, names in groups}


def report(found: dict[str, Any]) -> list[str]:
    def rows(number: int, queries: Any, models: dict[str, str]) -> list[list[Any]]:
        """Our neighbours of each model, and the printed ones."""
        lines = []
        for query in queries:
            cells: list[Any] = [visible(query)]
            for name, system in models.items():
                near = found[name].get(query, [])
                cells.append(", ".join(map(visible, near)) or None)
                theirs = PRINTED[number].get(system, {}).get(query.replace(" ", "_"))
                theirs = theirs or PRINTED[number].get(system, {}).get(query)
                cells.append(theirs and f"({theirs})")
            lines.append(cells)
        return lines

    both = {"Charagram": "CHARAGRAM-PHRASE", "PP": "PARAGRAM-PHRASE"}
    characters = {"Charagram": "CHARAGRAM-PHRASE"}
    heads = ["", "Charagram", "published", "PP", "published"]
    return [
        "# Nearest neighbours",
        "",
        "Tables 8, 9 and 10 of the Charagram paper: its queries, and in brackets the",
        "first three neighbours that it prints; candidates are",
        f"{found['candidates']:,} words of the training pairs. PP has no vector of a",
        "word that its table lacks. Made by",
        "`python benchmarks/papers/charagram_neighbors.py`.",
        "",
        "## Negated words (table 8)",
        "",
        *table(heads, rows(8, NEGATED, both)),
        "",
        "## Words (table 9)",
        "",
        *table(heads, rows(9, WORDS, both)),
        "",
        "## N-grams (table 10)",
        "",
        "A space is shown as `_`.",
        "",
        *table(heads[:3], rows(10, NGRAMS, characters)),
    ]


def visible(text: str) -> str:
    """Spaces of n-grams are visible; those between words stay."""
    return text.replace(" ", "_") if text.strip() != text else text


if __name__ == "__main__":
    main()
