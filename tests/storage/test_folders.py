"""Folders that are written completely or not at all, and their checksums."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import json
import os
import signal
import stat
from pathlib import Path
from zlib import crc32

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
    write_safetensors,
)
from skparaphrase.supervised import TextClassifier
from skparaphrase.vectors import WordVectors, _storage


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


def git(folder):
    folder.mkdir()
    (folder / "HEAD").write_text("main")


OTHERS = {
    ".git": git,
    ".cache": git,
    "__pycache__": git,
    ".ipynb_checkpoints": git,
    "._metadata.json": lambda path: path.write_text("of macOS"),
    ".DS_Store": lambda path: path.write_text("of macOS"),
    ".nfs0001": lambda path: path.write_text("in use"),
    "config.json": lambda path: path.write_text("{}"),
    "README.md": lambda path: path.write_text("mine"),
    "other": lambda path: SIFEncoder(frequencies={"a": 1}).save(path),
    "broken": lambda path: path.symlink_to("nowhere"),
    "pipe": os.mkfifo,
}


def state(folder):
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("name", OTHERS)
def test_what_others_put_into_a_folder_stays(name, tmp_path):
    """Beside the files of a model, and of the models in it."""
    folder = tmp_path / "model"
    table = WordVectors(["a", "cat"], np.eye(2))
    pipe = TextClassifier(SIFEncoder(table), max_epochs=1, random_state=0)
    pipe.fit(["a cat", "a"], [0, 1]).save(folder)
    before = state(folder)
    for place in (folder, folder / "encoder", folder / "encoder/vectors"):
        OTHERS[name](place / name)
    added = {path: x for path, x in state(folder).items() if path not in before}
    assert len(added) >= 3
    assert skparaphrase.load(folder).predict(["a"]) == pipe.predict(["a"])
    for _ in range(2):
        pipe.save(folder)
        assert state(folder) == before | added and names(tmp_path) == ["model"]
    SIFEncoder(table, a=1.0).fit(["a"]).save(folder)  # without an inner model
    assert skparaphrase.load(folder).a == 1
    assert {path: x for path, x in state(folder).items() if path in added} == added


def test_the_current_directory_is_not_replaced(tmp_path, monkeypatch):
    """A shell in it would stand in a folder that is gone."""
    write(tmp_path / "folder", "one")
    with monkeypatch.context() as there:
        there.chdir(tmp_path / "folder")
        for path in (".", "../folder", tmp_path / "folder"):
            with pytest.raises(ValueError, match="is the current directory"):
                write(path, "two")
        write("inside", "three")
        assert read(Path("inside")) == "three"
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match="file already exists and was not saved by"):
        write(tmp_path / "file", "one")


def test_a_file_of_others_is_in_the_way(tmp_path):
    write(tmp_path / "folder", "one")
    (tmp_path / "folder/two").write_text("mine")
    before = state(tmp_path)
    with pytest.raises(ValueError, match="two was not saved by skparaphrase; move it"):
        write(tmp_path / "folder", "two")
    assert state(tmp_path) == before


def test_what_the_system_adds_while_a_folder_is_written(tmp_path):
    with new_folder(tmp_path / "folder") as new:
        (new / "one").write_text("one")
        (new / "._one").write_text("of macOS")
        (new / ".nfs0001").write_text("in use")
        write_metadata(new, kind="Thing", content="one")
    assert read(tmp_path / "folder") == "one"


@pytest.mark.parametrize("failing", ["rmtree", "last replace"])
def test_a_clean_up_that_fails(failing, tmp_path, monkeypatch):
    """Of files that are in use; what is saved is there, and later saves clean up."""
    write(tmp_path / "folder", "one")
    (tmp_path / "folder/mine").write_text("precious")
    replace = os.replace

    def refuse(path, target):
        if Path(target).name == "older":
            raise PermissionError("in use")
        replace(path, target)

    with monkeypatch.context() as patch:
        if failing == "rmtree":
            patch.setattr(_folders.shutil, "rmtree", lambda *args, **options: None)
        else:
            patch.setattr(os, "replace", refuse)
        for content in ("two", "three"):
            write(tmp_path / "folder", content)
            assert read_folder(tmp_path / "folder", read) == content
    assert len(names(tmp_path)) > 1
    write(tmp_path / "folder", "four")
    assert read(tmp_path / "folder") == "four"
    assert (tmp_path / "folder/mine").read_text() == "precious"
    assert ".folder.old" not in names(tmp_path)


def test_a_save_that_is_killed_before_it_moved_what_others_had(tmp_path):
    folder = tmp_path / "folder"
    for content in ("one", "two"):
        write(tmp_path / content, content)
    (tmp_path / "one/.git").mkdir()
    os.replace(tmp_path / "one", tmp_path / ".folder.old")
    os.replace(tmp_path / "two", folder)
    assert read_folder(folder, read) == "two"
    (folder / ".git").mkdir()  # where it was missed
    before = state(tmp_path)
    with pytest.raises(ValueError, match=r"\.git, of a killed save, is there twice"):
        write(folder, "three")
    assert state(tmp_path) == before
    (folder / ".git").rmdir()
    write(folder, "three")
    assert names(tmp_path) == ["folder"] and ".git" in names(folder)


def test_a_file_system_whose_times_change(tmp_path, monkeypatch):
    """As some of networks: a folder is read, and a wrong one is refused."""
    write(tmp_path / "folder", "one")
    monkeypatch.setattr(_folders, "_identity", lambda folder: object())
    assert read_folder(tmp_path / "folder", read) == "one"
    (tmp_path / "folder/one").unlink()
    with pytest.raises(ValueError, match="one is missing"):
        read_folder(tmp_path / "folder", read)


@pytest.mark.parametrize("metadata", [None, "{", "[]", '{"format": "other"}'])
def test_folder_of_others_is_not_replaced(metadata, tmp_path):
    (tmp_path / "mine").write_text("precious")
    if metadata:
        (tmp_path / "metadata.json").write_text(metadata)
    with pytest.raises(ValueError, match="was not saved by skparaphrase; choose"):
        write(tmp_path, "one")
    assert (tmp_path / "mine").read_text() == "precious"


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
    """The old folder is read from where it is, and the next save clears up."""
    folder = tmp_path / "folder"
    write(folder, "one")
    os.replace(folder, tmp_path / ".folder.old")
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
        ({"kind": "Popen"}, "holds 'Popen', not Other or Thing"),
        ({"kind": ["Thing"]}, r"holds \['Thing'\]"),
        ({"format": "other"}, "holds 'Thing'"),
        ({"version": 99, "written_by": "7.0"}, "the format of skparaphrase 7.0, which"),
        ({"files": {"../folder/one": 1}}, "'../folder/one' is not the name of a file"),
        ({"files": {"../metadata.json": 1}}, "is not the name of a file"),
        ({"files": {"other": 1}}, "other is missing"),
        ({"files": 3}, "is corrupt: AttributeError"),
    ],
)
def test_metadata_of_something_else(changes, message, tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        read(tmp_path / "folder")
    with pytest.raises(FileNotFoundError, match=r"it has no metadata\.json"):
        read(tmp_path)
    write(tmp_path / "folder", "one")
    edit(tmp_path / "folder/metadata.json", **changes)
    with pytest.raises(ValueError, match=message) as raised:
        read(tmp_path / "folder")
    assert str(raised.value).startswith(str(tmp_path / "folder"))


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


def test_metadata_holds_the_checksum_of_every_file(tmp_path):
    SIFEncoder(WordVectors(["a", "cat"], np.eye(2))).fit(["a"]).save(tmp_path / "m")
    for path in tmp_path.rglob("metadata.json"):
        content = json.loads(path.read_text())
        inside = {p for p in path.parent.rglob("*") if p.is_file() and p != path}
        here = {p for p in inside if p.parent == path.parent or p.name == path.name}
        assert content["files"] == {
            p.relative_to(path.parent).as_posix(): crc32(p.read_bytes()) for p in here
        }


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


def test_a_full_disk_is_an_os_error(tmp_path):
    """Of files that may not grow."""
    resource = pytest.importorskip("resource")  # Windows has none
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(OSError, match=r"File too large") as raised:
            write_safetensors(tmp_path / "a.safetensors", {"x": np.zeros(10**5)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert raised.value.errno == errno.EFBIG
