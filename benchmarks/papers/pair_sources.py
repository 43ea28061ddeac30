"""Encoders by training data, by a part of their network, and in-domain.

Rows of a part of a table differ in one thing from another row of the part.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from scipy.stats import spearmanr

from _lib.paper_encoders import row_encoder
from _lib.paper_tables import Results, Table
from _lib.papers import COLUMNS, Data, score_sts, score_words, sts_means, table
from _lib.published import CHARAGRAM, printed_row, published
from papers.encoders import Encoders
from papers.words import SETS
from skparaphrase._math import unit_vectors
from skparaphrase.model_selection import pair_groups
from skparaphrase.vectors import WordFrequencies, WordVectors


class Fits(Table):
    """Scores of encoders that are fitted to pairs; a row names its part and itself."""

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores of an encoder, and the number of pairs and of distinct texts."""
        row = self.rows[name]
        pairs = data.shuffled(*row.get("corpora", ("ppdb-lexical", *data.sentences)))
        if "share" in row:  # index of the part, number of parts
            part, parts = row["share"]
            pairs = pairs[part::parts]
        if "pairs" in row:
            pairs = pairs[: row["pairs"] // data.step]
        if row.get("used_words"):  # with dense updates, all others cost time
            tested = [texts for texts, _ in data.sts.values()]
            data.vectors = _used(data.vectors, [pairs, *tested])
        encoder = row_encoder(row, data, seed).fit(pairs)
        counts = {"pairs": len(pairs), "texts": len({*pairs.ravel().tolist()})}
        if row.get("setting") == "words-2-4":
            return {**counts, **score_words(encoder, data)}
        return {**counts, **sts_means(score_sts(encoder, data))}

    def cells(self, results: Any, n_seeds: int) -> Results:
        found: dict[str, list[list[Any]]] = {}
        for name in self.rows:
            of, (part, _, row) = results[name], name.partition(": ")
            columns = SETS if part == "words" else COLUMNS
            counts = [f"{of[key]:,.0f}" for key in ("pairs", "texts")]
            found.setdefault(part, []).append([row, *counts, *map(of.get, columns)])
        for part, rows in self.published().items():
            found[part] += rows
        heads = ["", "pairs", "distinct texts"]
        return {
            part: table([*heads, *(SETS if part == "words" else COLUMNS)], rows)
            for part, rows in found.items()
        }

    def published(self) -> dict[str, list[list[Any]]]:
        """Rows of published figures by part."""
        return {}


class PairSources(Fits):
    name = "pair_sources"

    def published(self) -> dict[str, list[list[Any]]]:
        theirs = {"PP": "3 million", "CSE": "3 million", "Charagram": "9 million"}
        ws353, simlex = printed_row(f"{CHARAGRAM} 1", "CHARAGRAM, tuned on SL999")
        row = ["published, PPDB", "770 thousand", None, ws353, simlex, None]
        return {
            "words": [row],
            **{
                part: [["published, PPDB", n, None, *map(published(part).get, COLUMNS)]]
                for part, n in theirs.items()
            },
        }


class Variants(Fits):
    name = "variants"


class InDomain(Table):
    """Held-out pairs of the training distribution, and textual similarity.

    The first claim of Wieting et al. (2016): LSTMs are the best in-domain, and averages
    out of domain. Their data of table 3 are not available here.
    """

    name = "wieting_in_domain"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """The share of texts whose partner is the nearest of all, and STS."""
        train, held_out = self._split(data)
        data.pairs = train
        encoder, _ = Encoders().fitted(data, name, seed)
        first, second = (
            unit_vectors(encoder.transform(held_out[:, i])) for i in (0, 1)
        )
        cosines = first @ second.T
        own = np.diag(cosines)
        rank = 1 + (cosines > own[:, np.newaxis]).sum(axis=1)
        return {
            "pairs": len(train),
            "held out": len(held_out),
            "nearest": 100 * float(np.mean(rank == 1)),
            "reciprocal rank": 100 * float(np.mean(1 / rank)),
            **sts_means(score_sts(encoder, data)),
        }

    def _split(self, data: Data) -> tuple[Any, Any]:
        """Half of the other pairs, and a pair of sentences of each held-out group."""
        pairs = data.shuffled(*data.sentences)
        groups = pair_groups(pairs)
        number = self.description["held_out"] // (10 if data.quick else 1)
        chosen = np.random.RandomState(0).permutation(groups.max() + 1)[:number]
        held_out = [np.flatnonzero(groups == group)[0] for group in chosen]
        rest = pairs[~np.isin(groups, chosen)]
        words = data.corpus("ppdb-lexical")
        train = np.concatenate([rest, words])
        order = np.random.RandomState(0).permutation(len(train))
        return train[order[: len(order) // 2]], pairs[held_out]

    def cells(self, results: Any, n_seeds: int) -> Results:
        mean = "mean of years"
        rows = [
            [name, *map(of.get, ("nearest", "reciprocal rank", mean, "SICK"))]
            for name, of in results.items()
        ]
        rows.sort(key=lambda row: -row[2])
        known = list(results.values())
        rho = spearmanr(
            [of["reciprocal rank"] for of in known], [of[mean] for of in known]
        ).statistic
        first = next(iter(results.values()))
        heads = ["encoder", "nearest, %", "mean reciprocal rank x 100", mean, "SICK"]
        return {
            "table": table(heads, rows),
            "rho": float(rho),
            "pairs": f"{first['pairs']:,.0f}",
            "held": f"{first['held out']:,.0f}",
        }


def _used(vectors: WordVectors, texts: list[Any]) -> WordVectors:
    """The rows of the words that occur in texts."""
    counts = WordFrequencies.from_texts(np.concatenate([np.ravel(of) for of in texts]))
    keep = [row for row, word in enumerate(vectors.words) if word in counts]
    return WordVectors([vectors.words[row] for row in keep], vectors.rows()[keep])
