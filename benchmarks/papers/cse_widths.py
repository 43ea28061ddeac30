"""Widths of the convolution, scrambling, activation and padding of CSE.

    python benchmarks/papers/cse_widths.py --data ../shared [--quick] [--seeds 3]

Reproduces table 5 of Jiao et al. (2018): 300 filters of one width, or 100 of each of
three, trained on sentences alone. Adds what the paper's text leaves open: without
scrambled words, with tanh, and with the padding of the released code and the windows of
the paper. Writes
`benchmarks/results/cse_widths.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import paper_encoder
from _lib.papers import (
    COLUMNS,
    YEARS,
    Data,
    median,
    parse_args,
    run_all,
    score_sts,
    sts_means,
    table,
    write,
)
from _lib.published import CSE, mean_of_sets, printed

# Rate and batch size were chosen on the training sets of STS 2012 and SICK.
EPOCHS, RATE, BATCH_SIZE = 2, 0.0003, 256
N_FILTERS = 300
COMBINED = (1, 2, 3)
WIDTHS: dict[tuple[int, ...], str] = {  # what they are called in the paper
    **{(width,): f"width {width}" for width in (1, 2, 3, 4)},
    COMBINED: "widths 1,2,3",
}
VARIANTS: dict[str, dict[str, Any]] = {
    "tanh": {"activation": "tanh"},
    "tanh, without scramble": {"activation": "tanh", "scramble": 0.0},
    "padding of the batch": {"padding": "batch"},
    "full windows only, as printed": {"padding": "valid"},
}
MEANS = (*COLUMNS, "mean of 19 sets")


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    rows = {
        name(widths, scramble): {"widths": widths, "scramble": scramble}
        for widths in reversed(WIDTHS)
        for scramble in (0.5, 0.0)
    }
    rows |= {name: {"widths": COMBINED, **of} for name, of in VARIANTS.items()}
    # The widest are the slowest; "batch" embeds a hundred texts at a time.
    order = sorted(rows, key=lambda row: -max(rows[row]["widths"]))
    tasks = [
        (run, (args, rows[row], seed, row))
        for row in order
        for seed in range(args.seeds)
    ]
    runs: dict[str, list[Any]] = {row: [] for row in rows}
    for (_, values), result in zip(tasks, run_all(args, tasks), strict=True):
        runs[values[-1]].append(result)
    results = {row: median(of) for row, of in runs.items()}
    write(args, "cse_widths", results, report(results, args.seeds))


def name(widths: tuple[int, ...], scramble: float) -> str:
    several = ", ".join(map(str, widths))
    return several if scramble else f"{several} without scramble"


def run(
    args: argparse.Namespace, params: dict[str, Any], seed: int, _: str
) -> dict[str, Any]:
    """Scores of one setting."""
    data = Data(args)
    pairs = np.concatenate([data.corpus(corpus) for corpus in data.sentences])
    np.random.RandomState(0).shuffle(pairs)
    encoder = paper_encoder(
        "ConvolutionalEncoder",
        "widths",
        vectors=data.vectors,
        n_filters=N_FILTERS // len(params["widths"]),
        learning_rate=RATE,
        batch_size=BATCH_SIZE,
        max_epochs=1 if args.quick else EPOCHS,
        random_state=seed,
        **params,
    )
    encoder.fit(pairs[:1000] if args.quick else pairs)
    return {**sts_means(score_sts(encoder, data)), "loss": encoder.loss_curve_[-1]}


def report(results: dict[str, dict[str, float]], n_seeds: int) -> list[str]:
    results = {row: _with_total(of) for row, of in results.items()}
    ours = {widths: results[name(widths, 0.5)] for widths in WIDTHS}
    theirs = {widths: _published(row) for widths, row in WIDTHS.items()}
    rows: list[list[Any]] = []
    for widths in WIDTHS:
        plain = results[name(widths, 0.0)]["mean of years"]
        rows.append([name(widths, 0.5), *map(ours[widths].get, MEANS), plain])
        rows.append(["published", *map(theirs[widths].get, MEANS), None])
    orders = [
        "; ".join(
            name(widths, 0.5)
            for widths in sorted(of, key=lambda widths: -of[widths]["mean of years"])
        )
        for of in (ours, theirs)
    ]
    plain = name(COMBINED, 0.5)
    combined = [plain, name(COMBINED, 0.0), *VARIANTS]
    return [
        "# Widths of CSE",
        "",
        f"Pearson x 100, medians of {n_seeds} seeds; {N_FILTERS} filters in all, after",
        f"{EPOCHS} epochs of",
        "captions, rewrites and news (76 thousand pairs) with the paper's margin and",
        "penalty. Made by `python benchmarks/papers/cse_widths.py`. Published: Jiao et",
        "al. (2018), table 5, on Simple Wikipedia. Mean of years: 2012 to 2014; mean",
        "of 19 sets: without SICK, the total of the paper.",
        "",
        *table(["widths", *MEANS, "mean of years, no scramble"], rows),
        "",
        f"Order by the mean of years: here {orders[0]}.",
        f"Published: {orders[1]}.",
        "",
        "## Scrambling, activation and padding",
        "",
        *table(
            ["widths 1, 2, 3", *MEANS, "seconds"],
            [
                [
                    "as above" if row == plain else row.removeprefix(plain).strip(),
                    *(results[row][column] for column in MEANS),
                    results[row]["seconds"],
                ]
                for row in combined
            ],
        ),
        "",
        "What differs: other vectors at the start; half of the pairs are captions,",
        "which the sets of videos and images resemble; batches of",
        f"{BATCH_SIZE} instead of 100, rate {RATE} instead of 0.001.",
    ]


def _with_total(of: dict[str, float]) -> dict[str, float]:
    return {**of, "mean of 19 sets": mean_of_sets(of, YEARS)}


def _published(row: str) -> dict[str, float]:
    years = {year: printed(f"{CSE} 5", row, f"{year}.average") for year in YEARS}
    means = sts_means({**years, "sick": np.nan})
    del means["SICK"]  # not in table 5
    total = printed(f"{CSE} 5", row, "average of 19 sets")
    return {**means, "mean of 19 sets": total}


if __name__ == "__main__":
    main()
