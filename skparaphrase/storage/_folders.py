"""Atomic writing of folders, and checksums of their files.

A folder contains metadata.json, arrays (.npy if they are memory-mapped, otherwise
.safetensors), other JSON files, and folders of the same kind.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import re
import shutil
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
_VERSION = 4  # of the format; other versions are not read
_NAME = re.compile(r"\w[\w.-]{0,200}(/metadata\.json)?")
_OF_SYSTEMS = re.compile(r"\.DS_Store|\._.*|Thumbs\.db|desktop\.ini")  # not user files


@contextmanager
def new_folder(folder: FilePath) -> Iterator[Path]:
    """Create a temporary folder that replaces `folder` if the block succeeds.

    The old folder is renamed first; :func:`read_folder` finds it if the process is
    killed.

    Raises
    ------
    ValueError
        If `folder` contains a file that this package did not write, which would be
        lost, or if it is the current directory.
    """
    folder = Path(os.path.realpath(folder))
    if folder.exists():
        _refuse_others(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # A hidden folder that only its owner can read; the folder inside has the usual
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
    """Rename a new folder; if that fails, restore the old one."""
    old = _old(folder)
    if folder.exists():
        _refuse_others(folder)
        shutil.copymode(folder, new)
        if old.exists():  # an interrupted save left the old folder
            os.replace(old, new.with_name("older"))
        os.replace(folder, old)  # fails on Windows while a loaded model maps a file
    try:
        os.replace(new, folder)
    except OSError:
        if old.exists():
            os.replace(old, folder)
        raise
    if old.exists():
        with suppress(OSError):  # the next save tries again
            os.replace(old, new.with_name("old"))


def _old(folder: Path) -> Path:
    """Path of the old folder while it is replaced by a new one."""
    folder = Path(os.path.realpath(folder))
    return folder.with_name(f".{folder.name}.skparaphrase-old")


def _refuse_others(folder: Path) -> None:
    """Raise a ValueError unless a folder can be replaced without losing other files."""
    if folder.samefile(os.curdir):
        raise ValueError(
            f"{folder} is the current directory, which cannot be replaced; choose a "
            "folder inside it."
        )
    written = _written(folder)
    for path in folder.rglob("*") if folder.is_dir() else [folder]:
        if path not in written and not _OF_SYSTEMS.fullmatch(path.name):
            raise ValueError(
                f"{path} was not saved by skparaphrase and would be lost; move it, or "
                "choose another folder."
            )


def _written(folder: Path) -> set[Path]:
    """The paths that this package wrote to a folder and to the folders in it."""
    metadata = _metadata(folder)
    if not metadata:
        return set()
    paths = {folder / name for name in ("metadata.json", *metadata["files"])}
    for inner in {path.parent for path in paths} - {folder}:
        if not inner.is_symlink():
            paths |= {inner, *_written(inner)}
    return paths


def _metadata(folder: Path) -> dict[str, Any]:
    """The metadata of a folder that this package wrote; empty for other folders."""
    try:
        metadata = read_json(folder / "metadata.json")
    except (OSError, ValueError):
        return {}
    return metadata if metadata.get("format") == _FORMAT else {}


def write_metadata(folder: Path, *, kind: str, **content: Any) -> None:
    """Describe the content of a folder, for :func:`read_metadata`.

    Call it last, because it records the checksums of all files and of the metadata of
    inner folders.
    """
    package = import_module("skparaphrase")  # it imports this module
    inside = [*folder.iterdir(), *folder.glob("*/metadata.json")]
    names = {path.relative_to(folder).as_posix(): path for path in inside}
    metadata = {
        "format": _FORMAT,
        "version": _VERSION,
        "written_by": package.__version__,
        "kind": kind,
        **content,
        "files": {  # excluding files that systems add, such as "._metadata.json"
            name: _crc32(path)
            for name, path in names.items()
            if path.is_file() and _NAME.fullmatch(name)
        },
    }
    write_json(folder / "metadata.json", metadata)


def read_folder(folder: Path, read: Callable[..., T], **options: Any) -> T:
    """Read a folder; start again if it is replaced in the meantime."""
    while True:
        is_killed = not folder.exists() and _old(folder).exists()  # a save
        place = _old(folder) if is_killed else folder
        before = repr(_metadata(place))  # with the checksums of all files
        try:
            content = read(place, **options)
        except (OSError, ValueError):
            if repr(_metadata(place)) == before:
                raise
        else:
            if repr(_metadata(place)) == before:
                return content


def read_metadata(
    folder: Path, kinds: Collection[str], *, verify: bool
) -> dict[str, Any]:
    """Read the metadata of a saved folder and verify the checksums of its files.

    Parameters
    ----------
    folder : Path
    kinds : collection of str
        The accepted kinds of folders.
    verify : bool
        Also verify the checksums of large files that will be memory-mapped.

    Raises
    ------
    FileNotFoundError
        If `folder` contains no metadata.
    ValueError
        If its kind or format is not accepted, or a file has changed since it was
        written.
    """
    path = folder / "metadata.json"
    if not os.path.lexists(path):
        reason = f"{folder} was not saved by skparaphrase: it has no {path.name}."
        exists = folder.exists()
        raise FileNotFoundError(reason if exists else f"There is no folder {folder}.")
    metadata = read_json(path)
    with refuse_corruption(folder):
        kind = metadata["kind"]
        if metadata["format"] != _FORMAT or kind not in kinds:
            raise ValueError(f"{folder} contains {kind!r}, not {' or '.join(kinds)}.")
        if metadata["version"] != _VERSION:
            raise ValueError(
                f"{folder} has the format of skparaphrase {metadata['written_by']}, "
                "which this version cannot read. Fit and save the model again."
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
    return n_bytes > 2**24  # a checksum of this size takes 20 ms


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
    """Read an object written by :func:`write_json`; a ValueError if it is not one."""
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
        If it contains anything else. The size of the array is compared with the size of
        the file before memory is allocated.
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
    """Read finite arrays; raise a ValueError if the file contains anything else."""
    with refuse_corruption(path):
        arrays: dict[str, NDArray[Any]] = safetensors.load_file(checked_file(path))
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                raise ValueError(f"{name!r} is not finite")
    return arrays


def checked_file(path: Path) -> Path:
    """Return a path; raise a ValueError for a folder, pipe or device."""
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{path} is not a file but a folder, a pipe or a device. Copy its content "
            "to a file."
        )
    return path


def open_plain(path: Path) -> BinaryIO:
    """Open a file to read, with the check of :func:`checked_file`."""
    return checked_file(path).open("rb")


@contextmanager
def refuse_corruption(path: Path) -> Iterator[None]:
    """Raise a ValueError that names `path` if the block finds malformed content.

    An OSError of the system, such as a missing permission, is not about the content and
    is left unchanged, as is an error that starts with `path` or with a file in it.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error)
        if isinstance(error, ValueError) and reason.startswith(str(path)):
            raise
        if not isinstance(error, ValueError):
            reason = f"{type(error).__name__}: {reason}"
        raise ValueError(f"{path} is corrupt: {reason}") from error
