"""Our figures beside the published ones, as text and as a page of HTML."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARKDOWN = """# A title & more

Words, with 12.5 (13.5) in them.

| encoder | pairs | 2012 | 2012.MSRpar | SICK |
|---|---|---|---|---|
| start | 5 | 50.0 | 40.0 | ~ |
| published, PSL | 7 | 52.5 | 41.0 | 66.4 |
| CSE | 5 | 60.0 | 50.0 | 70.0 |
| published, PP | 7 | 61.0 | ~ | 71.0 |
| published, start | 7 | 51.0 | ~ | 71.0 |

| | similarity (published) | time | published |
|---|---|---|---|
| averaging | 86.5 ± 0.1 (86.4) | 1.6 million | 1,700,000 |
| ranking | 0.72 [0.71, 0.74] (~) | a word | ~ |

| word | ws353 | rw | published ws353 |
|---|---|---|---|
| Charagram | 10.9 | 33.7 | 53.9 |

- one
- two <three>
""".replace("~", "\N{EN DASH}")  # as in the tables
FIGURES = [
    ("start", "2012", 50.0, 52.5),
    ("start", "2012.MSRpar", 40.0, 41.0),
    ("CSE", "2012", 60.0, 61.0),
    ("CSE", "SICK", 70.0, 71.0),
    ("start", "2012", 50.0, 51.0),
    ("averaging", "similarity", 86.5, 86.4),
    ("averaging", "time", 1.6e6, 1.7e6),
    ("Charagram", "ws353", 10.9, 53.9),
]


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("_lib.comparison")


def test_figures_that_have_a_published_one(module):
    assert [tuple(figure) for figure in module.figures(MARKDOWN)] == FIGURES
    lines = module.differences(MARKDOWN)
    assert lines[0] == "   start: 2012 50 (52.5, -2.5)"
    assert lines[1] == "   CSE: 2012 60 (61, -1), SICK 70 (71, -1)"
    assert not any("MSRpar" in line for line in lines)


def test_the_overview_has_a_row_for_each_figure(module):
    text = module.overview({"one": MARKDOWN, "two": "# Nothing\n\nHere."}, "A note.")
    assert "8 figures beside published ones. A note." in text
    assert "## [A title & more](one.md)" in text and "Nothing" not in text
    (_, *rows) = next(module.tables_of(text))
    assert rows[0] == ["start", "2012", "50", "52.5", "-2.5"] and len(rows) == 8


def test_recorded_tables_have_published_figures(module):
    tables = importlib.import_module("papers").TABLES
    found = {
        name: module.figures(
            (ROOT / f"benchmarks/results/{name}.md").read_text("utf-8")
        )
        for name in tables
    }
    assert sum(map(len, found.values())) > 1000
    for name, figures in found.items():
        for figure in figures:
            assert not re.fullmatch(r"pairs|epochs?|seeds|seconds", figure.column), name
    accuracy = {each.row: each for each in found["charagram_tagging"]}
    assert accuracy["Charagram"].ours == 93.74
    assert accuracy["Charagram"].published == 96.99
    sets = [f for f in found["cse_cumulative"] if f.column == "2013.FNWN"]
    assert {f.published for f in sets if f.row == "CSE, phrases"} == {29.8}
