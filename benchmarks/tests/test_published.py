"""Published scores, by data set, give the means that the papers print."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
from pathlib import Path

import numpy as np
import pytest

# 2012, 2013 with SMT, 2014, 2015; Wieting et al. (2016), table 2; Arora et al. (2017),
# table 1; Charagram, table 3. Printed for GloVe+WR in 2013: 56.6, not their mean.
PRINTED = {
    "PP": (58.7, 55.8, 70.9, 75.8),
    "projection": (60.0, 56.8, 71.3, 74.8),
    "DAN": (56.0, 54.2, 69.5, 72.7),
    "RNN": (48.1, 44.7, 57.7, 57.2),
    "iRNN": (58.4, 56.7, 70.9, 75.6),
    "LSTM": (51.0, 45.2, 59.8, 63.9),
    "LSTM with gate": (46.4, 41.5, 51.5, 56.0),
    "GloVe": (52.5, 42.3, 54.2, 52.7),
    "tfidf-GloVe": (58.7, 52.1, 63.8, 60.6),
    "PSL": (52.8, 46.4, 59.5, 60.0),
    "GloVe+WR": (56.2, 57.3, 68.5, 71.7),
    "PSL+WR": (59.5, 61.8, 73.5, 76.3),
    "Charagram": (66.1, 57.2, 74.7, 76.1),
    "50%": (54.5, 45.3, 64.7, 70.2),
    "75%": (59.5, 51.4, 71.4, 75.8),
    "max": (70.3, 65.3, 76.7, 80.2),
}
# Without SMT: 2013, and the mean of 2012 to 2014.
THREE_SETS = {
    "PSL+WR": (69.5, 67.5), "GloVe+WR": (63.8, 62.8), "tfidf-GloVe": (59.6, 60.7),
    "PP": (61.3, 63.6), "projection": (62.5, 64.6), "DAN": (59.5, 61.7),
    "RNN": (48.3, 51.4), "iRNN": (62.5, 63.9), "LSTM": (50.2, 53.7),
    "LSTM with gate": (45.8, 47.9),
}  # fmt: skip


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    return importlib.import_module("_lib.published")


@pytest.mark.parametrize("method", PRINTED)
def test_sets_give_the_printed_means(module, method):
    column = 1 + module.METHODS.index(method)
    lines = [line.split() for line in module.BY_SET.strip().splitlines()]
    for year, mean in zip(
        ("2012", "2013", "2014", "2015"), PRINTED[method], strict=True
    ):
        found = [float(line[column]) for line in lines if line[0].startswith(year)]
        assert np.mean(found) == pytest.approx(mean, abs=0.085)  # sets are rounded, too


@pytest.mark.parametrize("method", THREE_SETS)
def test_means_leave_out_smt(module, method):
    found = module.published(method)
    assert "2013.SMT" not in found and len(found) == 19 + 1 + 7
    expected = pytest.approx(THREE_SETS[method], abs=0.06)
    assert (found["2013"], found["mean of years"]) == expected
    assert module.label(method) == f"published, {method}"


def test_means_that_include_smt_say_so(module):
    assert module.published("GloVe+W")["2013"] == 44.0
    assert module.label("charCNN") == "published, charCNN, 2013 with SMT"
    assert module.label("CSE") == "published, CSE"
    assert module.published("CSE")["with 2015"] == pytest.approx(268.5 / 4)


@pytest.mark.parametrize(("method", "total"), [("PP", 67.7), ("CSE", 68.5)])
def test_totals_of_cse(module, method, total):
    """Table 1 of Jiao et al. (2018)."""
    found = module.mean_of_sets(module.published(method))
    assert found == pytest.approx(total, abs=0.05)


def test_the_mean_of_sets_counts_each_set_once(module):
    found = module.published("PP")
    sets = [score for name, score in found.items() if "." in name or name == "sick"]
    assert len(sets) == 20
    assert module.mean_of_sets(found) == pytest.approx(np.mean(sets))
