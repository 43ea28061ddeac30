"""Contributions work in a separate file, and need few changes of our files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import ast
import os
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from shutil import copytree

import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder
from skparaphrase.search import SemanticSearch

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
ours = {"__name__": __name__}
for block in BLOCKS:
    exec(compile(block, "CONTRIBUTING.md", "exec"), ours)
MaximumEncoder = ours["MaximumEncoder"]
(CASE,) = re.findall(r'(?m)^    if .*\n        return "named"\n', PAGE)
PAIRS = load_paraphrases().data[:60]


def test_the_table_has_a_line_for_each_addition():
    rows = re.findall(r"(?m)^\| ([\w `]+) \| (.*) \| (.+) \|$", PAGE)
    start = [row[0] for row in rows].index("encoder")
    assert [row[0] for row in rows[start:]] == [
        *("encoder", "pooling", "tokenizer", "loss", "head", "scorer"),
        *("target of a supervised model", "display", "report"),
        *("file format of vectors", "index", "data set", "kind of `y`"),
    ]
    for path in re.findall(r"`(\w+/(?:\w+\.py)?|\w+\.py)`", str(rows[start:])):
        assert (ROOT / "skparaphrase" / path).exists() or (ROOT / path).exists(), path


# In a file of their own


def test_an_encoder_with_a_pooling(tmp_path):
    ours["test_maximum_of_word_vectors"]()
    encoder = MaximumEncoder(max_epochs=2, random_state=0).fit(PAIRS)
    assert encoder.loss_curve_[-1] < encoder.loss_curve_[0]
    for again in (clone(encoder).fit(PAIRS), pickle.loads(pickle.dumps(encoder))):
        assert_array_equal(again.transform(PAIRS), encoder.transform(PAIRS))
    assert not encoder.transform([""]).any()
    with pytest.raises(ValueError, match="cannot be saved without pickle"):
        encoder.save(tmp_path / "encoder")


def test_a_loss_and_a_scorer():
    encoder = ParaphraseEncoder(loss=ours["SpreadLoss"](), random_state=0).fit(PAIRS)
    assert encoder.loss_curve_[-1] < encoder.loss_curve_[0]
    before = ours["mean_cosine"](
        clone(encoder).set_params(max_epochs=0).fit(PAIRS), PAIRS
    )
    assert before < ours["mean_cosine"](encoder, PAIRS) <= 1


@pytest.mark.usefixtures("close_figures")
def test_a_display():
    display = ours["CosineHistogramDisplay"].from_estimator(AverageEncoder(), PAIRS)
    assert sum(bar.get_height() for bar in display.ax_.patches) == len(PAIRS)


def test_a_file_format(file):
    vectors = ours["read_csv_vectors"](file("v.csv", "cat,1,0\nnull,0.5,2\n"))
    assert_array_equal(AverageEncoder(vectors).transform(["cat null"]), [[0.75, 1]])


def test_an_index():
    texts = PAIRS[:, 0].tolist()
    search = SemanticSearch(neighbors=ours["ProductIndex"]()).fit(texts)
    found = search.search(PAIRS[:, 1].tolist(), k=3)
    exact = SemanticSearch().fit(texts).search(PAIRS[:, 1].tolist(), k=3)
    assert_array_equal(found.row, exact.row)


def test_a_data_set(file):
    path = file("headlines.tsv", "headline\tother\tsimilarity\na\tb\t4.5\nc\td\t1\n")
    bunch = ours["load_headlines"](path)
    assert bunch.data.tolist() == [["a", "b"], ["c", "d"]]
    assert bunch.target.tolist() == [4.5, 1]


# In the package


def source(name):
    """A definition of the page, after the imports that it needs."""
    nodes = [(block, node) for block in BLOCKS for node in ast.parse(block).body]
    (block, node), *_ = [pair for pair in nodes if getattr(pair[1], "name", "") == name]
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    imports = [
        ast.unparse(other)
        for _, other in nodes
        if isinstance(other, ast.Import | ast.ImportFrom)
        and used & {alias.asname or alias.name for alias in other.names}
    ]
    definition = ast.get_source_segment(block, node)
    return "\n".join(["import numpy as np", *imports, definition, ""])


def insert(path, texts):
    """A file of the package with new texts before others that it has."""
    content = (ROOT / "skparaphrase" / path).read_text("utf-8")
    for before, text in texts.items():
        assert content.count(before) == 1
        content = content.replace(before, text + before)
    return {path: content}


def module(room, name):
    """A module of a room that has a definition of the page, and its export."""
    export = f"from skparaphrase.{room}._added import {name}\n"
    export += f'__all__: list[str] = ["{name}"]\n'
    path = f"{room}/__init__.py"
    exports = insert(path, {"\n__all__ = [\n": export})
    exports[path] = exports[path].replace("\n__all__ = [", "\n__all__ += [")
    return {f"{room}/_added.py": source(name), **exports}


def lazily(files):
    """In the package, an encoder imports its base, and networks at their first use."""
    path = "encoders/_added.py"
    text = files[path].replace("return Maximum(", "return networks.Maximum(")
    text = text.replace(
        "skparaphrase.encoders import", "skparaphrase.encoders._trained import"
    )
    return {**files, path: f"from skparaphrase._lazy import networks\n{text}"}


ADDITIONS = {  # new and changed files
    "pooling": module("networks", "Maximum"),
    "encoder": lazily(module("encoders", "MaximumEncoder")),
    "scorer": module("metrics", "mean_cosine"),
    "display": module("inspection", "CosineHistogramDisplay"),
    "data set": module("datasets", "load_headlines"),
    "loss": insert(
        "losses.py",
        {
            "class MarginLoss(": source("SpreadLoss").replace(
                "from skparaphrase.losses import BaseLoss\n", ""
            )
            + '__all__ += ["SpreadLoss"]\n\n\n'
        },
    ),
    "head": insert(
        "_math.py", {'    "first": lambda': '    "mean": lambda x, y: (x + y) / 2,\n'}
    ),
    "kind of y": {
        "supervision/_named.py": source("NamedPairs"),
        **insert(
            "supervision/_supervise.py",
            {
                "KINDS: dict": (
                    "from skparaphrase.supervision._named import NamedPairs\n"
                ),
                "        TeacherVectors(),": "        NamedPairs(),\n",
                "        scores = read_scores(y)": textwrap.indent(CASE, "    "),
            },
        ),
    },
}
USE = """
import sys
import numpy as np
import skparaphrase
from skparaphrase.datasets import load_headlines, load_graded_pairs
from skparaphrase.encoders import MaximumEncoder, ParaphraseEncoder
from skparaphrase.inspection import CosineHistogramDisplay
from skparaphrase.losses import SpreadLoss
from skparaphrase.metrics import mean_cosine
from skparaphrase.supervised import PairClassifier
from skparaphrase.vectors import WordVectors
import registry
assert sys.argv[1] in skparaphrase.__file__
assert registry.TRAINED["MaximumEncoder"] is MaximumEncoder

def again(model):
    model.save(sys.argv[1] + "/model")
    return skparaphrase.load(sys.argv[1] + "/model")

pairs, scores = (values[:40] for values in load_graded_pairs(return_X_y=True))
words = sorted({*" ".join(pairs.ravel()).lower().split()})
table = WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 5)))
short = {"max_epochs": 1, "random_state": 0}
encoder = MaximumEncoder(table, loss=SpreadLoss(), **short).fit(pairs)
same = again(encoder)
assert type(same.loss) is SpreadLoss
np.testing.assert_array_equal(same.transform(pairs), encoder.transform(pairs))
head = PairClassifier(encoder, features=["mean", "absdiff"], **short)
head.fit(pairs, scores > 3)
np.testing.assert_array_equal(again(head).predict(pairs), head.predict(pairs))
names = np.where(scores > 3, "paraphrase", "other")
named = ParaphraseEncoder(table, **short).fit(pairs, names)
marked = ParaphraseEncoder(table, **short).fit(pairs, scores > 3)
np.testing.assert_array_equal(named.transform(pairs), marked.transform(pairs))
try:
    ParaphraseEncoder(table, loss="cosent", **short).fit(pairs, names)
except ValueError as error:
    assert "contains str" in str(error)
else:
    raise AssertionError("a loss of scores learnt from names")
"""


def test_additions_touch_three_files_with_their_tests(tmp_path):
    copytree(ROOT / "skparaphrase", tmp_path / "skparaphrase", copy_function=os.symlink)
    for files in ADDITIONS.values():
        assert len(files) <= 2
        for name, text in files.items():
            path = tmp_path / "skparaphrase" / name
            path.unlink(missing_ok=True)  # a link to ours
            path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", USE, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
