"""Margins between paraphrases and negatives after training, and learnt word weights.

    python benchmarks/papers/wieting_margins_and_weights.py --data ../shared [--seeds 3]

Reproduces the figures in the text of sections 5 and 6 of Wieting et al. (2016): the
mean margin of four models on their training pairs, which distinguishes underfitting
from overfitting; rare words of a data set and the distance of PP from the 75th
percentile of the systems in the shared task; and the lengths of PP's vectors as weights
of its initial vectors. The margins are those of one seed. The LSTMs start from word
vectors of length 6: from length 1, their gates hardly open. Writes
`benchmarks/results/wieting_margins_and_weights.json`, `.md` and, with matplotlib,
`.png`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from skparaphrase.datasets import load_word_frequencies
from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import token_weights
from skparaphrase.vectors import WordFrequencies, WordVectors

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.margins import margins
from _lib.paper_encoders import multiplied, paper_encoder
from _lib.papers import (
    COLUMNS,
    Data,
    median,
    parse_args,
    run_all,
    score_sts,
    sts_means,
    table,
    write,
)
from _lib.published import WIETING, printed, published

# Rates were chosen on the training sets of STS 2012 and SICK. The last entry is what
# the paper calls the model. In the order of training time, longest first.
MODELS: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "LSTM with gate": ("LSTMEncoder", {"output_gate": True}, "LSTM (o.g.)"),
    "LSTM": ("LSTMEncoder", {"output_gate": False}, "LSTM (no o.g.)"),
    "projection": ("ProjectionEncoder", {"learning_rate": 0.0002}, "projection"),
    "PP": ("ParagramEncoder", {"learning_rate": 0.01}, "PARAGRAM-PHRASE"),
    "average": ("AverageEncoder", {}, None),
}
N_PAIRS = 20_000  # of the margins, because LSTMs are slow
EPOCHS = 3
TIMES = 6.0  # as long are the word vectors that the LSTMs start from
RARE = 100  # occurrences in the training pairs, as in section 5.1
PP = {"learning_rate": 0.01, "max_epochs": 4}  # of the weights, on all pairs
PUBLISHED = {
    name: printed(f"{WIETING} section 6", system)
    for name, system in (
        ("start", "PARAGRAM-SL999"),
        ("PP", "PARAGRAM-PHRASE"),
        (
            "start x length in PP (L1)",
            "PARAGRAM-SL999 x L1 weight of PARAGRAM-PHRASE",
        ),
        ("start x 1 / count", "PARAGRAM-SL999 x 1/frequency"),
    )
}
RANK = printed(f"{WIETING} section 5.1", "PARAGRAM-PHRASE")


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    weighing = [(weights, (args, seed)) for seed in range(args.seeds)]
    found = run_all(args, [*weighing, *((margin, (args, 0, name)) for name in MODELS)])
    of_weights = found[: args.seeds]
    measured = dict(zip(MODELS, found[args.seeds :], strict=True))
    scores = {
        name: median([run["scores"][name] for run in of_weights])
        for name in of_weights[0]["scores"]
    }
    rare = {key: median([run[key] for run in of_weights]) for key in ("rare", "sets")}
    ranks = median([run["ranks"] for run in of_weights])
    results = {
        "margins": measured,
        **rare,
        "weights": scores,
        "rank correlations": ranks,
    }
    lines = [
        *report_margins(measured), "", *report_rare(**rare, n_seeds=args.seeds), "",
        *report_weights(scores, ranks, args.seeds),
    ]  # fmt: skip
    write(args, "wieting_margins_and_weights", results, lines)
    if not (args.quick or args.short):
        draw(args, **rare)


def margin(args: argparse.Namespace, seed: int, name: str) -> dict[str, Any]:
    """Means over the training pairs of a model."""
    data = Data(args)
    kind, params, _ = MODELS[name]
    pairs = data.pairs[: 1000 if args.quick else N_PAIRS]
    vectors = data.vectors
    if kind == "LSTMEncoder":
        vectors = multiplied(vectors, TIMES)
    if name == "average":
        encoder: Any = AverageEncoder(vectors)
    else:
        params = {**params, "max_epochs": 1 if args.quick else EPOCHS}
        encoder = paper_encoder(kind, vectors=vectors, random_state=seed, **params)
        encoder.fit(pairs)
    frame = margins(encoder, pairs, random_state=0)
    return {
        "margin": float(frame["margin"].mean()),
        "positive": float(frame["positive"].mean()),
        "negative": float(frame[["negative1", "negative2"]].to_numpy().mean()),
        "loss": getattr(encoder, "loss_curve_", [np.nan])[-1],
        **sts_means(score_sts(encoder, data)),
    }


def weights(args: argparse.Namespace, seed: int) -> dict[str, Any]:
    """Scores of PP's initial vectors, with the weights that it learnt."""
    data = Data(args)
    begin = data.vectors
    encoder = paper_encoder("ParagramEncoder", vectors=begin, random_state=seed, **PP)
    encoder.fit(data.pairs)
    path = data.root / "data/frequencies/enwiki_vocab_min200.txt"
    counts = WordFrequencies.read(path).fill_from(load_word_frequencies())
    frame = token_weights(encoder, counts)
    initial = token_weights(begin, counts)
    matrix = begin.rows(slice(None))

    def weighted(by: Any) -> WordVectors:
        return begin.replace(matrix * np.asarray(by, dtype=np.float32)[:, np.newaxis])

    tables = {
        "start": begin,
        "PP": encoder.vectors_,
        "start x length in PP (L1)": weighted(frame["l1"]),
        "start x length in PP / at start": weighted(frame["l1"] / initial["l1"]),
        "start x 1 / count": weighted(1 / frame["count"].clip(lower=1)),
        "start x SIF": weighted(frame["sif"]),
    }
    scores, sets = {}, {}
    for name, vectors in tables.items():
        sets[name] = found = score_sts(AverageEncoder(vectors), data)
        mean = float(np.mean(list(found.values())))
        scores[name] = {**sts_means(found), "mean of sets": mean}
    seen_often = WordFrequencies.from_texts(data.pairs)
    # Words that training changed; the others keep their initial lengths.
    moved = (encoder.vectors_.rows(slice(None)) != matrix).any(axis=1)
    seen = moved & (frame["count"] > 0)
    ranks = {
        name: float(spearmanr(of["l1"][seen], frame["count"][seen]).statistic)
        for name, of in (("start", initial), ("PP", frame))
    }
    return {
        "scores": scores,
        "ranks": {**ranks, "words": float(seen.sum())},
        "rare": {
            name: rare(pairs, seen_often) for name, (pairs, _) in data.sts.items()
        },
        "sets": sets["PP"],
    }


def rare(pairs: Any, counts: WordFrequencies) -> float:
    """Per cent of the tokens of a data set that are rare in the training pairs."""
    tokens = WordFrequencies.from_texts(pairs)
    found = sum(n for word, n in tokens.items() if counts.get(word, 0) < RARE)
    return 100 * found / tokens.total


def report_margins(measured: dict[str, dict[str, float]]) -> list[str]:
    rows = [
        [
            name,
            of["margin"],
            MODELS[name][2] and printed(f"{WIETING} section 5", str(MODELS[name][2])),
            of["positive"],
            of["negative"],
        ]
        for name, of in reversed(measured.items())
    ]
    similarity = [
        f"{name} {of['mean of years']:.1f}" for name, of in reversed(measured.items())
    ]
    return [
        "# Margins and weights of words",
        "",
        "Made by `python benchmarks/papers/wieting_margins_and_weights.py`.",
        "",
        "## Margins on the training pairs",
        "",
        "Mean of 2 cos(g1, g2) - cos(n1, g1) - cos(n2, g2), with the most similar text",
        f"of batches of 100 as negative, after {EPOCHS} epochs of {N_PAIRS:,} pairs;",
        "the LSTMs from word vectors of length 6, the others as they are (length 1).",
        "One seed. Published: Wieting et al. (2016), section 5.",
        "",
        *table(
            ["model", "margin", "published", "positive", "negative"], rows, digits=3
        ),
        "",
        "Mean Pearson x 100 of the years:",
        f"{', '.join(similarity)}.",
        "",
        "The paper's point: models that differ much in similarity hardly differ in",
        "margin, so that the weak ones do not fail to fit. What differs: sentences",
        "instead of phrases. The paper's models here are not those of its table 2.",
    ]


def report_rare(
    rare: dict[str, float], sets: dict[str, float], n_seeds: int
) -> list[str]:
    distances = _distances(sets)
    rho = 100 * spearmanr(list(rare.values()), list(distances.values())).statistic
    systems = {share: published(share) for share in ("50%", "75%", "max")}
    return [
        "## Rare words",
        "",
        f"Per cent of the tokens that occur less than {RARE} times in the training",
        f"pairs; Pearson x 100 of PP, median of {n_seeds} seeds; and of the systems",
        "that took part in the task, median, 75th percentile and best (Wieting et al.,",
        "table 2).",
        "",
        *table(
            ["data set", "rare words", "PP", *systems, "PP less 75%"],
            [
                [
                    name,
                    rare[name],
                    sets[name],
                    *(of[name] for of in systems.values()),
                    distances[name],
                ]
                for name in sorted(rare, key=rare.__getitem__)
            ],
        ),
        "",
        "Spearman x 100 of rare words and the distance from the 75th percentile:",
        f"{rho:.1f} on {len(rare)} data sets; published, section 5.1: {RANK} on 22.",
    ]


def _distances(sets: dict[str, float]) -> dict[str, float]:
    """How far scores are above the 75th percentile of the systems of their task."""
    quartiles = published("75%")
    return {name: score - quartiles[name] for name, score in sets.items()}


def draw(
    args: argparse.Namespace, rare: dict[str, float], sets: dict[str, float]
) -> None:
    """Plot rare words and distances from the 75th percentile."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    distances = _distances(sets)
    axes = Figure(figsize=(6, 4), layout="constrained").subplots()
    axes.scatter([rare[name] for name in distances], list(distances.values()), s=12)
    axes.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    left = ("2012.OnWN", "2012.SMTeuroparl", "2015.headlines")  # others are close
    for name in rare:
        side = -1 if name in left else 1
        place = {"xytext": (4 * side, 2), "textcoords": "offset points"}
        place["ha"] = "right" if name in left else "left"
        axes.annotate(name, (rare[name], distances[name]), fontsize=6, **place)
    axes.set_xmargin(0.15)
    axes.set(xlabel="rare words, %", ylabel="PP less 75th percentile, Pearson x 100")
    axes.figure.savefig(args.out / "wieting_margins_and_weights.png", dpi=120)


def report_weights(
    scores: dict[str, dict[str, float]], ranks: dict[str, float], n_seeds: int
) -> list[str]:
    def share(means: dict[str, float]) -> str:
        gain = means["start x length in PP (L1)"] - means["start"]
        return f"{100 * gain / (means['PP'] - means['start']):.0f}%"

    ours = {name: of["mean of sets"] for name, of in scores.items()}
    loss = {
        who: means["start x 1 / count"] - means["start"]
        for who, means in (("here", ours), ("published", PUBLISHED))
    }
    return [
        "## Lengths of vectors as weights",
        "",
        "Pearson x 100 of averages of the vectors that PP began with, weighted by the",
        "sum of absolute components that each word has in PP",
        f"({PP['max_epochs']} epochs on all pairs), or by its frequency in Wikipedia.",
        f"Medians of {n_seeds} seeds. Published: section 6, mean over 22 sets, from",
        "PARAGRAM-SL999.",
        "",
        *table(
            ["vectors", *COLUMNS, "mean of sets", "published"],
            [
                [
                    name,
                    *(of[column] for column in (*COLUMNS, "mean of sets")),
                    PUBLISHED.get(name),
                ]
                for name, of in scores.items()
            ],
        ),
        "",
        f"Share of PP's gain that lengths alone bring: {share(ours)}, published",
        f"{share(PUBLISHED)}. 1 / count against the start: {loss['here']:+.1f},",
        f"published {loss['published']:+.1f}.",
        "",
        f"Rank correlation of length and count, {ranks['words']:.0f} words that",
        f"training moved: {ranks['start']:.2f} at the start, {ranks['PP']:.2f} in PP.",
        "",
        "What differs: other vectors at the start, fewer pairs, Wikipedia's counts.",
    ]


if __name__ == "__main__":
    main()
