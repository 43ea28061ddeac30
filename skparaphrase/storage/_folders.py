"""Folders that are written completely or not at all, and the checksums of their files.

A folder holds metadata.json, arrays (.npy if they are memory-mapped, otherwise
.safetensors), other JSON files, and folders of the same kind.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, BinaryIO, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from safetensors import numpy as safetensors

from skparaphrase._typing import FilePath

T = TypeVar("T")

_FORMAT = "skparaphrase"
_VERSION = 4  # of the format; no other is read
_TRIES = 10  # to read a folder that is replaced meanwhile
_NAME = re.compile(r"\w[\w.-]{0,200}(/metadata\.json)?")


@contextmanager
def new_folder(folder: FilePath) -> Iterator[Path]:
    """Create a temporary folder, which is renamed to `folder` if the block succeeds.

    Of an existing folder, what this package wrote is replaced, and all else stays. The
    folder is renamed before that, and :func:`read_folder` finds it if the process is
    killed.

    Raises
    ------
    ValueError
        If `folder` exists and was not written by this package, or holds other files
        where new ones belong, or is the current directory, which would be lost.
    """
    folder = Path(os.path.realpath(folder))
    if folder.exists() and folder.samefile(os.curdir):
        raise ValueError(
            f"{folder} is the current directory, which cannot be replaced; choose a "
            "folder inside it."
        )
    is_empty = folder.is_dir() and not any(folder.iterdir())
    if folder.exists() and not is_empty and not _files(folder):
        raise ValueError(
            f"{folder} already exists and was not saved by skparaphrase; choose "
            "another folder."
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    # A hidden folder that only its owner can read; the one inside has the usual
    # permissions.
    place = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        new = place / "new"
        new.mkdir()
        yield new
        _replace(folder, new)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _replace(folder: Path, new: Path) -> None:
    """Rename a new folder; if that fails, the old one is put back."""
    old = _old(folder)
    if folder.exists():
        if old.exists():  # a process was killed
            _move_others(old, folder)
            os.replace(old, new.with_name("oldest"))
        for path in _others(folder):
            if os.path.lexists(new / path):
                raise ValueError(
                    f"{folder / path} was not saved by skparaphrase; move it, or "
                    "choose another folder."
                )
        shutil.copymode(folder, new)
        os.replace(folder, old)  # Windows refuses it while a loaded model maps a file
    try:
        os.replace(new, folder)
    except OSError:
        if old.exists() and not folder.exists():
            os.replace(old, folder)
        raise
    if old.exists():
        _move_others(old, folder)
        with suppress(OSError):  # the next save tries again
            os.replace(old, new.with_name("older"))


def _old(folder: Path) -> Path:
    """Path of the old folder while a new one takes its place."""
    folder = Path(os.path.realpath(folder))
    return folder.with_name(f".{folder.name}.old")


def _files(folder: Path) -> set[str]:
    """The names of the files that this package wrote to a folder, if it wrote any."""
    try:
        metadata = read_json(folder / "metadata.json")
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return set()
    is_ours = metadata.get("format") == _FORMAT
    return {"metadata.json", *metadata.get("files", ())} if is_ours else set()


def _others(folder: Path) -> list[Path]:
    """What others put into a folder and its inner folders, relative to it."""
    files, found = _files(folder), []
    for path in folder.iterdir():
        if f"{path.name}/metadata.json" in files and not path.is_symlink():
            found += [path.name / other for other in _others(path)]
        elif path.name not in files:
            found.append(Path(path.name))
    return found


def _move_others(old: Path, folder: Path) -> None:
    """Move what others put into an old folder to the one that replaces it."""
    for path in _others(old):
        if os.path.lexists(folder / path):
            raise ValueError(f"{old / path}, of a killed save, is there twice")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        os.replace(old / path, folder / path)


def write_metadata(folder: Path, *, kind: str, **content: Any) -> None:
    """Describe the content of a folder, for :func:`read_metadata`.

    Call it last: it records the checksums of all files, and of the metadata of inner
    folders.
    """
    package = import_module("skparaphrase")  # which imports this module
    inside = [*folder.iterdir(), *folder.glob("*/metadata.json")]
    names = {path.relative_to(folder).as_posix(): path for path in inside}
    metadata = {
        "format": _FORMAT,
        "version": _VERSION,
        "written_by": package.__version__,
        "kind": kind,
        **content,
        "files": {  # and not those that systems add, such as "._metadata.json"
            name: _crc32(path)
            for name, path in names.items()
            if path.is_file() and _NAME.fullmatch(name)
        },
    }
    write_json(folder / "metadata.json", metadata)


def read_folder(folder: Path, read: Callable[..., T], **options: Any) -> T:
    """Read a folder; start again if it is replaced meanwhile."""
    for _ in range(_TRIES):
        place = folder
        if not folder.exists() and _old(folder).exists():
            place = _old(folder)
        before = _identity(place)
        try:
            content = read(place, **options)
        except (OSError, ValueError):
            if _identity(place) == before:
                raise
        else:
            if _identity(place) == before:
                return content
    return read(folder, **options)  # of a file system whose inodes or times change


def _identity(folder: Path) -> tuple[int, int] | None:
    """Inode and time of the metadata, which differ in a new folder."""
    try:
        status = (folder / "metadata.json").stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def read_metadata(
    folder: Path, kinds: Collection[str], *, verify: bool
) -> dict[str, Any]:
    """Read the metadata of a saved folder, and compare the checksums of its files.

    Parameters
    ----------
    folder : Path
    kinds : collection of str
        The accepted kinds of folders.
    verify : bool
        Also compare the checksums of large files that will be memory-mapped.

    Raises
    ------
    FileNotFoundError
        If `folder` holds no metadata.
    ValueError
        If its kind or format is another, or a file has changed since it was written.
    """
    path = folder / "metadata.json"
    if not folder.exists():
        raise FileNotFoundError(f"There is no folder {folder}.")
    if not os.path.lexists(path):
        raise FileNotFoundError(
            f"{folder} was not saved by skparaphrase: it has no metadata.json."
        )
    metadata = read_json(path)
    with refuse_corruption(folder):
        kind = metadata["kind"]
        if metadata["format"] != _FORMAT or kind not in kinds:
            raise ValueError(f"{folder} holds {kind!r}, not {' or '.join(kinds)}.")
        if metadata["version"] != _VERSION:
            raise ValueError(
                f"{folder} has the format of skparaphrase {metadata['written_by']}, "
                "which this version does not read. Fit and save the model again."
            )
        for name, expected in metadata["files"].items():
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not the name of a file in it")
            file = checked_file(folder / name)
            if not file.exists():
                raise ValueError(f"{name} is missing")
            is_lazy = file.suffix == ".npy" and is_large(file.stat().st_size)
            if (verify or not is_lazy) and _crc32(file) != expected:
                raise ValueError(f"{file} is corrupt: checksum mismatch")
    return metadata


def is_large(n_bytes: int) -> bool:
    """Whether a memory-mapped file is verified only on request."""
    return n_bytes > 2**24  # whose checksum takes 20 ms


def _crc32(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 16):
            checksum = crc32(block, checksum)
    return checksum


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write an object, after a line with its checksum, for :func:`read_json`."""
    text = json.dumps(content, indent=1, default=np.generic.item)  # numbers of NumPy
    raw = text.removeprefix("{").lstrip().encode("ascii")
    path.write_bytes(b'{"crc32": %d,\n' % crc32(raw) + raw)


def read_json(path: Path) -> dict[str, Any]:
    """Read an object that :func:`write_json` wrote; a ValueError if it is another."""
    with refuse_corruption(path):
        raw = checked_file(path).read_bytes()
        content: dict[str, Any] = json.loads(raw)
        if content.pop("crc32") != crc32(raw.partition(b"\n")[2]):
            raise ValueError("checksum mismatch")
    return content


def load_array(path: Path, *dtypes: str, mmap: bool = True) -> NDArray[Any]:
    """Read a `.npy` file.

    Parameters
    ----------
    path : Path
    *dtypes : str
        The accepted data types.
    mmap : bool, default=True
        Map the file into memory instead of reading it. The array is then a read-only
        `memmap`; items of its view by `np.asarray` are read several times faster.

    Raises
    ------
    ValueError
        If it holds anything else. The size of the array is compared with that of the
        file before memory is allocated.
    """
    with refuse_corruption(path):
        with checked_file(path).open("rb") as file:
            np.lib.format.read_magic(file)
        with np.errstate(over="raise"):
            array: np.memmap[Any, Any] = np.load(path, "r", allow_pickle=False)
        if array.dtype not in map(np.dtype, dtypes):
            raise ValueError(f"it does not hold an array of {' or '.join(dtypes)}")
        if path.stat().st_size != array.offset + array.nbytes:
            raise ValueError("its size is not that of the array")
    return array if mmap else np.array(array)


def write_safetensors(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays to a file with the usual permissions, unlike `save_file`."""
    path.write_bytes(
        safetensors.save({k: np.ascontiguousarray(x) for k, x in arrays.items()})
    )


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read finite arrays; raise a ValueError if the file holds anything else."""
    with refuse_corruption(path):
        arrays: dict[str, NDArray[Any]] = safetensors.load_file(checked_file(path))
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                raise ValueError(f"{name!r} is not finite")
    return arrays


def checked_file(path: Path) -> Path:
    """Return the path of a file of a saved folder; raise unless it is a plain file."""
    if os.path.lexists(path) and not path.is_file():
        raise ValueError(f"{path} is corrupt: it is not a file")
    return path


def open_plain(path: Path) -> BinaryIO:
    """Open a file to read; refuse folders, devices and pipes, which may never end.

    Raises
    ------
    OSError
        If it cannot be opened.
    ValueError
        If it is not a plain file, or a link to one.
    """
    # Without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise ValueError(
        f"{path} is not a file but a pipe or a device, which may never end. Copy its "
        "content to a file."
    )


@contextmanager
def refuse_corruption(path: Path) -> Iterator[None]:
    """Raise a ValueError that names `path` if the block finds malformed content.

    An OSError, such as a missing permission, says nothing about the content: it is left
    as it is, and so is an error that starts with `path`, or with a file in it.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        reason = str(error)
        if isinstance(error, ValueError) and reason.startswith(str(path)):
            raise
        if not isinstance(error, ValueError):
            reason = f"{type(error).__name__}: {reason}"
        raise ValueError(f"{path} is corrupt: {reason}") from error
