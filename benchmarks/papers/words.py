"""Similarity of words, their neighbours and their lengths.

Tables 1, 2 and 8 to 10 and figure 1 of the Charagram paper, and table 8 and section 6
of Wieting et al. (2016).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import Counter
from functools import partial
from typing import Any

from scipy.stats import spearmanr

from _lib.grouped_scores import scores_by_unknown, unknown_words
from _lib.paper_encoders import row_encoder
from _lib.paper_tables import Results, Runs, Table, lines, only
from _lib.papers import Data, median, score_words, table
from _lib.published import CHARAGRAM, WIETING, printed, printed_row, tables
from skparaphrase.callback import ScoreMonitor
from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import nearest_texts, token_weights
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies, nearest_words

SETS = ("ws353", "simlex999", "rw")
TUNED_ON = {"simlex999": "SL999", "ws353": "WS353"}  # in the Charagram paper
N_NEIGHBORS = 5
SYSTEMS = {"PP": "PARAGRAM-PHRASE", "start": "PARAGRAM-SL999"}


class Words(Table):
    name = "charagram_words"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores of the best epoch on either data set, and of the last."""
        if name == "start vectors":
            return self._start(data)
        encoder, epochs = _with_scores(data, self.rows[name], seed)
        found: Results = {
            key: max(epochs, key=lambda scores, key=key: scores[key])
            for key in TUNED_ON
        }
        found |= {"last": epochs[-1], "unknown": _rare(encoder, data)}
        pairs = data.corpus("ppdb-lexical")
        lexicon = sorted({word for word in pairs.ravel().tolist() if " " not in word})
        queries = self.description["queries"]
        near = nearest_texts(encoder, queries, lexicon, k=N_NEIGHBORS)
        found["neighbours"] = {
            query: ", ".join(near[near["query"] == query]["neighbor"])
            for query in queries
        }
        return found

    def _start(self, data: Data) -> Results:
        """Word vectors before training, and the share of Rare Words that they lack."""
        encoder = AverageEncoder(data.vectors)
        pairs = data.word_similarity["rw"][0]
        words = sorted(set(pairs.ravel().tolist()))
        lacking = unknown_words([[word, word] for word in words], data.vectors) > 0
        return {
            "last": score_words(encoder, data),
            "unknown": _rare(encoder, data),
            "rw words": len(words),
            "rw words unknown": int(lacking.sum()),
            "rw pairs with unknown": int(
                (unknown_words(pairs, data.vectors) > 0).sum()
            ),
            "table": len(data.vectors),
        }

    def combine(self, runs: Runs) -> Results:
        *_, start = runs
        found: Results = {}
        nearest = {}
        for name, of in runs.items():
            if name != start:
                found[name] = {**median(of), "seeds": len(of)}
                nearest[name] = found[name].pop("neighbours")
        return {**found, start: runs[start][0], "neighbours": nearest}

    def cells(self, results: Any, n_seeds: int) -> Results:
        *names, start = self.rows
        chosen = []
        for name in names:
            for key, tuned_on in TUNED_ON.items():
                of, system = results[name][key], self.rows[name].get("published")
                theirs: Any = (None, None)
                if system:
                    row = f"{system}, tuned on {tuned_on}"
                    theirs = printed_row(f"{CHARAGRAM} 1", row)
                scores = [f"{of['epoch']:.0f}", *map(of.get, SETS), *theirs]
                costs = [results[name]["seconds"], results[name]["seeds"]]
                chosen.append([name, key, *scores, *costs])
        last = {
            name: {**results[name]["last"], **results[name]["unknown"]}
            for name in self.rows
        }
        heads = ["encoder", "epoch chosen on", "epoch", *SETS]
        heads += ["published ws353", "published simlex999", "seconds", "seeds"]
        near = results["neighbours"]
        shown = [name for name in names if name != "PP"]
        return {
            "epochs": self.rows["charLSTM"]["epochs"],
            "chosen": table(heads, chosen),
            "large": printed(f"{CHARAGRAM} 2", "CHARAGRAM (large)"),
            "large_on_rare": printed(f"{CHARAGRAM} section 4.1.3", "CHARAGRAM (large)"),
            "start": results[start],
            "last": table(
                ["encoder", *SETS, "rw, both known", "rw, one unknown"],
                lines(last, [*SETS, "0", "any"]),
            ),
            "nearest": table(
                ["word", *shown],
                [
                    [query, *(near[name][query] for name in shown)]
                    for query in self.description["queries"]
                ],
            ),
        }


def _with_scores(data: Data, row: Results, seed: int) -> tuple[Any, list[Any]]:
    """An encoder trained on pairs of words, and its scores after each epoch."""
    pairs = data.corpus("ppdb-lexical")[: 1000 if data.quick else None]
    epochs = 2 if data.quick else row["epochs"]
    monitor = ScoreMonitor(lambda encoder: score_words(encoder, data))
    encoder = row_encoder(row, data, seed).set_params(max_epochs=epochs)
    encoder.set_callbacks(monitor).fit(pairs)
    return encoder, monitor.scores_[1:]  # without the start


def _rare(encoder: Any, data: Data) -> dict[str, float]:
    """Spearman x 100 on Rare Words, for pairs without and with an unknown word."""
    pairs, gold = data.word_similarity["rw"]
    scores = scores_by_unknown(encoder, pairs, gold, vocabulary=data.vectors)
    return {name: 100 * scores.loc[name, "spearman"] for name in ("0", "any", "all")}


class Convergence(Table):
    name = "charagram_convergence"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """SimLex-999 and loss after each epoch."""
        encoder, epochs = _with_scores(data, self.rows[name], seed)
        return {
            "simlex999": [scores["simlex999"] for scores in epochs],
            "loss": list(encoder.loss_curve_),
        }

    def cells(self, results: Any, n_seeds: int) -> Results:
        curves = [results[name]["simlex999"] for name in self.rows]
        rows = [[i, *of] for i, of in enumerate(zip(*curves, strict=True), 1)]
        costs = [f"{name} {results[name]['seconds']:.0f} s" for name in self.rows]
        return {"table": table(["epoch", *self.rows], rows), "costs": ", ".join(costs)}


class CharacterNeighbors(Table):
    name = "charagram_neighbors"

    @property
    def printed(self) -> dict[int, Any]:
        return {number: tables()[f"{CHARAGRAM} {number}"] for number in (8, 9, 10)}

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Neighbours by query, in Charagram and in PP."""
        words = [*self.printed[8]["CHARAGRAM-PHRASE"]]
        words += self.printed[9]["CHARAGRAM-PHRASE"]
        split = WordTokenizer()
        counts = Counter(w for pair in data.pairs for text in pair for w in split(text))
        candidates = sorted(word for word, n in counts.items() if n >= 5)
        charagram, pp = (
            row_encoder({"encoder": class_}, data, 0, max_epochs=2, **params).fit(
                data.pairs
            )
            for class_, params in (
                ("CharagramEncoder", {}),
                ("ParaphraseEncoder", {"learning_rate": 0.01}),
            )
        )
        ngrams = [
            ngram.replace("_", " ") for ngram in self.printed[10]["CHARAGRAM-PHRASE"]
        ]
        nearest = partial(nearest_words, charagram.vectors_)
        return {
            "Charagram": {
                **_listed(nearest_texts(charagram, words, candidates, N_NEIGHBORS)),
                **{
                    ngram: [near for near, of in nearest(ngram, N_NEIGHBORS) if of > 0]
                    for ngram in ngrams
                    if ngram in charagram.vectors_
                },
            },
            "PP": _listed(nearest_texts(pp, words, candidates, N_NEIGHBORS)),
            "candidates": len(candidates),
        }

    def combine(self, runs: Runs) -> Results:
        return only(runs)

    def cells(self, results: Any, n_seeds: int) -> Results:
        def rows(number: int, models: dict[str, str]) -> list[list[Any]]:
            """Our neighbours of each model, and the printed ones."""
            found = []
            for query in self.printed[number]["CHARAGRAM-PHRASE"]:
                ngram = query.replace("_", " ") if number == 10 else query
                cells: list[Any] = [_visible(ngram)]
                for name, system in models.items():
                    near = results[name].get(ngram, [])
                    theirs = self.printed[number].get(system, {}).get(query)
                    cells.append(", ".join(map(_visible, near)) or None)
                    cells.append(theirs and f"({theirs})")
                found.append(cells)
            return found

        characters = {"Charagram": "CHARAGRAM-PHRASE"}
        both = {**characters, "PP": "PARAGRAM-PHRASE"}
        heads = ["", "Charagram", "published", "PP", "published"]
        return {
            "negated": table(heads, rows(8, both)),
            "words": table(heads, rows(9, both)),
            "ngrams": table(heads[:3], rows(10, characters)),
        }


def _listed(found: Any) -> dict[str, list[str]]:
    """Neighbours by query; none for a query without a vector."""
    groups = found[found["similarity"] > 0].groupby("query", sort=False)["neighbor"]
    return {query: list(names) for query, names in groups}


def _visible(text: str) -> str:
    """Make spaces in n-grams visible, but not spaces between words."""
    return text.replace(" ", "_") if text.strip() != text else text


class WordsOfPP(Table):
    name = "wieting_words"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Neighbours by query, and words by length."""
        params = {"learning_rate": 0.01, "max_epochs": 4}
        row = {"encoder": "ParaphraseEncoder", "params": params}
        encoder = row_encoder(row, data, seed).fit(data.pairs)
        counts = WordFrequencies.from_texts(data.pairs)
        least = self.description["occurrences"]
        words = [w for w, n in counts.items() if n >= least and w in data.vectors.words]
        start = AverageEncoder(data.vectors)
        queries = list(tables()[f"{WIETING} 8"]["PARAGRAM-PHRASE"])
        nearest, lengths = {}, {}
        for name, of, vectors in (
            ("PP", encoder, encoder),
            ("start", start, data.vectors),
        ):
            frame = nearest_texts(of, queries, words, N_NEIGHBORS)
            groups = frame.groupby("query", sort=False)["neighbor"]
            nearest[name] = {query: list(names) for query, names in groups}
            frame = token_weights(vectors, counts).loc[words]
            order = list(frame["l2"].sort_values(kind="stable").index)
            rho = spearmanr(frame["l2"], frame["count"]).statistic
            lengths[name] = {
                "largest": order[::-1][:20],
                "smallest": order[:20],
                "rank correlation with count": float(rho),
            }
        return {"nearest": nearest, "lengths": lengths, "candidates": len(words)}

    def combine(self, runs: Runs) -> Results:
        return only(runs)

    def cells(self, results: Any, n_seeds: int) -> Results:
        found = {}
        for name, system in SYSTEMS.items():
            theirs = tables()[f"{WIETING} 8"][system]
            rows = [
                [query, ", ".join(results["nearest"][name].get(query, [])), f"({near})"]
                for query, near in theirs.items()
            ]
            found[f"nearest_{name}"] = table(["query", name, "published"], rows)
        rows = [
            [
                name,
                ", ".join(of["largest"]),
                ", ".join(of["smallest"]),
                of["rank correlation with count"],
            ]
            for name, of in results["lengths"].items()
        ]
        heads = ["vectors", "largest", "smallest", "rank correlation"]
        return {**found, **self.description, "lengths": table(heads, rows, 2)}
