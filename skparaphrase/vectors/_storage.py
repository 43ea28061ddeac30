"""The arrays of a table of word vectors: checks, and folders that can be mapped."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.storage._folders import (
    is_large,
    load_array,
    new_folder,
    read_metadata,
    refuse_damage,
    write_metadata,
)
from skparaphrase.text import Vocabulary
from skparaphrase.vectors._subwords import Subwords

DTYPES = ("float32", "float16", "int8")  # int8 with a scale per word
MADE = ("subword", "hash")  # unknown= for which vectors of words are made
_BLOCK = 16384  # vectors checked at a time
_WORD_ARRAYS = {"raw": "uint8", "ends": "int64", "slots": "int32"}
_SUBWORD_ARRAYS = ("matrix", "scale", "shift")
_FORMAT_VERSION = 3  # 2, of the first edition, has no n-grams


def check_table(
    words: Vocabulary,
    matrix: NDArray[Any],
    scale: NDArray[np.float32] | None,
    unknown: str | None,
    subwords: Subwords | None,
) -> None:
    """Raise a ValueError unless the parts of a table fit together."""
    if matrix.ndim != 2 or len(matrix) != len(words):
        raise ValueError(
            f"matrix must be of shape ({len(words)}, dim), one row per word; got shape "
            f"{matrix.shape}."
        )
    if (matrix.dtype == np.int8) != (scale is not None):
        raise ValueError(
            "int8 vectors need a scale per word, and other vectors take none; got "
            f"{matrix.dtype} vectors and scale={scale!r}."
        )
    if scale is not None and scale.shape != (len(words),):
        raise ValueError(f"scale must be of shape ({len(words)},); got {scale.shape}.")
    if unknown == "subword" and subwords is None:
        raise ValueError("unknown='subword' needs n-grams, which fit_subwords learns.")
    if subwords is not None:
        _check_subwords(subwords, matrix.shape[1])
    if unknown in MADE and not len(words):
        raise ValueError(f"unknown={unknown!r} needs a table of at least one word.")
    if unknown not in (None, *MADE) and unknown not in words:
        raise ValueError(
            f"unknown={unknown!r} is not a word of the table, and neither of {MADE}."
        )


def _check_subwords(subwords: Subwords, dim: int) -> None:
    shape = subwords.matrix.shape
    if len(shape) != 2 or not shape[0] or shape[1] != dim:
        raise ValueError(
            f"Vectors of words have {dim} dimensions, but those of n-grams are of "
            f"shape {shape}."
        )
    expected = {"scale": shape[:1], "shift": shape[1:]}
    for name, size in expected.items():
        found = getattr(subwords, name)
        if found is not None and (found.shape != size or not np.isfinite(found).all()):
            raise ValueError(f"The {name} of the n-grams must be {size[0]} numbers.")
    if (subwords.matrix.dtype == np.int8) != (subwords.scale is not None):
        raise ValueError("int8 vectors of n-grams need a scale per row.")
    low, high = subwords.ngram_range
    if not 1 <= low <= high or subwords.kind not in ("crc32", "fasttext"):
        raise ValueError(
            f"ngram_range={subwords.ngram_range!r} and kind={subwords.kind!r} are no "
            "settings of n-grams."
        )
    if not np.isfinite(subwords.factor):
        raise ValueError(f"factor must be finite; got {subwords.factor}.")


def check_finite(
    words: Sequence[str], matrix: NDArray[Any], scale: NDArray[np.float32] | None
) -> None:
    """Raise a ValueError that names the first word whose vector is not finite."""
    if scale is not None:
        matrix = scale[:, np.newaxis]
    for start in range(0, len(matrix), _BLOCK):
        # A finite sum has finite terms and needs no second array. Where large terms
        # overflow, the slower test decides.
        block = matrix[start : start + _BLOCK]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(block.sum(dtype=np.float32)):
                continue
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            row = start + int(bad[0])
            kind = "vector" if scale is None else "scale"
            raise ValueError(f"The {kind} of {words[row]!r}, row {row}, is not finite.")


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to."""
    array = array.view()
    array.flags.writeable = False
    return array


def save_table(
    folder: str | PathLike[str],
    words: Vocabulary,
    matrix: NDArray[Any],
    scale: NDArray[np.float32] | None,
    unknown: str | None,
    subwords: Subwords | None,
) -> None:
    """Write the parts of a table to a folder."""
    arrays: dict[str, Any] = {"matrix": matrix, "scale": scale}
    arrays |= {f"words-{name}": part for name, part in words.arrays().items()}
    content: dict[str, Any] = {"unknown": unknown, "subwords": None}
    if subwords is not None:
        content["subwords"] = settings = dict(vars(subwords))
        arrays |= {f"subwords-{name}": settings.pop(name) for name in _SUBWORD_ARRAYS}
    with new_folder(folder) as new:
        for name, array in arrays.items():
            if array is not None:
                np.save(new / f"{name}.npy", array, allow_pickle=False)
        write_metadata(new, kind="WordVectors", version=_FORMAT_VERSION, **content)


def load_table(folder: Path, *, mmap: bool, verify: bool) -> tuple[Any, ...]:
    """Read what :func:`save_table` wrote, and check that it fits together."""
    verify |= not mmap
    metadata = read_metadata(
        folder, kind="WordVectors", version=_FORMAT_VERSION, lazy=".npy", verify=verify
    )
    with refuse_damage(folder):
        parts = (
            load_array(folder / f"words-{name}.npy", dtype, mmap=mmap)
            for name, dtype in _WORD_ARRAYS.items()
        )
        words = Vocabulary.from_arrays(*parts)
        matrix = load_array(folder / "matrix.npy", *DTYPES, mmap=mmap)
        scale = None
        if matrix.dtype == np.int8:
            scale = load_array(folder / "scale.npy", "float32", mmap=False)
        unknown, subwords = metadata["unknown"], None
        if metadata.get("subwords") is not None:
            subwords = _load_subwords(folder, metadata["subwords"], mmap=mmap)
        check_table(words, matrix, scale, unknown, subwords)
        if verify or not is_large(matrix.nbytes):
            check_finite(words, matrix, scale)
    return words, matrix, scale, unknown, subwords


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
