"""Tasks of the field benchmark: search, clusters, labels and pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold

from _lib.adaptation_data import AdaptationData, draw
from _lib.labelled import read_labelled
from _lib.readers import read_tsv
from skparaphrase.model_selection import pair_groups

N_QUICK = 300  # queries of a quick run
N_QUICK_EACH = 30  # texts of each class in a quick run
N_FOLDS = 5  # of pairs without a test part
HELD_OUT = "1"  # the test fold of HWU64
SIZES = {  # products with a number and a unit
    "Samsung Galaxy S21 smartphone, {}, grey": "64 GB,128 GB,256 GB,512 GB",
    "Seagate Barracuda internal hard drive {}": "500 GB,1 TB,2 TB,4 TB",
    "Extra virgin olive oil {} bottle": "250 ml,500 ml,750 ml,5 l",
    "Rope of polyester, {}, white": "5 m,10 m,25 m,100 m",
    "Flour type 405, bag of {}": "500 g,1 kg,5 kg,25 kg",
    "Cordless drill {} with two batteries": "12 V,18 V,24 V,36 V",
    "Wood screw {} countersunk": "30 mm,40 mm,60 mm,80 mm",
}

Split = tuple[Any, Any]  # training rows and test rows


class SearchTask(NamedTuple):
    """Texts, queries, and the rows of the relevant texts of each query."""

    texts: Any
    queries: Any
    right: list[Any]


class FieldData(AdaptationData):
    """Tasks and their names; tasks are read when they are run."""

    def read(self, name: str, label: str, *columns: str) -> tuple[Any, Any]:
        """Texts of shape (n_rows,) or (n_rows, n_columns), and their labels."""
        path = self.root / f"data/field/{name}.tsv.xz"
        texts, labels = read_tsv(path, [*columns], label)
        return texts[:, 0] if len(columns) == 1 else texts, labels

    def searches(self) -> Iterator[tuple[str, SearchTask]]:
        texts, ids = self.read("medline-docs", "id", "text")
        queries, asked = self.read("medline-queries", "id", "text")
        judged, of = self.read("medline-qrels", "query", "doc")
        right = [np.flatnonzero(np.isin(ids, judged[of == query])) for query in asked]
        yield "Medline", SearchTask(texts, queries, right)

        rows, threads = self.read("stackfaq-answers", "thread", "answer", "question")
        queries, asked = self.read("stackfaq-queries", "thread", "text")
        if self.quick:
            queries, asked = queries[:N_QUICK], asked[:N_QUICK]
        right = [np.flatnonzero(threads == thread) for thread in asked]
        yield "StackFAQ, answers", SearchTask(rows[:, 0], queries, right)
        threads, first = np.unique(threads, return_index=True)
        right = [np.flatnonzero(threads == thread) for thread in asked]
        yield "StackFAQ, questions", SearchTask(rows[first, 1], queries, right)

        pairs, is_same = self.records()
        texts, matches = np.unique(pairs[:, 1]), pairs[is_same]
        queries = np.unique(matches[:, 0])
        right = [
            np.searchsorted(texts, matches[matches[:, 0] == query, 1])
            for query in queries
        ]
        yield "Abt-Buy", SearchTask(texts, queries, right)

        sized = [(of, size) for of, sizes in SIZES.items() for size in sizes.split(",")]
        names = [of.format(size) for of, size in sized]
        joined = [of.format(size.replace(" ", "")) for of, size in sized]
        yield "units", SearchTask(names, joined, [[row] for row in range(len(names))])

    def unanswered(self) -> tuple[Any, Any, Any]:
        """Texts, queries, and a mask of queries that have the intent of a text."""
        (texts, _), (known, _) = self.intents("train"), self.intents("test")
        foreign, _ = self.intents("out-of-scope-test")
        queries = np.append(known, foreign)
        return texts, queries, np.arange(len(queries)) < len(known)

    def clusters(self) -> Iterator[tuple[str, Any, Any]]:
        """Texts and their classes."""
        yield "CLINC150", *self.intents("test")
        yield "biomedical", *self._classes("biomedical")

    def labelled(self) -> Iterator[tuple[str, Any, Any, Any]]:
        """Texts, their classes, and a mask of texts that are used only for testing."""
        (X, y), (X_test, y_test) = self.intents("train"), self.intents("test")
        test = np.arange(len(X) + len(X_test)) >= len(X)
        yield "CLINC150", np.append(X, X_test), np.append(y, y_test), test
        texts, y = self.read("hwu64", "label", "text", "fold")
        yield "HWU64", texts[:, 0], y, texts[:, 1] == HELD_OUT
        for name, file in (("AG News", "agnews"), ("biomedical", "biomedical")):
            X, y = self._classes(file)
            yield name, X, y, np.zeros(len(y), bool)

    def broad(self) -> Iterator[tuple[str, Any, Any, Any]]:
        """The same for broad classes: kinds of answers, style, sentiment."""
        for name in ("TREC", "SUBJ", "MR"):
            X, y, is_test = read_labelled(self.args, name)
            yield name, X, y, np.zeros(len(y), bool) if is_test is None else is_test

    def draws(
        self, y: Any, test: Any, n_each: int, seeds: Sequence[int] | None = None
    ) -> list[Split]:
        """For each seed, `n_each` texts per class, and the test texts.

        If there are no separate test texts, all texts that are not drawn are tested.
        """
        known, tested = np.flatnonzero(~test), np.flatnonzero(test)
        seeds = self.seeds if seeds is None else seeds
        drawn = [known[draw(y[known], n_each, seed)] for seed in seeds]
        return [
            (rows, tested if len(tested) else np.setdiff1d(known, rows))
            for rows in drawn
        ]

    def records(self, part: str | None = None) -> tuple[Any, Any]:
        """Pairs of names of Abt-Buy, and a mask of pairs of the same product."""
        rows, labels = self.read("abtbuy", "label", "name1", "name2", "split")
        chosen = rows[:, 2] == part if part else slice(None)
        return rows[chosen, :2], labels[chosen] == "1"

    def labelled_pairs(self) -> Iterator[tuple[str, Any, Any, Any, Any]]:
        """Pairs, a mask of pairs with label 1, and training and test rows."""
        yield "Abt-Buy", *_joined(self.records("train"), self.records("test"))
        X, y, test = read_labelled(self.args, "MSRP")
        yield "MSRP", X, y == 1, np.flatnonzero(~test), np.flatnonzero(test)
        parts = [
            read_tsv(
                self.root / f"data/trecqa/{part}.tsv", ["question", "answer"], "label"
            )
            for part in ("train", "test")
        ]
        yield "TrecQA", *_joined(*((X, y == "1") for X, y in parts))

    def graded_pairs(self) -> Iterator[tuple[str, Any, Any, Any, Any]]:
        """The same for scores: SICK, and a fold of each training set of STS 2012."""
        yield "SICK", *_joined(self.sick("train"), self.sick("test"))
        for name, (X, y) in self.development.items():
            if name.startswith("sts"):
                split = self._folds(X, 0)[0]
                yield f"STS 2012, {name.rpartition('.')[-1]}", X, np.array(y), *split

    def shops(self) -> tuple[Any, int, Any]:
        """The names of two shops, the number of the first, and the matching pairs.

        The latter have the shape (n_names of the first, n_names of the second).
        """
        pairs, is_same = self.records()
        first, second = map(np.unique, pairs.T)
        matches = np.zeros((len(first), len(second)), bool)
        one, other = pairs[is_same].T
        matches[np.searchsorted(first, one), np.searchsorted(second, other)] = True
        return np.append(first, second), len(first), matches

    def scored_pairs(self) -> Iterator[tuple[str, Any, Any, list[list[Split]]]]:
        """Pairs, their scores or labels, and the splits of each seed."""
        (X, y), (X_test, y_test) = self.sick("train"), self.sick("test")
        split = np.arange(len(X)), len(X) + np.arange(len(X_test))
        yield "SICK", np.append(X, X_test, 0), np.append(y, y_test), [[split]]
        for name, (X, y) in self.development.items():
            if name.startswith("sts"):
                folds = [self._folds(X, seed) for seed in self.seeds]
                yield f"STS 2012, {name.rpartition('.')[-1]}", X, y, folds
        X, y, test = read_labelled(self.args, "MSRP")
        yield "MSRP", X, y, [[(np.flatnonzero(~test), np.flatnonzero(test))]]

    def _folds(self, pairs: Any, seed: int) -> list[Split]:
        """Pairs that share a text are in one fold."""
        folds = GroupKFold(N_FOLDS, shuffle=True, random_state=seed)
        return list(folds.split(pairs, groups=pair_groups(pairs)))

    def _classes(self, name: str) -> tuple[Any, Any]:
        texts, y = self.read(name, "label", "text")
        rows = draw(y, N_QUICK_EACH, 0) if self.quick else slice(None)
        return texts[rows], y[rows]


def _joined(train: Any, test: Any) -> tuple[Any, Any, Any, Any]:
    """Examples and targets of both parts, with the rows of each part."""
    X, y = (np.concatenate(each) for each in zip(train, test, strict=True))
    return X, y, *np.split(np.arange(len(X)), [len(train[0])])
