"""Orders and numbers of character n-grams of Charagram.

    python benchmarks/papers/charagram_ngrams.py --data ../shared [--quick] [--seeds 1]

Reproduces table 5 of the Charagram paper: SimLex-999 after training on words, the STS
data sets after training on sentences, and tags, for the most frequent n-grams of each
order. Writes `benchmarks/results/charagram_ngrams.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from charagram_tagging import read as read_tags

from skparaphrase.tagging import SequenceTagger

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import paper_encoder
from _lib.papers import (
    Data,
    median,
    parse_args,
    run_all,
    score_sts,
    score_words,
    sts_means,
    table,
    write,
)
from _lib.published import CHARAGRAM, mean_of_sets, printed

HIGHEST = (2, 3, 4, 5, 6)  # orders from 2 to this
SIZES = (100, 1000, 50_000)  # n-grams of each order
WORD_EPOCHS, SENTENCE_EPOCHS, TAGGING_EPOCHS = 5, 1, 10
# The table has no penalty; its activation was tuned.
COMMON: dict[str, Any] = {"vectors_penalty": 0.0, "composition_penalty": 0.0}


def _published(column: str) -> dict[int, tuple[float, ...]]:
    """Published scores by the number of n-grams, one for each of the orders."""
    orders = ["2", *(f"2-{highest}" for highest in HIGHEST[1:])]
    return {
        size: tuple(
            printed(
                f"{CHARAGRAM} 5",
                f"{size:,} n-grams of each order, orders {order}",
                column,
            )
            for order in orders
        )
        for size in SIZES
    }


def main() -> None:
    args = parse_args(__doc__)
    cells = [(highest, size) for size in SIZES[::-1] for highest in HIGHEST[::-1]]
    tasks = [(run, (args, seed, cell)) for cell in cells for seed in range(args.seeds)]
    found = run_all(args, tasks)
    results = {}
    for highest, size in cells:
        runs = [
            result
            for result, (_, values) in zip(found, tasks, strict=True)
            if values[2] == (highest, size)
        ]
        results[f"{highest} {size}"] = median(runs)
    write(args, "charagram_ngrams", results, report(results))


def run(args: argparse.Namespace, seed: int, cell: tuple[int, int]) -> dict[str, Any]:
    """Scores of one cell of the table, for models of words, sentences and tags."""
    data = Data(args)
    highest, size = cell

    def fitted(pairs: Any, epochs: int, **params: Any) -> Any:
        return paper_encoder(
            "CharagramEncoder",
            ngram_range=(2, highest),
            max_ngrams=size,
            max_epochs=epochs,
            random_state=seed,
            **COMMON,
            **params,
        ).fit(pairs)

    pairs = data.corpus("ppdb-lexical")
    words = fitted(
        pairs[:1000] if args.quick else pairs,
        WORD_EPOCHS,
        activation="linear",
        batch_size=25,
    )
    sentences = fitted(data.pairs, SENTENCE_EPOCHS)
    means = sts_means(score_sts(sentences, data))
    tagger = SequenceTagger.paper("charagram", penalty=0.0, random_state=seed)
    tagger.set_params(
        max_epochs=1 if args.quick or args.short else TAGGING_EPOCHS,
        word_encoder__ngram_range=(2, highest),
        word_encoder__max_ngrams=size,
        word_encoder__min_count=1,
    )
    (X, y), (X_val, y_val), _ = read_tags(args, "xpos")
    tagger.fit(X, y, X_val=X_val, y_val=y_val)
    return {
        "tags": 100 * max(tagger.validation_scores_),
        **score_words(words, data),
        **means,
        "n-grams of words": len(words.vectors_),
        "n-grams of sentences": len(sentences.vectors_),
    }


def report(results: dict[str, Any]) -> list[str]:
    def lines(key: str, published: Mapping[int, Sequence[float]]) -> list[str]:
        rows: list[list[Any]] = []
        for size in SIZES:
            ours = [results[f"{highest} {size}"][key] for highest in HIGHEST]
            rows.append([f"{size}, here", *ours])
            rows.append([f"{size}, published", *published[size]])
        return table(["n-grams an order", *heads], rows)

    results = {
        cell: {**of, "mean of sets": mean_of_sets(of)} for cell, of in results.items()
    }
    heads = ["2", *(f"2-{highest}" for highest in HIGHEST[1:])]
    counts = [
        [size]
        + [
            " / ".join(
                f"{results[f'{highest} {size}'][f'n-grams of {what}']:,.0f}"
                for what in ("words", "sentences")
            )
            for highest in HIGHEST
        ]
        for size in SIZES
    ]
    return [
        "# Orders and numbers of n-grams",
        "",
        "Table 5 of the Charagram paper. No penalty. Made by",
        "`python benchmarks/papers/charagram_ngrams.py`.",
        "",
        "## SimLex-999",
        "",
        f"Spearman x 100, {WORD_EPOCHS} epochs of 16 thousand lexical pairs, linear,",
        f"batches of 25; published: {WORD_EPOCHS} epochs of 770 thousand.",
        "",
        *lines("simlex999", _published("SL999")),
        "",
        "## Textual similarity",
        "",
        f"Pearson x 100, after {SENTENCE_EPOCHS} epoch of 92 thousand pairs, tanh;",
        "mean of 20 sets: 19 of STS 2012 to 2015, and SICK. Published: after 5 epochs",
        "of 3 million; mean of 22 sets: these, SMT of 2013 and Twitter.",
        "",
        *lines("mean of sets", _published("22 data sets")),
        "",
        "## Tags",
        "",
        "Accuracy x 100 on sentences of the English Web Treebank that are held back,",
        f"the best of {TAGGING_EPOCHS} epochs; published: the development set of the",
        "Wall Street Journal, 50 epochs.",
        "",
        *lines("tags", _published("WSJ validation")),
        "",
        "## Vocabulary",
        "",
        "N-grams of words / sentences.",
        "",
        *table(["n-grams an order", *heads], counts),
    ]


if __name__ == "__main__":
    main()
