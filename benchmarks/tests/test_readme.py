"""The table of scripts, results and pages is complete, and every script starts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
ROOMS = ("papers", "quality", "speed", "build")
SCRIPTS = sorted(path for room in ROOMS for path in (FOLDER / room).glob("*.py"))
ROWS = [
    (match[1], re.findall(r"\((.+?)\)", match[2]))
    for match in re.finditer(
        r"^\| \[.+?\]\((\w+/\w+\.py)\) \|(.+)\|$",
        (FOLDER / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
]
ARCHIVED = re.findall(
    r"^\| \[[^]]+\]\((results/\w+\.md)\) \|.+\((.+?)\) \|$",
    (FOLDER / "README.md").read_text("utf-8"),
    re.MULTILINE,
)


def script_id(path):
    return f"{path.parent.name}/{path.name}"


def test_every_script_has_a_row():
    assert sorted(script for script, _ in ROWS) == sorted(map(script_id, SCRIPTS))


def test_every_result_has_a_row():
    listed = [name for _, links in ROWS for name in links if name.startswith("results")]
    listed += [result for result, _ in ARCHIVED]
    found = [f"results/{path.name}" for path in (FOLDER / "results").glob("*.md")]
    assert sorted(listed) == sorted(found)


@pytest.mark.parametrize(
    ("script", "links"), [row for row in ROWS if not row[0].startswith("build/")]
)
def test_the_page_refers_to_the_result(script, links):
    *results, page = links
    text = (FOLDER / page).read_text("utf-8")
    for result in results:
        name = Path(result).stem
        assert (FOLDER / result).with_suffix(".json").exists()
        assert script in (FOLDER / result).read_text("utf-8")
        assert re.search(rf"results/{name}\.(md|png)|measured:: {name}\n", text)
    assert results or f"benchmarks/{script}" in text


@pytest.mark.parametrize(("result", "page"), ARCHIVED)
def test_an_archived_result_is_shown(result, page):
    assert "Archived" in (FOLDER / result).read_text("utf-8")
    assert f"measured:: {Path(result).stem}\n" in (FOLDER / page).read_text("utf-8")


@pytest.mark.parametrize("path", SCRIPTS, ids=script_id)
def test_every_script_starts(path, monkeypatch):
    """Its imports exist; it is run by the name of its file, from any folder."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.syspath_prepend(str(path.parent))
    spec = spec_from_file_location(path.stem, path)
    monkeypatch.setitem(sys.modules, path.stem, module_from_spec(spec))
    spec.loader.exec_module(sys.modules[path.stem])
    assert callable(sys.modules[path.stem].main)
