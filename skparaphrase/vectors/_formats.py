"""Readers of the files that word vectors come in."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import mmap
import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import mmread

FORMATS = ("auto", "glove", "word2vec", "word2vec-binary")
_BLOCK = 1 << 22  # bytes of text parsed at a time
_KINDS = bytes.maketrans(b"E+", b"e-")
_BAD_MARKS = (b"..", b"e.", b"ee", b".-", b"--", b"e-.", b"e-e")  # digits left out
_SPACE_TO_NEWLINE = bytes.maketrans(b" ", b"\n")


def read_table(
    path: Path,
    *,
    format: str,
    limit: int | None,
    vocabulary: frozenset[str] | None,
    dtype: np.dtype[Any],
    encoding_errors: str,
) -> tuple[list[str], NDArray[np.floating]]:
    """Words and matrix of a file; see `WordVectors.read`."""
    if format not in FORMATS:
        raise ValueError(f"format must be one of {FORMATS}; got {format!r}.")
    if dtype.name not in ("float32", "float16"):
        raise ValueError(f"dtype must be float32 or float16; got {dtype.name}.")
    if limit is not None and limit < 0:
        raise ValueError(f"limit must not be negative; got {limit}.")
    if format == "auto":
        format = _guess(path)
    rows = _Rows(path, vocabulary, encoding_errors)
    if format == "word2vec-binary":
        matrix = _read_binary(path, rows, limit, dtype)
    else:
        matrix = _read_text(path, rows, limit, dtype, header=format == "word2vec")
    rows.warn_of_duplicates()
    return list(rows.index), matrix


class _Rows:
    """Decides word by word whether its row is wanted, and collects the words."""

    def __init__(
        self, path: Path, vocabulary: frozenset[str] | None, encoding_errors: str
    ) -> None:
        self.path = path
        self.vocabulary = vocabulary
        self.encoding_errors = encoding_errors
        self.index: dict[str, int] = {}
        self.n_duplicates = 0
        self.first_duplicate = ""

    def take(self, raw: bytes, where: int, unit: str) -> bool:
        """Whether to read the vector of this word."""
        try:
            word = raw.decode("utf-8", self.encoding_errors)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.path}, {unit} {where}: the word {raw[:40]!r} is not UTF-8 "
                f"({error.reason}). encoding_errors='replace' reads it all the same."
            ) from error
        if self.vocabulary is not None and word not in self.vocabulary:
            return False
        if word in self.index:
            self.n_duplicates += 1
            self.first_duplicate = self.first_duplicate or f"{word!r} in {unit} {where}"
            return False
        self.index[word] = len(self.index)
        return True

    def warn_of_duplicates(self) -> None:
        if self.n_duplicates:
            warnings.warn(
                f"{self.path}: {self.n_duplicates} words occur again and keep their "
                f"first vector; the first is {self.first_duplicate}.",
                stacklevel=4,
            )


def _guess(path: Path) -> str:
    with open(path, "rb") as file:
        head = file.read(4096)
        if not head:
            raise ValueError(f"{path} is empty.")
        first, _, rest = head.partition(b"\n")
        fields = first.split()
        if len(fields) != 2 or not all(field.isdigit() for field in fields):
            return "glove"
        # A line of text after the header holds a word and dim numbers; what stands
        # there in a binary file is no text.
        while b"\n" not in rest and (more := file.read(1 << 16)):
            rest += more
            if len(rest) > 1 << 20:
                break
    numbers = rest.partition(b"\n")[0].split()[-int(fields[1]) :]
    try:
        list(map(float, numbers))
    except ValueError:
        return "word2vec-binary"
    return "word2vec" if len(numbers) == int(fields[1]) else "word2vec-binary"


# Text ------------------------------------------------------------------------------


def _read_text(
    path: Path, rows: _Rows, limit: int | None, dtype: np.dtype[Any], *, header: bool
) -> NDArray[np.floating]:
    blocks: list[NDArray[np.floating]] = []
    n_words = dim = None
    line_number = n_read = 0
    for lines in _blocks_of_lines(path):
        if header and line_number == 0:
            n_words, dim = _parse_header(path, lines[0])
            limit = n_words if limit is None else min(limit, n_words)
            lines, line_number = lines[1:], 1
        if dim is None:
            dim = len(lines[0].split()) - 1
            if dim < 1:
                raise ValueError(
                    f"{path}, line 1: expected a word and its vector, got "
                    f"{lines[0][:60]!r}."
                )
        if limit is not None:
            lines = lines[: limit - n_read]
        matrix = _parse_lines(path, lines, line_number, dim, rows)
        with np.errstate(over="ignore"):  # WordVectors refuses what is not finite
            blocks.append(matrix.astype(dtype))
        line_number += len(lines)
        n_read += len(lines)
        if n_read == limit:
            break
    if dim is None:
        raise ValueError(f"{path} holds no vector.")
    if n_words is not None and limit is not None and n_read < limit:
        raise ValueError(
            f"{path} ends after {n_read} words; its header says {n_words}."
        )
    return np.concatenate(blocks) if blocks else np.empty((0, dim), dtype)


def _blocks_of_lines(path: Path) -> Iterator[list[bytes]]:
    """The lines of a file, without their ends, some tens of MB at a time."""
    rest = b""
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            lines = (rest + block if rest else block).split(b"\n")
            rest = lines.pop()
            if lines:
                yield lines
    if rest:
        yield [rest]


def _parse_header(path: Path, line: bytes) -> tuple[int, int]:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        raise ValueError(
            f"{path}, line 1: expected the header 'n_words dim', got {line[:60]!r}."
        )
    n_words, dim = map(int, fields)
    if dim < 1:
        raise ValueError(f"{path}, line 1: the header says dim={dim}.")
    return n_words, dim


def _parse_lines(
    path: Path, lines: list[bytes], before: int, dim: int, rows: _Rows
) -> NDArray[np.float64]:
    """Vectors of the wanted lines, shape (n_wanted, dim)."""
    values = []
    numbers = []
    for number, line in enumerate(lines, before + 1):
        word, _, rest = line.partition(b" ")
        if rest.count(b" ") != dim - 1 or b"\r" in rest[-1:]:
            word, rest = _split_unusual(path, line, number, dim)
        if rows.take(word, number, "line"):
            values.append(rest)
            numbers.append(number)
    if not values:
        return np.empty((0, dim))
    # The fastest parser of decimal numbers among our dependencies is SciPy's reader of
    # Matrix Market files: a header, then a number a line, columns first.
    head = b"%%%%MatrixMarket matrix array real general\n%d %d\n" % (dim, len(values))
    # Without the last newline it reads past the end.
    body = b"\n".join(values).translate(_SPACE_TO_NEWLINE) + b"\n"
    try:
        _check_numbers(body)
        matrix: NDArray[np.float64] = mmread(BytesIO(head + body)).T
    except (ValueError, OverflowError):
        matrix = np.array(
            [_parse_one(path, *row) for row in zip(values, numbers, strict=True)]
        )
    return matrix


def _check_numbers(body: bytes) -> None:
    """Raise where `mmread` would skip what follows the start of a number."""
    marks = body.translate(_KINDS, b"0123456789")
    if marks.translate(None, b"-.e\n") or any(bad in marks for bad in _BAD_MARKS):
        raise ValueError
    if b"e" in marks:
        body = body.translate(_KINDS)
        if any(bad in body for bad in (b"e\n", b"e-\n")):
            raise ValueError
    n_signs = body.count(b"\n-") + body.count(b"e-") + body.startswith(b"-")
    if marks.count(b"-") != n_signs:
        raise ValueError


def _split_unusual(
    path: Path, line: bytes, number: int, dim: int
) -> tuple[bytes, bytes]:
    """Word and values of a line with other white space, or spaces in its word."""
    fields = line.rstrip().rsplit(None, dim)
    if len(fields) != dim + 1:
        n_values = max(len(line.split()) - 1, 0)
        raise ValueError(
            f"{path}, line {number}: expected a word and {dim} numbers, got {n_values} "
            f"numbers: {line[:60]!r}. A file that was cut off ends this way."
        )
    return fields[0], b" ".join(fields[1:])


def _parse_one(path: Path, values: bytes, number: int) -> list[float]:
    try:
        return [float(value) for value in values.split(b" ")]
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}.") from None


# Binary ----------------------------------------------------------------------------


def _read_binary(
    path: Path, rows: _Rows, limit: int | None, dtype: np.dtype[Any]
) -> NDArray[np.floating]:
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty.")
    with (
        open(path, "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        start = data.find(b"\n", 0, 100) + 1
        n_words, dim = _parse_header(path, data[: max(start - 1, 0)])
        n_words = n_words if limit is None else min(limit, n_words)
        width = 4 * dim
        # No row is shorter than an empty word, a space and its vector.
        if n_words * (width + 1) > len(data):
            n_whole = (len(data) - start) // (width + 1)
            raise ValueError(
                f"{path} is cut off: its header says {n_words} words of {dim} numbers, "
                f"the file has room for at most {n_whole}."
            )
        wanted = rows.vocabulary
        n_most = n_words if wanted is None else min(n_words, len(wanted))
        matrix = np.empty((n_most, dim), dtype="<f4")
        target = matrix.data.cast("B") if n_most else memoryview(b"")
        filled = 0
        for row in range(n_words):
            space = data.find(b" ", start)
            end = space + 1 + width
            if space < 0 or end > len(data):
                raise ValueError(
                    f"{path} is cut off in row {row} of {n_words}, at byte {start}."
                )
            # The original tool ends a row with a newline, others do not.
            if rows.take(data[start:space].lstrip(b"\n"), row, "row"):
                target[filled : filled + width] = data[space + 1 : end]
                filled += width
            start = end
    return matrix[: filled // width].astype(dtype, copy=False)
