"""Pages with tables: their numbers are in the files of results that they name."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks/results"
PAGES = [*(ROOT / "docs/papers").glob("*_*.rst"), ROOT / "docs/choosing.rst"]
# The numbers of a table's title and header ("table 3", "2012") have no decimals.
TABLE = re.compile(
    r"^\.\. csv-table::(.*``benchmarks/results/\w+\.md``.*)\n((?:   .*\n|\n)+)",
    re.MULTILINE,
)
NUMBER = re.compile(r"-?\d+(?:\.\d+|(?:,\d{3})+)")
# In the table of all tables: ours and the (first) published one, "66.1 (GloVe 62.8)".
PAIR = re.compile(r"(-?\d+\.\d+)\s+\([^()\d]*?(-?\d+\.\d+)")
N_BESIDE = 9  # lines from a row of ours to the published ones


def _missing(page: str) -> list[str]:
    """Rows whose numbers are not, in this order, in one line of a file they name."""
    missing = []
    for title, body in TABLE.findall(page):
        names = re.findall(r"(\w+\.md)``", title)
        texts = [(RESULTS / name).read_text(encoding="utf-8") for name in names]
        lines = [NUMBER.findall(line) for text in texts for line in text.splitlines()]
        for row in body.splitlines():
            wanted = NUMBER.findall(row)
            if wanted and not any(_holds(line, wanted) for line in lines):
                missing.append(f"{', '.join(names)}: {row.strip()}")
    return missing


def _holds(line: list[str], wanted: list[str]) -> bool:
    rest = iter(line)
    return all(number in rest for number in wanted)


def _beside(page: str, ours: str, published: str) -> bool:
    """Whether a line has our figure, and it or one of the next the published one."""
    lines = [NUMBER.findall(line) for line in page.splitlines()]
    return any(
        ours in line and any(published in near for near in lines[i : i + N_BESIDE])
        for i, line in enumerate(lines)
    )


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: path.stem)
def test_tables_are_those_of_the_results(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert TABLE.search(page)
    assert _missing(page) == []


@pytest.mark.parametrize("wrong", ["86.6, 85.1", "85.1, 86.5"])
def test_a_wrong_number_is_found(wrong: str) -> None:
    page = (
        ".. csv-table:: T, ``benchmarks/results/wieting_supervised.md``\n"
        f'   :header: "", "a"\n\n   "averaging", 86.5, 85.1\n   "averaging", {wrong}\n'
    )
    assert _missing(page) == [f'wieting_supervised.md: "averaging", {wrong}']


def test_every_table_has_figures_of_its_page() -> None:
    """The table of all tables: what is measured stands on the page of the paper."""
    index = (ROOT / "docs/papers/index.rst").read_text(encoding="utf-8")
    lists = re.findall(r"list-table:: .*:doc:`(\w+)`\n((?:   .*\n|\n)+)", index)
    assert len(lists) == 5
    for name, body in lists:
        page = (ROOT / f"docs/papers/{name}.rst").read_text(encoding="utf-8")
        rows = re.split(r"^   \* - ", body, flags=re.MULTILINE)[2:]
        for row in rows:
            where, _, here = re.split(r"^     - ", row, flags=re.MULTILINE)
            kinds = ("measured", "not ", "drawn", ":func:", ":class:", "the setting")
            assert here.startswith((*kinds, "a test", "1,610,217")), where
            known = {"1.7", "1,610,217", *NUMBER.findall(page)}
            assert {*NUMBER.findall(here)} <= known, where
            assert all(_beside(page, *pair) for pair in PAIR.findall(here)), where


def test_a_published_figure_of_another_row_is_found() -> None:
    page = '"LSTM", "0.8529 (0.8522)"\n"2-layer LSTM", "0.8309 (0.8411)"\n'
    assert PAIR.findall("LSTM 0.8309 (there 0.8522), x") == [("0.8309", "0.8522")]
    assert _beside(page, "0.8529", "0.8522")
    assert not _beside(page, "0.8309", "0.8522")
