"""Rounds, tables and memory of the benchmarks of speed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import lzma
import os
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from _lib import timing
from _lib.corpora import some_sentences

ROOT = Path(__file__).parents[2]


SCRIPT = '''"""Two numbers.

More about them.
"""

import os
from pathlib import Path

from _lib.timing import PLAIN, Comparison, Contender, Group, main

def best(args):
    assert os.environ["SKPARAPHRASE_CORE"] == "plain"
    return {"all": 2.0 * args.threads}


GROUP = Group(
    title="Numbers",
    text="Of two\\n  contenders.",
    columns={"all": "all, 1/s"},
    contenders={
        "six": Contender("Six", lambda args: {"all": 6.0}),
        "best": Contender("Best", best, threads=2, environment=PLAIN),
        "gone": Contender("Gone", lambda args: {}, ("no_such_module",)),
    },
    comparisons=(
        Comparison("six / best", "six.all / best.all", at_least=2),
        Comparison("six / gone", "six.all / gone.all", at_least=2),
    ),
)

if __name__ == "__main__":
    main(Path(__file__), __doc__, {"numbers": GROUP})
'''


def test_rounds_of_a_benchmark(tmp_path):
    script = tmp_path / "speed/numbers_of_two.py"
    script.parent.mkdir()
    script.write_text(SCRIPT, encoding="utf-8")
    out = tmp_path / "out"
    run = subprocess.run(
        [sys.executable, str(script), "--rounds=2", "--out", str(out)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "benchmarks")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    order = re.findall(r"^round \d/2  (\w+)", run.stdout, re.MULTILINE)
    assert order == ["six", "best", "best", "six"]
    stored = json.loads((out / "numbers_of_two.json").read_text("utf-8"))["numbers"]
    assert stored["comparisons"] == {
        "six / best": {
            **{"median": 1.5, "min": 1.5, "max": 1.5},
            **{"target": "at least 2", "met": False},
        }
    }
    page = (out / "numbers_of_two.md").read_text("utf-8")
    assert page.startswith(
        "# Two numbers\n\nMade by `benchmarks/speed/numbers_of_two.py`"
    )
    assert "## Numbers\n\nOf two contenders.\n" in page
    assert "| six / best | 1.5 (1.5 to 1.5) | at least 2 | **no** |" in page
    assert "Left out: Gone (no_such_module not installed)." in page


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads what Linux keeps in /proc"
)
def test_peak_of_memory():
    kept, peak = timing.peak_of(lambda: np.ones(10_000_000))
    assert kept.nbytes / 1e6 <= peak + 1 < 100
    # Memory that a call frees before it ends also counts.
    none, peak = timing.peak_of(lambda: np.ones(20_000_000).fill(0))
    assert none is None and 155 < peak < 180


def test_sentences_are_distinct_and_of_all_sources(tmp_path):
    folder = tmp_path / "data/sentences"
    folder.mkdir(parents=True)
    for name, lines in (("a", "one\ntwo\none\n"), ("b", "two\nthree\nfour\n")):
        (folder / f"{name}.txt.xz").write_bytes(lzma.compress(lines.encode()))
    args = Namespace(data=tmp_path, quick=False)
    assert some_sentences(args, 4) == ["one", "two", "three", "four"]
    assert some_sentences(args, 2) == ["one", "three"]
