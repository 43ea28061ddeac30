"""The benchmark of the shipped encoder: its titles and its edits."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import json
import lzma
from pathlib import Path

import pytest

from skparaphrase.vectors import WordVectors

FOLDER = Path(__file__).parents[1]
RESULTS = FOLDER / "results"


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def test_titles_are_reworded_or_have_another_model():
    products = importlib.import_module("_lib.products")
    pairs, same = products.title_pairs()
    assert len(pairs) == len({*pairs}) == 2 * sum(same)
    for (first, second), equal in zip(pairs, same, strict=True):
        a, b = first.split(), second.split()
        differ = [words for words in zip(a, b, strict=False) if words[0] != words[1]]
        assert (len(a) == len(b) and len(differ) == 1) == (not equal)


def test_every_third_long_word_gets_one_edit():
    editor = importlib.import_module("_lib.unknown_words").Editor
    text = "seven short words stand before another longer sentence ends"
    edited = editor(0).text(text)
    assert edited == editor(0).text(text)
    kept = [a == b for a, b in zip(text.split(), edited.split(), strict=True)]
    assert kept == [True, True, False, True, True, False, True, True, True]


def test_texts_with_words_that_have_no_vector():
    share = importlib.import_module("_lib.unknown_words").share_lacking
    vectors = WordVectors(["a", "blue", "eyed", "cat"], [[1.0]] * 4)
    texts = ["A blue-eyed cat!", "a blue-green cat", "a yak", "a cat"]
    assert share(vectors, texts) == 0.5


def test_the_page_is_made_from_the_recorded_results():
    pretrained = importlib.import_module("quality.pretrained")
    results = json.loads((RESULTS / "pretrained.json").read_text("utf-8"))["results"]
    page = (RESULTS / "pretrained.md").read_text("utf-8")
    assert {*results} == {*pretrained.PARTS}
    assert page.startswith("\n".join(pretrained.report(results)))


def test_what_fewer_dimensions_change():
    tasks = importlib.import_module("_lib.pretrained_tasks")
    columns = [column for columns in tasks.KINDS.values() for column in columns]
    rows = [
        {"": f'dim={dim}, pooling="distinct"', **dict.fromkeys(columns, 70.0)}
        for dim in tasks.DIMS
    ]
    rows[1] |= {"STS": 69.0, "SICK": 70.5, "TrecQA": 71.25}
    text = tasks.about_dimensions(rows)
    assert "With 128, the kinds of tasks change by -0.2 (similarity), +0.0" in text
    assert "+1.2 (answers)" in text


def test_memory_of_fewer_dimensions(tmp_path):
    """Numbers of a small search: vectors and tables are proportional to `dim`."""
    dimensions = importlib.import_module("_lib.dimensions")
    folder = tmp_path / "data/sentences"
    folder.mkdir(parents=True)
    for name in "ab":
        lines = "".join(f"A cat saw {name} {number}.\n" for number in range(200))
        (folder / f"{name}.txt.xz").write_bytes(lzma.compress(lines.encode()))
    texts = dimensions._sentences(tmp_path, 300)
    assert len(set(texts)) == 300 and texts == dimensions._sentences(tmp_path, 300)
    found = dimensions._measured(texts[:290], texts[290:], 64)
    assert found["table, MB"] == 60_000 * 64 / 1e6
    assert found["its vectors, MB"] == 290 * 64 * 4 / 1e6
    assert found["embed, s"] > 0 and found["one query, ms"] > 0
