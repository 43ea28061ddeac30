"""Our figures beside the published ones, as lines of text and as a page of HTML.

They are read from the tables of Markdown, where a published figure stands in brackets
after ours, in a column "published" after ours, in a column "published X" beside the
column X, or in a row below ours that is called "published".
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import groupby, takewhile
from string import Template
from typing import NamedTuple

PUBLISHED = "published"
UNITS = {"": 1, "thousand": 1e3, "million": 1e6}
NOT_COMPARED = (
    *("pairs", "epochs", "sentences", "phrases", "distinct texts", "n-grams an order"),
    *("gold", "low", "high", ""),
)
_NUMBER = re.compile(r"(-?[\d,]*\d(?:\.\d+)?)(?!\.?\w) ?(thousand|million|)")
_VALUE = re.compile("\\d|\N{EN DASH}")
_BOTH = re.compile(r"(-?[\d,]*\d(?:\.\d+)?)\b[^()]*\((-?[\d,]*\d(?:\.\d+)?)\)")
_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The five papers, reproduced</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em;
  padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid #ddd; padding: .15em .6em; text-align: left }
.figure { display: grid; grid-template-columns: 14em 1fr 14em; gap: .1em .8em;
  align-items: center }
.bar { display: block; height: .5em; min-width: 1px }
.ours { background: #1f77b4 }
.theirs { background: #bbb }
.figures { margin: .5em 0 1.5em } .figures > b { display: block; margin-top: .8em }
</style></head><body><h1>The five papers, reproduced</h1>
<p>$count figures beside published ones, in $tables tables; blue is ours, grey is
published. $note</p><ul>$index</ul>$body</body></html>
""")


class Figure(NamedTuple):
    """A figure of ours and a published one; `row` and `column` say of what."""

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
    """All figures that have a published one."""
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
    """Our row of a published one: that of the same name, or else the one above."""
    name = _name(row).replace(PUBLISHED, "").strip(", ")
    same = [one for one in ours if _name(one) == name]
    return (same or ours or [[""]])[-1]


def _name(row: list[str]) -> str:
    """The first cell, and the words in those after it."""
    words = takewhile(lambda cell: not _VALUE.search(cell), row[1:])
    return ", ".join([*row[:1], *words])


def _beside(heads: list[str], row: list[str]) -> Iterator[tuple[str, str, str]]:
    """Columns of published figures, and those that they belong to."""
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
    """A line for each row of ours: figure (published, ours less published).

    Single data sets, such as "2012.MSRpar", are left out.
    """
    means = [figure for figure in figures(markdown) if "." not in figure.column]
    return [
        f"   {row}: {', '.join(map(str, of))}"
        for row, of in groupby(means, lambda figure: figure.row)
    ]


def html(pages: Mapping[str, str], note: str) -> str:
    """One page with all tables, and a bar for each figure that has a published one."""
    found = {name: figures(text) for name, text in pages.items()}
    index = [
        f'<li><a href="#{name}">{escape(_title(text))}</a>: {len(found[name])}</li>'
        for name, text in pages.items()
    ]
    body = [
        f'<section id="{name}">{_bars(found[name], _title(text))}'
        f"<details><summary>All of it</summary>{_as_html(text)}</details></section>"
        for name, text in pages.items()
    ]
    return _PAGE.substitute(
        count=sum(map(len, found.values())),
        tables=sum(map(bool, found.values())),
        note=escape(note),
        index="".join(index),
        body="\n".join(body),
    )


def _title(markdown: str) -> str:
    return markdown.partition("\n")[0].lstrip("# ")


def _bars(found: list[Figure], title: str) -> str:
    lines = [f"<h2>{escape(title)}</h2>", '<div class="figures">']
    for row, of in groupby(found, lambda figure: figure.row):
        lines.append(f"<b>{escape(row)}</b>")
        each = list(of)
        longest = max(abs(value) for one in each for value in (one.ours, one.published))
        for one in each:
            widths = [
                100 * max(value, 0) / (longest or 1)
                for value in (one.ours, one.published)
            ]
            lines.append(
                f'<div class="figure"><span>{escape(one.column)}</span><span>'
                f'<i class="bar ours" style="width:{widths[0]:.1f}%"></i>'
                f'<i class="bar theirs" style="width:{widths[1]:.1f}%"></i></span>'
                f"<span>{one.ours:g} ({one.published:g}) "
                f"{one.ours - one.published:+.3g}</span></div>"
            )
    return "\n".join([*lines, "</div>"])


def _as_html(markdown: str) -> str:
    """Titles, paragraphs, lists and tables."""
    found = []
    for block in markdown.split("\n\n"):
        if block.startswith("|"):
            for heads, *rows in tables_of(block):
                lines = [_row("th", heads), *(_row("td", row) for row in rows)]
                found.append(f"<table>{''.join(lines)}</table>")
        elif block.startswith("#"):
            level = len(block) - len(block.lstrip("#")) + 1
            found.append(f"<h{level}>{escape(block.lstrip('# '))}</h{level}>")
        elif block.startswith("- "):
            items = block.removeprefix("- ").split("\n- ")
            found.append(
                f"<ul>{''.join(f'<li>{escape(of)}</li>' for of in items)}</ul>"
            )
        else:
            found.append(f"<p>{escape(block)}</p>")
    return "\n".join(found)


def _row(kind: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(of)}</{kind}>' for of in cells)}</tr>"
