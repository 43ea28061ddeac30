"""Folders of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from skparaphrase.storage import _folders
from skparaphrase.vectors import WordVectors


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_save_and_load(table, assert_same, dtype, tmp_path):
    vectors = table(dtype, unknown="a\nb")
    vectors.save(tmp_path / "new" / "v")
    mapped = WordVectors.load(str(tmp_path / "new" / "v"))
    assert isinstance(mapped.matrix, np.memmap)
    read = WordVectors.load(tmp_path / "new" / "v", mmap=False)
    assert not isinstance(read.matrix, np.memmap)
    for loaded in (mapped, read, pickle.loads(pickle.dumps(mapped))):
        assert_same(loaded, vectors)
        assert loaded.nearest("cat") == vectors.nearest("cat")


def test_save_over_an_existing_table(table, assert_same, tmp_path):
    (tmp_path / "v").mkdir()
    table(n=5).save(tmp_path / "v")
    # Windows does not replace files that are mapped.
    old = WordVectors.load(tmp_path / "v", mmap=sys.platform != "win32")
    old.save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), old)
    table("int8").save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), table("int8"))
    assert_same(old, table(n=5))
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("exists", [True, False])
def test_an_interrupted_save_leaves_nothing(
    table, assert_same, tmp_path, monkeypatch, error, exists
):
    if exists:
        table(n=5).save(tmp_path / "v")

    def fail(path, *args, **kwargs):
        path.write_bytes(b"half")
        raise error("no space left")

    monkeypatch.setattr(np, "save", fail)
    with pytest.raises(error, match="no space left"):
        table().save(tmp_path / "v")
    assert [path.name for path in tmp_path.iterdir()] == ["v"] * exists
    if exists:
        assert_same(WordVectors.load(tmp_path / "v"), table(n=5))


def test_a_folder_that_cannot_be_replaced_is_kept(
    table, assert_same, tmp_path, monkeypatch
):
    table(n=5).save(tmp_path / "v")
    rename = Path.rename

    def refuse(self, target):
        if self.name == "v":
            raise PermissionError("Access is denied")  # as Windows if it is mapped
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr(_folders, "_exchange", lambda new, old: False)
    with pytest.raises(PermissionError, match=r"v cannot be replaced: "):
        table().save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), table(n=5))
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


@pytest.mark.parametrize("name", ["folder", "folder/thesis", "project"])
def test_save_leaves_what_others_wrote(table, tmp_path, name):
    for folder, file in (("folder", "thesis"), ("project", "metadata.json")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / file).write_text('{"name": "mine"}')
    with pytest.raises(ValueError, match=f"{Path(name).name} already exists and was n"):
        table().save(tmp_path / name)
    assert len(list(tmp_path.rglob("*"))) == 4


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b'{"kind": "WordVec', "metadata.json is damaged"),
        (b"\xff", "metadata.json is damaged"),
        (b"[]", ""),
        (b'{"kind": "SIFEncoder", "version": 1}', "'SIFEncoder', not WordVectors"),
        (b'{"kind": "WordVectors", "version": 4}', "version 4.* up to 3: upgrade"),
    ],
)
def test_load_refuses_other_folders(table, tmp_path, metadata, message):
    table().save(tmp_path / "v")
    (tmp_path / "v" / "metadata.json").write_bytes(metadata)
    folder = re.escape(str(tmp_path / "v"))
    with pytest.raises(ValueError, match=f"{folder}.*{message}"):
        WordVectors.load(tmp_path / "v")


def test_load_refuses_missing_and_mixed_folders(table, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*v"):
        WordVectors.load(tmp_path / "v")
    table(n=5).save(tmp_path / "v")
    table(n=6).save(tmp_path / "w")
    shutil.copy(tmp_path / "w" / "words.npy", tmp_path / "v" / "words.npy")
    with pytest.raises(ValueError, match=r"words\.npy is damaged: checksum"):
        WordVectors.load(tmp_path / "v")
    shutil.copy(tmp_path / "w" / "matrix.npy", tmp_path / "v" / "matrix.npy")
    with pytest.raises(ValueError, match=r"damaged: checksum mismatch"):
        WordVectors.load(tmp_path / "v")
