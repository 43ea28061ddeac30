"""Is `similarity(probability=True)` calibrated? Its fit, and held-out pairs.

    python benchmarks/quality/probability.py --data ../shared

A pair is a paraphrase if people gave it at least 4 of 5 points: "mostly equivalent, but
some unimportant details differ" (STS), or related to that degree (SICK). A logistic
regression on the cosine (Platt, 1999) is fitted on the development data: the training
sets of STS 2012 and of SICK, each pair with the same weight. Its two coefficients are
in `skparaphrase/encoders/_pretrained.py`. It is evaluated on the test sets of STS 2012
to 2015 and of SICK, which were not used for any choice.

Takes half a minute. Writes `probability.json` and `.md` to benchmarks/results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

import skparaphrase

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.pages import publish
from _lib.papers import Data, parse_args, table

PARAPHRASE = 4  # points of 5
BINS = np.linspace(0, 1, 11)
SOURCES = {  # parts of the names of data sets
    "captions": ("MSRvid", "images", "sick"),
    "news": ("MSRpar", "headlines", "deft-news"),
    "forums, answers, tweets": ("deft-forum", "belief", "answers", "tweet"),
    "definitions": ("OnWN", "FNWN"),
    "machine translation": ("SMT",),
}


def main() -> None:
    args = parse_args(__doc__)
    publish(args, "probability", lambda: measure(Data(args)), cells)


def measure(data: Data) -> dict[str, Any]:
    """The coefficients, and the calibration on test pairs."""
    cosines, labels = pooled(data.development)
    model = LogisticRegression(C=np.inf).fit(cosines[:, np.newaxis], labels)
    slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
    print(f"slope {slope:.2f}, intercept {intercept:.2f}")
    results: dict[str, Any] = {
        "slope": slope,
        "intercept": intercept,
        "development": {"pairs": len(labels), "share": float(labels.mean())},
    }
    cosines, labels = pooled(data.sts)
    probabilities = expit(slope * cosines + intercept)
    results["all"] = figures(labels, probabilities)
    results["bins"] = reliability(labels, probabilities)
    for source, parts in SOURCES.items():
        sets = {
            name: pairs
            for name, pairs in data.sts.items()
            if any(part in name for part in parts)
        }
        cosines, labels = pooled(sets)
        results[source] = figures(labels, expit(slope * cosines + intercept))
    return results


def pooled(sets: Mapping[str, tuple[Any, Any]]) -> tuple[Any, Any]:
    """Cosines of the bundled encoder, and a mask of paraphrases."""
    cosines = [skparaphrase.similarity(*pairs.T) for pairs, _ in sets.values()]
    scores = np.concatenate([scores for _, scores in sets.values()])
    return np.concatenate(cosines).astype(float), scores >= PARAPHRASE


def figures(labels: Any, probabilities: Any) -> dict[str, float]:
    bins = reliability(labels, probabilities)
    gaps = [row["pairs"] * abs(row["share"] - row["mean"]) for row in bins]
    return {
        "pairs": len(labels),
        "share": float(labels.mean()),
        "mean": float(probabilities.mean()),
        "error": float(np.sum(gaps) / len(labels)),
        "brier": float(brier_score_loss(labels, probabilities)),
        "without": float(labels.mean() * (1 - labels.mean())),
    }


def reliability(labels: Any, probabilities: Any) -> list[dict[str, float]]:
    """For each tenth of the scale: pairs, mean probability, share of paraphrases."""
    place = np.digitize(probabilities, BINS[1:-1])
    return [
        {
            "from": float(BINS[i]),
            "pairs": int((place == i).sum()),
            "mean": float(probabilities[place == i].mean()),
            "share": float(labels[place == i].mean()),
        }
        for i in np.unique(place)
    ]


def cells(results: dict[str, Any]) -> dict[str, Any]:
    bins = [
        [
            f"{row['from']:.1f} to {row['from'] + 0.1:.1f}",
            f"{row['pairs']:,}",
            row["mean"],
            row["share"],
        ]
        for row in results["bins"]
    ]
    kinds = {"all pairs": results["all"], **{name: results[name] for name in SOURCES}}
    sources = [
        [
            name,
            f"{row['pairs']:,}",
            *(row["share"], row["mean"], row["error"]),
            f"{row['brier']:.3f} ({row['without']:.3f})",
        ]
        for name, row in kinds.items()
    ]
    heads = ["probability", "pairs", "mean probability", "share"]
    of_sources = [
        "",
        "pairs",
        "share",
        "mean probability",
        "calibration error",
        "Brier",
    ]
    return {
        "minus": -results["intercept"],
        "percent": 100 * results["development"]["share"],
        "reliability": table(heads, bins, digits=2),
        "sources": table(of_sources, sources, digits=2),
    }


if __name__ == "__main__":
    main()
