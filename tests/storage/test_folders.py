"""Folders that are written completely or not at all, and their checksums."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest
from forged import edit

import skparaphrase
from skparaphrase.encoders import CharagramEncoder, SIFEncoder
from skparaphrase.storage import _folders
from skparaphrase.storage._folders import (
    new_folder,
    read_folder,
    read_metadata,
    write_metadata,
)
from skparaphrase.supervised import TextClassifier
from skparaphrase.vectors import WordVectors, _storage

TABLE = WordVectors(["a", "cat"], np.eye(2))


def write(folder, content):
    with new_folder(folder) as new:
        (new / content).write_text(content)
        write_metadata(new, kind="Thing", content=content)


def read(folder):
    return read_metadata(folder, ["Other", "Thing"], verify=True)["content"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_is_replaced(tmp_path):
    folder = tmp_path / "deep" / "folder"
    for content in ("one", "two"):
        write(folder, content)
        assert names(folder) == sorted([content, "metadata.json"])
        assert read(folder) == content
    assert names(folder.parent) == ["folder"]
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", "one")
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    write(tmp_path / "link", "three")
    assert (tmp_path / "link").is_symlink() and read(folder) == "three"


def state(folder):
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def text(path):
    path.write_text("mine")


OTHERS = {
    ".git": Path.mkdir,
    "README.md": text,
    "config.json": text,
    "other": lambda path: SIFEncoder(frequencies={"a": 1}).save(path),
    "broken": lambda path: path.symlink_to("nowhere"),
    "pipe": os.mkfifo,
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("place", ["", "encoder", "encoder/vectors"])
def test_files_of_others_are_not_replaced(name, place, tmp_path):
    """Next to the files of a model, and of the models in it."""
    folder = tmp_path / "model"
    pipe = TextClassifier(SIFEncoder(TABLE), max_epochs=1, random_state=0)
    pipe.fit(["a cat", "a"], [0, 1]).save(folder)
    OTHERS[name](folder / place / name)
    before = state(tmp_path)
    path = re.escape(str(folder / place / name))
    for model in (pipe, SIFEncoder(TABLE)):  # without an inner model
        with pytest.raises(ValueError, match=f"{path}.* was not saved by .*; move it"):
            model.save(folder)
    assert state(tmp_path) == before
    assert skparaphrase.load(folder).predict(["a"]) == pipe.predict(["a"])


@pytest.mark.parametrize("metadata", [None, "{", "[]", '{"format": "other"}'])
def test_folder_of_others_is_not_replaced(metadata, tmp_path):
    (tmp_path / "mine").write_text("precious")
    if metadata:
        (tmp_path / "metadata.json").write_text(metadata)
    for path in (tmp_path, tmp_path / "mine"):
        with pytest.raises(ValueError, match="was not saved by skparaphrase"):
            write(path, "one")
    assert (tmp_path / "mine").read_text() == "precious"


def test_the_current_directory_is_not_replaced(tmp_path, monkeypatch):
    """A shell in it would be left in a deleted folder."""
    write(tmp_path / "folder", "one")
    monkeypatch.chdir(tmp_path / "folder")
    for path in (".", "../folder", tmp_path / "folder"):
        with pytest.raises(ValueError, match="is the current directory"):
            write(path, "two")
    write("inside", "three")
    assert read(Path("inside")) == "three"


def test_what_systems_add_is_no_hindrance(tmp_path):
    """Neither while a folder is written, nor in one that is replaced."""
    for content in ("one", "two"):
        with new_folder(tmp_path / "folder") as new:
            (new / content).write_text(content)
            for name in ("._one", ".DS_Store", ".nfs0001"):
                (new / name).write_text("of a system")
            write_metadata(new, kind="Thing", content=content)
            (new / ".nfs0001").unlink()
        assert read(tmp_path / "folder") == content


def test_a_clean_up_that_fails(tmp_path, monkeypatch):
    """For files in use: the new content is saved, and later saves clean up."""
    write(tmp_path / "folder", "one")
    replace = os.replace

    def refuse(path, target):
        if Path(target).name == "old":
            raise PermissionError("in use")
        replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        for content in ("two", "three"):
            write(tmp_path / "folder", content)
            assert read_folder(tmp_path / "folder", read) == content
    assert len(names(tmp_path)) == 2
    write(tmp_path / "folder", "four")
    assert names(tmp_path) == ["folder"] and read(tmp_path / "folder") == "four"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, ZeroDivisionError])
def test_an_interrupted_save_leaves_the_old_folder(error, tmp_path):
    for before in ([], ["folder"]):
        with pytest.raises(error), new_folder(tmp_path / "folder") as new:
            (new / "two").write_text("two")
            raise error
        assert names(tmp_path) == before
        write(tmp_path / "folder", "one")
    assert read(tmp_path / "folder") == "one"


@pytest.mark.parametrize("step", [1, 2])
def test_folder_that_cannot_be_replaced_stays(step, tmp_path, monkeypatch):
    write(tmp_path / "folder", "one")
    replace, calls = os.replace, []

    def refuse(path, target):
        calls.append(path)
        if len(calls) == step:
            raise PermissionError("in use")
        replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(PermissionError, match="in use"):
            write(tmp_path / "folder", "two")
    assert names(tmp_path) == ["folder"] and read(tmp_path / "folder") == "one"


def test_a_save_that_is_killed_before_its_last_step(tmp_path):
    """The old folder is read from its temporary place, and the next save cleans up."""
    folder = tmp_path / "folder"
    write(folder, "one")
    os.replace(folder, _folders._old(folder))
    assert read_folder(folder, read) == "one"
    write(folder, "two")
    assert names(tmp_path) == ["folder"] and read_folder(folder, read) == "two"


def test_a_folder_that_is_replaced_while_it_is_read(tmp_path):
    folder = tmp_path / "folder"
    write(folder, "one")
    contents = iter(["two", "three"])

    def read_slowly(path):
        found = read(path)
        for content in contents:
            write(folder, content)
            if content == "three":  # whose files are not those of the metadata
                raise ValueError("a file is missing")
            break
        return found

    assert read_folder(folder, read_slowly) == "three"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_saved_files_have_the_permissions_of_other_files(umask, tmp_path):
    model = CharagramEncoder(dim=3, max_epochs=0).fit([("a cat", "the cat")] * 2)
    before = os.umask(umask)
    try:
        model.save(tmp_path / "model")
    finally:
        os.umask(before)
    modes = {p: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*")}
    assert len(modes) > 5
    for path, mode in modes.items():
        assert mode == (0o777 if path.is_dir() else 0o666) & ~umask


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("saves", [1, 2])
def test_a_folder_keeps_its_permissions(saves, tmp_path):
    (tmp_path / "model").mkdir(mode=0o700)
    for _ in range(saves):
        SIFEncoder().fit(["a cat"]).save(tmp_path / "model")
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "Popen"}, "contains 'Popen', not Other or Thing"),
        ({"kind": ["Thing"]}, r"contains \['Thing'\]"),
        ({"format": "other"}, "contains 'Thing'"),
        ({"version": 99, "written_by": "7.0"}, "the format of skparaphrase 7.0, which"),
        ({"files": {"../folder/one": 1}}, "'../folder/one' is not the name of a file"),
        ({"files": {"../metadata.json": 1}}, "is not the name of a file"),
        ({"files": {"other": 1}}, "other is missing"),
        ({"files": 3}, "is corrupt: AttributeError"),
    ],
)
def test_metadata_of_something_else(changes, message, tmp_path):
    for folder in (tmp_path, tmp_path / "folder"):
        with pytest.raises(FileNotFoundError, match=r"metadata\.json|is no folder"):
            read(folder)
    write(tmp_path / "folder", "one")
    edit(tmp_path / "folder/metadata.json", **changes)
    with pytest.raises(ValueError, match=message) as raised:
        read(tmp_path / "folder")
    assert str(raised.value).startswith(str(tmp_path / "folder"))


def test_a_folder_of_others_is_refused_before_a_model_is_written(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="would be lost"), new_folder(tmp_path):
        pytest.fail("it is written")


def test_every_changed_byte_is_found(tmp_path):
    write(tmp_path / "folder", "one")
    for path in (tmp_path / "folder").iterdir():
        raw = path.read_bytes()
        for i in range(len(raw)):
            path.write_bytes(raw[:i] + bytes([raw[i] ^ 1]) + raw[i + 1 :])
            with pytest.raises(ValueError, match=r"is corrupt|is not the name"):
                read(tmp_path / "folder")
        path.write_bytes(raw)
    assert read(tmp_path / "folder") == "one"


def test_large_mapped_tables_are_compared_on_request(tmp_path, monkeypatch):
    for module in (_folders, _storage):
        monkeypatch.setattr(module, "is_large", lambda n_bytes: True)
    model = SIFEncoder(WordVectors(["a", "cat"], np.eye(2, 5))).fit(["a"])
    model.save(tmp_path / "m")
    assert skparaphrase.load(tmp_path / "m", verify=True).vectors["cat"][1] == 1
    path = Path(tmp_path / "m/vectors/matrix.npy")
    raw = bytearray(path.read_bytes())
    raw[-2] ^= 1
    path.write_bytes(raw)
    assert skparaphrase.load(tmp_path / "m").vectors.words == ["a", "cat"]
    for load in (
        lambda: skparaphrase.load(tmp_path / "m", verify=True),
        lambda: skparaphrase.load(tmp_path / "m/vectors", verify=True),
    ):
        with pytest.raises(ValueError, match=r"matrix\.npy is corrupt: checksum"):
            load()
