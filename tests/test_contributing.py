"""What contributors add works, in a file of their own and with three of ours."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from sklearn.base import clone

from skparaphrase.datasets import load_paraphrases

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
NAMES = {"__name__": __name__}
for block in BLOCKS:
    exec(compile(block, "CONTRIBUTING.md", "exec"), NAMES)
MaximumEncoder = NAMES["MaximumEncoder"]
TESTS = [name for name in NAMES if name.startswith("test_")]


@pytest.mark.parametrize("name", TESTS)
def test_the_tests_of_the_page_pass(name):
    NAMES[name]()


def test_the_page_shows_an_encoder_and_its_tests():
    assert len(BLOCKS) == 2 and len(TESTS) == 2
    assert len(BLOCKS[0].splitlines()) <= 55


def test_the_encoder_is_an_estimator(tmp_path):
    pairs = load_paraphrases().data[:60]
    encoder = MaximumEncoder(max_epochs=1, random_state=0).fit(pairs)
    for again in (clone(encoder).fit(pairs), pickle.loads(pickle.dumps(encoder))):
        np.testing.assert_array_equal(again.transform(pairs), encoder.transform(pairs))
    assert not encoder.transform([""]).any()
    with pytest.raises(ValueError, match="cannot be saved without pickle"):
        encoder.save(tmp_path / "encoder")
    other = MaximumEncoder(loss="infonce", learning_rate=0.01, random_state=0)
    assert other.fit(pairs).get_params()["learning_rate"] == 0.01


# In the package

HEAD = BLOCKS[0][BLOCKS[0].index("class MaximumEncoder") :]
ENCODER = (
    "from skparaphrase._estimator import store_parameters\n"
    "from skparaphrase._lazy import networks\n"
    "from skparaphrase.encoders._trained import TrainedEncoder\n\n\n"
    + HEAD.replace("return Maximum(", "return networks.Average(")
)
EXAMPLE = (ROOT / "examples/plot_custom_loss.py").read_text("utf-8")
LOSS = re.search(r"(?s)class AlignmentUniformityLoss.*?\n\n\n", EXAMPLE)[0].replace(
    "(Loss):\n", '(Loss):\n    """Alignment and uniformity."""\n\n'
)
# Room, names, source of the module, and a test of it with `tmp_path`.
TASKS = {
    "encoder": ("encoders", ["MaximumEncoder"], ENCODER, """
import numpy as np
import registry
from skparaphrase import load
from skparaphrase.encoders import MaximumEncoder
from skparaphrase.vectors import WordVectors

def test_it(tmp_path):
    assert registry.TRAINED["MaximumEncoder"] is MaximumEncoder
    vectors = WordVectors(["a", "b"], np.eye(2, dtype=np.float32))
    encoder = registry.small(MaximumEncoder, vectors).fit([("a", "b"), ("b", "a b")])
    encoder.save(tmp_path / "encoder")
    found = load(tmp_path / "encoder").transform(["a", "a b"])
    np.testing.assert_array_equal(found, encoder.transform(["a", "a b"]))
"""),
    "loss": ("losses", ["AlignmentUniformityLoss"], LOSS, """
import numpy as np
from skparaphrase import load
from skparaphrase.encoders import ParagramEncoder
from skparaphrase.losses import AlignmentUniformityLoss
from skparaphrase.vectors import WordVectors

def test_it(tmp_path):
    vectors = WordVectors(["a", "b"], np.eye(2, dtype=np.float32))
    encoder = ParagramEncoder(vectors, loss=AlignmentUniformityLoss(), max_epochs=2)
    encoder.fit([("a", "b"), ("b", "a b")]).save(tmp_path / "encoder")
    assert type(load(tmp_path / "encoder").loss) is AlignmentUniformityLoss
"""),
    "scorer": ("metrics", ["norm_scorer"], """
import numpy as np

def norm_scorer(estimator, X, y=None):
    return float(np.linalg.norm(estimator.transform(X), axis=-1).mean())
""", """
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from skparaphrase.encoders import SIFEncoder
from skparaphrase.metrics import norm_scorer

def test_it():
    grid, cv = {"a": [1e-1, 1e-3]}, ShuffleSplit(1, random_state=0)
    search = GridSearchCV(SIFEncoder(), grid, scoring=norm_scorer, cv=cv)
    assert search.fit(["a cat", "the dog", "a bird"]).best_params_ == {"a": 1e-1}
"""),
    "index": ("search", ["WholeMatrix"], """
import numpy as np
from sklearn.base import BaseEstimator

class WholeMatrix(BaseEstimator):
    \"\"\"An index that compares with all vectors.\"\"\"

    def fit(self, X, y=None):
        self.rows_ = X
        return self

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        rows = np.argsort(-X @ self.rows_.T, axis=1)[:, :n_neighbors]
        return (None, rows) if return_distance else rows
""", """
from skparaphrase import load
from skparaphrase.search import SemanticSearch, WholeMatrix

def test_it(tmp_path):
    search = SemanticSearch(neighbors=WholeMatrix()).fit(["a cat", "my dog", "rain"])
    search.save(tmp_path / "search")
    assert load(tmp_path / "search").search("a dog", k=1).row.item() == 1
"""),
    "display": ("inspection", ["NormDisplay"], """
import numpy as np
from skparaphrase.inspection._display import Display

class NormDisplay(Display):
    \"\"\"Lengths of the vectors of texts.\"\"\"

    def __init__(self, norms):
        self.norms = norms

    @classmethod
    def from_estimator(cls, estimator, X):
        return cls(np.linalg.norm(estimator.transform(X), axis=-1))

    def plot(self, ax=None):
        self._make_axes(ax).plot(self.norms)
        return self
""", """
import matplotlib
from skparaphrase.encoders import SIFEncoder
from skparaphrase.inspection import NormDisplay

def test_it():
    matplotlib.use("agg")
    texts = ["a cat", "my dog", "rain"]
    display = NormDisplay.from_estimator(SIFEncoder().fit(texts), texts).plot()
    assert len(display.ax_.lines[0].get_ydata()) == 3
"""),
}  # fmt: skip


def change(path, text):
    """Write a file in the place of the link to ours."""
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")


def export(room, names, source):
    """Add a module to a package, or its source to a module, and export names."""
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names)
    if room.is_dir():
        change(room / "_added.py", source)
        page = room / "__init__.py"
        imported = f"from skparaphrase.{room.name}._added import {', '.join(names)}\n"
        text = re.sub(r"(?m)(?=^__all__)", imported, page.read_text("utf-8"))
    else:
        page = room.with_suffix(".py")
        text = f"{page.read_text('utf-8')}\n\n{source}"
    change(page, re.sub(r"(?m)^__all__ = \[", listed, text))


@pytest.mark.parametrize("task", TASKS)
def test_a_task_touches_three_files(task, tmp_path):
    room, names, source, test = TASKS[task]
    for folder in ("skparaphrase", "tests", "docs/api", "docs/_ext"):
        copytree(ROOT / folder, tmp_path / folder, copy_function=os.symlink)
    export(tmp_path / "skparaphrase" / room, names, source)
    change(tmp_path / "tests" / f"test_added_{room}.py", test)
    made = tmp_path / "made"
    made.mkdir()
    code = f"""
import runpy, sys
from pathlib import Path
sys.path[:0] = [{str(tmp_path)!r}, {str(tmp_path / "tests")!r}]
import skparaphrase
assert {str(tmp_path)!r} in skparaphrase.__file__
test = runpy.run_path({str(tmp_path / "tests" / f"test_added_{room}.py")!r})["test_it"]
test(*[Path({str(made)!r})] * test.__code__.co_argcount)
expand = runpy.run_path({str(tmp_path / "docs/_ext/public_names.py")!r})["expand"]
page = expand(Path({str(tmp_path / f"docs/api/{room}.rst")!r}).read_text("utf-8"))
assert all(f"   {{name}}\\n" in page for name in {names!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    ours = [tmp_path / folder for folder in ("skparaphrase", "tests", "docs")]
    files = [path for folder in ours for path in folder.rglob("*") if path.is_file()]
    touched = [p for p in files if not p.is_symlink() and p.suffix != ".pyc"]
    assert 2 <= len(touched) <= 3, touched
