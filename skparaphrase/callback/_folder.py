"""Numbered checkpoints in a folder, one of which is always whole."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from skparaphrase._locks import try_lock
from skparaphrase._persistence import new_folder, read_metadata, write_metadata

Arrays = dict[str, NDArray[Any]]

_FORMAT_VERSION = 1
_KIND = "Checkpoint"
_DTYPES = {
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "int32": "I32",
    "int64": "I64",
    "uint32": "U32",
}
_NAMES = {short: name for name, short in _DTYPES.items()}


class CheckpointFolder:
    """A folder with a checkpoint "epoch-N", the last that was written.

    A new one is in its place before the one before it goes, so that at no moment there
    is none. What a writer that was killed has left goes with the next write or reading.

    Parameters
    ----------
    folder : Path

    writes : bool
        Nobody else may write as long as this object is open.

    Raises
    ------
    ValueError
        If another process, or another object of this one, writes to the folder.
    """

    def __init__(self, folder: Path, *, writes: bool) -> None:
        self.folder = folder
        self._descriptor: int | None = None
        if writes:
            folder.mkdir(parents=True, exist_ok=True)
            self._hold()

    def newest(self) -> Path | None:
        """The last checkpoint, if there is one."""
        found = self._all()
        return found[max(found)] if found else None

    def write(self, number: int, content: dict[str, Any], arrays: Arrays) -> None:
        """Write a checkpoint, then delete those before it.

        Raises
        ------
        OSError
            The last checkpoint stays.
        """
        self._sweep()
        path = self.folder / f"epoch-{number}"
        with new_folder(path) as new:
            checksum = _write_arrays(new / "arrays.safetensors", arrays)
            write_metadata(
                new,
                kind=_KIND,
                version=_FORMAT_VERSION,
                checksum=checksum,
                **content,
            )
            _to_disk(new / "metadata.json")
            _to_disk(new)
        _to_disk(self.folder)
        self.keep_only(path)

    def keep_only(self, path: Path) -> None:
        """Delete all checkpoints but one, which is known to be whole."""
        for old in self._all().values():
            if old != path and _is_checkpoint(old):
                with suppress(OSError):  # a name of ours is that of a whole one
                    old.rename(old.with_name(f".{old.name}-old"))
        self._sweep()

    def close(self) -> None:
        """Let others write."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self.close()

    def _all(self) -> dict[int, Path]:
        if not self.folder.is_dir():
            return {}
        names = {path: re.fullmatch(r"epoch-(\d+)", path.name) for path in _in(self)}
        return {int(match[1]): path for path, match in names.items() if match}

    def _sweep(self) -> None:
        """Delete what was on its way in or out; nobody else writes here."""
        for path in _in(self):
            if re.fullmatch(r"\.epoch-\d+-\w+", path.name):
                shutil.rmtree(path, ignore_errors=True)

    def _hold(self) -> None:
        descriptor = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR)
        try:
            is_ours = try_lock(descriptor)
        except OSError:  # a file system without locks
            os.close(descriptor)
            return
        if not is_ours:
            os.close(descriptor)
            raise ValueError(
                f"Another fit is writing checkpoints to {self.folder}: give each fit a "
                "folder of its own. Checkpoint(..., subfolders=True) does that for "
                "the fits of a grid search."
            )
        self._descriptor = descriptor


def read_content(path: Path) -> dict[str, Any]:
    """What a checkpoint says of itself.

    Raises
    ------
    ValueError
        If it is damaged, or of a later version.
    """
    try:
        return read_metadata(path, kind=_KIND, version=_FORMAT_VERSION)
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error


def read_arrays(path: Path, content: Mapping[str, Any]) -> Arrays:
    """The arrays of a checkpoint, mapped from the file; what is written stays here.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    try:
        file = np.memmap(path / "arrays.safetensors", np.uint8, mode="c")
        raw = np.asarray(file)
        if content.get("checksum") != crc32(raw.data):
            raise ValueError("the checksum of its arrays is another")
        start = 8 + int.from_bytes(raw[:8].tobytes(), "little")
        arrays = {}
        for name, about in json.loads(raw[8:start].tobytes()).items():
            first, last = about["data_offsets"]
            part = raw[start + first : start + last].view(_NAMES[about["dtype"]])
            arrays[name] = part.reshape(about["shape"])
    except (KeyError, OSError, ValueError) as error:
        raise _damaged(path, error) from error
    return arrays


def _damaged(path: Path, error: Exception) -> ValueError:
    return ValueError(
        f"The checkpoint {path} cannot be used: {error}. Delete it, and training "
        "begins anew."
    )


def _in(found: CheckpointFolder) -> list[Path]:
    return sorted(found.folder.iterdir())


def _is_checkpoint(path: Path) -> bool:
    with suppress(OSError, ValueError):
        read_metadata(path, kind=_KIND, version=_FORMAT_VERSION)
        return True
    return False


def _write_arrays(path: Path, arrays: Arrays) -> int:
    """Write a file of safetensors, array by array; returns its checksum."""
    header = {}
    end = 0
    # Wide numbers first: then all lie where a processor likes them.
    ordered = sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    for name, array in ordered:
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": _DTYPES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header).encode("ascii")
    text += b" " * (-len(text) % 8)
    head = len(text).to_bytes(8, "little") + text
    checksum = crc32(head)
    with path.open("wb") as file:
        file.write(head)
        for _, array in ordered:
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
            file.write(data)
            checksum = crc32(data, checksum)
    _to_disk(path)
    return checksum


def _to_disk(path: Path) -> None:
    """Wait until the disk has it, so that no name is there before its content."""
    if path.is_dir() and sys.platform == "win32":  # has no such thing
        return
    flags = os.O_RDONLY if path.is_dir() else os.O_RDWR
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
