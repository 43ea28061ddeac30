"""The report of `make bench`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from _lib.races import RACES
from speed import guard

ROOT = Path(__file__).parents[2]
RECORDED = {"a": [4.0, 5.0, 6.0, 5.1, 4.9], "b": [2.0, 2.0, 2.1, 2.0, 1.9]}


def slowed(values, times):
    """Ratios after ours has become so many times as slow."""
    return [value / times for value in values]


@pytest.mark.parametrize(
    ("a", "reported"),
    [
        (RECORDED["a"], False),  # nothing changed
        (slowed(RECORDED["a"], 2), True),
        (slowed(RECORDED["a"], 1.7), True),
        (slowed(RECORDED["a"], 1.15), False),  # less than a fifth
        (slowed(RECORDED["a"], 0.5), False),  # faster
        ([2.0, 3.0, 2.5, 3.0, 4.5], False),  # slow, but for once as good as recorded
        ([3.9, 3.9, 3.9, 3.9, 3.9], True),  # just beyond the range, median 28 % slower
    ],
)
def test_what_is_reported(a, reported):
    found = guard.slower(RECORDED, {"a": a, "b": RECORDED["b"]})
    assert list(found) == (["a"] if reported else [])


def test_how_much_slower():
    found = guard.slower(RECORDED, {"b": slowed(RECORDED["b"], 3)})
    assert found == {"b": pytest.approx(3)}
    assert guard.slower(RECORDED, {"b": slowed(RECORDED["b"], 3)}, 2.5) == {}


def test_a_race_that_is_not_recorded_is_not_compared():
    assert guard.slower(RECORDED, {"c": [0.1] * 5}) == {}


class Clock:
    """A clock that only calls advance."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def call(self, name, seconds, log):
        def run():
            log.append(name)
            self.now += next(seconds)

        return run


def test_ratios_alternate_and_count_shares():
    clock, log = Clock(), []
    ours = clock.call("ours", iter([9.0, 1.0, 2.0, 4.0]), log)
    other = clock.call("other", iter([9.0, 1.0, 1.0, 1.0]), log)
    found = guard.ratios(ours, other, share=0.25, n_rounds=3, clock=clock)
    # The other side does a quarter of the work; the first calls do not count.
    assert found == [4.0, 2.0, 1.0]
    assert log == ["ours", "other", "ours", "other", "other", "ours", *log[:2]]


def test_the_fastest_of_quick_calls_counts():
    clock = Clock()
    call = clock.call("", iter([0.125, 0.0625, 0.25, 0.01]), [])
    assert guard._seconds(call, clock) == 0.0625


def run_guard(monkeypatch, tmp_path, runs, *more):
    """Its status, and the races of each run."""
    path = tmp_path / "guard.json"
    stored = {
        "threads": 2,
        "machine": {"processor": "another"},
        "ratios": RECORDED,
    }
    path.write_text(json.dumps(stored), encoding="utf-8")
    results, asked = iter(runs), []

    def run(args, folder, names=None):
        asked.append(names)
        return next(results)

    monkeypatch.setattr(guard, "run", run)
    monkeypatch.setattr(sys, "argv", ["guard.py", "--results", str(path), *more])
    return guard.main(), asked


def test_status_says_what_got_slower(monkeypatch, tmp_path, capsys):
    slow = {"a": slowed(RECORDED["a"], 2)}
    status, asked = run_guard(monkeypatch, tmp_path, [{**RECORDED, **slow}, slow])
    assert (status, asked) == (1, [None, ["a"]])
    printed = capsys.readouterr().out
    assert "SLOWER: a: 100% more time than recorded" in printed
    assert "SLOWER: b" not in printed
    assert "Recorded on another machine: another." in printed


def test_what_is_slow_only_once_is_noise(monkeypatch, tmp_path, capsys):
    slow = {"a": slowed(RECORDED["a"], 2)}
    runs = [{**RECORDED, **slow}, {"a": RECORDED["a"]}]
    status, asked = run_guard(monkeypatch, tmp_path, runs)
    assert (status, asked) == (0, [None, ["a"]])
    assert "SLOWER" not in capsys.readouterr().out


def test_record(monkeypatch, tmp_path):
    found = {"a": [1.0, 2.0, 3.0]}
    status, _ = run_guard(monkeypatch, tmp_path, [found], "--record")
    assert status == 0
    assert json.loads((tmp_path / "guard.json").read_text("utf-8"))["ratios"] == found
    assert "| a | 2 (1 to 3) |" in (tmp_path / "guard.md").read_text("utf-8")


def test_every_race_runs():
    run = subprocess.run(
        [
            sys.executable,
            str(ROOT / "benchmarks/speed/guard.py"),
            "--quick",
            "--threads=1",
        ],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    rows = re.findall(r"^\| (.+ / .+) \| [\d.,]+ \(", run.stdout, re.MULTILINE)
    assert rows == list(RACES)
