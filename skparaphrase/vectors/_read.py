"""Readers of word vectors: GloVe and word2vec text, word2vec binary, fastText."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import codecs
import mmap
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import chain, count, islice
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skparaphrase import _core
from skparaphrase._estimator import warn_caller
from skparaphrase.storage._folders import open_plain
from skparaphrase.vectors._word_vectors import WordVectors

FORMATS = ("auto", "glove", "word2vec", "word2vec-binary")


def read_word_vectors(
    path: str | PathLike[str],
    *,
    format: str = "auto",
    limit: int | None = None,
    vocabulary: Iterable[str] | None = None,
    unknown: str | None = None,
    dtype: DTypeLike = np.float32,
) -> WordVectors:
    """Read a file of GloVe, word2vec (text or binary) or fastText (`.vec`).

    Parameters
    ----------
    path : path-like
    format : {"auto", "glove", "word2vec", "word2vec-binary"}, default="auto"
        "glove" has no header; "word2vec" is text with a header "n_words dim", which is
        also the format of `.vec` files. "auto" looks at the first bytes.
    limit : int, default=None
        Read only the first `limit` words of the file.
    vocabulary : iterable of str, default=None
        Keep only these words and `unknown`.
    unknown : str, default=None
        See :class:`~skparaphrase.vectors.WordVectors`.
    dtype : {"float32", "float16"}, default="float32"

    Returns
    -------
    vectors : WordVectors
        A word that occurs twice keeps its first vector. Words that are not UTF-8 (there
        are some in the PARAGRAM files) are left out. A warning gives the number of
        both.

    Raises
    ------
    ValueError
        If the header is wrong, a row is too short, a value is not a number or the
        file ends early. The message names the file and the line or row.
    """
    path = Path(path)
    dtype = np.dtype(dtype)
    if format not in FORMATS:
        raise ValueError(f"format must be one of {FORMATS}; got {format!r}.")
    if dtype.name not in ("float32", "float16"):
        raise ValueError(f"dtype must be float32 or float16; got {dtype.name}.")
    if limit is not None and limit < 0:
        raise ValueError(f"limit must not be negative; got {limit}.")
    if isinstance(vocabulary, str):
        raise TypeError("vocabulary must be an iterable of words; got one str.")
    wanted = None if vocabulary is None else {*vocabulary, unknown}
    with open_plain(path) as file:
        if not file.read(1):
            raise ValueError(f"{path} is empty.")
    if format == "auto":
        format = _guess(path)
    is_binary = format == "word2vec-binary"
    unit = "row" if is_binary else "line"
    words = _WantedWords(wanted)
    if is_binary:
        matrix = _read_binary(path, words, limit, dtype)
    else:
        matrix = _read_text(path, words, limit, dtype, header=format == "word2vec")
    if words.left_out:
        word, where = words.left_out[0]
        warn_caller(
            f"{path}: {len(words.left_out)} words are left out because they occur "
            f"again or are not UTF-8; the first is {word[:40]!r} in {unit} {where}."
        )
    try:
        return WordVectors(list(words.words), matrix, unknown=unknown)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


@dataclass
class _WantedWords:
    """Collects the words of a file whose vectors are wanted."""

    vocabulary: Set[str | None] | None
    words: dict[str, None] = field(default_factory=dict)
    left_out: list[tuple[bytes, int]] = field(default_factory=list)

    def add(self, raw: bytes, where: int) -> bool:
        """Whether the vector of the word in a line or row is wanted."""
        try:
            word = raw.decode()
        except UnicodeDecodeError:
            if self.vocabulary is None:
                self.left_out.append((raw, where))
            return False
        if self.vocabulary is not None and word not in self.vocabulary:
            return False
        if word in self.words:
            self.left_out.append((raw, where))
            return False
        self.words[word] = None
        return True


def _guess(path: Path) -> str:
    with _open_text(path) as file:
        head = file.read(4096)
    first, _, rest = head.partition(b"\n")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return "glove"
    # Binary numbers almost always hold control characters; text does not.
    control = rest.translate(None, bytes(range(32, 256)) + b"\t\r\n")
    values = rest.partition(b"\n")[0].split()[1:]
    is_text = not control and (not rest.strip() or any(map(_is_number, values)))
    return "word2vec" if is_text else "word2vec-binary"


# Text ------------------------------------------------------------------------------
# pandas cannot read words that contain spaces ("at name@domain.com" in GloVe).


def _read_text(
    path: Path,
    words: _WantedWords,
    limit: int | None,
    dtype: np.dtype[Any],
    *,
    header: bool,
) -> NDArray[np.floating]:
    with _open_text(path) as file, np.errstate(over="ignore"):  # WordVectors raises
        lines: Iterator[tuple[int, bytes]]
        lines = ((i, line) for i, line in enumerate(file, 1) if line.strip())
        first = next(lines, (1, b""))
        n_words = None
        if header:
            n_words, dim = _parse_header(path, first[1])
            limit = n_words if limit is None else min(limit, n_words)
        else:
            lines = chain([first], lines)
            dim = len(first[1].split()) - 1
            if dim < 1:
                raise ValueError(
                    f"{path}, line 1: expected a word and its vector, got "
                    f"{first[1].rstrip()[:60]!r}."
                )
        matrix, values = np.empty((0, dim), dtype), np.empty(dim)
        n_read = n_rows = 0
        for number, line in islice(lines, limit):
            n_read += 1
            word = _read_line(path, line, number, values)
            if not words.add(word, number):
                continue
            if n_rows == len(matrix):
                matrix.resize((n_rows + n_rows // 4 + 1, dim), refcheck=False)
            matrix[n_rows] = values
            n_rows += 1
    if n_words is not None and limit is not None and n_read < limit:
        raise ValueError(
            f"{path} ends after {n_read} words; its header says {n_words}."
        )
    matrix.resize((n_rows, dim), refcheck=False)
    return matrix


def _open_text(path: Path) -> BinaryIO:
    """Skip the byte order mark of a file, which would become part of the first word."""
    file = open_plain(path)
    if file.read(3) != codecs.BOM_UTF8:
        file.seek(0)
    return file


def _read_line(
    path: Path, line: bytes, number: int, values: NDArray[np.float64]
) -> bytes:
    """The word of a line, which may contain spaces; write its numbers to `values`."""
    word = line[: _core.core.parse_numbers(line, values)]
    inner = word.split()[1:]
    if word and not (inner and _is_number(inner[-1])):
        return word
    fields, dim = line.split()[1:], len(values)
    wrong = [field for field in fields[-dim:] if not _is_number(field)]
    if wrong and len(fields) >= dim:
        raise ValueError(f"{path}, line {number}: {wrong[0][:40]!r} is not a number.")
    raise ValueError(
        f"{path}, line {number}: expected a word and {dim} numbers, got {len(fields)} "
        f"numbers: {line[:60]!r}. Is dim in the header wrong, or the file cut off?"
    )


def _is_number(raw: bytes) -> bool:
    try:
        float(raw)
    except ValueError:
        return False
    return b"_" not in raw


def _parse_header(path: Path, line: bytes) -> tuple[int, int]:
    try:
        n_words, dim = map(int, line.split())
    except ValueError:
        n_words = dim = 0
    if n_words < 0 or not 0 < dim <= path.stat().st_size:
        raise ValueError(
            f"{path}, line 1: expected a header 'n_words dim' that fits the file, got "
            f"{line.rstrip()[:60]!r}."
        )
    return n_words, dim


# Binary ----------------------------------------------------------------------------


def _read_binary(
    path: Path, words: _WantedWords, limit: int | None, dtype: np.dtype[Any]
) -> NDArray[np.floating]:
    with (
        open_plain(path) as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        start = data.find(b"\n", 0, 100) + 1
        n_promised, dim = _parse_header(path, data[: max(start - 1, 0)])
        n_words = n_promised if limit is None else min(limit, n_promised)
        width = 4 * dim
        # No row is shorter than an empty word, a space and its vector.
        if n_words * (width + 1) > len(data):
            raise ValueError(
                f"{path} is cut off: its header says {n_words} words of {dim} numbers, "
                f"which do not fit into {len(data)} bytes."
            )
        vectors = []  # where they begin
        find, n_bytes = data.find, len(data)
        for row in range(n_words):
            space = find(b" ", start)
            if space < 0 or space + width >= n_bytes:
                raise ValueError(
                    f"{path} is cut off in row {row} of {n_words}, or damaged, at byte "
                    f"{start}."
                )
            # The original tool ends a row with a newline, others do not.
            if words.add(data[start:space].lstrip(b"\n"), row):
                vectors.append(space + 1)
            start = space + 1 + width
        if n_words == n_promised and data[start:].strip(b"\n"):
            raise ValueError(
                f"{path}: more bytes follow row {n_words - 1}, but the header says "
                f"{n_words} words of {dim} numbers."
            )
        matrix = np.empty((len(vectors), dim), dtype="<f4")
        if vectors:
            with memoryview(data) as source, matrix.data.cast("B") as target:
                for place, vector in zip(count(0, width), vectors, strict=False):
                    target[place : place + width] = source[vector : vector + width]
    return matrix.astype(dtype, copy=False)
