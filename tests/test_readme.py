"""The code of the README runs as typed, with the output shown there."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest
from packaging.requirements import Requirement
from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: F401, for eval
from sklearn.svm import LinearSVC

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SEARCH, CLASSIFY, TRAIN = re.findall(r"```python\n(.*?)```", README, re.S)


def run(code):
    """The names that a block of code defines in a fresh namespace."""
    names = {}
    exec(code, names)
    return names


def test_one_screen():
    assert README.count("\n") <= 120


@pytest.mark.filterwarnings("error")
def test_search_prints_what_stands_below_it(capsys):
    run(SEARCH)
    assert capsys.readouterr().out == re.search(r"```text\n(.*?)```", README, re.S)[1]


@pytest.mark.filterwarnings("error")
def test_accuracies_of_the_classifiers():
    names = run(CLASSIFY)
    last = CLASSIFY.strip().splitlines()[-1]
    call, _, shown = last.partition("  # ")
    assert f"{eval(call, names):.2f}" == shown
    found = re.search(
        r"With `(.+)` instead .* is (0.\d\d), and (0.\d\d) with\s`(.+)` and `Linear",
        README,
    )
    plain, shown, best_shown, best = found.groups()
    names["model"].steps[0] = "tfidf", eval(plain)
    assert f"{eval(call, names):.2f}" == shown
    names["model"].steps = [("tfidf", eval(best)), ("svm", LinearSVC())]
    assert f"{eval(call, names):.2f}" == best_shown


@pytest.mark.filterwarnings("error")
def test_training():
    names = run(TRAIN)
    assert names["vectors"].shape == (2, 256)
    assert names["encoder"].loss_curve_[-1] < names["encoder"].loss_curve_[0]


def test_badges():
    """What they say is what pyproject.toml says."""
    badges = re.findall(r"img\.shields\.io/badge/(.+?)-\w+\)", README)
    python, sklearn, licence = (
        unquote(badge).replace("_", " ").replace("--", "-") for badge in badges
    )
    versions = [
        classifier.rpartition(" ")[2]
        for classifier in PROJECT["classifiers"]
        if re.search(r":: 3\.\d+$", classifier)
    ]
    assert python == f"python-{versions[0]} to {versions[-1]}"
    requirements = map(Requirement, PROJECT["dependencies"])
    (needed,) = (r.specifier for r in requirements if r.name == "scikit-learn")
    (floor,) = needed
    assert sklearn == f"scikit-learn-{floor.version} or later"
    assert PROJECT["license"].startswith(licence.removeprefix("licence-"))


def test_links_to_files():
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / link).is_file(), link
        assert not link.endswith(".rst"), "a code host shows no roles"
