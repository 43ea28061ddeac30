"""Published figures of the five papers, and their means on the available data sets.

The figures are only in `published.toml`, as printed. They are checked by a test against
a transcription of the papers.

Printed means of 2013 include SMT, which has a separate licence. The means here are
computed from the printed scores of the other sets, and may therefore differ by 0.1 from
printed means. Two printed means do not follow from the paper's own rows: 2013 of
GloVe+W (44.0) and of GloVe+WR (56.6); with SMT, the rows have 46.1 and 57.3.

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
SYSTEMS = ("50%", "75%", "max")  # of the shared tasks
#: Rows with scores by year only, which include no SMT.
BY_YEAR = {"CSE on sentences": (f"{CSE} 4", "CSE sentence")}

_FIGURES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: Rows with scores by data set: their tables and their names.
METHODS: dict[str, tuple[str, str]] = _FIGURES["methods"]
N_SETS = {"2012": 5, "2013": 3, "2014": 6, "2015": 5, "SICK": 1}


@cache
def tables() -> dict[str, dict[str, dict[str, Any]]]:
    """Figures (or lists of words) by table, system and column."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for part in _FIGURES["tables"]:
        table = found.setdefault(part["key"], {})
        for system, figures in part.items():
            if system not in ("key", "columns"):
                row = table.setdefault(system, {})
                row.update(zip(part["columns"], figures, strict=True))
    return found


def printed(table: str, system: str, column: str | None = None) -> Any:
    """A figure, or the only figure of a system, as printed."""
    row = tables()[table][system]
    if column is None:
        (column,) = row
    return row[column]


def printed_row(table: str, system: str) -> tuple[Any, ...]:
    """All figures of a system in a table."""
    return tuple(tables()[table][system].values())


def published(method: str) -> dict[str, Any]:
    """Scores by data set, if known, and their means; see `sts_means`."""
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
    """The mean over all data sets (without SMT), from the means of years and SICK."""
    values = [means[column] for column in columns]
    return float(np.average(values, weights=[N_SETS[column] for column in columns]))


def label(method: str) -> str:
    """The name of a row of published scores."""
    return f"published, {method}"


def beaten(scores: Mapping[str, float]) -> dict[str, int]:
    """The number of data sets with scores above the systems of the shared tasks."""
    return {
        system: sum(
            scores[name] > theirs
            for name, theirs in tables()[f"{WIETING} 2"][system].items()
        )
        for system in SYSTEMS
    }
