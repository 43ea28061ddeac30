"""Part-of-speech tags from encoders of characters.

    python benchmarks/papers/charagram_tagging.py --data ../shared [--quick] [--seeds 3]

Reproduces table 4 and the right half of figure 1 of the Charagram paper, on the English
Web Treebank instead of the Wall Street Journal. A twentieth of the training file, in
runs of fifty sentences, is held out to choose the epoch; the development file is the
test set. Writes `benchmarks/results/charagram_tagging.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from skparaphrase.networks import Sentences, Tagger
from skparaphrase.tagging import SequenceTagger
from skparaphrase.training import TaggerTrainer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.papers import parse_args, run_all, table, write
from _lib.published import CHARAGRAM, printed
from _lib.readers import read_tagged

PUBLISHED = {
    "charCNN": printed(f"{CHARAGRAM} 4", "charCNN"),
    "charLSTM": printed(f"{CHARAGRAM} 4", "charLSTM"),
    "Charagram": printed(f"{CHARAGRAM} 4", "CHARAGRAM"),
    "2-layer Charagram": printed(f"{CHARAGRAM} 4", "CHARAGRAM (2-layer)"),
}
SETTINGS = {  # the slowest first
    "charLSTM": "char-lstm",
    "charCNN": "char-cnn",
    "2-layer Charagram": "charagram-2-layers",
    "Charagram": "charagram",
}
# The paper has 50; the best epoch is kept, which is rarely a later one.
EPOCHS = {"charLSTM": 40, "charCNN": 30, "2-layer Charagram": 24, "Charagram": 24}
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "sparse": {"optimizer__sparse": True},
    "Adam": {
        "optimizer": "adam",
        "learning_rate": 0.003,
        "dropout": 0.3,
        "max_epochs": 12,
    },
}
SLOW = {"charLSTM", "charCNN"}  # one seed
ROWS = [
    *((name, "paper", "xpos") for name in SETTINGS),
    ("Charagram", "Adam", "xpos"),
    ("Charagram", "sparse", "xpos"),
    ("Charagram", "paper", "upos"),
]
# The names of the parts of a step in the report.
PARTS = {
    "batches": (Sentences, "take"),
    "word vectors": (Tagger, "word_vectors"),
    "memories and layers": (Tagger, "forward"),
    "gradients": (torch.Tensor, "backward"),
    "all": (TaggerTrainer, "step"),
}
Tagged = tuple[list[list[str]], list[list[str]]]


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    tasks = [
        (run, (args, *row, seed))
        for row in ROWS
        for seed in range(1 if row[0] in SLOW else args.seeds)
    ]
    accuracy: dict[str, list[Any]] = {", ".join(row): [] for row in ROWS}
    for (_, (_, *row, _)), result in zip(tasks, run_all(args, tasks), strict=True):
        accuracy[", ".join(row)].append(result)
    results = {
        "accuracy": accuracy,
        "baseline": {tags: baseline(args, tags) for tags in ("xpos", "upos")},
        "epochs": {name: profile(args, name) for name in SETTINGS},
        "distinct": distinct(args),
    }
    write(args, "charagram_tagging", results, report(results))


def read(args: argparse.Namespace, tags: str) -> tuple[Tagged, Tagged, Tagged]:
    """Sentences to train on, to choose the epoch by, and to test."""
    train, test = (
        read_tagged(args.data / f"data/pos/{name}.tsv", tags)
        for name in ("train", "dev")
    )
    step = 3 if args.short else 1
    X, y = (rows[:1000] if args.quick else rows[::step] for rows in train)
    held = [i // 50 % 20 == 19 for i in range(len(X))]
    kept, chosen = (
        tuple(
            [row for row, h in zip(rows, held, strict=True) if h == side]
            for rows in (X, y)
        )
        for side in (False, True)
    )
    return kept, chosen, test


def run(
    args: argparse.Namespace, name: str, variant: str, tags: str, seed: int
) -> dict[str, Any]:
    """Accuracies of one tagger."""
    (X, y), (X_val, y_val), test = read(args, tags)
    params = {"max_epochs": EPOCHS[name], **VARIANTS[variant]}
    if args.quick or args.short:
        params["max_epochs"] = 2 if args.quick else 8
    tagger = SequenceTagger.paper(SETTINGS[name], random_state=seed)
    tagger.set_params(**params)
    tagger.fit(X, y, X_val=X_val, y_val=y_val)
    known = set(chain.from_iterable(X))
    tokens, gold = (np.concatenate(rows) for rows in test)
    right = np.concatenate(list(tagger.predict(test[0]))) == gold
    unknown = np.array([token not in known for token in tokens])
    return {
        "test": 100 * float(right.mean()),
        "unknown": 100 * float(right[unknown].mean()),
        "validation": [100 * score for score in tagger.validation_scores_],
        "best_epoch": tagger.best_epoch_,
        "loss": tagger.loss_curve_,
    }


def baseline(args: argparse.Namespace, tags: str) -> float:
    """Accuracy of the most frequent tag of a word, or of all unknown words."""
    (X, y), _, test = read(args, tags)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for token, tag in zip(*map(chain.from_iterable, (X, y)), strict=True):
        counts[token][tag] += 1
    seen_once = [c.most_common(1)[0][0] for c in counts.values() if c.total() == 1]
    other = Counter(seen_once).most_common(1)[0][0]
    most = {token: count.most_common(1)[0][0] for token, count in counts.items()}
    right = [
        most.get(token, other) == tag
        for token, tag in zip(*map(chain.from_iterable, test), strict=True)
    ]
    return 100 * float(np.mean(right))


def distinct(args: argparse.Namespace) -> float:
    """Mean proportion of distinct tokens in 100 random sentences."""
    (X, _), _, _ = read(args, "xpos")
    order = np.random.RandomState(0).permutation(len(X))
    shares = []
    for start in range(0, len(X), 100):
        tokens = list(chain.from_iterable(X[i] for i in order[start : start + 100]))
        shares.append(len(set(tokens)) / len(tokens))
    return float(np.mean(shares))


def profile(args: argparse.Namespace, name: str) -> dict[str, float]:
    """Seconds of an epoch by part, in one thread."""
    (X, y), _, _ = read(args, "xpos")
    torch.set_num_threads(1)
    tagger = SequenceTagger.paper(
        SETTINGS[name], random_state=0, max_epochs=1, warm_start=True
    )
    tagger.fit(X[:200], y[:200])
    tagger = SequenceTagger.paper(SETTINGS[name], random_state=0, max_epochs=1)
    with ExitStack() as stack:
        seconds = {
            part: stack.enter_context(timed(*place)) for part, place in PARTS.items()
        }
        tagger.fit(X, y)
    found = {part: sum(times) for part, times in seconds.items()}
    found["update"] = 2 * found["all"] - sum(found.values())
    return found


@contextmanager
def timed(owner: type, method: str) -> Iterator[list[float]]:
    """Times of the calls of a method inside the block."""
    times: list[float] = []
    original = getattr(owner, method)

    def call(*args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        result = original(*args, **kwargs)
        times.append(time.perf_counter() - started)
        return result

    with patch.object(owner, method, call):
        yield times


def report(results: dict[str, Any]) -> list[str]:
    """Tables."""
    accuracy = results["accuracy"]

    def row(name: str, variant: str, tags: str) -> list[Any]:
        runs = accuracy[f"{name}, {variant}, {tags}"]
        scores = [one["test"] for one in runs]
        return [
            float(np.mean(scores)),
            float(np.std(scores)) if len(scores) > 1 else None,
            float(np.mean([one["unknown"] for one in runs])),
            float(np.mean([max(one["validation"]) for one in runs])),
            int(np.median([one["best_epoch"] for one in runs])),
        ]

    heads = ["accuracy", "spread", "unknown words", "held back", "epoch", "published"]
    rows = [
        *([name, *row(name, "paper", "xpos"), PUBLISHED[name]] for name in PUBLISHED),
        ["Charagram, sparse updates", *row("Charagram", "sparse", "xpos"), None],
        ["Charagram, Adam and dropout", *row("Charagram", "Adam", "xpos"), None],
        ["Charagram, universal tags", *row("Charagram", "paper", "upos"), None],
    ]
    epochs = results["epochs"]
    costs = [
        [
            name,
            epochs[name]["all"],
            *(epochs[name][part] for part in (*PARTS, "update") if part != "all"),
        ]
        for name in PUBLISHED
    ]
    curves = [
        [
            epoch + 1,
            *(
                float(np.mean([one["validation"][epoch] for one in runs]))
                for runs in (accuracy[f"{name}, paper, xpos"] for name in PUBLISHED)
            ),
        ]
        for epoch in range(min(10, len(accuracy["charLSTM, paper, xpos"][0]["loss"])))
    ]
    return [
        "# Tagging (Charagram paper, table 4)",
        "",
        "Accuracy x 100 on words of the development file of the English Web Treebank,",
        "tags of the Penn Treebank; mean and standard deviation over",
        f"{len(accuracy['Charagram, paper, xpos'])} seeds (charLSTM and charCNN: one),",
        "and the median epoch. The",
        f"paper's settings, at most {', '.join(f'{n} {k}' for k, n in EPOCHS.items())}",
        "epochs instead of 50; the best on sentences held back from the training file",
        "is kept. Published figures are for the Wall Street Journal, which is larger",
        "and of one kind. Made by `python benchmarks/papers/charagram_tagging.py`.",
        "",
        *table(["", *heads], rows, 2),
        "",
        f"The most frequent tag of each word: {results['baseline']['xpos']:.2f}",
        f"(universal tags: {results['baseline']['upos']:.2f}). Adam and dropout are",
        "additions of ours: rate 0.003, 12 epochs, dropout of 0.3, sparse updates.",
        "",
        "## Convergence (figure 1, right half)",
        "",
        "Accuracy x 100 on the sentences held back after each of the first ten epochs;",
        "means over seeds.",
        "",
        *table(["epoch", *PUBLISHED], curves, 2),
        "",
        "## Seconds of an epoch",
        "",
        "One thread. Vectors are made once for each distinct word of a batch of 100",
        f"sentences; {100 * results['distinct']:.0f} % of the words of a batch are "
        "distinct.",
        "",
        *table(
            ["", "all", *(part for part in (*PARTS, "update") if part != "all")],
            costs,
            2,
        ),
    ]


if __name__ == "__main__":
    main()
