"""Pages with tables: their numbers are in the files of results that they name."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import importlib
import re
from itertools import chain
from pathlib import Path

import numpy as np
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
INTEGER = re.compile(r"\d+")
# In the table of all tables: ours and the (first) published one, "66.1 (GloVe 62.8)".
PAIR = re.compile(r"(-?\d+\.\d+)\s+\([^()\d]*?(-?\d+\.\d+)")
# What a page computes from published figures.
DERIVED: dict[str, tuple[float, ...]] = {
    "he2016_pwim": (0.8784 - 0.1225, 0.8784 - 0.0083, 0.8784 - 0.0314),  # ablations
    # CSE and PP, and what phrases add to sentences.
    "jiao2018_cse": (63.3 - 58.7, 68.5 - 67.7, 51.6 - 42.6, 69.3 - 68.1),
    # Weights of 1 / count, and PP less the LSTM.
    "wieting2016_paragram": (54.94 - 45.52, 63.6 - 53.7),
}
N_BESIDE = 9  # lines from a row of ours to the published ones


def _missing(page: str) -> list[str]:
    """Rows whose numbers are not, in this order, in one line of a file they name."""
    missing = []
    for title, body in TABLE.findall(page):
        names = re.findall(r"(\w+\.md)``", title)
        texts = [(RESULTS / name).read_text(encoding="utf-8") for name in names]
        lines = [NUMBER.findall(line) for text in texts for line in text.splitlines()]
        counts = [
            INTEGER.findall(line.lstrip("| ").partition("|")[2])
            for text in texts
            for line in text.splitlines()
        ]
        for row in body.splitlines():
            found, wanted = lines, NUMBER.findall(row)
            if not wanted and row.startswith('   "'):  # a row of counts
                found, wanted = counts, INTEGER.findall(row.partition('",')[2])
            if wanted and not any(_holds(line, wanted) for line in found):
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


def _published_rows(page: str) -> list[str]:
    """The published numbers of csv-tables, row by row."""
    found = []
    for title, body in re.findall(
        r"^\.\. csv-table::(.*)\n((?:   .*\n|\n)+)", page, flags=re.MULTILINE
    ):
        rows = [row.strip() for row in body.splitlines() if row.startswith("   ")]
        heads = next((row for row in rows if row.startswith(":header:")), "")
        names = next(
            csv.reader([heads.partition(":header: ")[2]], skipinitialspace=True)
        )
        columns = [i for i, name in enumerate(names) if name.startswith("published")]
        for row in rows:
            cells = _cells(row)
            if row.startswith(":"):
                continue
            if "published" in cells[0]:
                found += [
                    number for cell in cells[1:] for number in NUMBER.findall(cell)
                ]
            elif "in brackets: " in title:
                found += NUMBER.findall(" ".join(re.findall(r"\(([^)]*)\)", row)))
            else:
                chosen = [cells[i] for i in columns if i < len(cells)]
                chosen = [cell for cell in chosen if ", " not in cell]  # no lists
                found += NUMBER.findall(" ".join(chosen))
    return found


def _cells(row: str) -> list[str]:
    return next(csv.reader([row], skipinitialspace=True), [""])


def _published_prose(page: str) -> list[str]:
    """Numbers in brackets that begin with "published"."""
    prose = re.sub(r"^   .*$", "", page, flags=re.MULTILINE)
    brackets = re.findall(r"\(published[^()]*\)", prose)
    brackets += re.findall(r", published:? [^()]*\)", prose)
    return [number for text in brackets for number in NUMBER.findall(text)]


def _is_published(shown: str, figures: list[float]) -> bool:
    """Whether a number is one of the figures, rounded."""
    number = abs(float(shown.replace(",", "")))
    digits = len(shown.partition(".")[2])
    return any(abs(number - figure) <= 0.5001 * 10**-digits for figure in figures)


@pytest.fixture
def figures(monkeypatch) -> dict[str, list[float]]:
    """Published figures and means by paper."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    module = importlib.import_module("_lib.published")
    found: dict[str, list[float]] = {}
    for table, systems in module.tables().items():
        values = [v for row in systems.values() for v in row.values()]
        numbers = [abs(v) for v in values if not isinstance(v, str)]
        texts = [v for v in values if isinstance(v, str) and v.endswith("million")]
        numbers += [float(text.partition(" ")[0]) for text in texts]
        for factor in (1, 100):  # r x 100
            scaled = [factor * v for v in numbers]
            found.setdefault(table.partition(" ")[0], []).extend(scaled)
    for method, (table, _) in {**module.METHODS, **module.BY_YEAR}.items():
        means = module.published(method)
        totals = [module.mean_of_sets(means)]
        found[table.partition(" ")[0]] += [*means.values(), *totals]
    found[module.CSE] += module.published("PP").values()  # table 1 repeats them
    for row in module.tables()[f"{module.CSE} 5"].values():
        *years, _ = row.values()
        found[module.CSE] += [np.mean(years[:3]), np.mean(years)]
    return found


@pytest.mark.parametrize(
    "name", [path.stem for path in PAGES if path.stem != "choosing"]
)
def test_published_figures_of_a_page(name, figures, record_property):
    page = (ROOT / f"docs/papers/{name}.rst").read_text(encoding="utf-8")
    everything = [*DERIVED.get(name, ()), *chain.from_iterable(figures.values())]
    rows, prose = _published_rows(page), _published_prose(page)
    print(f"{name}: {len(rows)} published figures in tables, {len(prose)} in the text")
    record_property("figures compared", len(rows) + len(prose))
    assert rows and prose
    assert [n for n in rows if not _is_published(n, everything)] == []
    own = [*figures[name], *DERIVED.get(name, ())]
    assert [n for n in prose if not _is_published(n, own)] == []


def test_published_figures_of_the_table_of_tables(figures):
    index = (ROOT / "docs/papers/index.rst").read_text(encoding="utf-8")
    lists = re.findall(r"list-table:: .*:doc:`(\w+)`\n((?:   .*\n|\n)+)", index)
    for name, body in lists:
        shown = re.findall(r"\(([^()]*)\)", body)
        numbers = [number for text in shown for number in NUMBER.findall(text)]
        print(f"{name}: {len(numbers)} published figures in the table of tables")
        own = [*figures[name], *DERIVED.get(name, ())]
        assert [n for n in numbers if not _is_published(n, own)] == []


def test_a_published_figure_of_another_row_is_found() -> None:
    page = '"LSTM", "0.8529 (0.8522)"\n"2-layer LSTM", "0.8309 (0.8411)"\n'
    assert PAIR.findall("LSTM 0.8309 (there 0.8522), x") == [("0.8309", "0.8522")]
    assert _beside(page, "0.8529", "0.8522")
    assert not _beside(page, "0.8309", "0.8522")
