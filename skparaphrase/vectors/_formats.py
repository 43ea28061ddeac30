"""Readers of the files that word vectors come in."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import mmap
import warnings
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._threads import available_threads
from skparaphrase.vectors._decimals import NotDecimalError, parse_decimals

FORMATS = ("auto", "glove", "word2vec", "word2vec-binary")
_BLOCK = 1 << 22  # bytes of text parsed at a time
_DOT, _NEWLINE, _SPACE = 46, 10, 32


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

    def take_all(self, raws: list[bytes], first: int, unit: str) -> NDArray[np.intp]:
        """Positions of the wanted among words that follow one another in the file."""
        words = [] if self.vocabulary is not None else _decode(raws)
        n_known = len(self.index)
        new = dict(zip(words, range(n_known, n_known + len(words)), strict=True))
        if len(new) == len(raws) and self.index.keys().isdisjoint(new):
            self.index.update(new)
            return np.arange(len(raws))
        wanted = [i for i, raw in enumerate(raws) if self.take(raw, first + i, unit)]
        return np.array(wanted, dtype=np.intp)

    def warn_of_duplicates(self) -> None:
        if self.n_duplicates:
            warnings.warn(
                f"{self.path}: {self.n_duplicates} words occur again and keep their "
                f"first vector; the first is {self.first_duplicate}.",
                stacklevel=4,
            )


def _decode(raws: list[bytes]) -> list[str]:
    """Words, if all are UTF-8 and none holds a newline; else none of them."""
    try:
        words = b"\n".join(raws).decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return []
    return words if len(words) == len(raws) else []


def _guess(path: Path) -> str:
    with open(path, "rb") as file:
        head = file.read(4096)
        if not head:
            raise ValueError(f"{path} is empty.")
        first, _, rest = head.partition(b"\n")
        fields = first.split()
        if len(fields) != 2 or not all(field.isdigit() for field in fields):
            return "glove"
    # Numbers in binary hold control characters, as good as always; text does not.
    control = rest.translate(None, bytes(range(32, 256)) + b"\t\r\n")
    values = rest.partition(b"\n")[0].split()[1:]
    is_text = not control and (not rest.strip() or any(map(_is_number, values)))
    return "word2vec" if is_text else "word2vec-binary"


# Text ------------------------------------------------------------------------------


def _read_text(
    path: Path, rows: _Rows, limit: int | None, dtype: np.dtype[Any], *, header: bool
) -> NDArray[np.floating]:
    n_words = dim = None
    line_number = n_read = 0
    matrices: list[NDArray[np.floating]] = []
    jobs: deque[Future[NDArray[np.floating]]] = deque()
    n_threads = available_threads()
    with ThreadPoolExecutor(n_threads) as pool:
        blocks = _blocks_of_lines(path)
        for block in blocks:
            if header and line_number == 0:
                first, _, block = block.partition(b"\n")
                n_words, dim = _parse_header(path, first)
                limit = n_words if limit is None else min(limit, n_words)
                line_number = 1
            if dim is None:
                first = block.partition(b"\n")[0]
                dim = len(first.split()) - 1
                if dim < 1:
                    raise ValueError(
                        f"{path}, line 1: expected a word and its vector, got "
                        f"{first[:60]!r}."
                    )
            most = None if limit is None else limit - n_read
            n_lines = block.count(b"\n")
            try:
                lines = _Lines(path, block, line_number + 1, dim, most)
                wanted = rows.take_all(lines.words, line_number + 1, "line")
            except ValueError:
                for job in jobs:
                    job.result()  # what is wrong in an earlier line comes first
                raise
            jobs.append(pool.submit(lines.parse, wanted, dtype))
            if len(jobs) > 2 * n_threads:
                matrices.append(jobs.popleft().result())
            line_number += len(lines.words)
            n_read += len(lines.words)
            if n_read == limit:
                follows = n_lines > len(lines.words) or next(blocks, b"")
                if limit == n_words and follows:
                    raise ValueError(
                        f"{path}, line {line_number + 1}: more lines follow, but the "
                        f"header says {n_words} words."
                    )
                break
        matrices += [job.result() for job in jobs]
    if dim is None:
        raise ValueError(f"{path} holds no vector.")
    if n_words is not None and limit is not None and n_read < limit:
        raise ValueError(
            f"{path} ends after {n_read} words; its header says {n_words}."
        )
    return np.concatenate(matrices) if matrices else np.empty((0, dim), dtype)


def _blocks_of_lines(path: Path) -> Iterator[bytes]:
    """Whole lines of a file, each with its newline, some MB at a time.

    Empty lines at the end of the file are left out.
    """
    rest = b""
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            rest += block
            last = len(rest[: rest.rfind(b"\n") + 1].rstrip(b"\r\n"))
            if last:
                cut = rest.find(b"\n", last) + 1
                yield rest[:cut]
                rest = rest[cut:]
    if rest.strip():
        yield rest + b"\n"


class _Lines:
    """Lines of a word and `dim` numbers, and where each number stands.

    Parameters
    ----------
    path : Path
    block : bytes
        Whole lines.
    first : int
        Number of the first line.
    dim : int
    most : int or None
        Take so many lines only.
    """

    def __init__(
        self, path: Path, block: bytes, first: int, dim: int, most: int | None
    ) -> None:
        self.path = path
        self.first = first
        self.dim = dim
        words = self._look(block, most)
        if words is None:
            lines = block.split(b"\n")[:-1][:most]
            split = [
                _split_unusual(path, x, first + i, dim) for i, x in enumerate(lines)
            ]
            words = [word for word, _ in split]
            block = b"".join([b"w " + values + b"\n" for _, values in split])
            self._look(block, None)
        self.words = words

    def _look(self, block: bytes, most: int | None) -> list[bytes] | None:
        """Find words and numbers; None if lines are not parted by single spaces."""
        padding = 8  # parse_decimals looks back
        text = np.frombuffer(bytes(padding) + block, dtype=np.uint8)
        marks = np.flatnonzero((text <= _SPACE) | (text == _DOT))[padding:]
        is_dot = text[marks] == _DOT
        gaps = np.flatnonzero(~is_dot)
        ends = marks[gaps]
        if len(gaps) % (self.dim + 1):
            return None
        ends = ends.reshape(-1, self.dim + 1)[:most]
        if (text[ends[:, -1]] != _NEWLINE).any() or (
            text[ends[:, :-1]] != _SPACE
        ).any():
            return None
        # The mark before the end of a number is its point, if it is a point.
        before = gaps.reshape(-1, self.dim + 1)[:most, 1:] - 1
        self._dots = np.where(is_dot[before], marks[before], ends[:, 1:])
        self._text, self._ends = text, ends
        starts = [padding, *(ends[:-1, -1] + 1).tolist()]
        return [
            block[start - padding : end - padding]
            for start, end in zip(starts, ends[:, 0].tolist(), strict=False)
        ]

    def parse(
        self, wanted: NDArray[np.intp], dtype: np.dtype[Any]
    ) -> NDArray[np.floating]:
        """Vectors of some lines, shape (n_wanted, dim)."""
        ends = self._ends[wanted]
        try:
            values = parse_decimals(
                self._text,
                ends[:, :-1].ravel() + 1,
                ends[:, 1:].ravel(),
                self._dots[wanted].ravel(),
            )
        except NotDecimalError as error:
            line = self.first + int(wanted[error.position // self.dim])
            raise ValueError(f"{self.path}, line {line}: {error}.") from None
        with np.errstate(over="ignore"):  # WordVectors refuses what is not finite
            return values.reshape(-1, self.dim).astype(dtype)


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


def _split_unusual(
    path: Path, line: bytes, number: int, dim: int
) -> tuple[bytes, bytes]:
    """Word and values of a line with other white space, or spaces in its word."""
    fields = line.rstrip().rsplit(None, dim)
    inner = fields[0].split()[1:] if fields else []
    if len(fields) != dim + 1 or (inner and _is_number(inner[-1])):
        n_values = max(len(line.split()) - 1, 0)
        raise ValueError(
            f"{path}, line {number}: expected a word and {dim} numbers, got "
            f"{n_values} numbers: {line[:60]!r}. A wrong dim in the header, or a file "
            "that was cut off, shows this way."
        )
    return fields[0], b" ".join(fields[1:])


def _is_number(raw: bytes) -> bool:
    try:
        float(raw)
    except ValueError:
        return False
    return True


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
        n_promised, dim = _parse_header(path, data[: max(start - 1, 0)])
        n_words = n_promised if limit is None else min(limit, n_promised)
        width = 4 * dim
        # No row is shorter than an empty word, a space and its vector.
        if n_words * (width + 1) > len(data):
            n_whole = (len(data) - start) // (width + 1)
            raise ValueError(
                f"{path} is cut off: its header says {n_words} words of {dim} numbers, "
                f"the file has room for at most {n_whole}."
            )
        words, spaces = [], []
        find, n_bytes = data.find, len(data)
        for row in range(n_words):
            space = find(b" ", start)
            if space < 0 or space + width >= n_bytes:
                raise ValueError(
                    f"{path} is cut off in row {row} of {n_words}, at byte {start}."
                )
            words.append(data[start:space])
            spaces.append(space)
            start = space + 1 + width
        if n_words == n_promised and data[start:].strip(b"\n"):
            raise ValueError(
                f"{path}: more bytes follow row {n_words - 1}, but the header says "
                f"{n_words} words of {dim} numbers."
            )
        # The original tool ends a row with a newline, others do not.
        wanted = rows.take_all([word.lstrip(b"\n") for word in words], 0, "row")
        matrix = np.empty((len(wanted), dim), dtype="<f4")
        if len(wanted):
            with memoryview(data) as source, matrix.data.cast("B") as target:
                for row, i in enumerate(wanted.tolist()):
                    vector = spaces[i] + 1
                    place = row * width
                    target[place : place + width] = source[vector : vector + width]
    return matrix.astype(dtype, copy=False)
