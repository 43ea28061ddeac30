"""The code of the README runs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


@pytest.mark.slow  # trains models on the bundled data
def test_every_block_of_code_runs(tmp_path):
    before, _, after = README.partition("And in another process:")
    here, other = (re.findall(r"```python\n(.*?)```", p, re.S) for p in (before, after))
    outputs = []
    # The blocks after the other process continue the first one.
    for blocks in (here, other[:1], other[1:]):
        script = tmp_path / "blocks.py"
        script.write_text("\n".join(blocks), encoding="utf-8")
        run = subprocess.run(
            [sys.executable, "-W", "error", "blocks.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout)
    assert "commoncomponentremoval__n_components" in outputs[0]
    ranked = re.findall(r"^-?\d\.\d\d  (.*)$", outputs[1], re.M)
    assert ranked[0] == "Restart the laptop."
    assert len(ranked) == 3
