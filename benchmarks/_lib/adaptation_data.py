"""Data for adapting encoders: captions, intents, and SICK."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupShuffleSplit

from _lib.papers import Data, score_sts, sts_means
from _lib.readers import read_tsv
from skparaphrase.metrics import RetrievalScorer, STSScorer

N_TEST = 3000  # held-out captions for scoring; the rest is the development part
N_QUICK = 12  # intents of a quick run
PARAPHRASES_FROM = 4.0  # score of SICK


class Captions(NamedTuple):
    """Training pairs, and scorers of held-out pairs of other images."""

    train: Any
    development: RetrievalScorer
    test: RetrievalScorer


class AdaptationData(Data):
    """Data, read on first use; the general scores of an encoder."""

    @property
    def seeds(self) -> range:
        return range(self.args.seeds)

    @cached_property
    def captions(self) -> Captions:
        pairs, groups = read_tsv(
            self.root / "data/paraphrase/flickr8k.tsv",
            ["sentence1", "sentence2"],
            "group",
        )
        splitter = GroupShuffleSplit(1, test_size=0.15, random_state=0)
        train, held_out = next(splitter.split(pairs, groups=groups))
        n_test = N_TEST // 10 if self.quick else N_TEST
        test, development = np.split(pairs[held_out], [n_test])
        return Captions(
            pairs[train],
            RetrievalScorer(development[:n_test]),
            RetrievalScorer(test),
        )

    def intents(self, part: str) -> tuple[Any, Any]:
        """Texts and their intents; CLINC150 has 100 / 20 / 30 texts of each."""
        path = self.root / f"data/intents/{part}.tsv"
        texts, labels = read_tsv(path, ["text"], "intent")
        keep = np.isin(labels, np.unique(labels)[: N_QUICK if self.quick else None])
        return texts[keep, 0], labels[keep]

    def few_texts(self, n_texts: int, seed: int) -> tuple[Any, Any]:
        """The same number of training texts per intent, drawn by the seed."""
        X, y = self.intents("train")
        rows = draw(y, n_texts, seed)
        return X[rows], y[rows]

    @cached_property
    def sick_paraphrases(self) -> Any:
        """The 1,683 pairs of the training part with a score of at least 4."""
        X, scores = self.sick("train")
        return X[np.asarray(scores) >= PARAPHRASES_FROM]

    def general(self, encoder: Any) -> dict[str, float]:
        """Pearson x 100 on STS 2012 to 2015 (mean of the years) and on SICK."""
        means = sts_means(score_sts(encoder, self))
        return {"STS": means["with 2015"], "SICK": means["SICK"]}

    def development_score(self, encoder: Any) -> float:
        """Pearson x 100: mean of SICK train and STS 2012 train (itself a mean)."""
        scores = STSScorer(self.development)(encoder)
        sts = [score for name, score in scores.items() if name.startswith("sts")]
        return 50 * float(np.mean(sts) + scores["sick-train"])


def draw(labels: Any, n_each: int, seed: int) -> Any:
    """Rows of at most `n_each` examples per label."""
    random = np.random.RandomState(seed)
    rows = [
        random.permutation(np.flatnonzero(labels == label))[:n_each]
        for label in np.unique(labels)
    ]
    return np.concatenate(rows)


def class_pairs(X: Any, y: Any, seed: int) -> Any:
    """Pairs of texts of one class: each text and the next, in a circle, shuffled."""
    random = np.random.RandomState(seed)
    pairs = []
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        if len(rows) > 1:
            pairs.append(np.column_stack([rows, np.roll(rows, -1)]))
    found = np.concatenate(pairs)
    return X[found[random.permutation(len(found))]]
