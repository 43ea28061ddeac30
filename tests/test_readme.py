"""The code of the README runs, with the output shown there."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import re
from pathlib import Path

import pytest

from skparaphrase.datasets import load_faq, load_paraphrases

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.S)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The reader's own files, in the current folder."""
    monkeypatch.chdir(tmp_path)
    faq = load_faq()
    tables = {
        "pairs.csv": ["sentence1", "sentence2", *load_paraphrases().data[:100]],
        "questions.csv": ["text", "label", *zip(faq.data, faq.topics, strict=True)],
    }
    for name, (first, second, *rows) in tables.items():
        with open(name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([(first, second), *rows[:100]])


def test_one_screen():
    assert README.count("\n") <= 120


@pytest.mark.filterwarnings("error")
def test_every_block_of_code_runs_alone(files):
    names = {}
    for block in BLOCKS:
        alone = {}
        exec(block, alone)
        names |= alone
    assert names["vectors"].shape == (2, 256)
    assert names["encoder"].loss_curve_[-1] < names["encoder"].loss_curve_[0]
    assert names["classifier"].score(names["texts"], names["labels"]) > 0.5


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
