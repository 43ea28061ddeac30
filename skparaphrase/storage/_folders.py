"""Folders that appear whole or not at all, with checksums of what they hold."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import ctypes
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from os import PathLike
from pathlib import Path
from tokenize import TokenError
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

T = TypeVar("T")

_FORMAT = "skparaphrase"
_CHECKSUM = b',\n "crc32": '  # the last key of a JSON file
_NAME = re.compile(r"[\w.-]+(/metadata\.json)?")
# What malformed files raise.
MALFORMED = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RecursionError,
    SafetensorError,
    SyntaxError,
    TokenError,
    TypeError,
    ValueError,
)


@contextmanager
def new_folder(folder: str | PathLike[str]) -> Iterator[Path]:
    """A temporary folder that takes the name `folder` when the block ends well.

    An existing folder that this package wrote is replaced with all that is in it, in
    one step where the system can.

    Raises
    ------
    ValueError
        If `folder` exists and was not written by this package.
    """
    folder = Path(folder)
    is_empty = folder.is_dir() and not any(folder.iterdir())
    if folder.exists() and not is_empty and not _is_ours(folder):
        raise ValueError(
            f"{folder} already exists and was not saved by skparaphrase; choose "
            "another folder."
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(folder) as new:
        yield new
        if not folder.exists():
            new.rename(folder)
        elif not _exchange(new, folder):
            old = new.with_name("old")
            _move_aside(folder, old)
            try:
                new.rename(folder)
            except OSError:
                old.rename(folder)
                raise


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """An empty folder, for what is then renamed to `path`; the rest is deleted.

    It is in a hidden folder beside `path`, which only its owner can read. The empty
    folder itself has the usual permissions. Others that write `path` wait.
    """
    with ExitStack() as stack:
        with suppress(NotImplementedError, OSError):  # a file system without locks
            stack.enter_context(locked(_lock_of(path)))
        _sweep(path)
        place = _place(path)
        place.mkdir(mode=0o700)
        try:
            new = place / "new"
            new.mkdir()
            yield new
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _place(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


def _lock_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


@contextmanager
def locked(file: Path, timeout: float = -1, **options: Any) -> Iterator[None]:
    """Hold a lock; an OSError or NotImplementedError if that is not possible."""
    with FileLock(file, timeout, **{"fallback_to_soft": False, **options}):
        try:
            yield
        finally:
            # Deleted while it is held: who waits for a deleted file opens a new one.
            # Windows does not delete open files; there the release does.
            with suppress(OSError):
                file.unlink()


def _sweep(path: Path) -> None:
    """Delete what a killed writer has left, which may have moved `path` away."""
    place = _place(path)
    if not os.path.lexists(path):
        with suppress(OSError):
            (place / "old").rename(path)
    shutil.rmtree(place, ignore_errors=True)


def _exchange(new: Path, old: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot."""
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux; RENAME_SWAP
    paths = os.fsencode(new), os.fsencode(old)
    try:
        libc = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return libc.renamex_np(*paths, exchange) == 0
        return libc.renameat2(here, paths[0], here, paths[1], exchange) == 0
    except (AttributeError, OSError, TypeError):
        return False


def _move_aside(folder: Path, old: Path) -> None:
    try:
        folder.rename(old)
    except PermissionError as error:  # Windows; elsewhere what is mapped lives on
        raise PermissionError(
            f"{folder} cannot be replaced: a file in it is open, or a model that was "
            "loaded from it maps its vectors; delete the model, or save elsewhere."
        ) from error


def _is_ours(folder: Path) -> bool:
    try:
        content = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == _FORMAT


def write_metadata(folder: Path, *, kind: str, version: int, **content: Any) -> None:
    """Say what a folder holds, for :func:`read_metadata`.

    All other files are there already: their checksums, and those of the metadata of
    inner folders, are a part of it.
    """
    inside = [path for path in folder.iterdir() if path.is_file()]
    inside += folder.glob("*/metadata.json")
    files = {str(path.relative_to(folder).as_posix()): _crc32(path) for path in inside}
    metadata = {"format": _FORMAT, "kind": kind, "version": version, **content}
    write_json(folder / "metadata.json", {**metadata, "files": files}, indent=1)


def write_json(
    path: Path, content: dict[str, Any], *, indent: int | None = None
) -> None:
    """Write an object that is not empty with its checksum, for :func:`read_json`."""
    raw = json.dumps(content, indent=indent).encode("ascii")[:-1].rstrip()
    path.write_bytes(raw + _CHECKSUM + b"%d\n}\n" % crc32(raw))


def read_folder(folder: Path, read: Callable[..., T], **options: Any) -> T:
    """Read a folder, and again if it is replaced meanwhile."""
    while True:
        before = _identity(folder)
        try:
            found = read(folder, **options)
        except (FileNotFoundError, ValueError):
            if _identity(folder) == before:
                raise
        else:
            if _identity(folder) == before:
                return found


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = (folder / "metadata.json").stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def read_metadata(
    folder: Path,
    *,
    kind: str | Sequence[str],
    version: int,
    lazy: str | None = None,
    verify: bool = True,
) -> dict[str, Any]:
    """The metadata of a saved folder, checked for what it holds.

    Parameters
    ----------
    folder : Path
    kind : str or sequence of str
        The kinds of folders that may be read.
    version : int
        The latest format that may be read.
    lazy : str, default=None
        Suffix of files that are memory-mapped: large ones are read only to `verify`
        their checksums.
    verify : bool, default=True

    Raises
    ------
    FileNotFoundError
        If `folder` holds no metadata.
    ValueError
        If it holds something else, has changed since it was written, or was written by
        a later version. Folders of the first edition have no checksums.
    """
    if os.path.lexists(_place(folder)):
        with suppress(NotImplementedError, OSError), locked(_lock_of(folder), 0):
            _sweep(folder)
    path = folder / "metadata.json"
    try:
        metadata = read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(
            f"{folder} was not saved by skparaphrase: it has no metadata.json."
        ) from None
    kinds = [kind] if isinstance(kind, str) else list(kind)
    if metadata.get("kind") not in kinds:
        raise ValueError(
            f"{folder} holds {metadata.get('kind')!r}, not {' or '.join(kinds)}."
        )
    if type(metadata.get("version")) is not int:
        raise ValueError(f"{path} is damaged: it has no version.")
    if metadata["version"] > version:
        raise ValueError(
            f"{folder} has format version {metadata['version']}, this release reads "
            f"up to {version}: upgrade skparaphrase."
        )
    with refuse_damage(folder):
        for name, expected in metadata.pop("files", {}).items():
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no file of it")
            file = checked_file(folder / name)
            if not file.exists():
                raise ValueError(f"{name} is missing")
            if verify or not (file.suffix == lazy and is_large(file.stat().st_size)):
                if _crc32(file) != expected:
                    raise ValueError(f"{file} is damaged: checksum mismatch")
    return metadata


def is_large(n_bytes: int) -> bool:
    """Whether a file that is memory-mapped is checked only if that is asked for."""
    return n_bytes > 2**24  # which takes 20 ms


def _crc32(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(1 << 16):
            found = crc32(block, found)
    return found


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds something else.
    """
    raw = checked_file(path).read_bytes()
    with refuse_damage(path):
        content = json.loads(raw)
        if not isinstance(content, dict):
            raise ValueError("it holds no object")
        expected = content.pop("crc32", None)
        before, found, _ = raw.rpartition(_CHECKSUM)
        if found and crc32(before) != expected:
            raise ValueError("checksum mismatch")
    return content


def load_array(path: Path, *dtypes: str, mmap: bool = True) -> NDArray[Any]:
    """Read a `.npy` file.

    Parameters
    ----------
    path : Path
    *dtypes : str
        Data types, of which the array has one.
    mmap : bool, default=True
        Map the file into memory instead of reading it. The array is then a read-only
        `memmap`; `np.asarray` gives a view whose items are read several times faster.

    Raises
    ------
    ValueError
        If it holds something else. The size of the array is compared with that of the
        file before memory is allocated.
    """
    with refuse_damage(path):
        with checked_file(path).open("rb") as file:
            np.lib.format.read_magic(file)
        with np.errstate(over="raise"):
            array: np.memmap[Any, Any] = np.load(path, "r", allow_pickle=False)
        if array.dtype not in map(np.dtype, dtypes):
            raise ValueError(f"it holds no array of {' or '.join(dtypes)}")
        if path.stat().st_size != array.offset + array.nbytes:
            raise ValueError("its size is not that of the array")
    return array if mmap else np.array(array)


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read a safetensors file.

    Raises
    ------
    ValueError
        If it holds something else.
    """
    with refuse_damage(path):
        arrays: dict[str, NDArray[Any]] = load_file(checked_file(path))
    return arrays


def checked_file(path: Path) -> Path:
    """The path of a file, which is no folder, and no device or pipe that may block."""
    if os.path.lexists(path) and not path.is_file():
        raise ValueError(f"{path} is damaged: it is not a file")
    return path


@contextmanager
def refuse_damage(path: Path) -> Iterator[None]:
    """Turn what malformed files raise into a ValueError that names `path`."""
    try:
        yield
    except MALFORMED as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        if isinstance(error, ValueError) and reason.startswith(str(path)):
            raise  # names a file in this folder
        raise ValueError(f"{path} is damaged: {reason or repr(error)}") from error
