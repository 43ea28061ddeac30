"""Pairwise word interaction on graded similarity.

    python benchmarks/papers/interaction_similarity.py [--quick] [--seeds 3]

Reproduces tables 3 (SICK, with the LSTMs of Tai et al. 2015), 4 (MSRvid), 5 (STS 2014)
and 8 (ablations) of He & Lin (2016). Writes
`benchmarks/results/interaction_similarity.json` and `.md`. Takes hours of one core;
finished fits are cached in `benchmarks/results/runs`, so an interrupted run can be
resumed.

Fits of more than two CPU minutes have one seed. Settings were chosen on the development
set of SICK with the first seed, and for MSRvid on pairs of its training set. The epoch
is the best one on the development set, and the last one for MSRvid and STS 2014.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.datasets import read_pairs
from skparaphrase.inspection import word_interactions
from skparaphrase.interaction import PairwiseInteractionRegressor
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.supervised import SimilarityRegressor

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.interaction import (
    Row,
    build,
    find_vectors,
    medians,
    once,
    part_of,
    settings,
    shown,
    timed_fit,
)
from _lib.paper_encoders import paper_encoder
from _lib.papers import parse_args, run_all, table, write
from _lib.published import PWIM, printed, printed_row, tables

MEASURES = ("r", "rho", "MSE")


def _printed(system: str) -> dict[str, float]:
    """r, rho and mean squared error in table 3."""
    return dict(zip(MEASURES, printed_row(f"{PWIM} 3", system), strict=True))


def _ablated(system: str) -> dict[str, float]:
    """r of an ablation in table 8."""
    full, change = (printed(f"{PWIM} 8", row, "SICK") for row in ("Full Model", system))
    return {"r": full + change}


PUBLISHED = _printed("This work")
OTHERS = {"He et al. (2015), published": _printed("He et al. (2015)")}
SICK = {  # the longest first
    "paper's setting": Row({"paper": "sick"}, 1, PUBLISHED),
    "defaults": Row({}, 1, PUBLISHED),
    "without context": Row(
        {"context": False}, 1, _ablated("Remove context modeling (Sec. 4)")
    ),
    "without focus": Row(
        {"focus": "none"}, 1, _ablated("Remove entire focus layer (Sec. 6)")
    ),
    "focus as printed": Row({"focus": "paper"}, 1),
    "dropout for focus": Row(
        {"focus": "dropout"}, 1, _ablated("Replace entire focus layer with dropout")
    ),
    "trained vectors": Row({"freeze": None}, 1),
    "bundled vectors": Row({"vectors": "bundled"}, 1),
    "vectors of load_pretrained()": Row({"vectors": "pretrained"}, 1),
}
# Dimensions of Tai et al. (2015), which give all the same number of parameters.
BASELINES = {
    "LSTM": Row({"dim": 150}, 3, _printed("LSTM")),
    "bidirectional LSTM": Row(
        {"dim": 150, "bidirectional": "tied"},
        3,
        _printed("Bi-LSTM"),
    ),
    "2-layer LSTM": Row({"dim": 108, "n_layers": 2}, 3, _printed("2-layer LSTM")),
    "2-layer bidirectional LSTM": Row(
        {"dim": 108, "n_layers": 2, "bidirectional": "tied"},
        3,
        _printed("2-layer Bi-LSTM"),
    ),
}
STS = {
    "STS 2014": Row({"max_words": 48, "max_epochs": 8}, 1),
    "STS 2014, PP vectors": Row({"vectors": "PP", "max_words": 48, "max_epochs": 8}, 1),
    "MSRvid": Row({"max_epochs": 20}),
    "MSRvid, PP vectors": Row({"vectors": "PP", "max_epochs": 20}),
    "MSRvid, paper's setting": Row({"paper": "msrvid"}, 1),
}
FILES = {  # trained on, tested on
    "MSRvid": (["2012-train.MSRvid"], "2012.MSRvid"),
    "STS 2014": (["2012-train.*", "2012.*", "2013.*"], "2014.*"),
}
STS_2014 = dict(tables()[f"{PWIM} 5"]["This work"])
MEAN_2014 = STS_2014.pop("Wt. Mean")
MSRVID = printed(f"{PWIM} 4", "This work")


N_PAIRS = printed(f"{PWIM} section 8", "STS2014 training pairs used")


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    kinds = [(fit_sick, SICK), (fit_sts, STS), (fit_baseline, BASELINES)]
    tasks = [
        (fit, (args, seed, name))
        for fit, rows in kinds
        for name, row in rows.items()
        for seed in range(min(args.seeds, row.seeds))
    ]
    runs: dict[str, list[dict[str, Any]]] = {}
    for (_, (*_, name)), result in zip(tasks, run_all(args, tasks), strict=True):
        runs.setdefault(name, []).append(result)
    write(args, "interaction_similarity", runs, report(runs))


def model_for(
    args: argparse.Namespace, params: Mapping[str, Any], seed: int
) -> PairwiseInteractionRegressor:
    """The model of a row, without the similarity, as in the paper."""
    params = {"random_state": seed, "similarity": None, **params}
    model: PairwiseInteractionRegressor
    model = build(args, PairwiseInteractionRegressor, params)
    return model


def fit_sick(args: argparse.Namespace, seed: int, name: str) -> dict[str, Any]:
    """Table 3, and the ablations of table 8."""
    train, dev, test = read_sick(args)

    def compute() -> dict[str, Any]:
        model = model_for(args, {"score_range": (1, 5), **SICK[name].params}, seed)
        costs = timed_fit(model, *train, X_val=dev[0], y_val=dev[1])
        predicted = model.predict(test[0])
        found = {**measure(test[1], predicted), **costs}
        if name == "defaults" and not seed:
            moved = compare_focus(model, test[0], predicted)
            found["printed focus"] = {"r of this model": found["r"], **moved}
        return found

    return once(args, f"sick-{name}-{seed}", SICK[name].params, compute)


def fit_baseline(args: argparse.Namespace, seed: int, name: str) -> dict[str, Any]:
    """A row of table 3: last states of LSTMs under the head of Tai et al."""
    train, dev, test = read_sick(args)

    def compute() -> dict[str, Any]:
        encoder = paper_encoder(
            "LSTMEncoder",
            vectors=find_vectors(args, None),
            peepholes=None,
            **BASELINES[name].params,
        )
        model = SimilarityRegressor.paper(
            "wieting",
            encoder=encoder,
            scale=6.0,
            score_range=(1, 5),
            freeze="vectors",
            optimizer="adagrad",  # as Tai et al.; better than Adam on dev
            learning_rate=0.05,
            max_epochs=1 if args.quick else 2 if args.short else 10,
            random_state=seed,
        )
        costs = timed_fit(model, *train, X_val=dev[0], y_val=dev[1])
        return {**measure(test[1], model.predict(test[0])), **costs}

    return once(args, f"sick-{name}-{seed}", BASELINES[name].params, compute)


def read_sick(args: argparse.Namespace) -> list[Any]:
    """Pairs and scores of train, dev and test."""
    train, *others = (
        read_pairs(args.data / f"data/sick/{part}.tsv", score="score", return_X_y=True)
        for part in ("train", "dev", "test")
    )
    return [part_of(args, *train), *others]


def measure(gold: Any, predicted: Any) -> dict[str, float]:
    return {
        "r": pearson_score(gold, predicted),
        "rho": spearman_score(gold, predicted),
        "MSE": float(np.mean((gold - predicted) ** 2)),
    }


def compare_focus(model: Any, pairs: Any, predicted: Any) -> dict[str, float]:
    """What changes if a model trained with the focus of the code gets the printed one.

    Of every tenth pair: picked cells that differ, as a share of those that either
    picks, and pairs with any. Of all: how far predictions move.
    """
    differ = []
    printed = deepcopy(model).set_params(focus="paper")
    for pair in pairs[::10]:
        ours, theirs = (word_interactions(m, pair).focus for m in (model, printed))
        differ.append((ours ^ theirs).sum() / (ours | theirs).sum())
    moved = np.abs(printed.predict(pairs) - predicted)
    shares = np.array(differ)
    return {
        "share of cells that differ": float(shares.mean()),
        "share of pairs that differ": float((shares > 0).mean()),
        "prediction moves, mean": float(moved.mean()),
        "prediction moves, most": float(moved.max()),
    }


def fit_sts(args: argparse.Namespace, seed: int, name: str) -> dict[str, Any]:
    """Tables 4 and 5: Pearson's r on test sets, and the mean weighted by their size."""
    train, test = FILES[name.partition(",")[0]]
    folder = args.data / "data/sts"
    parts = [
        read_pairs(path, score="score", return_X_y=True)
        for pattern in train
        for path in sorted(folder.glob(f"{pattern}.tsv"))
    ]
    X, y = part_of(args, *map(np.concatenate, zip(*parts, strict=True)))

    def compute() -> dict[str, Any]:
        model = model_for(args, {"score_range": (0, 5), **STS[name].params}, seed)
        costs = timed_fit(model, X, y)
        found, sizes = {}, []
        for path in sorted(folder.glob(f"{test}.tsv")):
            pairs, gold = read_pairs(path, score="score", return_X_y=True)
            found[path.stem.partition(".")[2]] = pearson_score(
                gold, model.predict(pairs)
            )
            sizes.append(len(gold))
        mean = float(np.average(list(found.values()), weights=sizes))
        return {**found, "r": mean, "pairs": len(y), **costs}

    return once(args, f"sts-{name}-{seed}", STS[name].params, compute)


def sick_table(
    found: Mapping[str, Any], rows: Mapping[str, Row], more: Any = ()
) -> list[str]:
    return table(
        ["", *MEASURES],
        [
            [
                name,
                *(shown(found[name][key], row.published.get(key)) for key in MEASURES),
            ]
            for name, row in rows.items()
        ]
        + [[name, *(f"({of[key]:.4f})" for key in MEASURES)] for name, of in more],
    )


def report(runs: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    found = {name: medians(of) for name, of in runs.items()}
    base = found["defaults"]["r"]["median"]
    paper = found["MSRvid, paper's setting"]
    published = PUBLISHED["r"]
    return [
        "# Pairwise word interaction: similarity",
        "",
        "Medians over seeds [lowest, highest] (published: He & Lin 2016, from GloVe",
        "840B on SICK and MSRvid, from PARAGRAM-PHRASE on STS 2014). Vectors here:",
        "`minilm-words.300d.bin`, unless a row says otherwise; a model that is given",
        "none takes those of `load_pretrained()`. Made by",
        "`python benchmarks/papers/interaction_similarity.py`.",
        "",
        "## SICK (table 3), and what helps",
        "",
        *sick_table(found, SICK, OTHERS.items()),
        "",
        "Each row differs from the defaults in:",
        "",
        *settings(SICK),
        "",
        "## Baselines (table 3)",
        "",
        "`SimilarityRegressor` on the last states of LSTMs without peepholes, from the",
        "same vectors, which stay as they are. Backward LSTMs share the parameters of",
        "the forward ones, as in the code of Tai et al. (2015); AdaGrad, rate 0.05.",
        "",
        *sick_table(found, BASELINES),
        "",
        *settings(BASELINES),
        "",
        "## The focus layer of the code, and as printed",
        "",
        "What changes if a model that was trained with the focus of the code",
        "(`defaults`, one seed) gets the printed one; cells are those that either",
        "picks, of every tenth pair. Trained with the printed one, see above.",
        "",
        *table(["", "value"], list(runs["defaults"][0]["printed focus"].items()), 3),
        "",
        "## Ablations (table 8)",
        "",
        "Change of r on SICK against the defaults (published: against the full model).",
        "",
        *table(
            ["", "change of r"],
            [
                [
                    name,
                    f"{found[name]['r']['median'] - base:+.4f} "
                    f"({SICK[name].published['r'] - published:+.4f})",
                ]
                for name in ("without context", "without focus", "dropout for focus")
            ],
        ),
        "",
        "## MSRvid (table 4) and STS 2014 (table 5)",
        "",
        "Pearson's r. STS 2014: trained on the sets of 2012 and 2013 that are here,",
        f"{runs['STS 2014'][0]['pairs']:,} pairs (published: {N_PAIRS:,}, with SMT",
        "2013 and without sentences of more than 48 words); the mean is weighted by",
        "the sizes of the sets.",
        "",
        *table(
            ["", "vectors as they are", "PP vectors"],
            [
                ["MSRvid, paper's setting", shown(paper["r"], MSRVID), None],
                *(
                    [
                        name if part is None else f"{name}, {part}",
                        shown(found[name][part or "r"], published),
                        shown(found[f"{name}, PP vectors"][part or "r"], None),
                    ]
                    for name, part, published in [
                        ("MSRvid", None, MSRVID),
                        ("STS 2014", None, MEAN_2014),
                        *(("STS 2014", part, r) for part, r in STS_2014.items()),
                    ]
                ),
            ],
        ),
        "",
        "PP vectors: the same, trained on paraphrases (`ParagramEncoder`), none of",
        "them of an evaluation set. They stand for PARAGRAM-PHRASE.",
        "",
        *settings(STS),
        "",
        "## Runs",
        "",
        "One thread each, beside others; medians.",
        "",
        *table(
            ["", "fit seconds", "epochs", "best epoch"],
            [
                [
                    name,
                    of["fit seconds"]["median"],
                    int(of["epochs"]["median"]),
                    of["best epoch"]["median"] if "best epoch" in of else None,
                ]
                for name, of in found.items()
            ],
        ),
    ]


if __name__ == "__main__":
    main()
