"""Folders of checkpoints: what is written, damage, full disks and locks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import load_file

import skparaphrase.storage._checkpoints as module
from skparaphrase.storage import _folders
from skparaphrase.storage._checkpoints import CheckpointFolder, read_checkpoint

IDENTITY = {"estimator": "ParagramEncoder", "parameters": {"margin": 0.4}}


def state(number):
    return {
        "trainer": {"vectors": np.full((3, 2), number, np.float32)},
        "losses": [np.float64(0.5)] * number,
        "best": {"epoch": number, "arrays": {}},
    }


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path):
    folder = CheckpointFolder(tmp_path, writes=True)
    folder.write(2, IDENTITY, state(2))
    yield folder
    folder.close()


def test_files_hold_json_and_arrays(folder, tmp_path):
    assert folder.newest() == tmp_path / "epoch-2"
    assert names(tmp_path / "epoch-2") == ["arrays.safetensors", "metadata.json"]
    arrays = load_file(tmp_path / "epoch-2/arrays.safetensors")
    assert_array_equal(arrays["trainer/vectors"], state(2)["trainer"]["vectors"])
    content = json.loads((tmp_path / "epoch-2/metadata.json").read_text())
    assert content["state"] == {
        "trainer": {},
        "losses": [0.5, 0.5],
        "best": {"epoch": 2, "arrays": {}},
    }
    identity, found = read_checkpoint(tmp_path / "epoch-2")
    assert identity == IDENTITY
    vectors = found["trainer"].pop("vectors")
    assert_array_equal(vectors, state(2)["trainer"]["vectors"])
    assert found == {**state(2), "trainer": {}}


def cut(path):
    path.write_bytes(path.read_bytes()[:-8])


def flip(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def replacing(before, after):
    def damage(path):  # without a checksum, as of an old version
        text = path.read_text().replace(before, after)
        path.write_text(text.replace("crc32", "old"))

    return damage


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("arrays.safetensors", cut, "checksum mismatch"),
        ("arrays.safetensors", flip, "checksum mismatch"),
        ("arrays.safetensors", Path.unlink, "is missing"),
        ("metadata.json", cut, "is damaged"),
        ("metadata.json", Path.unlink, r"no metadata\.json"),
        ("metadata.json", replacing('"version": 3', '"version": 4'), "upgrade"),
        ("metadata.json", replacing('"version": 3', '"version": 2'), "earlier version"),
        ("metadata.json", replacing('"trainer": {}', '"trainer": 3'), "is damaged"),
    ],
)
def test_damage(folder, tmp_path, name, damage, message):
    damage(tmp_path / "epoch-2" / name)
    with pytest.raises(ValueError, match=rf"epoch-2 cannot be used: .*{message}"):
        read_checkpoint(tmp_path / "epoch-2")


def test_the_previous_checkpoint_goes_once_the_next_is_complete(folder, tmp_path):
    (tmp_path / ".epoch-1.new").mkdir()  # of a killed writer
    (tmp_path / ".epoch-1.lock").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "epoch-1").mkdir()  # not ours: it has no metadata
    folder.write(3, IDENTITY, state(3))
    assert names(tmp_path) == ["epoch-1", "epoch-3", "lock", "other"]
    assert read_checkpoint(folder.newest())[1]["best"]["epoch"] == 3


def test_a_full_disk_leaves_the_last_checkpoint(folder, tmp_path, monkeypatch):
    def full(arrays, path):
        path.write_bytes(b"the beginning")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_folders, "save_file", full)
    with pytest.raises(OSError, match="No space left"):
        folder.write(3, IDENTITY, state(3))
    assert names(tmp_path) == ["epoch-2", "lock"]
    assert read_checkpoint(folder.newest())[1]["best"]["epoch"] == 2


def test_one_writer_at_a_time(folder, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"Another fit is writing .*subfolders=True"):
        CheckpointFolder(tmp_path, writes=True)
    reader = CheckpointFolder(tmp_path, writes=False)
    assert reader.newest() == tmp_path / "epoch-2"
    folder.close()
    CheckpointFolder(tmp_path, writes=True).close()

    def unsupported(lock):
        raise NotImplementedError

    monkeypatch.setattr(module.FileLock, "acquire", unsupported)  # as on some networks
    CheckpointFolder(tmp_path, writes=True).close()
    assert CheckpointFolder(tmp_path / "none", writes=False).newest() is None
