"""Near duplicates and search on bundled questions and titles, and tf-idf.

    python benchmarks/quality/near_duplicates.py --data ../shared

`NearDuplicates` groups the questions of `load_faq` (96 of 550 repeat an earlier one)
and 160 product titles (80 products, twice each in other words), with the vectors of
`load_pretrained()` and with tf-idf. Each product has its own model code; "shared
numbers" are the same titles with 100, 200, 300 and 400 as the codes of every brand.
Precision and recall are for pairs of texts in one group. Every method uses its best
threshold on the same texts, so figures favour all methods equally. Search: each
repeated question is a query, and its earlier version the relevant text.

Removals (`--data`, the data pack): at each threshold, with the comparison of numbers,
the share of grouped texts that have the same meaning. Boilerplate: removed texts for
queries in e-mails and in HTML. Takes a minute. Writes `near_duplicates.json` and `.md`
to benchmarks/results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import sys
from collections.abc import Iterator, Mapping
from itertools import product
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

from _lib.adaptation_data import AdaptationData
from _lib.duplicates import best, duplicates, forms, removals, repeated_questions
from _lib.pages import Results, Row, publish_sections, tables
from _lib.papers import parse_args

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


def search(data: AdaptationData) -> list[dict[str, Any]]:
    """The share of earlier questions among the first hits of later ones."""
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


def groups(data: AdaptationData) -> Iterator[Row]:
    """The best threshold of each encoder and guard."""
    for (kind, texts), (name, encoder) in product(
        duplicates().items(), ENCODERS.items()
    ):
        for guard, must_agree in GUARDS.items():
            is_own = kind == "questions" and name == "load_pretrained()"
            if guard != "opposites" or is_own:
                row = {"texts": kind, "vectors": name, "guard": guard}
                yield row | best(*texts, encoder, must_agree)


SECTIONS = {"groups": groups, "search": search, "removals": removals, "forms": forms}


def main() -> None:
    args = parse_args(__doc__, sections=SECTIONS)
    publish_sections(args, "near_duplicates", SECTIONS, AdaptationData, cells)


def cells(results: Results) -> dict[str, Any]:
    found = tables(results, SECTIONS, groups=2, search=3, removals=2, forms=2)
    # Without backticks, the site would show an e-mail address.
    found["search"][0] = re.sub(r"(\w+@\d+)", r"`\1`", found["search"][0])
    return found


if __name__ == "__main__":
    main()
