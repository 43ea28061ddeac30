"""Folders that appear whole or not at all."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FORMAT = "skparaphrase"


@contextmanager
def new_folder(folder: str | PathLike[str]) -> Iterator[Path]:
    """A temporary folder that takes the name `folder` when the block ends well.

    An existing folder that this package wrote is replaced with all that is in it.

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
        old = new.with_name("old")
        if folder.exists():
            _move_aside(folder, old)
        try:
            new.rename(folder)
        except OSError:
            with suppress(FileNotFoundError):  # there was no folder
                old.rename(folder)
            raise


@contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """An empty folder, to be renamed to `folder`; what is left of it is deleted.

    It is in a hidden folder beside `folder`, which only its owner can read. The empty
    folder itself has the usual permissions.
    """
    with TemporaryDirectory(
        prefix=f".{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True
    ) as place:
        new = Path(place, "new")
        new.mkdir()
        yield new


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
    """Say what a folder holds, for :func:`read_metadata`."""
    metadata = {"format": _FORMAT, "kind": kind, "version": version, **content}
    text = json.dumps(metadata, indent=1)
    (folder / "metadata.json").write_text(text + "\n", encoding="ascii")


def read_metadata(
    folder: Path, *, kind: str | Sequence[str], version: int
) -> dict[str, Any]:
    """The metadata of a saved folder, checked for what it holds.

    Raises
    ------
    FileNotFoundError
        If `folder` holds no metadata.
    ValueError
        If it holds something else, or was written by a later version.
    """
    path = folder / "metadata.json"
    try:
        metadata: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{folder} was not saved by skparaphrase: it has no metadata.json."
        ) from None
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    kinds = [kind] if isinstance(kind, str) else list(kind)
    if not isinstance(metadata, dict):
        raise ValueError(f"{path} is damaged: it holds no object.")
    if metadata.get("kind") not in kinds:
        raise ValueError(
            f"{folder} holds {metadata.get('kind')!r}, not {' or '.join(kinds)}."
        )
    if not isinstance(metadata.get("version"), int):
        raise ValueError(f"{path} is damaged: it has no version.")
    if metadata["version"] > version:
        raise ValueError(
            f"{folder} has format version {metadata['version']}, this release reads "
            f"up to {version}: upgrade skparaphrase."
        )
    return metadata


def load_array(path: Path, *, mmap: bool = True) -> NDArray[Any]:
    """Read a `.npy` file that holds no Python objects.

    Parameters
    ----------
    path : Path
    mmap : bool, default=True
        Map the file into memory instead of reading it. The array is then a read-only
        `memmap`; `np.asarray` gives a view whose items are read several times faster.
    """
    array: NDArray[Any] = np.load(path, "r" if mmap else None, allow_pickle=False)
    return array
