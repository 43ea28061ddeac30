"""The benchmark of the shipped encoder: fewer dimensions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import lzma
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def test_what_fewer_dimensions_change():
    tasks = importlib.import_module("_lib.pretrained_tasks")
    columns = [column for columns in tasks.KINDS.values() for column in columns]
    rows = [
        {"": f'dim={dim}, pooling="distinct"', **dict.fromkeys(columns, 70.0)}
        for dim in tasks.DIMS
    ]
    rows[1] |= {"STS": 69.0, "SICK": 70.5, "TrecQA": 71.25}
    text = tasks.changes(rows)
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
