"""Folders of word vectors, which can be mapped into memory."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skparaphrase.storage import (
    is_large,
    load_array,
    new_folder,
    read_folder,
    read_metadata,
    refuse_corruption,
    write_metadata,
)
from skparaphrase.text import Vocabulary
from skparaphrase.vectors._subwords import DTYPES, Subwords

if TYPE_CHECKING:
    from skparaphrase.vectors._word_vectors import WordVectors

_SUBWORD_ARRAYS = ("matrix", "scale", "shift")


def save(self: "WordVectors", folder: str | PathLike[str]) -> None:
    """Write the table to a folder that :meth:`load` maps into memory.

    Parameters
    ----------
    folder : path-like
        Written completely or not at all; an existing table is replaced.
    """
    arrays: dict[str, Any] = {"words": self.words.to_array()}
    arrays |= {"matrix": self.matrix, "scale": self.scale}
    content: dict[str, Any] = {"unknown": self.unknown, "subwords": None}
    content["is_weighted"] = self.is_weighted
    if self.subwords is not None:
        content["subwords"] = settings = dict(vars(self.subwords))
        arrays |= {f"subwords-{name}": settings.pop(name) for name in _SUBWORD_ARRAYS}
    with new_folder(folder) as new:
        for name, array in arrays.items():
            if array is not None:
                np.save(new / f"{name}.npy", array, allow_pickle=False)
        write_metadata(new, kind="WordVectors", **content)


def load(
    cls: "type[WordVectors]",
    folder: str | PathLike[str],
    *,
    mmap: bool = True,
    verify: bool = False,
) -> "WordVectors":
    """Read what :meth:`save` wrote.

    Parameters
    ----------
    folder : path-like
    mmap : bool, default=True
        Map the matrix into memory instead of reading it: loading takes no time, and
        processes share one copy.
    verify : bool, default=False
        Also compare the checksums of mapped files of more than 16 MB, which takes a
        second per GB. Those of all other files are always compared.

    Returns
    -------
    vectors : WordVectors

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder does not exist, holds something else or is corrupt.
    """
    vectors = cls.__new__(cls)
    read_folder(Path(folder), _load_into, vectors=vectors, mmap=mmap, verify=verify)
    return vectors


def _load_into(
    folder: Path, *, vectors: "WordVectors", mmap: bool, verify: bool
) -> None:
    """Set the parts of a table to those in a folder, and check them."""
    verify |= not mmap
    metadata = read_metadata(folder, ["WordVectors"], verify=verify)
    with refuse_corruption(folder):
        joined = load_array(folder / "words.npy", "uint8", mmap=mmap)
        words = Vocabulary.from_array(joined)
        matrix = load_array(folder / "matrix.npy", *DTYPES, mmap=mmap)
        scale = None
        if matrix.dtype == np.int8:
            scale = load_array(folder / "scale.npy", "float32", mmap=False)
        unknown, subwords = metadata["unknown"], None
        if metadata["subwords"] is not None:
            subwords = _load_subwords(folder, metadata["subwords"], mmap=mmap)
        is_weighted = bool(metadata["is_weighted"])
        vectors._set(words, matrix, scale, unknown, subwords, is_weighted)
        vectors._check()
        if verify or not is_large(matrix.nbytes):
            vectors._check_finite()


def _load_subwords(folder: Path, settings: dict[str, Any], *, mmap: bool) -> Subwords:
    """The n-grams of a folder; a ValueError where they do not fit together."""
    path = folder / "subwords-matrix.npy"
    table = load_array(path, *DTYPES, "float64", mmap=mmap)
    vectors = {}
    for name in ("scale", "shift"):
        path = folder / f"subwords-{name}.npy"
        if path.exists():
            vectors[name] = load_array(path, "float32", "float64", mmap=False)
    low, high = map(int, settings["ngram_range"])
    kind, factor = settings["kind"], float(settings["factor"])
    return Subwords(table, **vectors, ngram_range=(low, high), kind=kind, factor=factor)
