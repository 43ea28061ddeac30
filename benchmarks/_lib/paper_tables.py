"""Tables of papers: rows from a description, results of runs, and text.

A description, in the TOML file of its paper, contains the data: the rows with their
settings, the number of seeds, and the text, in which names in braces are replaced. A
subclass of :class:`Table` contains the code: the measurement of a row, and the cells.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from _lib import RESULTS
from _lib.paper_encoders import NAMED
from _lib.papers import Data, cell, filled, median

Results = dict[str, Any]
Runs = Mapping[str, Sequence[Results]]  # results by row, one per seed
FOLDER = Path(__file__).parents[1] / "papers"


class Table:
    """A table; the description is the entry `name` in the TOML file of a paper."""

    name: ClassVar[str]
    is_bundled: ClassVar[bool] = False  # it needs no external data
    kinds: ClassVar[dict[str, type["Table"]]] = {}
    summary: ClassVar[Callable[[Sequence[Any]], Any]] = staticmethod(median)  # of runs

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            Table.kinds[cls.name] = cls

    @cached_property
    def description(self) -> Results:
        return descriptions()[self.name]

    @cached_property
    def rows(self) -> dict[str, Any]:
        """Settings by row, the slowest first."""
        found: dict[str, Any] = resolved(self.description.get("rows", {"all": {}}))
        return found

    @property
    def seeds(self) -> int:
        return int(self.description.get("seeds", 1))

    def stages(self) -> list[list[str]]:
        """Names of rows by stage; a stage needs the results of the previous one."""
        return [list(self.rows)]

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """The results of a row with one seed."""
        raise NotImplementedError

    def combine(self, runs: Runs) -> Results:
        """The results to record: by default, a summary over seeds for each row."""
        return {name: self.summary(of) for name, of in runs.items()}

    def cells(self, results: Any, n_seeds: int) -> Results:
        """Values and tables, by their names in the text."""
        return {}

    def draw(self, results: Any, path: Path) -> None:
        """Draw a figure, if the table has one; matplotlib is installed."""

    def text(self, results: Any, n_seeds: int) -> str:
        """The page in Markdown, without versions."""
        return filled(
            self.description["text"],
            self.cells(results, n_seeds),
            command=f"python benchmarks/papers/run_papers.py --only {self.name}",
            results=results,
            seeds=n_seeds,
        )


@cache
def descriptions() -> dict[str, Results]:
    """The descriptions of all tables."""
    found: dict[str, Results] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        found |= tomllib.loads(path.read_text("utf-8"))
    return found


def resolved(value: Any) -> Any:
    """Convert a TOML value to a Python value.

    An array becomes a tuple, the text "None" None, and "@name" an object of `NAMED`.
    """
    if isinstance(value, dict):
        return {key: resolved(each) for key, each in value.items()}
    if isinstance(value, list):
        return tuple(map(resolved, value))
    if isinstance(value, str) and value.startswith("@"):
        return NAMED[value.removeprefix("@")]
    return None if value == "None" else value


def page(one: Table, recorded: Mapping[str, Any]) -> str:
    """The file of Markdown for a recorded file of JSON."""
    versions = ", ".join(f"{key} {of}" for key, of in recorded["versions"].items())
    text = one.text(recorded["results"], recorded.get("seeds", 1))
    return f"{text}\n\n{versions}\n"


def recorded(name: str) -> Any:
    """The recorded results of a table."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


# Summaries ---------------------------------------------------------------------------


def spread(runs: Sequence[Mapping[str, Any]]) -> Results:
    """Mean and standard deviation over seeds of all numbers."""
    return {
        key: {
            "mean": float(np.mean([run[key] for run in runs])),
            "std": float(np.std([run[key] for run in runs])),
            "n": len(runs),
        }
        for key in runs[0]
    }


def plus_minus(of: Mapping[str, Any] | None, digits: int = 1) -> str:
    """Mean ± standard deviation, the figure of a single seed, or a dash."""
    if of is None or of["n"] == 1:
        return cell(of and of["mean"], digits)
    return f"{of['mean']:.{digits}f} ± {of['std']:.{digits}f}"


def said(params: Mapping[str, Any]) -> str:
    """Parameters as they are written in Python."""
    return ", ".join(f"`{k}={v!r}`" for k, v in params.items()) or "nothing"


def only(runs: Runs) -> Results:
    """The results of the only run."""
    ((found,),) = runs.values()
    return found


def lines(of: Mapping[str, Mapping[str, Any]], columns: Iterable[str]) -> list[Any]:
    """Rows of a table: a name, and the values of these columns."""
    columns = list(columns)
    return [[name, *map(values.get, columns)] for name, values in of.items()]
