"""The benchmark of the shipped encoder: memory by dimensions."""

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


def test_memory_of_fewer_dimensions(tmp_path):
    """Numbers of a small search: vectors and tables are proportional to `dim`."""
    dimensions = importlib.import_module("_lib.dimensions")
    readers = importlib.import_module("_lib.readers")
    folder = tmp_path / "data/sentences"
    folder.mkdir(parents=True)
    for name in "ab":
        lines = "".join(f"A cat saw {name} {number}.\n" for number in range(200))
        (folder / f"{name}.txt.xz").write_bytes(lzma.compress(lines.encode()))
    texts = readers.read_sentences(tmp_path)
    assert len(texts) == len({*texts}) == 400
    found = dimensions._measured(texts[:290], texts[290:300], 64)
    assert found["table, MB"] == 60_000 * 64 / 1e6
    assert found["its vectors, MB"] == 290 * 64 * 4 / 1e6
    assert found["embed, s"] > 0 and found["one query, ms"] > 0
