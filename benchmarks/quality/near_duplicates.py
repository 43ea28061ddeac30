"""Near duplicates and search on bundled questions and product titles, and tf-idf.

    python benchmarks/quality/near_duplicates.py --data ../shared

`NearDuplicates` groups the questions of `load_faq` (96 of 550 repeat an earlier one)
and 160 product titles (80 products, twice each in other words), with the vectors of
`load_pretrained()` and with tf-idf. Each product has its own model code; "shared
numbers" are the same titles with 100, 200, 300 and 400 as the codes of every brand.
Precision and recall are those of pairs of texts in one group. Every method gets its
best threshold on the same texts, so figures favour all of them alike. Search: each
repeated question is a query, and its earlier version the relevant text.

Removals (`--data`, the data pack): at each threshold, with the comparison of numbers,
the share of what is grouped that has the same meaning. Boilerplate: what is removed of
queries in e-mails and in HTML. Takes a minute. Writes
`near_duplicates.json` and `.md` to benchmarks/results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from skparaphrase import load_pretrained
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import RetrievalScorer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.duplicates import best, duplicates, forms, removals, repeated_questions
from _lib.papers import parse_args, table, write

METRICS = ("recall@1", "recall@5", "recall@10", "mrr")
CHARACTERS: dict[str, Any] = {"analyzer": "char_wb", "ngram_range": (2, 4)}


class Tfidf(BaseEstimator):
    """Dense tf-idf of texts of any shape."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self.options = options

    def fit(self, X: Any, y: Any = None) -> "Tfidf":
        self.vectorizer_ = TfidfVectorizer(**(self.options or {})).fit(X)
        return self

    def transform(self, X: Any) -> Any:
        texts = np.asarray(X, dtype=object)
        vectors = self.vectorizer_.transform(texts.ravel()).toarray()
        return vectors.reshape(*texts.shape, -1)


OPPOSITES = ({"on", "off"}, {"raise", "lower"}, {"first", "last"})  # of `load_faq`


def no_opposites(first: str, second: str) -> bool:
    """The guard of the user guide: the same numbers, and no opposites."""
    one, other = (set(re.findall(r"\w+", text.lower())) for text in (first, second))
    only = one ^ other
    negated = {prefix + word for prefix in ("un", "in", "dis") for word in only}
    return not (
        only & (negated | {"no", "not", "non"})
        or any(pair <= only for pair in OPPOSITES)
        or any(re.search(r"\d", word) for word in only)
    )


GUARDS = {"none": None, "numbers": "numbers", "opposites": no_opposites}
ENCODERS = {
    "load_pretrained()": None,
    'load_pretrained(pooling="mean")': load_pretrained(pooling="mean"),
    "tf-idf of words": Tfidf(),
    "tf-idf of characters": Tfidf(CHARACTERS),
}


def search() -> list[dict[str, Any]]:
    """How often the earlier question is among the first hits of a later one."""
    pairs, questions = repeated_questions()
    encoders = {
        "tf-idf of words": Tfidf(),
        "tf-idf of characters": Tfidf(CHARACTERS),
        "average of word vectors": AverageEncoder(),
        "SIF weights": SIFEncoder(),
        "SIF weights, one component removed": make_pipeline(
            SIFEncoder(), CommonComponentRemoval()
        ),
        'load_pretrained(pooling="mean")': load_pretrained(pooling="mean"),
        "load_pretrained()": load_pretrained(),
    }
    rows = []
    for name, encoder in encoders.items():
        encoder = clone(encoder).fit(questions)
        scores = {
            metric: RetrievalScorer(pairs, corpus=questions, metric=metric)(encoder)
            for metric in METRICS
        }
        rows.append({"vectors": name, **scores})
    return rows


def report(results: dict[str, Any]) -> list[str]:
    lines = [
        "# Near duplicates and search, with vectors and with tf-idf",
        "",
        "Made by `python benchmarks/quality/near_duplicates.py --data ../shared`.",
        "",
        "## Near duplicates",
        "",
        "Pairs of texts in one group, at the best threshold of each row, chosen on the",
        'same texts, and the thresholds that are good. "numbers": the numbers and',
        'model codes of one text are among those of the other. "opposites": the guard',
        "of the user guide, whose list was written after reading these questions.",
        "",
    ]
    for part, digits in (("groups", 2), ("search", 3)):
        rows = results[part]
        heads = [f"`{head}`" if "@" in head else head for head in rows[0]]
        lines += table(heads, [[*row.values()] for row in rows], digits)
        if part == "groups":
            lines += [
                "",
                "## Search",
                "",
                "Each repeated question looks for the earlier one among all 550.",
                "",
            ]
    rows = results["removals"]
    lines += [
        "",
        "## Removals",
        "",
        "At each threshold, with the comparison of numbers. MSRP (test) and STS (2012",
        "to 2015, a score of 4 or 5 is right): the share of the pairs that are",
        "grouped whose texts have the same meaning, and the share of all such pairs",
        "that is found. CLINC150 (15,000 queries in random order): the share of the",
        "removed queries with the intent of the query that represents them, and the",
        "share that is removed.",
        "",
        *table([*rows[0]], [[*row.values()] for row in rows], 2),
    ]
    lines += [
        "",
        "## Boilerplate",
        "",
        "1,650 queries of CLINC150, eleven of each intent, as they are and in a common",
        "form; the threshold is 0.8. `same intent`: the share of the removed queries",
        "with the intent of the query that represents them.",
        "",
        *table(
            [*results["forms"][0]], [[*row.values()] for row in results["forms"]], 2
        ),
    ]
    return lines


def main() -> None:
    args = parse_args(__doc__)
    sets = duplicates()
    rows = [
        {"texts": kind, "vectors": name, "guard": guard}
        | best(*sets[kind], encoder, GUARDS[guard])
        for kind in sets
        for name, encoder in ENCODERS.items()
        for guard in GUARDS
        if guard != "opposites" or (kind == "questions" and name == "load_pretrained()")
    ]
    folder = args.data / "data"
    results = {
        "groups": rows,
        "search": search(),
        "removals": removals(folder),
        "forms": forms(folder),
    }
    write(args, "near_duplicates", results, report(results))


if __name__ == "__main__":
    main()
