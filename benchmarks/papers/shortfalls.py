"""Why five figures stay below the published ones: one experiment for each.

    python benchmarks/papers/shortfalls.py --data ../shared [--quick]

Each row changes one thing of a row of another script: the number of pairs, the kind of
pairs, the initial vectors, or the number of epochs. One seed. Writes
`benchmarks/results/shortfalls.json` and `.md`. Finished fits are cached in
`benchmarks/results/runs`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase import load_pretrained
from skparaphrase.callback import ScoreMonitor
from skparaphrase.datasets import load_word_frequencies
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.interaction import PairwiseInteractionRanker
from skparaphrase.supervised import SentenceClassifier
from skparaphrase.vectors import WordFrequencies

sys.path.insert(0, str(Path(__file__).parents[1]))

from interaction_ranking import measure
from interaction_ranking import read as read_questions

from _lib.interaction import once, timed_fit
from _lib.paper_encoders import paper_encoder
from _lib.papers import COLUMNS, Data, parse_args, run_all, score_sts, sts_means, write
from _lib.supervised import evaluate, read

CHARAGRAM: dict[str, dict[str, Any]] = {
    "an eighth of the pairs": {"share": 8, "epochs": 8},
    "a quarter of the pairs": {"share": 4, "epochs": 4},
}
CSE: dict[str, dict[str, Any]] = {
    "a quarter of the sentences, 2 epochs": {},
    "the same, without phrases first": {"phrases": False},
    "the same, from centred vectors": {"centered": True},
    "the same, 8 epochs": {"epochs": 8},
    "half of the sentences, 2 epochs": {"share": 2},
}
SST: dict[str, dict[str, Any]] = {
    "3 epochs": {},
    "20 epochs": {"epochs": 20},
    "3 epochs, a quarter of the phrases": {"share": 4},
    "3 epochs, average of load_pretrained()": {"start": "pretrained"},
}
TRECQA: dict[str, dict[str, Any]] = {
    "a quarter of the questions": {"share": 4},
    "half of the questions": {"share": 2},
}
SICK: dict[str, dict[str, Any]] = {
    "all pairs": {"without": ()},
    "without captions": {"without": ("flickr8k",)},
    "without rewrites": {"without": ("rewrites",)},
}


def main() -> None:
    args = parse_args(__doc__)
    tasks = [
        (run, (args, part, name)) for part, (_, rows) in PARTS.items() for name in rows
    ]
    found: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for (_, (_, part, name)), result in zip(tasks, run_all(args, tasks), strict=True):
        found[part][name] = result
    write(args, "shortfalls", found, report(found))


def run(args: argparse.Namespace, part: str, name: str) -> dict[str, Any]:
    """One row."""
    fit, rows = PARTS[part]
    return dict(
        once(
            args,
            f"shortfalls-{part}-{name}",
            rows[name],
            lambda: fit(Data(args), args, **rows[name]),
        )
    )


def charagram(
    data: Data, args: argparse.Namespace, *, epochs: int, share: int
) -> dict[str, Any]:
    """Means after each epoch."""
    pairs = data.pairs[::share]
    monitor = ScoreMonitor(lambda encoder: sts_means(score_sts(encoder, data)))
    encoder = paper_encoder(
        "CharagramEncoder", max_epochs=1 if args.quick else epochs, random_state=0
    )
    encoder.set_callbacks(monitor).fit(pairs)
    return {
        "pairs": len(pairs),
        "epochs": [{key: of[key] for key in COLUMNS} for of in monitor.scores_],
    }


def cse(
    data: Data,
    args: argparse.Namespace,
    *,
    centered: bool = False,
    phrases: bool = True,
    share: int = 4,
    epochs: int = 2,
) -> dict[str, Any]:
    """CSE on phrases, then on sentences: the row "both" of table 4."""
    table = data.vectors.centered() if centered else data.vectors
    common = {"vectors": table, "learning_rate": 0.0003, "random_state": 0}
    found, before = {}, None
    if phrases:
        before = paper_encoder(
            "ConvolutionalEncoder",
            "ppdb-xl",
            max_epochs=1 if args.quick else 5,
            **common,
        ).fit(shuffled([data.corpus("ppdb-lexical")])[:: 30 if args.quick else 1])
        found["after phrases"] = sts_means(score_sts(before, data))["mean of years"]
    sentences = shuffled([data.corpus(name) for name in data.sentences])[::share]
    both = paper_encoder(
        "ConvolutionalEncoder",
        "simple-wikipedia",
        max_epochs=1 if args.quick else epochs,
        init=before,
        **common,
    ).fit(sentences[:: 30 if args.quick else 1])
    return {
        **found,
        "pairs": len(sentences),
        **sts_means(score_sts(both, data)),
    }


def sst(
    data: Data,
    args: argparse.Namespace,
    *,
    epochs: int = 3,
    start: str = "minilm-words",
    share: int = 1,
) -> dict[str, Any]:
    """SST-2 with a head on frozen SIF averages: accuracy x 100."""
    path = data.root / "data/frequencies/enwiki_vocab_min200.txt"
    frequencies = WordFrequencies.read(path).fill_from(load_word_frequencies())
    encoder: Any = SIFEncoder(data.vectors, a=1e-3, frequencies=frequencies)
    if start == "pretrained":
        encoder = AverageEncoder(load_pretrained().vectors)  # already weighted
    parts = read(args, "sentiment")
    X, y = parts["train"]
    parts["train"] = X[::share], y[::share]
    model = SentenceClassifier.paper(
        "sif",
        encoder=encoder,
        projection_dim=None,
        max_epochs=1 if args.quick else epochs,
        optimizer="adam",
        learning_rate=0.001,
        scale=6.0,
        random_state=0,
    )
    return evaluate(model, parts)


def trecqa(
    data: Data,
    args: argparse.Namespace,
    *,
    share: int,
) -> dict[str, Any]:
    """MAP and MRR of the paper's model, trained on a part of the questions."""
    train, dev, test = (read_questions(args, part) for part in ("train", "dev", "test"))
    queries = np.unique(train.query)[:: share * (10 if args.quick else 1)]
    keep = np.isin(train.query, queries)
    model = PairwiseInteractionRanker(
        data.vectors,
        similarity=None,
        max_epochs=1 if args.quick else 6,
        random_state=0,
    )
    costs = timed_fit(
        model, train.data[keep], train.target[keep], X_val=dev.data, y_val=dev.target
    )
    return {"pairs": int(keep.sum()), **measure(model, test), **costs}


def sick(
    data: Data, args: argparse.Namespace, *, without: tuple[str, ...]
) -> dict[str, Any]:
    """PP trained without some pairs."""
    names = [n for n in ("ppdb-lexical", *data.sentences) if n not in without]
    pairs = shuffled([data.corpus(name) for name in names])
    pairs = pairs[:: 30 if args.quick else 1]
    encoder = paper_encoder(
        "ParagramEncoder",
        vectors=data.vectors,
        learning_rate=0.01,
        max_epochs=4,
        random_state=0,
    )
    return {
        "pairs": len(pairs),
        **sts_means(score_sts(encoder.fit(pairs), data)),
    }


def shuffled(parts: Any) -> Any:
    """All pairs in random order."""
    pairs = np.concatenate(parts)
    return pairs[np.random.RandomState(0).permutation(len(pairs))]


PARTS: dict[str, tuple[Callable[..., dict[str, Any]], Mapping[str, Any]]] = {
    "sst": (sst, SST),
    "sick": (sick, SICK),
    "cse": (cse, CSE),
    "charagram": (charagram, CHARAGRAM),
    "trecqa": (trecqa, TRECQA),
}


def report(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return ["# Shortfalls", "", str(found)]


if __name__ == "__main__":
    main()
