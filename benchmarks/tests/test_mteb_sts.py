"""`mteb_sts.py`: pairs of a year are pooled, and published figures are complete."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

from quality import mteb_sts as script
from skparaphrase import load_pretrained
from skparaphrase.datasets import load_graded_pairs

FOLDER = Path(__file__).parents[1]


def test_pairs_are_pooled(monkeypatch):
    X, y = load_graded_pairs(return_X_y=True)
    sets = {"first": (X[:300], y[:300]), "second": (X[300:], y[300:])}
    monkeypatch.setattr(script, "SETS", {"STS12": ("sts/2012.*.tsv", len(X))})
    monkeypatch.setattr(script, "find_spec", lambda name: None)
    rows = script.measure(SimpleNamespace(scored=lambda pattern: sets), fetch=False)
    left, right = np.moveaxis(load_pretrained().transform(X).astype(float), 1, 0)
    cosines = (left * right).sum(1)
    cosines /= np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    expected = 100 * spearmanr(cosines, y).statistic
    assert rows[0]["STS12"] == pytest.approx(expected, abs=1e-3)


def test_published_figures_are_complete():
    rows = json.loads((FOLDER / "results/mteb_sts.json").read_text("utf-8"))["results"]
    shown = {row[""]: row for row in rows}
    for row in script.published():
        assert row == {k: v for k, v in shown[row[""]].items() if k != "mean"}
        assert {*script.COMMON} <= {*row} <= {"", "MB", "measured by", *script.COLUMNS}
