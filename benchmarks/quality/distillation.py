"""Distillation of all-MiniLM-L6-v2 into averages of word vectors.

    python benchmarks/quality/distillation.py [--quick] [--seeds 3]

The teacher embeds the distinct sentences of the training pairs (captions, rewrites,
news: 81,000), which takes some minutes and is cached in `results/runs`.
`ParaphraseEncoder(loss="distillation")` starts from the teacher's own vectors of single
words. It is compared with these vectors before training, with vectors trained on the
pairs themselves, and with the teacher. Rate and epochs were chosen on the training sets
of STS 2012 and SICK. Writes `benchmarks/results/distillation.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParaphraseEncoder, SIFEncoder
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import (
    WordVectors,
    apply_sif_weights,
    remove_mean,
)

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.pages import publish
from _lib.paper_encoders import INFONCE, paper_encoder
from _lib.paper_tables import lines
from _lib.papers import Data, median, parse_args, score_sts, sts_means, table
from _lib.teacher import teach

SETTING: dict[str, Any] = {
    "optimizer": Optimizer("adagrad", max_change=None),
    "learning_rate": 0.03,
    "batch_size": 256,
    "max_epochs": 8,
}


class Teacher:
    """The teacher as an encoder: texts of shape S to vectors of shape S + (384,)."""

    def transform(self, X: Any) -> Any:
        texts = np.asarray(X, dtype=object)
        return teach(texts.ravel().tolist()).reshape(*texts.shape, -1)


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    publish(args, "distillation", lambda: measure(Data(args), args.seeds), cells)


def measure(data: Data, n_seeds: int) -> dict[str, Any]:
    """Medians over seeds of each way to train, and of the teacher."""
    frequencies = data.frequencies
    pairs = np.concatenate([data.corpus(name) for name in data.sentences])
    pairs = pairs[:: 40 if data.quick else 1]
    texts = list(dict.fromkeys(pairs.ravel().tolist()))
    vectors = teach(texts)
    from_sif = apply_sif_weights(remove_mean(data.vectors), frequencies)

    def distilled(seed: int, table: WordVectors) -> ParaphraseEncoder:
        encoder = ParaphraseEncoder(
            table, loss="distillation", random_state=seed, **SETTING
        )
        return encoder.fit(texts, vectors)

    def on_pairs(seed: int) -> Any:
        encoder = paper_encoder(
            "ParaphraseEncoder", vectors=from_sif, random_state=seed, **INFONCE
        )
        return encoder.fit(pairs)

    def untrained(_: int) -> SIFEncoder:
        return SIFEncoder(data.vectors, frequencies=frequencies).fit(texts)

    results = {}
    for name, make, n_runs in (
        ("SIF weights, nothing trained", untrained, 1),
        ("InfoNCE on the pairs, from SIF", on_pairs, n_seeds),
        ("distillation, from SIF", lambda s: distilled(s, from_sif), n_seeds),
        (
            "distillation, from the plain average",
            lambda seed: distilled(seed, data.vectors),
            n_seeds,
        ),
        ("the teacher", lambda _: Teacher(), 1),
    ):
        runs: dict[int, list[dict[str, float]]] = {0: [], 1: []}
        for seed in range(n_runs):
            started = time.perf_counter()
            encoder = make(seed)
            seconds = time.perf_counter() - started
            for n_components, found in runs.items():
                removal = CommonComponentRemoval(n_components)
                scores = sts_means(score_sts(encoder, data, removal))
                found.append({**scores, "seconds": seconds})
        for n_components, found in runs.items():
            row = name + " + R" * n_components
            results[row] = median(found)
            print(row, results[row], flush=True)
    return results


def cells(results: dict[str, Any]) -> dict[str, Any]:
    mean, columns = "mean of years", [*results["the teacher"]]
    return {
        "table": table(["", *columns], lines(results, columns)),
        "share": results["distillation, from SIF + R"][mean]
        / results["the teacher"][mean],
    }


if __name__ == "__main__":
    main()
