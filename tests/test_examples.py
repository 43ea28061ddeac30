"""Every example runs, without warnings and without network."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # some take over 20 s, all together minutes

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
FIGURES = {"quickstart": ["quickstart.png"]}  # a plot_* example shows its figures
NEEDS = {"plot_text_columns": "skrub"}  # of the extra `integration`
MARKS = {name: [pytest.mark.integration] for name in NEEDS}
PARAMETERS = [
    pytest.param(path, marks=MARKS.get(path.stem, []), id=path.stem)
    for path in EXAMPLES
]


@pytest.mark.parametrize("path", PARAMETERS)
def test_example_runs(path, tmp_path):
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    run = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:FigureCanvasAgg", str(path)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout
    for figure in FIGURES.get(path.stem, ()):
        assert (tmp_path / figure).read_bytes().startswith(b"\x89PNG")
