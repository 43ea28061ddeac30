"""Which checksums are compared, and when."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from zlib import crc32

import numpy as np
import pytest

import skparaphrase
from skparaphrase.encoders import SIFEncoder
from skparaphrase.storage import _folders
from skparaphrase.vectors import WordVectors, _storage


@pytest.fixture
def large(monkeypatch):
    """All mapped files are large."""
    for module in (_folders, _storage):
        monkeypatch.setattr(module, "is_large", lambda n_bytes: True)


def flip(path):
    raw = bytearray(path.read_bytes())
    raw[-2] ^= 1
    path.write_bytes(raw)


def test_metadata_holds_the_checksum_of_every_file(tmp_path):
    SIFEncoder(WordVectors(["a", "cat"], np.eye(2))).fit(["a"]).save(tmp_path / "m")
    for path in tmp_path.rglob("metadata.json"):
        content = json.loads(path.read_text())
        inside = {p for p in path.parent.rglob("*") if p.is_file() and p != path}
        here = {p for p in inside if p.parent == path.parent or p.name == path.name}
        assert content["files"] == {
            p.relative_to(path.parent).as_posix(): crc32(p.read_bytes()) for p in here
        }
        text, _, last = path.read_text().rpartition(",\n")
        assert last == f' "crc32": {crc32(text.encode())}\n}}\n'


def test_large_mapped_tables_are_compared_on_request(large, tmp_path):
    model = SIFEncoder(WordVectors(["a", "cat"], np.eye(2, 5))).fit(["a"])
    model.save(tmp_path / "m")
    assert skparaphrase.load(tmp_path / "m", verify=True).vectors["cat"][1] == 1
    flip(tmp_path / "m/vectors/matrix.npy")
    vectors = skparaphrase.load(tmp_path / "m").vectors
    assert vectors.words == ["a", "cat"]
    WordVectors.load(tmp_path / "m/vectors")
    for load in (
        lambda: skparaphrase.load(tmp_path / "m", verify=True),
        lambda: WordVectors.load(tmp_path / "m/vectors", verify=True),
        lambda: WordVectors.load(tmp_path / "m/vectors", mmap=False),
    ):
        with pytest.raises(ValueError, match=r"matrix\.npy is damaged: checksum"):
            load()


def test_folders_without_checksums_load(tmp_path):
    WordVectors(["a", "cat"], np.eye(2)).save(tmp_path / "v")
    path = tmp_path / "v/metadata.json"
    content = json.loads(path.read_text())
    del content["files"], content["crc32"]
    path.write_text(json.dumps(content))
    assert WordVectors.load(tmp_path / "v", verify=True).words == ["a", "cat"]
