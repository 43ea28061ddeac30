"""What an update of two pairs copies."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import sys
from argparse import Namespace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads what Linux keeps in /proc"
)
@pytest.mark.parametrize(("words", "n_matrices"), [("known", 1.2), ("unknown", 1.2)])
def test_copies_of_an_update(monkeypatch, words, n_matrices):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks/speed"))
    script = importlib.import_module("partial_fit")
    args = Namespace(quick=True, threads=1)
    found = script.measure(args, table="load_word_vectors", words=words)
    assert {*found} == {*script.UPDATE.columns}
    assert found["update"] > 0 and found["copy"] > 0
    assert found["matrices"] < n_matrices
    assert found["words"] == 0
