"""Directives `measured` and `sizing`: recorded results of benchmarks, at each build.

Figures of speed are never typed by hand: a page quotes a section of benchmarks/results,
and the sizing table is computed from the same files.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import StringList
from markdown_page import block, inline, table

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
BILLION = 10**9
DIM = 300
PPDB_XL = 3_030_000, 10  # pairs, epochs

# Encoders by their labels in throughput.json, and the groups with their rates.
ENCODERS = (
    ("load_pretrained()", "embed"),
    ('load_pretrained(pooling="mean")', "embed"),
    ("ParagramEncoder", "encoders"),
    ("CharagramEncoder", "encoders"),
    ("ConvolutionalEncoder", "encoders"),
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


def quote(text: str, *, part: str = "all", rows: str = "") -> list[str]:
    """A section as reStructuredText.

    `part` selects its text, its first table ("measures"), its second ("ratios"), both
    ("tables") or everything. `rows` is a regular expression that selects rows.
    """
    found, tables = [], []
    for each in re.findall(r"(?:^.*\S.*\n?)+", text, re.MULTILINE):
        lines = each.splitlines()
        if lines[0].startswith("|"):
            body = [line for line in lines[2:] if re.search(rows, line)]
            tables.append(table([*lines[:2], *body]) if body else [])
            if part in ("all", "tables"):
                found += [*tables[-1], ""]
        elif part in ("all", "text"):
            if heading := re.fullmatch(r"#+ (.+)", lines[0]):
                lines = [f"**{heading[1]}**", *lines[1:]]
            found += [*block(lines), ""]
    if part in ("measures", "ratios"):
        return tables[part == "ratios"] if len(tables) > (part == "ratios") else []
    return found


class Measured(Directive):
    """`.. measured:: throughput`, a file of results or one of its sections.

    `:section:` names the section. `:part:` selects "text", "measures", "ratios",
    "tables" or "all" of it, and `:rows:` the rows that match a regular expression.
    "preamble" is the section before the first title.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "section": directives.unchanged,
        "part": directives.unchanged,
        "rows": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """The nodes of the section, or of all of them with their titles."""
        name = self.arguments[0]
        path = RESULTS / f"{name}.md"
        self.state.document.settings.env.note_dependency(str(path))
        text = path.read_text("utf-8") if path.exists() else ""
        found = sections(text)
        if wanted := self.options.get("section"):
            found["preamble"] = preamble(text)
            found = {wanted: found[wanted]} if found.get(wanted) else {}
        options = {k: v for k, v in self.options.items() if k != "section"}
        lines = []
        for title, section in found.items():
            if not wanted:
                lines += [f".. rubric:: {inline(title)}", ""]
            lines += [*quote(section, **options), ""]
        if not found:
            raise self.error(f"Missing {path}; benchmarks/README.md names its script.")
        return _parse(self, lines, path)


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
    rate = median_of(results.get("train", {}), "ParagramEncoder()", "epoch")
    if not rate:
        return ""
    n_pairs, n_epochs = PPDB_XL
    minutes = n_pairs * n_epochs / rate / 60
    return (
        f"Training ``ParagramEncoder`` on PPDB XL ({n_pairs / 1e6:.2f} million pairs, "
        f"{n_epochs} epochs) at the rate of {rate:,.0f} pairs/s takes {minutes:,.0f} "
        "minutes."
    )


class Sizing(Directive):
    """`.. sizing::`, the cost of a billion sentences, computed from measured rates."""

    def run(self) -> list[nodes.Node]:
        """A table, and a line each about disk and training."""
        path = RESULTS / "throughput.json"
        self.state.document.settings.env.note_dependency(str(path))
        results = json.loads(path.read_text("utf-8")) if path.exists() else {}
        heads = ["", "sentences/s", "core-hours"]
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for row in [heads, *sizes(results)]:
            for number, cell in enumerate(row):
                lines.append(f"   {'  ' if number else '* '}- {cell}")
        lines += ["", disk(), "", training(results)]
        return _parse(self, lines, path)


def _parse(directive: Directive, lines: list[str], path: Path) -> list[nodes.Node]:
    container = nodes.Element()
    container.document = directive.state.document
    directive.state.nested_parse(StringList(lines, source=str(path)), 0, container)
    return container.children


def setup(app: Any) -> dict[str, bool]:
    """Add the directives."""
    app.add_directive("measured", Measured)
    app.add_directive("sizing", Sizing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
