"""A table of a paper: a line for a row, seeds, runs that are resumed, and text."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import importlib
import json
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DESCRIPTION = {
    "seeds": 3,
    "text": "# Title\n\nBy\n`{command}`; {seeds} seeds, best {best}.\n\n{scores}\n",
    "rows": {
        "slow": {"value": 7.0, "seeds": 1},
        "fast": {"value": 1.0, "loss": "@InfoNCE", "vectors": "None"},
    },
}


@pytest.fixture
def lib(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("_lib.paper_tables")


@pytest.fixture
def example(lib, monkeypatch):
    importlib.import_module("papers")  # registers all others
    papers = importlib.import_module("_lib.papers")
    monkeypatch.setattr(lib.Table, "kinds", dict(lib.Table.kinds))

    class Example(lib.Table):
        name = "example"
        description = DESCRIPTION
        calls = []  # noqa: RUF012

        def measure(self, data, name, seed):
            self.calls.append((name, seed))
            return {"score": self.rows[name]["value"] + seed * seed, "words": ["a"]}

        def cells(self, results, n_seeds):
            rows = lib.lines(results, ["score"])
            best = max(results, key=lambda name: results[name]["score"])
            return {"best": best, "scores": papers.table(["", "score"], rows)}

    return Example()


def test_settings_of_a_row(example):
    fast = example.rows["fast"]
    assert fast["vectors"] is None and fast["loss"].keep == 0


def test_a_table_is_measured_and_written(lib, example, monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks/papers"))
    runner = importlib.import_module("run_papers")
    (tmp_path / "data").mkdir()
    args = argparse.Namespace(
        **{"data": tmp_path, "quick": False, "short": False, "seeds": None, "jobs": 1},
        **{"out": tmp_path / "out", "runs": tmp_path / "runs"},
        **{"part": "full", "rows": None},
    )
    runner.run(example, args)
    tasks = [("slow", 0), ("fast", 0), ("fast", 1), ("fast", 2)]
    assert example.calls == tasks
    recorded = json.loads((tmp_path / "out/example.json").read_text("utf-8"))
    assert recorded["results"]["fast"]["score"] == 2.0  # the median of 1, 2 and 5
    assert recorded["results"]["fast"]["words"] == ["a"]
    text = (tmp_path / "out/example.md").read_text("utf-8")
    assert text.startswith("# Title\n\nBy `python benchmarks/papers/run_papers.py")
    assert "3 seeds, best slow." in text
    assert "\n\n|  | score |\n|---|---|\n| slow | 7.0 |\n| fast | 2.0 |\n\n" in text
    # What is finished is not measured again, unless its row has changed.
    example.calls.clear()
    example.rows["slow"]["value"] = 8.0
    runner.run(example, args)
    assert example.calls == [("slow", 0)]
    printed = capsys.readouterr().out
    assert "3 of 4: fast, seed 1, 0 s; about 0 min left" in printed
    # Some rows replace the recorded ones.
    example.calls.clear()
    example.rows["fast"]["value"] = 2.0
    old = {"results": {"fast": {"score": 0.0, "more": 5.0}, "slow": {"score": 9.0}}}
    monkeypatch.setattr(runner, "recorded", lambda name: old)
    args.rows = ["fast"]
    runner.run(example, args)
    assert {name for name, _ in example.calls} == {"fast"}
    recorded = json.loads((tmp_path / "out/example.json").read_text("utf-8"))
    assert recorded["results"]["slow"] == {"score": 9.0}
    assert recorded["results"]["fast"]["score"] == 3.0
    assert recorded["results"]["fast"]["more"] == 5.0


def test_without_data_only_bundled_data_are_used(lib, monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks/papers"))
    runner = importlib.import_module("run_papers")
    names = []
    monkeypatch.setattr(runner, "run", lambda one, args: names.append(one.name))
    command = ["run_papers.py", "--quick", "--data", str(tmp_path), "--out"]
    monkeypatch.setattr("sys.argv", [*command, str(tmp_path / "out")])
    assert runner.main() == 0
    assert names == ["bundled"]
    printed = capsys.readouterr().out
    assert "its figures mean nothing" in printed and "only bundled data" in printed
    assert "mean nothing" in (tmp_path / "out/papers.md").read_text("utf-8")


@pytest.mark.parametrize("only", [[], ["wieting_encoders", "sts"]])
def test_rows_are_those_of_one_table(only, lib, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks/papers"))
    runner = importlib.import_module("run_papers")
    command = ["run_papers.py", "--rows", "PP", *(["--only", *only] if only else [])]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit):
        runner.main()
    assert "--rows takes rows of the one table" in capsys.readouterr().err


def test_paragraphs_are_wrapped(lib):
    papers = importlib.import_module("_lib.papers")
    paragraph = textwrap.fill("a few words of text " * 20, 100)
    table = f"| {'x ' * 60}|\n|---|"
    text = papers.filled(
        f"\n# Title\n\n{paragraph}\n\n{table}\n\n- {'item ' * 30}\n", {}
    )
    title, wrapped, same, item = text.split("\n\n")
    assert title == "# Title" and same == table and "\n" not in item
    assert max(map(len, wrapped.splitlines())) <= papers.LINE
    assert wrapped.split() == paragraph.split()
