"""Folders that appear whole or not at all, and the checksums of their files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import ctypes
import errno
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from os import PathLike
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, TypeVar
from zlib import crc32

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

T = TypeVar("T")

_FORMAT = "skparaphrase"
_CHECKSUM = b',\n "crc32": '  # the last key of a JSON file
_NAME = re.compile(r"[\w.-]+(/metadata\.json)?")
# What reading a malformed file can raise,
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
# and the codes of such an OSError. Others, such as a missing permission, say nothing
# about the content.
_MALFORMED_PATHS = {
    *(None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR),
    *(errno.ELOOP, errno.ENAMETOOLONG),
}


@contextmanager
def new_folder(folder: str | PathLike[str]) -> Iterator[Path]:
    """Create a temporary folder, which is renamed to `folder` if the block succeeds.

    An existing folder that this package wrote is replaced with all its content, in a
    single step where the system supports that.

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
    """Create an empty folder for content that the block renames to `path`.

    It lies in a hidden folder beside `path` that only its owner can read, and has the
    usual permissions itself. It is deleted after the block. Others that write `path`
    wait for their turn.
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
    """Hold a lock; raise OSError or NotImplementedError where there are no locks."""
    with FileLock(file, timeout, **{"fallback_to_soft": False, **options}):
        try:
            yield
        finally:
            # Delete the file while it is locked: a process that waits for a deleted
            # file opens a new one. Windows deletes it when the lock is released.
            with suppress(OSError):
                file.unlink()


def _sweep(path: Path) -> None:
    """Delete the remains of a killed writer, and undo its removal of `path`."""
    place = _place(path)
    if not os.path.lexists(path):
        with suppress(OSError):
            (place / "old").rename(path)
    shutil.rmtree(place, ignore_errors=True)


def _exchange(new: Path, old: Path) -> bool:
    """Exchange two folders in a single step; return False where that fails."""
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
    except PermissionError as error:  # on Windows; elsewhere mapped files stay usable
        raise PermissionError(
            f"{folder} cannot be replaced: a file in it is open, or a model that was "
            "loaded from it maps its vectors; delete the model, or save elsewhere."
        ) from error


def _is_ours(folder: Path) -> bool:
    try:
        with open_plain(folder / "metadata.json") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == _FORMAT


def write_metadata(folder: Path, *, kind: str, version: int, **content: Any) -> None:
    """Describe the content of a folder, for :func:`read_metadata`.

    Call it last: it records the checksums of all files, and of the metadata of inner
    folders.
    """
    package = import_module("skparaphrase")  # which imports this module
    inside = [path for path in folder.iterdir() if path.is_file()]
    inside += folder.glob("*/metadata.json")
    metadata = {
        "format": _FORMAT,
        "kind": kind,
        "version": version,
        "written_by": package.__version__,
        **content,
        "files": {path.relative_to(folder).as_posix(): _crc32(path) for path in inside},
    }
    write_json(folder / "metadata.json", metadata, indent=1)


def write_json(
    path: Path, content: dict[str, Any], *, indent: int | None = None
) -> None:
    """Write a non-empty object that ends with its checksum, for :func:`read_json`."""
    to_python = np.generic.item  # of NumPy's numbers
    text = json.dumps(content, indent=indent, default=to_python)
    raw = text.encode("ascii")[:-1].rstrip()
    path.write_bytes(raw + _CHECKSUM + b"%d\n}\n" % crc32(raw))


def read_folder(folder: Path, read: Callable[..., T], **options: Any) -> T:
    """Read a folder; start again if it is replaced meanwhile."""
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
    """Read the metadata of a saved folder, and check its files.

    Parameters
    ----------
    folder : Path
    kind : str or sequence of str
        The accepted kinds of folders.
    version : int
        The latest supported format.
    lazy : str, default=None
        Suffix of files that will be memory-mapped. The checksums of large ones are
        compared only if `verify` is True.
    verify : bool, default=True

    Raises
    ------
    FileNotFoundError
        If `folder` holds no metadata.
    ValueError
        If it is of another kind, has changed since it was written, or was written by a
        later version. Folders of the first edition have no checksums.
    """
    if os.path.lexists(_place(folder)):
        with suppress(NotImplementedError, OSError), locked(_lock_of(folder), 0):
            _sweep(folder)
    metadata = _read_unverified(folder)
    kinds = [kind] if isinstance(kind, str) else list(kind)
    if metadata.get("kind") not in kinds:
        raise ValueError(
            f"{folder} holds {metadata.get('kind')!r}, not {' or '.join(kinds)}."
        )
    if type(metadata.get("version")) is not int:
        raise ValueError(f"{folder} is damaged: its metadata has no version.")
    if metadata["version"] > version:
        raise ValueError(
            f"{folder} has format version {metadata['version']}, this release reads "
            f"up to {version}: upgrade skparaphrase."
        )
    with refuse_damage(folder):
        for name, expected in metadata.pop("files", {}).items():
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not the name of a file in it")
            file = checked_file(folder / name)
            if not file.exists():
                raise ValueError(f"{name} is missing")
            if verify or not (file.suffix == lazy and is_large(file.stat().st_size)):
                if _crc32(file) != expected:
                    raise ValueError(f"{file} is damaged: checksum mismatch")
    return metadata


def read_kind(folder: Path) -> Any:
    """Read only the kind of a saved folder."""
    return _read_unverified(folder).get("kind")


def _read_unverified(folder: Path) -> dict[str, Any]:
    try:
        return read_json(folder / "metadata.json")
    except (FileNotFoundError, NotADirectoryError):
        if not folder.exists():
            raise FileNotFoundError(f"There is no folder {folder}.") from None
        raise FileNotFoundError(
            f"{folder} was not saved by skparaphrase: it has no metadata.json."
        ) from None


def is_large(n_bytes: int) -> bool:
    """Whether a memory-mapped file is verified only on request."""
    return n_bytes > 2**24  # whose checksum takes 20 ms


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
        If it holds anything else.
    """
    try:
        raw = checked_file(path).read_bytes()
    except (MemoryError, OverflowError) as error:
        raise ValueError(f"{path} is damaged: it is larger than the memory") from error
    with refuse_damage(path):
        content = json.loads(raw)
        if not isinstance(content, dict):
            raise ValueError("it does not hold an object")
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
    with refuse_damage(path):
        with checked_file(path).open("rb") as file:
            np.lib.format.read_magic(file)
        with np.errstate(over="raise"):
            array: np.memmap[Any, Any] = np.load(path, "r", allow_pickle=False)
        if array.dtype not in map(np.dtype, dtypes):
            raise ValueError(f"it does not hold an array of {' or '.join(dtypes)}")
        if path.stat().st_size != array.offset + array.nbytes:
            raise ValueError("its size is not that of the array")
    return array if mmap else np.array(array)


def save_arrays(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Write the arrays in nested dicts to a safetensors file; return the rest.

    An array is named after its keys, "outer/inner".
    """
    arrays: dict[str, NDArray[Any]] = {}

    def without_arrays(part: dict[str, Any], prefix: str) -> dict[str, Any]:
        rest = {}
        for name, value in part.items():
            if isinstance(value, np.ndarray):
                arrays[prefix + name] = np.ascontiguousarray(value)
            elif isinstance(value, dict):
                rest[name] = without_arrays(value, f"{prefix}{name}/")
            else:
                rest[name] = value
        return rest

    rest = without_arrays(content, "")
    if arrays:
        write_safetensors(path, arrays)
    return rest


def write_safetensors(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays to a file that all may read who may read its new folder.

    Without more, safetensors leaves the file to its owner alone.
    """
    try:
        save_file(arrays, path)
    except SafetensorError as error:  # with the system's error as its text
        found = re.search(r"os error (\d+)", str(error))
        code = int(found[1]) if found else errno.EIO
        raise OSError(code, f"{os.strerror(code)} ({error})", str(path)) from error
    path.chmod(path.parent.stat().st_mode & 0o666)


def load_arrays(path: Path, content: dict[str, Any], *, finite: bool = False) -> None:
    """Put the arrays that :func:`save_arrays` wrote, if any, back into nested dicts.

    Raises
    ------
    ValueError
        If the file holds anything else, if `content` has no place for an array, or if a
        number is not `finite`.
    """
    if not os.path.lexists(path):
        return
    with refuse_damage(path):
        for keys, array in load_file(checked_file(path)).items():
            if finite and not np.isfinite(array).all():
                raise ValueError(f"{keys!r} is not finite")
            *outer, name = keys.split("/")
            place = content
            for key in outer:
                place = place.setdefault(key, {})
            place[name] = array


def checked_file(path: Path) -> Path:
    """Return the path of a file of a saved folder; refuse all but plain files."""
    if os.path.lexists(path) and not path.is_file():
        raise ValueError(f"{path} is damaged: it is not a file")
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
def refuse_damage(path: Path) -> Iterator[None]:
    """Raise a ValueError that names `path` if the block finds malformed content.

    An error that starts with the name of `path`, or of a file in it, is left as it is.
    """
    try:
        yield
    except MemoryError as error:
        raise ValueError(
            f"{path} is damaged, or larger than the memory allows: {error}"
        ) from error
    except MALFORMED as error:
        if isinstance(error, OSError) and error.errno not in _MALFORMED_PATHS:
            raise
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        if isinstance(error, ValueError) and reason.startswith(str(path)):
            raise
        raise ValueError(f"{path} is damaged: {reason or repr(error)}") from error
