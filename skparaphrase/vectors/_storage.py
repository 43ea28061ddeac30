"""Tables that are bundled with the package, and tables in folders."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile
from zlib import crc32

import numpy as np

from skparaphrase._compat import check_int
from skparaphrase.storage._folders import (
    is_large,
    load_array,
    new_folder,
    refuse_corruption,
    write_metadata,
)
from skparaphrase.vectors._languages import MULTILINGUAL
from skparaphrase.vectors._rows import DTYPES, join_words, split_words
from skparaphrase.vectors._subwords import Subwords
from skparaphrase.vectors._word_vectors import WordVectors

WORDS = "skparaphrase:words"  # of load_word_vectors
SENTENCES = "skparaphrase:sentences"  # of load_pretrained
LANGUAGES = "skparaphrase:languages"  # of load_pretrained("multilingual")

#: By name: the file of vectors, their length, and whether they include weights.
BUNDLED = {
    WORDS: ("vectors/data/english.npz", 128, False),
    SENTENCES: ("encoders/data/english.npz", 256, True),
    LANGUAGES: (MULTILINGUAL, 160, True),
}
_SUBWORD_ARRAYS = ("matrix", "scale", "shift")


def load_word_vectors() -> WordVectors:
    """Load the English word vectors that come with the package.

    The 30,000 most frequent words of the English Wikipedia, contractions, numbers and
    punctuation, with 128 dimensions, in int8 with a scale per word. They are distilled
    from the vectors of single words of all-MiniLM-L6-v2 (Apache-2.0). Other words get
    vectors from their character n-grams (`unknown="subword"`).

    Returns
    -------
    vectors : WordVectors
        The same object at every call.

    Examples
    --------
    >>> from skparaphrase.datasets import load_word_vectors
    >>> vectors = load_word_vectors()
    >>> vectors.dim
    128
    """
    return bundled(WORDS)


def bundled(name: str, dim: int | None = None) -> WordVectors:
    """Read a bundled file: words, vectors, and the n-grams of other words.

    The same object is returned at every call. Pickles and saved models refer to it and
    store only the changes made by a fit. With `dim`, only the first numbers of each
    vector are kept.
    """
    n_numbers = BUNDLED[name][1]
    if dim is None:
        return _read_bundled(name, n_numbers)
    dim = check_int(dim, "dim", max_val=n_numbers)
    return _read_bundled(name, dim)


@cache
def _read_bundled(name: str, dim: int) -> WordVectors:
    path, _, is_weighted = BUNDLED[name]
    with (files("skparaphrase") / path).open("rb") as file:
        vectors = read_table(file, is_weighted=is_weighted, dim=dim)
    vectors._reference = referred, (name, _fingerprint(name), dim)
    vectors._base = vectors
    return vectors


def read_table(file: Any, *, is_weighted: bool, dim: int | None = None) -> WordVectors:
    """Read the words, vectors and n-grams of a path or a file in the package's format.

    With `dim`, only the first numbers of each vector are kept. Raises ValueError,
    KeyError or OSError if it is not such a file.
    """
    with np.load(file, allow_pickle=False) as data:
        low, high = data["ngram_range"].tolist()
        return WordVectors(
            bytes(data["words"]).decode("utf-8").split("\n"),
            data["matrix"][:, :dim],
            scale=data["scale"],
            unknown="subword",
            subwords=Subwords(
                np.ascontiguousarray(data["ngrams"][:, :dim]),
                scale=data["ngrams_scale"].astype(np.float32),
                ngram_range=(low, high),
                factor=float(data["factor"]),
            ),
            is_weighted=is_weighted,
        )


def bundled_reference(vectors: WordVectors) -> tuple[str, int, int] | None:
    """The reference to a bundled table in a saved model, for :func:`referred`."""
    return None if vectors._reference is None else vectors._reference[1]


def referred(name: str, fingerprint: int, dim: int) -> WordVectors:
    """The table that a pickle or a saved model refers to.

    Raises ValueError if this version of the package has a different table.
    """
    if name not in BUNDLED or _fingerprint(name) != fingerprint:
        raise ValueError(
            f"This refers to the word vectors {name!r} of another version of "
            "skparaphrase. Use the version that wrote it, or fit and save again."
        )
    return bundled(name, check_int(dim, "dim"))


@cache
def _fingerprint(name: str) -> int:
    """A checksum of the checksums of all arrays in the file of a table."""
    path = files("skparaphrase") / BUNDLED[name][0]
    with path.open("rb") as file, ZipFile(file) as archive:
        arrays = [(each.filename, each.CRC) for each in archive.infolist()]
    return crc32(repr(arrays).encode())


def save_word_vectors(vectors: WordVectors, folder: str | PathLike[str]) -> None:
    """Write a table to a folder that :func:`skparaphrase.load` maps into memory.

    Parameters
    ----------
    vectors : WordVectors
    folder : path-like
        Written completely or not at all; an existing table is replaced.
    """
    arrays: dict[str, Any] = {"words": join_words(vectors.words)}
    arrays |= {"matrix": vectors.matrix, "scale": vectors.scale}
    content: dict[str, Any] = {"unknown": vectors.unknown, "subwords": None}
    content["is_weighted"] = vectors.is_weighted
    if vectors.subwords is not None:
        content["subwords"] = settings = dict(vars(vectors.subwords))
        arrays |= {f"subwords-{name}": settings.pop(name) for name in _SUBWORD_ARRAYS}
    with new_folder(folder) as new:
        for name, array in arrays.items():
            if array is not None:
                np.save(new / f"{name}.npy", array, allow_pickle=False)
        write_metadata(new, kind="WordVectors", **content)


def load_table(
    folder: Path, metadata: dict[str, Any], *, verify: bool = False
) -> WordVectors:
    """Read a table written by :func:`save_word_vectors`, given its metadata.

    Large matrices are mapped into memory, and checked only if `verify`.
    """
    with refuse_corruption(folder):
        words = split_words(load_array(folder / "words.npy", "uint8"))
        matrix = load_array(folder / "matrix.npy", *DTYPES)
        scale = None
        if matrix.dtype == np.int8:
            scale = load_array(folder / "scale.npy", "float32", mmap=False)
        subwords = None
        if metadata["subwords"] is not None:
            subwords = _load_subwords(folder, metadata["subwords"])
        unknown, is_weighted = metadata["unknown"], bool(metadata["is_weighted"])
        vectors = WordVectors.__new__(WordVectors)
        vectors._set(words, matrix, scale, unknown, subwords, is_weighted)
        vectors._check(finite=verify or not is_large(matrix.nbytes))
    return vectors


def _load_subwords(folder: Path, settings: dict[str, Any]) -> Subwords:
    """The n-grams of a folder; a ValueError where they do not fit together."""
    path = folder / "subwords-matrix.npy"
    table = load_array(path, *DTYPES, "float64")
    columns = {}
    for name in ("scale", "shift"):
        path = folder / f"subwords-{name}.npy"
        if path.exists():
            columns[name] = load_array(path, "float32", "float64", mmap=False)
    low, high = map(int, settings["ngram_range"])
    kind, factor = settings["kind"], float(settings["factor"])
    return Subwords(table, **columns, ngram_range=(low, high), kind=kind, factor=factor)
