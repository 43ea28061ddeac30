"""Figures on pages and in the README are those that benchmarks recorded."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folders(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks/speed"))
    monkeypatch.syspath_prepend(str(ROOT / "docs/_ext"))


@pytest.fixture
def measured():
    pytest.importorskip("sphinx")
    return importlib.import_module("measured")


PAGE = """# Title

Made by a script.

## First

Some *text* in
two lines.

| | all |
| --- | ---: |
| A / B | 1.5 (1 to 2) |
| C | 3 |

| ratio | median |
| --- | ---: |
| A / C | 0.5 |

## Second

Nothing.
"""


def test_sections(measured):
    found = measured.sections(PAGE)
    assert list(found) == ["First", "Second"]
    assert found["Second"] == "Nothing."
    assert measured.preamble(PAGE) == "Made by a script."
    assert measured.sections("") == {}


@pytest.mark.parametrize(
    ("options", "cells"),
    [
        ({}, ["\\ all", "A / B 1.5 (1 to 2)", "C 3", "ratio median", "A / C 0.5"]),
        ({"part": "measures"}, ["\\ all", "A / B 1.5 (1 to 2)", "C 3"]),
        ({"part": "ratios"}, ["ratio median", "A / C 0.5"]),
        ({"part": "text"}, []),
        ({"part": "measures", "rows": "^. C"}, ["\\ all", "C 3"]),
    ],
)
def test_quoted_parts(measured, options, cells):
    lines = measured.quote(measured.sections(PAGE)["First"], **options)
    text = ["Some \\*text\\* in", "two lines."] * (
        options.get("part", "text") == "text"
    )
    found = [" ".join(line.split()) for line in lines if line.strip("= ")]
    assert found == text + cells


def test_columns_of_a_table(measured):
    assert measured.pipe_table(["| | `x` |", "|---|---|", "| a_b | 1 |"]) == [
        "===  =====",
        "\\    ``x``",
        "===  =====",
        "a_b  1",
        "===  =====",
    ]


@pytest.mark.parametrize(
    ("text", "rst"),
    [
        ("load_faq() * 2", r"load_faq() \* 2"),
        ("vectors_, __all__ |", r"vectors\_, __all\_\_ \|"),
    ],
)
def test_only_markup_is_escaped(measured, text, rst):
    assert measured.inline(text) == rst


def test_pages_show_what_is_recorded(measured):
    """If not, run `python docs/_ext/measured.py`."""
    assert len(measured.pages()) >= 7
    for page in measured.pages():
        text = page.read_text("utf-8")
        assert measured.render(text) == text
        assert len(re.findall(r"\bmeasured: ", text)) == text.count(".. end measured\n")


def test_what_is_between_the_marks_is_replaced(measured):
    head = ".. measured: memory\n   section: preamble\n   part: text\n"
    assert "old" not in measured.render(f"{head}\nold\n\n.. end measured\n\nkept\n")
    assert measured.render(f"{head}\nold\n\n.. end measured\nkept\n").endswith("kept\n")


def test_sizing_is_computed_from_rates(measured):
    rates = {"contenders": {"load_pretrained()": {"distinct": {"median": 100_000.0}}}}
    train = {"contenders": {"ParagramEncoder()": {"epoch": {"median": 50_500.0}}}}
    results = {"embed": rates, "train": train}
    # 10^9 / 10^5 seconds are 2.78 hours
    assert measured.sizes(results) == [["``load_pretrained()``", "100,000", "2.8"]]
    assert "1.2 TB in float32 and 0.6 TB in float16" in measured.disk()
    # 30.3 million pairs by 50,500 a second
    assert "10 minutes" in measured.training(results)
    assert measured.sizes({}) == [] and measured.training({}) == ""


def test_sizing_takes_what_is_measured(measured):
    groups = importlib.import_module("throughput").GROUPS
    for label, name in measured.ENCODERS:
        assert label in {
            contender.label for contender in groups[name].contenders.values()
        }
        assert "distinct" in groups[name].columns


QUOTED = [
    quoted
    for page in [*(ROOT / "docs").glob("*.rst"), *(ROOT / "docs/user_guide").glob("*")]
    for quoted in re.findall(
        r"\.\. measured: (\w+)\n   section: (.+)", page.read_text("utf-8")
    )
]


@pytest.mark.parametrize("name", ["throughput", "memory"])
def test_pages_quote_what_scripts_measure(name):
    groups = importlib.import_module(name).GROUPS.values()
    titles = {group.title for group in groups}
    quoted = {section for script, section in QUOTED if script == name}
    assert quoted and quoted <= {*titles, "preamble"}


README_ROWS = {  # by the label of the README, that of the results
    "`skparaphrase.load_pretrained()`": "shipped",
    'the same, `pooling="mean"`': 'shipped, pooling="mean"',
    "wordllama, 256 dimensions": "wordllama, 256 dimensions",
    "model2vec, distilled from all-MiniLM-L6-v2": (
        "model2vec, distilled from all-MiniLM-L6-v2"
    ),
    "all-MiniLM-L6-v2 (sentence-transformers)": "all-MiniLM-L6-v2, a transformer",
}


def test_readme_quotes_results():
    results = (ROOT / "benchmarks/results/pretrained.md").read_text("utf-8")
    peers = results.partition("## Other static encoders")[2]
    readme = (ROOT / "README.md").read_text("utf-8")
    for label, name in README_ROWS.items():
        (row,) = re.findall(rf"^\| {re.escape(label)} \|(.*)\|$", readme, re.M)
        (found,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", peers, re.M)
        megabytes, quality, speed = (float(x.replace(",", "")) for x in row.split("|"))
        measured = [float(x) for x in found.split("|")]
        assert megabytes == pytest.approx(measured[0], abs=0.5)
        assert quality == measured[5]
        assert speed == pytest.approx(measured[7], rel=0.05)


def test_readme_quotes_what_training_gains():
    results = (ROOT / "benchmarks/results/adaptation.md").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| .* \| (\d+\.\d) \| (\d+\.\d) \|$", readme, re.M)
    found = {}
    for name in ("3,000 pairs", "all pairs", "20 texts an intent"):
        row = re.search(rf"^\| {name} \| (.*) \|$", results, re.M)
        found[name] = row[1].split(" | ")
    intents = found["20 texts an intent"]
    captions = [found["3,000 pairs"][:2], found["all pairs"][:2]]
    assert [list(row) for row in rows] == [*captions, intents[:2], intents[2:4]]


def test_summary_of_speed_quotes_results():
    page = (ROOT / "docs/results.rst").read_text("utf-8")
    body = page.partition(".. list-table:: Speed")[2]
    rows = re.findall(r"   \* - (.+)\n     - (.+)\n     - (.+)\n", body)
    paths = sorted((ROOT / "benchmarks/results").glob("*.md"))
    results = "\n".join(path.read_text("utf-8") for path in paths)
    assert len(rows) > 5
    for row in rows[1:]:
        figure = re.findall(r"[\d,.]*\d", row[1])[0]
        found = re.search(
            rf"(?<![\d.,]){re.escape(figure)}(\.\d+)?( \(| pairs/s)", results
        )
        assert found, row
