"""The tables of scripts, results and pages are complete, and every script starts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import json
import os
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from _lib import pages, paper_tables

FOLDER = Path(__file__).parents[1]
README = (FOLDER / "README.md").read_text("utf-8")
SCRIPTS = [FOLDER / "papers/run_papers.py"]
SCRIPTS += [
    path
    for room in ("quality", "speed", "build")
    for path in (FOLDER / room).glob("*.py")
]
SCRIPTS.sort()


def rows(pattern):
    """The link of the first cell of a row, and the links of the other cells."""
    found = re.findall(rf"^\| \[[^]]+\]\(({pattern})\) \|(.+)\|$", README, re.MULTILINE)
    return [(first, re.findall(r"\((\S+?)\)", others)) for first, others in found]


OF_SCRIPTS = rows(r"\w+/\w+\.py")
OF_RESULTS = rows(r"results/\w+\.md")  # tables of papers, and what is archived
TABLES = [(result, *links) for result, links in OF_RESULTS if len(links) == 2]
ARCHIVED = [(result, *links) for result, links in OF_RESULTS if len(links) == 1]


def script_id(path):
    return f"{path.parent.name}/{path.name}"


def test_every_script_has_a_row():
    scripts = sorted(script for script, _ in OF_SCRIPTS)
    assert scripts == sorted(map(script_id, SCRIPTS))


def test_every_result_has_a_row():
    listed = [link for _, links in OF_SCRIPTS for link in links if "results/" in link]
    listed += [result for result, _ in OF_RESULTS]
    found = [f"results/{path.name}" for path in (FOLDER / "results").glob("*.md")]
    assert sorted(listed) == sorted(found)


def test_every_table_has_a_row():
    tables = paper_tables.descriptions()
    assert sorted(tables) == sorted(Path(result).stem for result, _, _ in TABLES)


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in FOLDER.glob("quality/*.py"))
)
def test_a_page_is_made_of_recorded_results(name):
    script = importlib.import_module(f"quality.{name}")
    path = FOLDER / f"results/{name}.json"
    text = pages.page(name, json.loads(path.read_text("utf-8")), script.cells)
    assert text == path.with_suffix(".md").read_text("utf-8")


def is_shown(result, page):
    text = (FOLDER / page).read_text("utf-8")
    name = Path(result).stem
    return re.search(rf"results/{name}\.(md|png)|measured: {name}\n", text)


@pytest.mark.parametrize(
    ("script", "links"), [row for row in OF_SCRIPTS if not row[0].startswith("build/")]
)
def test_the_page_refers_to_the_result(script, links):
    *results, page = links
    for result in results:
        assert (FOLDER / result).with_suffix(".json").exists()
        assert script in (FOLDER / result).read_text("utf-8")
        assert is_shown(result, page)
    assert results or f"benchmarks/{script}" in (FOLDER / page).read_text("utf-8")


@pytest.mark.parametrize(("result", "description", "page"), TABLES)
def test_the_page_refers_to_the_table(result, description, page):
    name = Path(result).stem
    assert (FOLDER / result).with_suffix(".json").exists()
    assert f"\n[{name}]\n" in (FOLDER / description).read_text("utf-8")
    assert is_shown(result, page)


@pytest.mark.parametrize(("result", "page"), ARCHIVED)
def test_an_archived_result_is_shown(result, page):
    assert "Archived" in (FOLDER / result).read_text("utf-8")
    assert is_shown(result, page)


@pytest.mark.parametrize("path", SCRIPTS, ids=script_id)
def test_every_script_starts(path, monkeypatch):
    """Its imports exist; it is run by its file name from any folder."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.syspath_prepend(str(path.parent))
    spec = spec_from_file_location(path.stem, path)
    monkeypatch.setitem(sys.modules, path.stem, module_from_spec(spec))
    spec.loader.exec_module(sys.modules[path.stem])
    assert callable(sys.modules[path.stem].main)
