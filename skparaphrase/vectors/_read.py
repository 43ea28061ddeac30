"""Readers of word vectors: GloVe and word2vec text, word2vec binary, fastText."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import codecs
import mmap
import re
import shutil
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain, count, islice
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skparaphrase import _core
from skparaphrase._estimator import warn_caller
from skparaphrase._files import open_data
from skparaphrase.vectors._word_vectors import WordVectors

_CONTROL = re.compile(rb"[\0-\x1f\x7f]")
FORMATS = ("auto", "glove", "word2vec", "word2vec-binary")


def read_word_vectors(
    path: str | PathLike[str],
    *,
    format: str = "auto",
    limit: int | None = None,
    vocabulary: Iterable[str] | None = None,
    unknown: str | None = None,
    dtype: DTypeLike = np.float32,
    encoding: str = "utf-8",
) -> WordVectors:
    """Read a file of GloVe, word2vec (text or binary) or fastText (`.vec`).

    Parameters
    ----------
    path : path-like
        Files compressed by gzip, bzip2, xz or zip (of one file) are decompressed.
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
    encoding : str, default="utf-8"
        A name of a Python codec that extends ASCII, such as `"latin-1"`.

    Returns
    -------
    vectors : WordVectors
        A word that occurs twice keeps its first vector. Words that are not UTF-8 (there
        are some in the PARAGRAM files) are left out. A warning gives the number of
        both.

    Raises
    ------
    ValueError
        If the header is wrong, a row is too short, a value is not a number, the file
        ends early or is of another kind, such as a pickle, or if a binary file seems
        to have words with spaces. The message names the file and the line or row.
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
        raise TypeError("vocabulary must be several words; got one str.")
    codecs.lookup(encoding)
    wanted = None if vocabulary is None else {*vocabulary, unknown}
    with open_data(path) as (file, _):
        if not file.read(1):
            raise ValueError(f"{path} is empty.")
    if format == "auto":
        format = _guess(path)
    is_binary = format == "word2vec-binary"
    unit = "row" if is_binary else "line"
    words = _WantedWords(wanted, encoding)
    if is_binary:
        matrix = _read_binary(path, words, limit, dtype)
    else:
        matrix = _read_text(path, words, limit, dtype, header=format == "word2vec")
    if words.undecodable and wanted is None:
        words.doubtful[
            f"is not {encoding} and is left out; if the file is in another encoding, "
            "pass encoding=, such as 'latin-1'"
        ] = words.undecodable
    for problem, found in words.doubtful.items():
        word, where = found[0]
        warn_caller(
            f"{path}, {unit} {where}: {word[:40]!r} {problem}. Number of such words: "
            f"{len(found)}."
        )
    try:
        return WordVectors(list(words.words), matrix, unknown=unknown)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


@dataclass
class _WantedWords:
    """Collects the words of a file whose vectors are wanted."""

    vocabulary: Set[str | None] | None
    encoding: str
    words: dict[str, None] = field(default_factory=dict)
    undecodable: list[tuple[bytes, int]] = field(default_factory=list)
    doubtful: dict[str, list[tuple[bytes, int]]] = field(default_factory=dict)

    def add(self, raw: bytes, where: int) -> bool:
        """Whether the vector of the word in a line or row is wanted."""
        try:
            word = raw.decode(self.encoding)
        except UnicodeDecodeError:
            self.undecodable.append((raw, where))
            return False
        if self.vocabulary is not None and word not in self.vocabulary:
            return False
        if word in self.words:
            self.doubt("occurs again and is left out", raw, where)
            return False
        self.words[word] = None
        return True

    def doubt(self, problem: str, raw: bytes, where: int) -> None:
        """Note a word to warn of."""
        self.doubtful.setdefault(problem, []).append((raw, where))


def _guess(path: Path) -> str:
    with open_data(path) as (file, _):
        head = file.read(1 << 16)
    first, _, rest = head.partition(b"\n")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return "glove"
    values = rest.partition(b"\n")[0].split()[1:]
    is_text = not rest.strip() or 2 * sum(map(_is_number, values)) > len(values)
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
    with open_data(path) as (file, _), np.errstate(over="ignore"):  # refused later
        lines: Iterator[tuple[int, bytes]]
        lines = ((i, line) for i, line in enumerate(file, 1) if line.strip())
        first = next(lines, (1, b""))
        n_words = None
        if header:
            size = path.stat().st_size << 10  # no file is compressed by more
            n_words, dim = _parse_header(path, first[1], size)
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
            is_sure = n_read > (1 if header else 2)  # of the number of dimensions
            word = _read_line(path, line, number, values, words if is_sure else None)
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


def _read_line(
    path: Path,
    line: bytes,
    number: int,
    values: NDArray[np.float64],
    words: _WantedWords | None,
) -> bytes:
    """The word of a line, which may hold spaces; its numbers go to `values`.

    With `words`, it may be empty, a space or end in a number, which is noted there.
    """
    word = line[: _core.core.parse_numbers(line, values)]
    inner = word.split()[1:]
    ends_in_number = bool(inner) and _is_number(inner[-1])
    if word and not ends_in_number:
        return word
    if words is not None:
        space = line[: len(line) - len(line.lstrip())]
        if word:
            words.doubt("ends in a number, or its vector is too long", word, number)
            return word
        if space and _core.core.parse_numbers(b"_" + line, values):
            return space[:-1]
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


def _parse_header(path: Path, line: bytes, size: int) -> tuple[int, int]:
    try:
        n_words, dim = map(int, line.split())
    except ValueError:
        n_words = dim = 0
    if n_words < 0 or not 0 < dim <= size:
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
        open_data(path) as (file, _),
        _on_disk(file) as plain,
        mmap.mmap(plain.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        start = data.find(b"\n", 0, 100) + 1
        n_promised, dim = _parse_header(path, data[: max(start - 1, 0)], len(data))
        n_words = n_promised if limit is None else min(limit, n_promised)
        width = 4 * dim
        # No row is shorter than an empty word, a space and its vector.
        if n_words * (width + 1) > len(data):
            raise ValueError(
                f"{path} is cut off: its header says {n_words} words of {dim} numbers, "
                f"which do not fit into {len(data)} bytes."
            )
        vectors = []  # where they begin
        find, n_bytes, row_end = data.find, len(data), b""
        for row in range(n_words):
            space = find(b" ", start)
            if space < 0 or space + width >= n_bytes:
                raise ValueError(
                    f"{path} is cut off in row {row} of {n_words}, or damaged, at byte "
                    f"{start}."
                )
            raw = data[start:space]
            if words.add(raw[len(row_end) :], row):
                vectors.append(space + 1)
            # Tools that end rows with newlines write words in any encoding, and others
            # in UTF-8.
            if row and (
                not raw.startswith(row_end)
                or _CONTROL.search(raw, len(row_end))
                or (not row_end and words.undecodable)
            ):
                if not row_end and words.undecodable:
                    raw, row = words.undecodable[0]
                raise ValueError(
                    f"{path}, row {row}: {raw[:40]!r} is no word. The file is damaged "
                    f"or not {words.encoding} (pass encoding=), or a word contains a "
                    "space, which this format does not allow: save the vectors as "
                    "text, or pass gensim's KeyedVectors to import_word_vectors."
                )
            start = space + 1 + width
            if not row and data[start : start + 1] == b"\n":
                row_end = b"\n"  # of the original tool; others have none
        if n_words == n_promised and data[start:] not in (row_end, b""):
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


@contextmanager
def _on_disk(file: BinaryIO) -> Iterator[BinaryIO]:
    """A file that can be mapped into memory, itself if it can."""
    if isinstance(file, BufferedReader):
        yield file
        return
    with TemporaryFile() as copy:
        shutil.copyfileobj(file, copy)
        copy.flush()
        yield copy
