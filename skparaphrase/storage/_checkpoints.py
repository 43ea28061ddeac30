"""Numbered checkpoints in a folder, one of which is always complete."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from safetensors.numpy import save_file

from skparaphrase.storage._folders import (
    load_arrays,
    new_folder,
    read_metadata,
    refuse_damage,
    write_metadata,
)

_FORMAT_VERSION = 2
_KIND = "Checkpoint"
_ARRAYS = "arrays.safetensors"


class CheckpointFolder:
    """A folder that holds the last checkpoint, "epoch-N".

    A new one is complete before the previous one is deleted. The remains of a killed
    writer are removed at the next write.

    Parameters
    ----------
    folder : Path
    writes : bool
        True locks the folder as long as this object is open.

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
        """Let others write."""
        self._lock.release()

    def newest(self) -> Path | None:
        """The last checkpoint, if there is one."""
        found = self._all()
        return found[max(found)] if found else None

    def write(self, number: int, identity: Any, state: dict[str, Any]) -> None:
        """Write a checkpoint, then delete the previous one.

        Raises
        ------
        OSError
            The previous checkpoint is kept.
        """
        arrays: dict[str, NDArray[Any]] = {}
        content = _take_arrays(state, "", arrays)
        self._sweep()
        path = self.folder / f"epoch-{number}"
        with new_folder(path) as new:
            save_file(arrays, new / _ARRAYS)
            about: dict[str, Any] = {"kind": _KIND, "version": _FORMAT_VERSION}
            write_metadata(new, **about, identity=identity, state=content)
            for written in (new / _ARRAYS, new / "metadata.json", new):
                _flush_to_disk(written)
        _flush_to_disk(self.folder)
        self.keep_only(path)

    def keep_only(self, path: Path) -> None:
        """Delete all other checkpoints; `path` is known to be complete."""
        for old in self._all().values():
            if old != path and (old / "metadata.json").is_file():
                with suppress(OSError):  # the names of checkpoints are complete ones
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
    """Identity and state of a checkpoint.

    Raises
    ------
    ValueError
        If it is damaged, or of another version.
    """
    try:
        content = read_metadata(path, kind=_KIND, version=_FORMAT_VERSION)
        if content["version"] != _FORMAT_VERSION:
            raise ValueError(f"it has format version {content['version']}")
        with refuse_damage(path):
            arrays = load_arrays(path / _ARRAYS)
            return content["identity"], _put_arrays(content["state"], "", arrays)
    except (FileNotFoundError, ValueError) as error:
        raise ValueError(
            f"The checkpoint {path} cannot be used: {error}. Delete it to start "
            "training again."
        ) from error


def read_seed(path: Path) -> int:
    """The seed of the fit that wrote a checkpoint."""
    content = read_metadata(
        path, kind=_KIND, version=_FORMAT_VERSION, lazy=".safetensors", verify=False
    )
    with refuse_damage(path):
        return int(content["state"]["seed"])


def _take_arrays(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """Move arrays of nested dicts into one dict, by their path; the rest is JSON."""
    if isinstance(value, dict):
        return {k: _take_arrays(v, f"{name}/{k}", arrays) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        arrays[name] = np.ascontiguousarray(value)
        return {"array": name}
    if isinstance(value, list):
        return [_take_arrays(part, name, arrays) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _put_arrays(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """The inverse of :func:`_take_arrays`."""
    if isinstance(value, dict):
        if value == {"array": name}:
            return arrays[name]
        return {k: _put_arrays(v, f"{name}/{k}", arrays) for k, v in value.items()}
    return value


def _flush_to_disk(path: Path) -> None:
    """Wait until the disk has it, so that no name exists before its content."""
    if path.is_dir() and sys.platform == "win32":  # which cannot flush folders
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
