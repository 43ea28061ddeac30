"""The code of the README runs, and gives what stands beside it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.S)


def test_one_screen():
    assert README.count("\n") <= 120


@pytest.mark.filterwarnings("error")
def test_every_block_of_code_runs():
    names = {}
    for block in BLOCKS:
        exec(block, names)
    assert names["vectors"].shape == (2, 128)
    assert set(names["best"].best_params_) == set(names["grid"])


def test_values_in_comments():
    names = {}
    lines = "\n".join(BLOCKS[:2]).splitlines()
    shown = []
    for line in lines:
        code, _, comment = line.partition("  # ")
        if re.match(r"-?\d\.\d\d$", comment):
            assert f"{eval(code, names):.2f}" == comment
            shown.append(comment)
        elif code.startswith("print("):
            assert eval(code[len("print(") : -1], names) == comment
            shown.append(comment)
        else:
            exec(code, names)
    assert len(shown) == 3
