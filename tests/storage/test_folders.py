"""Folders that appear whole or not at all, and say what they hold."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from pathlib import Path

import pytest

from skparaphrase.storage import _folders
from skparaphrase.storage._folders import new_folder, read_metadata, write_metadata


def write(folder, content):
    with new_folder(folder) as new:
        (new / content).write_text(content)
        write_metadata(new, kind="Thing", version=2, content=content)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_folder_is_replaced_with_all_that_is_in_it(tmp_path):
    folder = tmp_path / "deep" / "folder"
    for content in ("one", "two"):
        write(folder, content)
        assert names(folder) == sorted([content, "metadata.json"])
    metadata = read_metadata(folder, kind=["Other", "Thing"], version=3)
    assert (metadata["content"], metadata["version"]) == ("two", 2)
    assert names(folder.parent) == ["folder"]
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", "one")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_folder_gets_the_usual_permissions(tmp_path):
    write(tmp_path / "folder", "one")
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "folder").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("metadata", [None, "{", "[]", '{"format": "other"}'])
def test_folder_of_others_is_not_replaced(metadata, tmp_path):
    (tmp_path / "mine").write_text("precious")
    if metadata:
        (tmp_path / "metadata.json").write_text(metadata)
    with pytest.raises(ValueError, match="was not saved by skparaphrase; choose"):
        write(tmp_path, "one")
    assert (tmp_path / "mine").read_text() == "precious"


def test_error_leaves_the_old_folder(tmp_path):
    write(tmp_path / "folder", "one")
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "folder") as new:
        (new / "two").write_text("two")
        1 / 0  # noqa: B018
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == ["metadata.json", "one"]


@pytest.mark.parametrize("step", [1, 2])
def test_folder_that_cannot_be_moved_stays(step, tmp_path, monkeypatch):
    write(tmp_path / "folder", "one")
    rename, calls = Path.rename, []

    def refuse(path, target):
        calls.append(path)
        if len(calls) == step:
            raise PermissionError("in use")
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        patch.setattr(_folders, "_exchange", lambda new, old: False)
        message = "a file in it is open" if step == 1 else "in use"
        with pytest.raises(PermissionError, match=message):
            write(tmp_path / "folder", "two")
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == ["metadata.json", "one"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "metadata.json is damaged"),
        ("[]", "does not hold an object"),
        ('{"kind": "Other"}', "holds 'Other', not Thing or Box"),
        ('{"kind": "Thing"}', "has no version"),
        ('{"kind": "Thing", "version": 4}', r"version 4, .* up to 3: upgrade"),
    ],
)
def test_metadata_of_something_else(text, message, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"it has no metadata\.json"):
        read_metadata(tmp_path, kind="Thing", version=3)
    (tmp_path / "metadata.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_metadata(tmp_path, kind=["Thing", "Box"], version=3)
