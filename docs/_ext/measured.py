"""Write recorded results of benchmarks into the pages of `docs/`.

Figures of speed and quality are never typed by hand. A page names a file of
benchmarks/results, or one of its sections, in a comment; what stands between it and the
next `.. end measured` is written by this script, so that the page shows its tables
wherever it is read::

    .. measured: throughput
       section: Encoding sentences
       part: measures
       rows: load_pretrained

    .. end measured

`section` names the section ("preamble" is the text before the first), `part` selects
"measures" (its first table), "medians" (the same without ranges), "tables" or "all" of
it, and `rows` and `columns` those that match a regular expression; all may be left out.
The load of the machine, versions and targets stay in the record. A block may be
indented. `.. measured: sizing` is the cost of a billion sentences. After a change in
benchmarks/results::

    python docs/_ext/measured.py
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from textwrap import dedent, indent, wrap
from typing import Any

from markdown_page import block, inline

DOCS = Path(__file__).parents[1]
RESULTS = DOCS.parent / "benchmarks" / "results"
BLOCK = re.compile(
    r"^( *)\.\. measured: (\w+)\n((?: +\w+: .+\n)*)(?s:.*?)^ *\.\. end measured$",
    re.MULTILINE,
)
RANGE = re.compile(r"(\S+) \((\S+) to (\S+)\)")
RECORD_ONLY = re.compile(r"target|met|longest silence.*")  # columns
CONDITIONS = re.compile(r"\d{4}-\d\d-\d\d: rounds|skparaphrase \d")  # paragraphs
BILLION = 10**9
DIM = 300
PPDB_XL = 3_030_000, 10  # pairs, epochs

# Encoders by their labels in throughput.json, and the groups with their rates.
ENCODERS = (
    ("load_pretrained()", "embed"),
    ('load_pretrained(pooling="mean")', "embed"),
    ("ParaphraseEncoder", "encoders"),
    ("CharagramEncoder", "encoders"),
    ("CNNEncoder", "encoders"),
    ("LSTMEncoder(output_gate=False)", "encoders"),
    ("CharLSTMEncoder", "encoders"),
)


# Markdown --------------------------------------------------------------------------


def sections(text: str) -> dict[str, str]:
    """The parts of a file of results by their titles, in order."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def preamble(text: str) -> str:
    """The introduction of a file: the script, the machine, versions."""
    return re.split(r"^## ", text, flags=re.MULTILINE)[0].partition("\n")[2].strip()


def simple_table(rows: list[list[str]]) -> list[str]:
    """A table with a header, in columns of equal width, as it is read in a file."""
    rows = [[row[0] or "\\", *row[1:]] for row in rows]  # a blank cell joins two rows
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    head, *body = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return [rule, head, rule, *body, rule]


def pipe_table(lines: list[str], columns: str, ranges: bool) -> list[str]:
    """A table of Markdown as reStructuredText, with the columns that match."""

    def plain(cell: str) -> str:
        return RANGE.sub(lambda m: m[0] if ranges and m[2] != m[3] else m[1], cell)

    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in [lines[0], *lines[2:]]
    ]
    kept = [
        n
        for n, name in enumerate(rows[0])
        if not RECORD_ONLY.fullmatch(name) and (n == 0 or re.search(columns, name))
    ]
    return simple_table([[inline(plain(row[n])) for n in kept] for row in rows])


def quote(
    text: str, *, part: str = "all", rows: str = "", columns: str = ""
) -> list[str]:
    """A section as reStructuredText.

    `part` selects its first table ("measures", or "medians" without ranges), all
    "tables" or everything, and `rows` and `columns` those that match.
    """
    found = []
    for each in re.findall(r"(?:^.*\S.*\n?)+", text, re.MULTILINE):
        lines = each.splitlines()
        if lines[0].startswith("|"):
            body = [line for line in lines[2:] if re.search(rows, line)]
            heads = [*lines[:2], *body]
            table = pipe_table(heads, columns, part != "medians") if body else []
            if part in ("measures", "medians"):
                return table
            found += [*table, ""]
        elif part == "all" and not CONDITIONS.match(lines[0]):
            if heading := re.fullmatch(r"#+ (.+)", lines[0]):
                lines = [f"**{heading[1]}**", *lines[1:]]
            text_lines = (
                wrap(line, 88, break_on_hyphens=False) or [""] for line in block(lines)
            )
            found += [*chain.from_iterable(text_lines), ""]
    return found


def measured(name: str, section: str = "", **options: str) -> list[str]:
    """A section of a file of results, or all of them with their titles."""
    text = (RESULTS / f"{name}.md").read_text("utf-8")
    if section == "preamble":
        return quote(preamble(text), **options)
    if section:
        return quote(sections(text)[section], **options)
    lines = []
    for title, body in sections(text).items():
        lines += [f".. rubric:: {inline(title)}", "", *quote(body, **options), ""]
    return lines


# Sizing ----------------------------------------------------------------------------


def median_of(group: Mapping[str, Any], label: str, column: str) -> float | None:
    """The recorded median of a measure of a contender."""
    measures = group.get("contenders", {}).get(label, {})
    return measures[column]["median"] if column in measures else None


def sizes(results: Mapping[str, Any]) -> list[list[str]]:
    """Rows of encoder, sentences/s and core-hours of a billion sentences.

    `results` is throughput.json; rates are those of distinct sentences on one core.
    """
    rows = []
    for label, name in ENCODERS:
        group = results.get(name, {})
        if rate := median_of(group, label, "distinct"):
            rows.append(
                [f"``{label}``", f"{rate:,.0f}", f"{BILLION / rate / 3600:,.1f}"]
            )
    return rows


def disk(dim: int = DIM) -> str:
    """The disk space of a billion vectors."""
    full, half = (size * dim * BILLION / 1e12 for size in (4, 2))
    return (
        f"On disk, a billion vectors of {dim} numbers take {full:.1f} TB in float32 "
        f"and {half:.1f} TB in float16."
    )


def training(results: Mapping[str, Any]) -> str:
    """The time to train on PPDB XL, at the rate of an epoch in throughput.json."""
    rate = median_of(results.get("train", {}), "ParaphraseEncoder()", "epoch")
    if not rate:
        return ""
    n_pairs, n_epochs = PPDB_XL
    minutes = n_pairs * n_epochs / rate / 60
    return (
        f"Training ``ParaphraseEncoder`` on PPDB XL ({n_pairs / 1e6:.2f} million "
        f"pairs, {n_epochs} epochs) at the rate of {rate:,.0f} pairs/s takes "
        f"{minutes:,.0f} minutes."
    )


def sizing() -> list[str]:
    """A table of encoders, and a line each about disk and training."""
    results = json.loads((RESULTS / "throughput.json").read_text("utf-8"))
    rows = [["", "sentences/s", "core-hours"], *sizes(results)]
    return [*simple_table(rows), "", disk(), "", training(results)]


# Pages -----------------------------------------------------------------------------


def render(page: str) -> str:
    """The text of a page with what is recorded now."""

    def written(found: re.Match[str]) -> str:
        space, name, given = found.groups()
        options = dict(re.findall(r" +(\w+): (.+)\n", given))
        lines = sizing() if name == "sizing" else measured(name, **options)
        body = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
        head = f".. measured: {name}\n{indent(dedent(given), '   ')}"
        return indent(f"{head}\n{body}\n\n.. end measured", space)

    return BLOCK.sub(written, page)


def pages() -> list[Path]:
    """The pages that quote results."""
    found = sorted(DOCS.glob("**/*.rst"))
    return [page for page in found if BLOCK.search(page.read_text("utf-8"))]


if __name__ == "__main__":
    for path in pages():
        path.write_text(render(path.read_text("utf-8")), encoding="utf-8")
