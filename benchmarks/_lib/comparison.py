"""Our figures next to published ones, as lines of text and as one page.

They are read from Markdown tables. A published figure is in brackets after ours, in a
column "published" after ours, in a column "published X" next to the column X, or in a
row "published" below ours.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, takewhile
from typing import NamedTuple

from _lib.papers import table

PUBLISHED = "published"
UNITS = {"": 1, "thousand": 1e3, "million": 1e6}
NOT_COMPARED = (
    *("pairs", "epochs", "sentences", "phrases", "distinct texts", "n-grams an order"),
    *("gold", "low", "high", ""),
)
_NUMBER = re.compile(r"(-?[\d,]*\d(?:\.\d+)?)(?!\.?\w) ?(thousand|million|)")
_VALUE = re.compile("\\d|\N{EN DASH}")
_BOTH = re.compile(r"(-?[\d,]*\d(?:\.\d+)?)\b[^()]*\((-?[\d,]*\d(?:\.\d+)?)\)")


class Figure(NamedTuple):
    """One of our figures and a published one; `row` and `column` identify them."""

    row: str
    column: str
    ours: float
    published: float

    def __str__(self) -> str:
        more = self.ours - self.published
        return f"{self.column} {self.ours:g} ({self.published:g}, {more:+.4g})"


def tables_of(markdown: str) -> Iterator[list[list[str]]]:
    """The cells of each table: the header, then the rows."""
    lines = markdown.splitlines()
    for is_table, found in groupby(lines, lambda line: line.startswith("|")):
        if is_table:
            rows = [
                [cell.replace("**", "").strip() for cell in line.split("|")[1:-1]]
                for line in found
            ]
            yield [rows[0], *rows[2:]]


def figures(markdown: str) -> list[Figure]:
    """All figures that have a published counterpart."""
    found = []
    for heads, *rows in tables_of(markdown):
        ours: list[list[str]] = []
        for row in rows:
            if PUBLISHED in row[0]:
                same = _row_of(row, ours)
                found += _pairs(_name(same), zip(heads, same, row, strict=False))
                continue
            ours.append(row)
            for head, cell in zip(heads, row, strict=True):
                if both := _BOTH.match(cell):
                    column = head.replace(f" ({PUBLISHED})", "")
                    found += _pairs(_name(row), [(column, *both.groups())])
            found += _pairs(_name(row), _beside(heads, row))
    return found


def _row_of(row: list[str], ours: list[list[str]]) -> list[str]:
    """Our row for a published one: the row of the same name, or else the row above."""
    name = _name(row).replace(PUBLISHED, "").strip(", ")
    same = [one for one in ours if _name(one) == name]
    return (same or ours or [[""]])[-1]


def _name(row: list[str]) -> str:
    """The first cell, and the words in the following cells."""
    words = takewhile(lambda cell: not _VALUE.search(cell), row[1:])
    return ", ".join([*row[:1], *words])


def _beside(heads: list[str], row: list[str]) -> Iterator[tuple[str, str, str]]:
    """Columns of published figures, and our columns that they belong to."""
    for place, head in enumerate(heads):
        name = head.removeprefix(PUBLISHED).strip()
        if place and head == PUBLISHED:
            yield heads[place - 1], row[place - 1], row[place]
        elif head != name and name in heads:
            yield name, row[heads.index(name)], row[place]


def _pairs(row: str, cells: Iterable[tuple[str, str, str]]) -> list[Figure]:
    found = []
    for column, *both in cells:
        read = [_NUMBER.match(cell) for cell in both]
        if column not in NOT_COMPARED and all(read):
            found.append(
                Figure(row, column, *(_value(*of.groups()) for of in read if of))
            )
    return found


def _value(number: str, unit: str) -> float:
    return float(number.replace(",", "")) * UNITS[unit]


def differences(markdown: str) -> list[str]:
    """One line for each of our rows: figure (published, ours minus published).

    Single data sets, such as "2012.MSRpar", are left out.
    """
    means = [figure for figure in figures(markdown) if "." not in figure.column]
    return [
        f"   {row}: {', '.join(map(str, of))}"
        for row, of in groupby(means, lambda figure: figure.row)
    ]


def overview(pages: Mapping[str, str], note: str) -> str:
    """A Markdown page of all figures that have a published counterpart, by page."""
    found = {name: figures(text) for name, text in pages.items()}
    counted = f"{sum(map(len, found.values()))} figures beside published ones"
    blocks = ["# The five papers, reproduced", f"{counted}. {note}".strip()]
    for name, of in found.items():
        title = pages[name].partition("\n")[0].lstrip("# ")
        rows = [
            [*one[:2], *map("{:g}".format, one[2:]), f"{one.ours - one.published:+.3g}"]
            for one in of
        ]
        if rows:
            heads = ["", "column", "ours", "published", "difference"]
            blocks += [f"## [{title}]({name}.md)", "\n".join(table(heads, rows))]
    return "\n\n".join(blocks) + "\n"
