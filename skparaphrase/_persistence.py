"""Folders that appear whole or not at all."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any


@contextmanager
def new_folder(folder: str | PathLike[str]) -> Iterator[Path]:
    """A temporary folder that takes the name `folder` when the block ends well.

    Raises
    ------
    ValueError
        If `folder` exists and is not one that this package wrote.
    """
    folder = Path(folder)
    if folder.exists() and not (folder / "metadata.json").is_file():
        if not folder.is_dir() or any(folder.iterdir()):
            raise ValueError(
                f"{folder} exists and was not written by skparaphrase; it stays."
            )
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield new
        mask = os.umask(0)
        os.umask(mask)
        new.chmod(0o777 & ~mask)  # mkdtemp makes it private
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            folder.rename(old / "old")
            new.rename(folder)
            shutil.rmtree(old)
        else:
            new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


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
            f"{folder} is no folder that skparaphrase saved: it holds no metadata.json."
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
    if metadata.get("version", 0) > version:
        raise ValueError(
            f"{folder} has format version {metadata['version']}, this release reads "
            f"up to {version}: upgrade skparaphrase."
        )
    return metadata
