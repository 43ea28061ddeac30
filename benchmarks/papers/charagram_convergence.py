"""Convergence of the three encoders of characters on the similarity of words.

    python benchmarks/papers/charagram_convergence.py [--quick] [--seeds 3]

Reproduces figure 1 of the Charagram paper (its left half): SimLex-999 after each epoch
of lexical pairs. Writes `benchmarks/results/charagram_convergence.json` and `.md`, and
a plot, `.png`, if matplotlib is installed.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.callback import ScoreMonitor

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import paper_encoder
from _lib.papers import Data, parse_args, run_all, score_words, table, write

MODELS = {
    "charLSTM": "CharLSTMEncoder",
    "charCNN": "CharCNNEncoder",
    "Charagram": "CharagramEncoder",
}
EPOCHS = 5


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    tasks = [(run, (args, seed, name)) for name in MODELS for seed in range(args.seeds)]
    found = run_all(args, tasks)
    curves: dict[str, Any] = {}
    for name in MODELS:
        runs = [
            one
            for one, (_, values) in zip(found, tasks, strict=True)
            if values[2] == name
        ]
        curves[name] = {
            "simlex999": np.median([one["simlex999"] for one in runs], axis=0).tolist(),
            "loss": np.median([one["loss"] for one in runs], axis=0).tolist(),
            "seconds": float(np.median([one["seconds"] for one in runs])),
        }
    write(args, "charagram_convergence", curves, report(args, curves))
    if not args.quick:
        draw(args, curves)


def run(args: argparse.Namespace, seed: int, name: str) -> dict[str, Any]:
    """SimLex-999 and loss after each epoch."""
    data = Data(args)
    pairs = data.corpus("ppdb-lexical")
    monitor = ScoreMonitor(lambda encoder: score_words(encoder, data))
    epochs = 2 if args.quick else EPOCHS
    encoder = paper_encoder(MODELS[name], "words", max_epochs=epochs, random_state=seed)
    encoder.set_callbacks(monitor).fit(pairs[:1000] if args.quick else pairs)
    return {
        "simlex999": [scores["simlex999"] for scores in monitor.scores_],
        "loss": encoder.loss_curve_,
    }


def report(args: argparse.Namespace, curves: dict[str, Any]) -> list[str]:
    """One row per epoch."""
    rows = [
        [epoch, *values]
        for epoch, values in enumerate(
            zip(*(curves[name]["simlex999"] for name in MODELS), strict=True), 1
        )
    ]
    costs = ", ".join(f"{name} {curves[name]['seconds']:.0f} s" for name in MODELS)
    return [
        "# Convergence of encoders of characters",
        "",
        "Spearman x 100 on SimLex-999 after each epoch of 16 thousand lexical pairs,",
        f"with the paper's settings for words; medians, number of seeds: {args.seeds}.",
        "Made by `python benchmarks/papers/charagram_convergence.py`. In figure 1 of",
        "the Charagram paper, with 770 thousand pairs an epoch, Charagram is the",
        "fastest.",
        "",
        *table(["epoch", *MODELS], rows),
        "",
        f"Training and scoring: {costs}.",
    ]


def draw(args: argparse.Namespace, curves: dict[str, Any]) -> None:
    """Plot the same."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    axes = Figure(figsize=(5, 3.5), layout="constrained").subplots()
    for name in reversed(MODELS):
        scores = curves[name]["simlex999"]
        axes.plot(range(1, len(scores) + 1), scores, marker=".", label=name)
    axes.set(xlabel="epoch", ylabel="SimLex-999, Spearman x 100")
    axes.set_xticks(range(1, len(scores) + 1))
    axes.legend()
    axes.figure.savefig(args.out / "charagram_convergence.png", dpi=120)


if __name__ == "__main__":
    main()
