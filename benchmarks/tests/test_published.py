"""Published figures equal the papers' figures, and recorded tables contain them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest

from _lib import paper_tables
from _lib import published as module
from papers import TABLES as OURS

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT.parent / "shared"))
TABLES = FOLDER / "data/published/tables.tsv"
# Data sets, by our name, as some tables write them.
NAMES = {
    "2012.SMTeuroparl": ("2012.SMT-eur",),
    "2012.SMTnews": ("2012.SMT-news",),
    "2013.headlines": ("2013.headline",),
    "2014.headlines": ("2014.headline",),
    "2015.headlines": ("2015.headline",),
    "2014.deft-forum": ("2014.deft forum",),
    "2014.deft-news": ("2014.deft news",),
    "2014.tweet-news": ("2014.tweet news",),
    "2015.answers-forums": ("2015.answers-forums", "2015.answers-forum"),
    "2015.answers-students": ("2015.answers-students", "2015.answers-student"),
    "sick": ("2014.SICK",),
    "images": ("image",),
    "tweet-news": ("tweetnews",),
}
# Without SMT: 2013, mean of 2012 to 2014, and with 2015; computed by hand.
MEANS = {
    "GloVe+W": (51.6, 55.0, 55.7), "GloVe+R": (59.7, 60.7, 63.0),
    "PSL+W": (63.9, 64.2, 65.7), "PSL+R": (62.3, 63.0, 65.4),
    "charCNN": (49.6, 56.9, 59.2), "charLSTM": (32.8, 39.9, 41.3),
    "PP of the Charagram paper": (63.4, 64.5, 67.3), "PP-XXL": (65.1, 66.6, 69.2),
    "PSL+WR": (69.5, 67.5, 69.7), "GloVe+WR": (63.8, 62.8, 65.0),
    "PP": (61.3, 63.6, 66.7), "DAN": (59.5, 61.6, 64.4), "LSTM": (50.2, 53.7, 56.2),
    "Charagram": (61.7, 67.5, 69.6),
}  # fmt: skip


@pytest.fixture(scope="session")
def papers():
    """Printed figures by table and system: column (or metric), figure."""
    if not TABLES.exists():
        pytest.skip(f"no {TABLES}")
    found = {}
    with TABLES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            system = found.setdefault(f"{row['paper']} {row['table']}", {})
            columns = system.setdefault(row["system"], [])
            columns.append((row["dataset"], row["metric"], row["value"]))
    return found


def matches(figures, column):
    """The printed figures of a column, by data set or, if that is not one, metric."""
    names = NAMES.get(column, (column,))
    cells = re.match(r"(\S+) / (\S+)$", column)  # of the matrices of PWIM's table 10

    def named(dataset):
        if cells:
            row, other = cells.groups()
            return re.fullmatch(
                rf"row {re.escape(row)} / column \d+ {re.escape(other)}", dataset
            )
        return dataset in names or (
            re.match(r"\d+: ", dataset[:4]) and column == (dataset.partition(":")[0])
        )

    found = [value for dataset, _, value in figures if named(dataset)]
    return found or [value for _, metric, value in figures if metric == column]


def equal(ours, printed):
    if isinstance(ours, str):  # a list of neighbours, or "1.7 million"
        return printed == ours or printed.startswith(f"{ours}, ")
    return float(printed) == ours


def differences(tables, papers):
    """Figures that differ from the papers, and the number of all figures."""
    wrong, n_figures = [], 0
    for table, systems in tables.items():
        for system, row in systems.items():
            for column, ours in row.items():
                n_figures += 1
                found = matches(papers[table][system], column)
                if len(found) != 1 or not equal(ours, found[0]):
                    wrong.append((table, system, column, ours, found))
    return wrong, n_figures


def test_all_figures_are_those_of_the_papers(papers, record_property):
    wrong, n_figures = differences(module.tables(), papers)
    record_property("figures compared", n_figures)
    print(f"{n_figures} published figures compared")
    assert wrong == []
    assert n_figures > 1000


@pytest.mark.parametrize("method", MEANS)
def test_means_leave_out_smt(method):
    found = module.published(method)
    assert "2013.SMT" not in found and len(found) == 19 + 1 + 7
    means = [found[key] for key in ("2013", "mean of years", "with 2015")]
    assert means == pytest.approx(MEANS[method], abs=0.06)
    assert module.label(method) == f"published, {method}"


@pytest.mark.parametrize(("method", "total"), [("PP", 67.7), ("CSE", 68.5)])
def test_totals_of_cse(method, total):
    """Table 1 of Jiao et al. (2018)."""
    found = module.mean_of_sets(module.published(method))
    assert found == pytest.approx(total, abs=0.05)
    assert module.printed("jiao2018_cse 1", method, "average") == total


def test_the_mean_of_sets_counts_each_set_once():
    found = module.published("PP")
    sets = [score for name, score in found.items() if "." in name or name == "sick"]
    assert len(sets) == 20
    assert module.mean_of_sets(found) == pytest.approx(np.mean(sets))


def test_systems_beaten():
    """PP on the sets of 2012: above the median on three, above 75 % on three."""
    names = ("MSRpar", "MSRvid", "SMTeuroparl", "OnWN", "SMTnews")
    rows = {
        s: module.tables()["wieting2016_paragram 2"][s] for s in ("PP", "50%", "75%")
    }
    above = {
        share: sum(rows["PP"][f"2012.{n}"] > rows[share][f"2012.{n}"] for n in names)
        for share in ("50%", "75%")
    }
    assert above == {"50%": 3, "75%": 2}
    best = {name: 0.1 + score for name, score in module.published("max").items()}
    assert module.beaten(best) == {"50%": 20, "75%": 20, "max": 20}
    assert module.beaten(module.published("75%")) == {"50%": 20, "75%": 0, "max": 0}


def test_no_table_has_a_published_figure_of_its_own():
    """Scores of the papers occur only in `published.toml`."""
    figures = {
        figure
        for systems in module.tables().values()
        for row in systems.values()
        for figure in row.values()
        if isinstance(figure, float)
    }
    scores = re.compile(r"(?<![\w.-])(?:\d\d\.\d+|0\.\d{4})(?![\w.])")
    paths = [*(ROOT / "benchmarks/papers").glob("*.*")]
    assert {path.suffix for path in paths} == {".py", ".toml"}
    for path in paths:
        text = re.sub(r"^#.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
        numbers = set(map(float, scores.findall(text)))
        assert not numbers & figures, path.name


def test_recorded_tables_are_made_of_recorded_results():
    """So published figures and means in tables come from `published.toml`."""
    tables = OURS
    assert sorted(tables) == sorted(paper_tables.Table.kinds)
    for name, table in tables.items():
        text = (ROOT / f"benchmarks/results/{name}.md").read_text("utf-8")
        assert paper_tables.page(table, paper_tables.recorded(name)) == text, name
