"""Published figures of the five papers, and their means on the data sets that are here.

The figures are in `published.toml`, as printed, and nowhere else. A test compares all
of them with a transcription of the papers.

Printed means of 2013 include SMT, which has a separate licence. The means here are
computed from the printed scores of the other sets, and so may differ by 0.1 from
printed ones. Two printed means do not follow from the paper's own rows: 2013 of GloVe+W
(44.0) and of GloVe+WR (56.6); with SMT, the rows have 46.1 and 57.3.

"50%", "75%" and "max" are the median, the 75th percentile and the best of all systems
that took part in a task.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from _lib.papers import YEARS, sts_means

WIETING = "wieting2016_paragram"
CHARAGRAM = "wieting2016_charagram"
SIF = "arora2017_sif"
PWIM = "he2016_pwim"
CSE = "jiao2018_cse"
#: Rows with scores by data set: what they are called here, their table and their name.
METHODS = {
    "PP": (f"{WIETING} 2", "PP"),
    "projection": (f"{WIETING} 2", "projection"),
    "DAN": (f"{WIETING} 2", "DAN"),
    "RNN": (f"{WIETING} 2", "RNN"),
    "iRNN": (f"{WIETING} 2", "iRNN"),
    "LSTM": (f"{WIETING} 2", "LSTM (no o.g.)"),
    "LSTM with gate": (f"{WIETING} 2", "LSTM (o.g.)"),
    "skip-thought": (f"{WIETING} 2", "skip-thought"),
    "GloVe": (f"{WIETING} 2", "GloVe"),
    "PSL": (f"{WIETING} 2", "PSL"),
    "50%": (f"{WIETING} 2", "50%"),
    "75%": (f"{WIETING} 2", "75%"),
    "max": (f"{WIETING} 2", "max"),
    "PP-XXL": (f"{WIETING} 4", "PARAGRAM-PHRASE XXL"),
    "charCNN": (f"{CHARAGRAM} 11", "charCNN"),
    "charLSTM": (f"{CHARAGRAM} 11", "charLSTM"),
    "PP of the Charagram paper": (f"{CHARAGRAM} 11", "PARAGRAM-PHRASE"),
    "Charagram": (f"{CHARAGRAM} 11", "CHARAGRAM-PHRASE"),
    "tfidf-GloVe": (f"{SIF} 4", "tfidf-GloVe"),
    "GloVe+W": (f"{SIF} 5", "GloVe+W"),
    "GloVe+R": (f"{SIF} 5", "GloVe+R"),
    "GloVe+WR": (f"{SIF} 5", "GloVe+WR"),
    "PSL+W": (f"{SIF} 5", "PSL+W"),
    "PSL+R": (f"{SIF} 5", "PSL+R"),
    "PSL+WR": (f"{SIF} 5", "PSL+WR"),
    "CSE": (f"{CSE} 1", "CSE"),
    "CSE on both": (f"{CSE} 2", "CSE (PPDB XL, then SimpWiki)"),
    "GRAN": (f"{CSE} 2", "GRAN"),
    "ATT-CCG": (f"{CSE} 2", "ATT-CCG"),
}
SYSTEMS = ("50%", "75%", "max")  # of the shared tasks
#: Rows with scores by year only, which include no SMT.
BY_YEAR = {"CSE on sentences": (f"{CSE} 4", "CSE sentence")}

N_SETS = {"2012": 5, "2013": 3, "2014": 6, "2015": 5, "SICK": 1}


@cache
def tables() -> dict[str, dict[str, dict[str, Any]]]:
    """Figures (or lists of words) by table, system and column."""
    path = Path(__file__).with_suffix(".toml")
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for part in tomllib.loads(path.read_text("utf-8"))["tables"]:
        table = found.setdefault(part.pop("key"), {})
        columns = part.pop("columns")
        for system, figures in part.items():
            row = table.setdefault(system, {})
            row.update(zip(columns, figures, strict=True))
    return found


def printed(table: str, system: str, column: str | None = None) -> Any:
    """A figure, or the only one of a system, as it is printed."""
    row = tables()[table][system]
    if column is None:
        (column,) = row
    return row[column]


def printed_row(table: str, system: str) -> tuple[Any, ...]:
    """All figures of a system in a table."""
    return tuple(tables()[table][system].values())


def published(method: str) -> dict[str, Any]:
    """Scores by data set, where they are known, and their means; see `sts_means`."""
    if method in BY_YEAR:
        table, system = BY_YEAR[method]
        years = {
            f"{year}.": printed(table, system, f"{year}.average") for year in YEARS
        }
        return sts_means({**years, "sick": np.nan})
    table, system = METHODS[method]
    row = tables()[table][system]
    scores = {
        name: score for name, score in row.items() if not name.endswith("average")
    }
    return {**scores, **sts_means({"sick": np.nan, **scores})}


def mean_of_sets(
    means: Mapping[str, float], columns: Sequence[str] = tuple(N_SETS)
) -> float:
    """The mean over all data sets (without SMT), from those of years and SICK."""
    values = [means[column] for column in columns]
    return float(np.average(values, weights=[N_SETS[column] for column in columns]))


def label(method: str) -> str:
    """What a row of published scores is called."""
    return f"published, {method}"


def beaten(scores: Mapping[str, float]) -> dict[str, int]:
    """On how many of the data sets scores are above the systems of the shared tasks."""
    return {
        system: sum(
            scores[name] > theirs
            for name, theirs in tables()[f"{WIETING} 2"][system].items()
        )
        for system in SYSTEMS
    }
