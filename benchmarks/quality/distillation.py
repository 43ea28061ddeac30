"""Distillation of all-MiniLM-L6-v2 into averages of word vectors.

    python benchmarks/quality/distillation.py [--quick] [--seeds 3] [--jobs 1]

The teacher embeds the distinct sentences of the training pairs (captions, rewrites,
news: 81,000), which takes some minutes and is cached in `results/runs`.
`ParaphraseEncoder(loss="distillation")` starts from the teacher's own vectors of single
words. It is compared with these vectors before training, with vectors trained on the
pairs themselves, and with the teacher. Rate and epochs were chosen on the training sets
of STS 2012 and SICK (`--choose` prints these scores). Writes
`benchmarks/results/distillation.json` and `.md`.
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
from skparaphrase.metrics import STSScorer
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    apply_sif_weights,
    remove_mean,
)

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import INFONCE, paper_encoder
from _lib.papers import (
    COLUMNS,
    Data,
    median,
    parse_args,
    score_sts,
    sts_means,
    table,
    write,
)
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
    choose = "--choose" in sys.argv
    if choose:
        sys.argv.remove("--choose")
    args = parse_args(__doc__, seeds=3)
    data = Data(args)
    frequencies = data.frequencies
    pairs = np.concatenate([data.corpus(name) for name in data.sentences])
    pairs = pairs[:: 40 if data.quick else 1]
    texts = list(dict.fromkeys(pairs.ravel().tolist()))
    vectors = teach(texts)
    if choose:
        return _choose(data, frequencies, texts, vectors)
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
    for name, make, n_seeds in (
        ("SIF weights, nothing trained", untrained, 1),
        ("InfoNCE on the pairs, from SIF", on_pairs, args.seeds),
        ("distillation, from SIF", lambda s: distilled(s, from_sif), args.seeds),
        (
            "distillation, from the plain average",
            lambda seed: distilled(seed, data.vectors),
            args.seeds,
        ),
        ("the teacher", lambda _: Teacher(), 1),
    ):
        runs: dict[int, list[dict[str, float]]] = {0: [], 1: []}
        for seed in range(n_seeds):
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
    write(args, "distillation", results, _report(results, len(texts)))


def _choose(
    data: Data, frequencies: WordFrequencies, texts: list[str], vectors: Any
) -> None:
    """Print development scores of rates and epochs, plain and with removal."""
    tables = {
        "uniform": data.vectors,
        "sif": apply_sif_weights(remove_mean(data.vectors), frequencies),
    }
    for weighting, start in tables.items():
        for optimizer, rate in (
            ("adam", 0.001),
            ("adam", 0.003),
            ("adagrad", 0.02),
            ("adagrad", 0.03),
            ("adagrad", 0.05),
        ):
            encoder = ParaphraseEncoder(
                start,
                loss="distillation",
                random_state=0,
                warm_start=True,
                **{
                    **SETTING,
                    "optimizer": Optimizer(optimizer, max_change=None),
                    "learning_rate": rate,
                    "max_epochs": 1,
                },
            )
            for epoch in (1, 2, 4, 8, 12):
                encoder.set_params(max_epochs=epoch - getattr(encoder, "n_epochs_", 0))
                encoder.fit(texts, vectors)
                scores = [
                    STSScorer(data.development, postprocess=CommonComponentRemoval(n))(
                        encoder
                    )["mean"]
                    for n in (0, 1)
                ]
                print(weighting, optimizer, rate, epoch, *np.round(scores, 4))


def _report(results: dict[str, Any], n_texts: int) -> list[str]:
    best = results["distillation, from SIF + R"]["mean of years"]
    teacher = results["the teacher"]["mean of years"]
    return [
        "# Distillation",
        "",
        "Pearson x 100 on semantic textual similarity, mean over the data sets of a",
        "year; R removes a common component, fitted on the evaluated sentences. From",
        f"{n_texts:,} sentences, by `python benchmarks/quality/distillation.py`;",
        "medians over seeds. Seconds are those of `fit`, the teacher's vectors at",
        "hand, on a busy machine.",
        "",
        *table(
            ["", *COLUMNS, "seconds"],
            [
                [name, *(row[column] for column in COLUMNS), row["seconds"]]
                for name, row in results.items()
            ],
        ),
        "",
        f"Distilled averages + R have {best / teacher:.1%} of the teacher's own mean.",
    ]


if __name__ == "__main__":
    main()
