"""Numbered checkpoints in a folder, one of which is always complete."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from skparaphrase.storage._folders import (
    load_arrays,
    new_folder,
    read_metadata,
    refuse_damage,
    save_arrays,
    write_metadata,
)

_FORMAT_VERSION = 3  # 2, of the second edition, has other fingerprints
_KIND = "Checkpoint"
_ARRAYS = "arrays.safetensors"


class CheckpointFolder:
    """A folder that holds the last checkpoint, "epoch-N".

    A new checkpoint is complete before the previous one is deleted. The next write
    removes the remains of a killed writer.

    Parameters
    ----------
    folder : Path
    writes : bool
        If True, the folder is locked until :meth:`close`.

    Raises
    ------
    ValueError
        If another process, or another object of this one, writes to the folder.
    """

    def __init__(self, folder: Path, *, writes: bool) -> None:
        self.folder = folder
        self._lock = FileLock(folder / "lock", timeout=0, is_singleton=False)
        if writes:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire()
            except Timeout:
                raise ValueError(
                    f"Another fit is writing checkpoints to {folder}: use one folder "
                    "per fit, or Checkpoint(..., subfolders=True) for the fits of a "
                    "grid search."
                ) from None
            except (NotImplementedError, OSError):
                pass  # a file system without locks

    def close(self) -> None:
        """Unlock the folder."""
        self._lock.release()

    def newest(self) -> Path | None:
        """The path of the last checkpoint, or None."""
        found = self._all()
        return found[max(found)] if found else None

    def write(self, number: int, identity: Any, state: dict[str, Any]) -> None:
        """Write a checkpoint, then delete the previous one.

        Raises
        ------
        OSError
            The previous checkpoint is kept.
        """
        self._sweep()
        path = self.folder / f"epoch-{number}"
        with new_folder(path) as new:
            content: dict[str, Any] = {"identity": identity}
            content["state"] = save_arrays(new / _ARRAYS, state)
            write_metadata(new, kind=_KIND, version=_FORMAT_VERSION, **content)
            for written in (*new.iterdir(), new):
                _flush_to_disk(written)
        _flush_to_disk(self.folder)
        self.keep_only(path)

    def keep_only(self, path: Path) -> None:
        """Delete all other checkpoints; `path` is known to be complete."""
        for old in self._all().values():
            if old != path and (old / "metadata.json").is_file():
                with suppress(OSError):  # "epoch-N" always names a complete one
                    old.rename(old.with_name(f".{old.name}-old"))
        self._sweep()

    def _all(self) -> dict[int, Path]:
        paths = {p.name.removeprefix("epoch-"): p for p in self.folder.glob("epoch-*")}
        return {int(n): path for n, path in paths.items() if n.isdecimal()}

    def _sweep(self) -> None:
        for path in self.folder.glob(".epoch-*"):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:  # the lock of a killed writer
                path.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> tuple[Any, dict[str, Any]]:
    """Read the identity and the state of a checkpoint.

    Raises
    ------
    ValueError
        If it is damaged, or of another version.
    """
    try:
        content = read_metadata(path, kind=_KIND, version=_FORMAT_VERSION)
        if content["version"] < _FORMAT_VERSION:
            raise ValueError(
                f"{path} was written by an earlier version of skparaphrase (format "
                f"version {content['version']})"
            )
        with refuse_damage(path):
            load_arrays(path / _ARRAYS, content["state"])
            return content["identity"], content["state"]
    except (FileNotFoundError, ValueError) as error:
        raise ValueError(
            f"The checkpoint {path} cannot be used: {error}. Delete it to start "
            "training again."
        ) from error


def read_seed(path: Path) -> int:
    """Read the seed of the fit that wrote a checkpoint."""
    content = read_metadata(
        path, kind=_KIND, version=_FORMAT_VERSION, lazy=".safetensors", verify=False
    )
    with refuse_damage(path):
        return int(content["state"]["seed"])


def _flush_to_disk(path: Path) -> None:
    """Wait until a file is on the disk, so that no name precedes its content."""
    if path.is_dir() and sys.platform == "win32":  # cannot flush folders
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
