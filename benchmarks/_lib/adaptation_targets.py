"""What a fit has to reach, and whether the recorded figures reach it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from _lib import RESULTS

Row = dict[str, Any]  # "" is its name; other values are lists, one number per seed
Results = Mapping[str, list[Row]]  # by section

START = ", start"  # ends the name of the column with the figure before the fit
STS_LOSS = 0.6  # at most, in the fits on captions and intents

# The encoders of characters start at random. Their bound is what the
# table wieting_encoders records on STS for 92,000 pairs, with settings of their own.
RECORDED = {
    "CharagramEncoder": "Charagram",
    "CharCNNEncoder": "charCNN",
    "CharLSTMEncoder": "charLSTM, own setting",
}


class Target(NamedTuple):
    """A lower bound of a figure: a number, or that of another row and column."""

    section: str
    row: str
    column: str
    bound: float | tuple[str, str]
    margin: float = 0.0  # added to the bound
    every_seed: bool = False  # not only the median
    is_aim: bool = False  # may be missed


NUMBERS = (
    Target("captions", "500 pairs", "MRR", 35.2),
    Target("captions", "3,000 pairs", "MRR", 36.2),
    Target("captions", "all pairs", "MRR", 37.4),
    Target("intents", "50 pairs", "neighbour", ("50 pairs", "neighbour" + START), 0.1),
    Target("intents", "5 texts an intent", "neighbour", 78.5),
    Target("intents", "20 texts an intent", "neighbour", 88.5),
    Target("intents", "100 texts an intent", "neighbour", 91.5),
    Target("intents", "5 texts an intent", "logistic", 81.5),
    Target("intents", "20 texts an intent", "logistic", 90.8),
    Target("intents", "20 texts an intent", "logistic", 92.9, is_aim=True),
    Target("sick", "4,500 scores", "SICK", 83.0),
    Target("sick", "4,500 scores", "STS", ("4,500 scores", "STS" + START), -1.0),
    Target("few", "TextClassifier", "20", 90.5),
    Target("labels", "SimilarityRegressor on SICK", "test", 87.2),
    Target("labels", "PairClassifier on MSRP", "test", 73.0),
    Target("labels", "PairwiseInteractionRanker on TrecQA", "test", 80.0),
)


def targets(results: Results) -> Iterator[Target]:
    """The targets: numbers, and "a fit never loses to not fitting"."""
    yield from NUMBERS
    for section, rows in results.items():
        for row in rows:
            for column in (key for key in row if key + START in row):
                start = row[""], column + START
                if column != "STS":
                    yield Target(section, row[""], column, start, every_seed=True)
                elif section in ("captions", "intents"):
                    yield Target(section, row[""], column, start, -STS_LOSS)
    for column in ("2", "5", "10", "20"):
        frozen = "pretrained, logistic regression", column
        yield Target("few", "TextClassifier", column, frozen)
    recorded = json.loads((RESULTS / "wieting_encoders.json").read_text("utf-8"))
    for row, name in RECORDED.items():
        bound = recorded["results"][name]["with 2015"]
        yield Target("encoders", row, "STS", bound)


def judge(target: Target, results: Results) -> list[Any] | None:
    """Figure, target, median, range, and a verdict; None if it was not measured."""
    rows = {row[""]: row for row in results.get(target.section, ())}
    values = rows.get(target.row, {}).get(target.column)
    if isinstance(target.bound, tuple):
        row, column = target.bound
        bounds = rows.get(row, {}).get(column)
    else:
        bounds = [target.bound]
    if not values or not bounds:
        return None
    least = np.array(bounds) + target.margin
    if target.every_seed:
        is_met = np.all(np.array(values) >= least)
    else:
        is_met = np.median(values) >= np.median(least)
    bound = f"{np.median(least):.2f}"
    bound += ", every seed" * target.every_seed + " (aim)" * target.is_aim
    return [
        f"{target.section}: {target.row}, {target.column}",
        bound,
        float(np.median(values)),
        f"{min(values):.2f} to {max(values):.2f}",
        "met" if is_met else "not met",
    ]
