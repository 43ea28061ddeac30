"""Pages of the results of `quality/`: their text in TOML, tables, and sections."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from _lib import RESULTS
from _lib.papers import filled, table, versions

PAGES = Path(__file__).parents[1] / "quality/pages.toml"
Row = dict[str, Any]  # "" is its name
Results = Mapping[str, list[Row]]  # by section
Cells = Callable[[Any], Mapping[str, Any]]  # replacements of the names in the text


def publish(
    args: argparse.Namespace, name: str, measure: Callable[[], Any], cells: Cells
) -> None:
    """Write `name.json` and `name.md` from new or, with `--tables`, recorded results.

    A quick run only prints.
    """
    path = args.out / f"{name}.json"
    if args.tables:
        content = json.loads(path.read_text("utf-8"))
    else:
        content = {"seeds": args.seeds, "results": measure()}
        # As in the record: numeric keys become strings.
        content = {"versions": versions(), **json.loads(json.dumps(content))}
    text = page(name, content, cells)
    print(text)
    if args.quick and args.out == RESULTS:
        print("(a part of the data: not written)")
        return
    args.out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    path.with_suffix(".md").write_text(text, "utf-8")


def page(name: str, content: Mapping[str, Any], cells: Cells) -> str:
    """The page of a recorded file of JSON."""
    text = tomllib.loads(PAGES.read_text("utf-8"))[name]
    results, versions = content["results"], content["versions"]
    found = filled(text, cells(results), results=results, seeds=content["seeds"])
    return f"{found}\n\n{', '.join(f'{k} {of}' for k, of in versions.items())}\n"


def publish_sections(
    args: argparse.Namespace,
    name: str,
    sections: Mapping[str, Callable[[Any], Iterable[Row]]],
    read: Callable[[argparse.Namespace], Any],
    cells: Cells,
) -> None:
    """Measure the sections named by `--only`, and keep the recorded others."""
    publish(args, name, lambda: _measured(args, name, sections, read(args)), cells)


def _measured(
    args: argparse.Namespace,
    name: str,
    sections: Mapping[str, Callable[[Any], Iterable[Row]]],
    data: Any,
) -> Results:
    path = args.out / f"{name}.json"
    is_kept = path.exists() and not args.quick
    found = json.loads(path.read_text("utf-8"))["results"] if is_kept else {}
    for section in args.only.split(","):
        started, found[section] = time.perf_counter(), []
        for row in sections[section](data):
            found[section].append(row)
            print(row, flush=True)
        print(f"{section}: {time.perf_counter() - started:.0f} s", flush=True)
    return {section: found[section] for section in sections if section in found}


def tables(
    results: Results, sections: Iterable[str], **digits: int
) -> dict[str, list[str]]:
    """A table for each section, with one decimal unless `digits` contains its name."""
    return {
        section: table_of(results.get(section, []), digits.get(section, 1))
        for section in sections
    }


def table_of(rows: Iterable[Row], digits: int = 1) -> list[str]:
    """A table with a column for each key of the rows."""
    rows = list(rows)
    heads = list(dict.fromkeys(key for row in rows for key in row))
    if not heads:
        return ["(not measured)"]
    return table(heads, [[*map(row.get, heads)] for row in rows], digits)
