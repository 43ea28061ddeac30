"""Part-of-speech tags from encoders of characters, and numbers of n-grams.

Tables 4 and 5 and the right half of figure 1 of the Charagram paper, on the English Web
Treebank instead of the Wall Street Journal. A twentieth of the training file, in runs
of fifty sentences, is held out to choose the epoch; the development file is the test
set.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import Counter, defaultdict
from itertools import chain
from typing import Any

import numpy as np

from _lib.paper_encoders import paper_encoder
from _lib.paper_tables import Results, Runs, Table
from _lib.papers import Data, score_sts, score_words, sts_means, table
from _lib.published import CHARAGRAM, mean_of_sets, printed
from _lib.readers import read_tagged
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import SequenceTagger
from skparaphrase.text import NgramTokenizer

PUBLISHED = {
    "charCNN": "charCNN",
    "charLSTM": "charLSTM",
    "Charagram": "CHARAGRAM",
    "2-layer Charagram": "CHARAGRAM (2-layer)",
}
OURS = {
    "Charagram, sparse updates": "Charagram, sparse, xpos",
    "Charagram, Adam and dropout": "Charagram, Adam, xpos",
    "Charagram, universal tags": "Charagram, paper, upos",
}
Tagged = tuple[list[list[str]], list[list[str]]]


def read_tags(data: Data, tags: str) -> tuple[Tagged, Tagged, Tagged]:
    """Sentences to train on, to choose the epoch by, and to test."""
    train, test = (
        read_tagged(data.root / f"data/pos/{name}.tsv", tags)
        for name in ("train", "dev")
    )
    X, y = (rows[:1000] if data.quick else rows[:: data.step] for rows in train)
    held = [i // 50 % 20 == 19 for i in range(len(X))]
    kept, chosen = (
        tuple(
            [row for row, h in zip(rows, held, strict=True) if h == side]
            for rows in (X, y)
        )
        for side in (False, True)
    )
    return kept, chosen, test


class Tagging(Table):
    name = "charagram_tagging"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Accuracies of one tagger."""
        if name == "data":
            return self._about_data(data)
        (X, y), (X_val, y_val), test = read_tags(data, name.rpartition(", ")[2])
        params = {**self.rows[name]}
        params.pop("seeds", None)
        tagger = SequenceTagger.paper(params.pop("setting"), random_state=seed)
        if data.quick or data.short:
            params["max_epochs"] = 2 if data.quick else 8
        tagger.set_params(**params).fit(X, y, X_val=X_val, y_val=y_val)
        known = set(chain.from_iterable(X))
        tokens, gold = (np.concatenate(rows) for rows in test)
        right = np.concatenate(list(tagger.predict(test[0]))) == gold
        unknown = np.array([token not in known for token in tokens])
        return {
            "test": 100 * float(right.mean()),
            "unknown": 100 * float(right[unknown].mean()),
            "validation": [100 * score for score in tagger.validation_scores_[1:]],
            "best_epoch": tagger.best_epoch_,
            "loss": list(tagger.loss_curve_),
        }

    def _about_data(self, data: Data) -> Results:
        tagged = {tags: read_tags(data, tags) for tags in ("xpos", "upos")}
        return {"baseline": {tags: _baseline(*of) for tags, of in tagged.items()}}

    def combine(self, runs: Runs) -> Results:
        *accuracy, about = runs
        found = {"accuracy": {name: runs[name] for name in accuracy}, **runs[about][0]}
        del found["seconds"]
        return found

    def cells(self, results: Any, n_seeds: int) -> Results:
        accuracy = results["accuracy"]
        papers = {name: f"{name}, paper, xpos" for name in PUBLISHED}

        def row(runs: Any) -> list[Any]:
            scores = [one["test"] for one in runs]
            return [
                float(np.mean(scores)),
                float(np.std(scores)) if len(scores) > 1 else None,
                float(np.mean([one["unknown"] for one in runs])),
                float(np.mean([max(one["validation"]) for one in runs])),
                int(np.median([one["best_epoch"] for one in runs])),
            ]

        heads = ["accuracy", "published", "spread", "unknown words", "held back"]
        rows = []
        for name, key in {**papers, **OURS}.items():
            mean, *others = row(accuracy[key])
            system = PUBLISHED.get(name)
            theirs = system and printed(f"{CHARAGRAM} 4", system)
            rows.append([name, mean, theirs, *others])
        n_epochs = min(10, len(accuracy[papers["charLSTM"]][0]["loss"]))
        curves = [
            [epoch + 1]
            + [
                float(np.mean([one["validation"][epoch] for one in accuracy[key]]))
                for key in papers.values()
            ]
            for epoch in range(n_epochs)
        ]
        epochs = [f"{self.rows[k]['max_epochs']} {name}" for name, k in papers.items()]
        return {
            "n_seeds": len(accuracy[papers["Charagram"]]),
            "epochs": ", ".join(epochs),
            "table": table(["", *heads, "epoch"], rows, 2),
            "curves": table(["epoch", *PUBLISHED], curves, 2),
        }


def _baseline(train: Tagged, _: Tagged, test: Tagged) -> float:
    """Accuracy of the most frequent tag of a word, or of all unknown words."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for token, tag in zip(*map(chain.from_iterable, train), strict=True):
        counts[token][tag] += 1
    seen_once = [c.most_common(1)[0][0] for c in counts.values() if c.total() == 1]
    other = Counter(seen_once).most_common(1)[0][0]
    most = {token: count.most_common(1)[0][0] for token, count in counts.items()}
    right = [
        most.get(token, other) == tag
        for token, tag in zip(*map(chain.from_iterable, test), strict=True)
    ]
    return 100 * float(np.mean(right))


class Ngrams(Table):
    name = "charagram_ngrams"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores of one cell of the table, for models of words, sentences and tags."""
        settings, row = self.description, self.rows[name]
        params = {
            "tokenizer": NgramTokenizer(ngram_range=row["ngram_range"]),
            "max_ngrams": row["max_ngrams"],
        }
        words = self._fitted(
            data.corpus("ppdb-lexical")[: 1000 if data.quick else None],
            settings["word_epochs"],
            params,
            seed,
            activation="linear",
            batch_size=25,
        )
        sentences = self._fitted(data.pairs, settings["sentence_epochs"], params, seed)
        means = sts_means(score_sts(sentences, data))
        tagger = SequenceTagger.paper("charagram", random_state=seed)
        tagger.set_params(
            optimizer=Optimizer("sgd", sparse=False),  # without penalties
            max_epochs=data.epochs(settings["tagging_epochs"], short=1),
            word_encoder__min_count=1,
            **{f"word_encoder__{key}": value for key, value in params.items()},
        )
        (X, y), (X_val, y_val), _ = read_tags(data, "xpos")
        tagger.fit(X, y, X_val=X_val, y_val=y_val)
        return {
            "tags": 100 * max(tagger.validation_scores_),
            **score_words(words, data),
            **means,
            "n-grams of words": len(words.vectors_),
            "n-grams of sentences": len(sentences.vectors_),
        }

    def _fitted(
        self, pairs: Any, epochs: int, params: Results, seed: int, **more: Any
    ) -> Any:
        """A Charagram without penalties, as in the paper's table."""
        return paper_encoder(
            "CharagramEncoder",
            max_epochs=epochs,
            random_state=seed,
            optimizer__vectors_penalty=0.0,
            optimizer__composition_penalty=0.0,
            **params,
            **more,
        ).fit(pairs)

    def cells(self, results: Any, n_seeds: int) -> Results:
        sizes = sorted({row["max_ngrams"] for row in self.rows.values()})
        highest = sorted({row["ngram_range"][1] for row in self.rows.values()})
        orders = ["2", *(f"2-{n}" for n in highest[1:])]
        found = {size: [results[f"{n} {size}"] for n in highest] for size in sizes}

        def beside(key: str, column: str) -> list[str]:
            rows: list[list[Any]] = []
            for size in sizes:
                ours = [{**of, "mean of sets": mean_of_sets(of)} for of in found[size]]
                rows.append([f"{size}, here", *(of[key] for of in ours)])
                systems = [
                    f"{size:,} n-grams of each order, orders {order}"
                    for order in orders
                ]
                theirs = [printed(f"{CHARAGRAM} 5", s, column) for s in systems]
                rows.append([f"{size}, published", *theirs])
            return table(["n-grams an order", *orders], rows)

        counts = [
            [size]
            + [
                f"{of['n-grams of words']:,.0f} / {of['n-grams of sentences']:,.0f}"
                for of in found[size]
            ]
            for size in sizes
        ]
        return {
            **self.description,
            "simlex": beside("simlex999", "SL999"),
            "similarity": beside("mean of sets", "22 data sets"),
            "tags": beside("tags", "WSJ validation"),
            "counts": table(["n-grams an order", *orders], counts),
        }
