"""Readers of word vectors: GloVe and word2vec text, word2vec binary, fastText."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
import mmap
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skparaphrase._estimator import warn_caller
from skparaphrase._threads import available_threads, prefetch
from skparaphrase.storage._folders import open_plain

FORMATS = ("auto", "glove", "word2vec", "word2vec-binary")
_BLOCK = 1 << 17  # bytes of text parsed at a time; more leave the processor's cache
_LONGEST = 1 << 22  # bytes of a line; 300 numbers have 3,000
_NEWLINE, _SPACE, _MINUS, _DOT = 10, 32, 45, 46
_PADDING = 8  # bytes before the text; parse_decimals looks back


def read_file(
    path: Path,
    *,
    format: str,
    limit: int | None,
    vocabulary: Set[str | None] | None,
    dtype: DTypeLike,
    encoding_errors: str,
) -> tuple[list[str], NDArray[np.floating]]:
    """Read words and matrix as :meth:`WordVectors.read` says."""
    dtype = np.dtype(dtype)
    if format not in FORMATS:
        raise ValueError(f"format must be one of {FORMATS}; got {format!r}.")
    if dtype.name not in ("float32", "float16"):
        raise ValueError(f"dtype must be float32 or float16; got {dtype.name}.")
    if limit is not None and limit < 0:
        raise ValueError(f"limit must not be negative; got {limit}.")
    with open_plain(path) as file:
        if not file.read(1):
            raise ValueError(f"{path} is empty.")
    if format == "auto":
        format = _guess(path)
    is_binary = format == "word2vec-binary"
    unit = "row" if is_binary else "line"
    words = _WantedWords(path, unit, vocabulary, encoding_errors)
    if is_binary:
        matrix = _read_binary(path, words, limit, dtype)
    else:
        matrix = _read_text(path, words, limit, dtype, header=format == "word2vec")
    if words.repeated:
        word, where = words.repeated[0]
        warn_caller(
            f"{path}: {len(words.repeated)} words occur again and keep their first "
            f"vector; the first is {word!r} in {words.unit} {where}."
        )
    return list(words.index), matrix


@dataclass
class _WantedWords:
    """Collects the words of a file whose vectors are wanted."""

    path: Path
    unit: str  # "line" or "row", for messages
    vocabulary: Set[str | None] | None
    encoding_errors: str
    index: dict[str, int] = field(default_factory=dict)
    repeated: list[tuple[str, int]] = field(default_factory=list)

    def select(self, raws: list[bytes], first: int) -> NDArray[np.intp]:
        """Positions of the wanted words among words that begin in line `first`."""
        words = self._decode(raws, first)
        n_known = len(self.index)
        if self.vocabulary is None:
            new = dict(zip(words, range(n_known, n_known + len(words)), strict=True))
            if len(new) == len(words) and self.index.keys().isdisjoint(new):
                self.index.update(new)
                return np.arange(len(words))
        wanted = []
        for i, word in enumerate(words):
            if self.vocabulary is not None and word not in self.vocabulary:
                continue
            if word in self.index:
                self.repeated.append((word, first + i))
                continue
            self.index[word] = len(self.index)
            wanted.append(i)
        return np.array(wanted, dtype=np.intp)

    def _decode(self, raws: list[bytes], first: int) -> list[str]:
        try:
            words = b"\n".join(raws).decode("utf-8").split("\n")
            if len(words) == len(raws):  # no word holds a newline
                return words
        except UnicodeDecodeError:
            pass
        words = []
        for where, raw in enumerate(raws, first):
            try:
                words.append(raw.decode("utf-8", self.encoding_errors))
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{self.path}, {self.unit} {where}: the word {raw[:40]!r} is not "
                    f"UTF-8 ({error.reason}). Use encoding_errors='replace' to read it."
                ) from error
        return words


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
# Read by hand: pandas fails on words that hold spaces ("at name@domain.com" in GloVe),
# and np.fromstring takes as long on one thread but keeps the GIL. Four threads read
# 154 MB/s here, gensim 7.


def _read_text(
    path: Path,
    words: _WantedWords,
    limit: int | None,
    dtype: np.dtype[Any],
    *,
    header: bool,
) -> NDArray[np.floating]:
    with _open_text(path) as file:
        start = file.tell()
        first = file.readline(_LONGEST)
        if len(first) == _LONGEST:
            raise ValueError(_too_long(path, 1))
        n_words = None
        if header:
            n_words, dim = _parse_header(path, first)
            limit = n_words if limit is None else min(limit, n_words)
        else:
            file.seek(start)
            dim = len(first.split()) - 1
            if dim < 1:
                raise ValueError(
                    f"{path}, line 1: expected a word and its vector, got "
                    f"{first.rstrip()[:60]!r}."
                )

        def blocks() -> Iterator[_Part]:
            n_read = 0
            source = _blocks_of_lines(file)
            try:
                for block in source:
                    line = n_read + 1 + header
                    most = None if limit is None else limit - n_read
                    raws, numbers = _split_lines(path, block, line, dim, most)
                    yield line, numbers, words.select(raws, line)
                    n_read += len(raws)
                    if n_read == limit:
                        follows = block.count(b"\n") > len(raws) or next(source, b"")
                        if limit == n_words and follows:
                            raise ValueError(
                                f"{path}, line {line + len(raws)}: more lines "
                                f"follow, but the header says {n_words} words."
                            )
                        return
            except _LineTooLongError:
                raise ValueError(_too_long(path, n_read + 1 + header)) from None
            if n_words is not None and limit is not None and n_read < limit:
                raise ValueError(
                    f"{path} ends after {n_read} words; its header says {n_words}."
                )

        def parse(part: _Part) -> NDArray[np.floating]:
            line, (text, ends, dots), wanted = part
            ends = ends[wanted]
            starts = ends[:, :-1] + 1
            try:
                values = parse_decimals(
                    text, starts.ravel(), ends[:, 1:].ravel(), dots[wanted].ravel()
                )
            except NotDecimalError as error:
                line += int(wanted[error.position // dim])
                raise ValueError(f"{path}, line {line}: {error}.") from None
            with np.errstate(over="ignore"):  # WordVectors raises
                return values.reshape(-1, dim).astype(dtype)

        n = available_threads()
        matrices = list(prefetch(parse, blocks(), n_threads=n, n_ahead=2 * n))
    return np.concatenate(matrices) if matrices else np.empty((0, dim), dtype)


def _too_long(path: Path, line: int) -> str:
    return (
        f"{path}, line {line}: a line, or a number of empty lines, of more than "
        f"{_LONGEST >> 20} MB. Is this a file of word vectors?"
    )


def _open_text(path: Path) -> BinaryIO:
    """A file after its byte order mark, which would be a part of the first word."""
    file = open_plain(path)
    if file.read(3) != codecs.BOM_UTF8:
        file.seek(0)
    return file


class _LineTooLongError(Exception):
    """A line, or a number of empty lines, is not part of a file of word vectors."""


def _blocks_of_lines(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines with their newlines, without empty lines at the end of the file."""
    parts: list[bytes] = []  # the last line so far, and empty lines around it
    n_bytes, has_text = 0, False  # of the parts
    while block := file.read(_BLOCK):
        newline = block.rfind(b"\n") + 1
        last = len(block[:newline].rstrip(b"\r\n"))
        if newline and (last or has_text):
            block = b"".join([*parts, block])
            last = len(block[: block.rfind(b"\n") + 1].rstrip(b"\r\n"))
            cut = block.find(b"\n", last) + 1
            yield block[:cut]
            parts, n_bytes, block = [], 0, block[cut:]
            has_text = False
        parts.append(block)
        n_bytes += len(block)
        has_text = has_text or bool(block.strip(b"\r\n"))
        if n_bytes > _LONGEST:
            raise _LineTooLongError
    rest = b"".join(parts)
    if rest.strip():
        yield rest + b"\n"


# Padded text, where the word and each number of a line end, and where the decimal
# point of each number stands (its end if it has none).
_Numbers = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]
_Part = tuple[int, _Numbers, NDArray[np.intp]]  # its first line, and rows that are kept


def _split_lines(
    path: Path, block: bytes, first: int, dim: int, most: int | None
) -> tuple[list[bytes], _Numbers]:
    """Words of at most `most` lines, and where their numbers are."""
    numbers = _find_numbers(block, dim, most)
    if numbers is None:
        lines = block.split(b"\n")[:-1][:most]
        split = [_split_unusual(path, x, first + i, dim) for i, x in enumerate(lines)]
        block = b"".join([b"w " + values + b"\n" for _, values in split])
        numbers = _find_numbers(block, dim, None)
        assert numbers is not None
        return [word for word, _ in split], numbers
    ends = numbers[1]
    starts = [_PADDING, *(ends[:-1, -1] + 1).tolist()]
    bounds = zip(starts, ends[:, 0].tolist(), strict=False)
    return [block[i - _PADDING : j - _PADDING] for i, j in bounds], numbers


def _find_numbers(block: bytes, dim: int, most: int | None) -> _Numbers | None:
    """Where the numbers are; None unless lines are split by single spaces."""
    text = np.frombuffer(bytes(_PADDING) + block, dtype=np.uint8)
    marks = np.flatnonzero((text <= _SPACE) | (text == _DOT))[_PADDING:]
    is_dot = text[marks] == _DOT
    gaps = np.flatnonzero(~is_dot)
    if len(gaps) % (dim + 1):
        return None
    gaps = gaps.reshape(-1, dim + 1)[:most]
    ends = marks[gaps]
    if (text[ends[:, -1]] != _NEWLINE).any() or (text[ends[:, :-1]] != _SPACE).any():
        return None
    # The mark before the end of a number is its decimal point, if it is a dot.
    before = gaps[:, 1:] - 1
    return text, ends, np.where(is_dot[before], marks[before], ends[:, 1:])


def _parse_header(path: Path, line: bytes) -> tuple[int, int]:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        raise ValueError(
            f"{path}, line 1: expected the header 'n_words dim', got "
            f"{line.rstrip()[:60]!r}."
        )
    # No number of words or dimensions is larger than the file.
    n_words, dim = (int(field) if len(field) < 19 else -1 for field in fields)
    if not 0 < dim <= path.stat().st_size or n_words < 0:
        raise ValueError(
            f"{path}, line 1: the header {line.rstrip()[:60]!r} does not fit the file."
        )
    return n_words, dim


def _split_unusual(
    path: Path, line: bytes, number: int, dim: int
) -> tuple[bytes, bytes]:
    """Word and numbers of a line with other white space, or with spaces in the word."""
    fields = line.rstrip().rsplit(None, dim)
    inner = fields[0].split()[1:] if fields else []
    if (
        len(fields) != dim + 1
        or (inner and _is_number(inner[-1]))
        or any(min(value) <= _SPACE for value in fields[1:])
    ):
        n_values = max(len(line.split()) - 1, 0)
        raise ValueError(
            f"{path}, line {number}: expected a word and {dim} numbers, got "
            f"{n_values} numbers: {line[:60]!r}. Is dim in the header wrong, or the "
            "file cut off?"
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
        raws, spaces = [], []
        find, n_bytes = data.find, len(data)
        for row in range(n_words):
            space = find(b" ", start, start + _LONGEST)
            if space < 0 or space + width >= n_bytes:
                raise ValueError(
                    f"{path} is cut off in row {row} of {n_words}, or damaged, at byte "
                    f"{start}."
                )
            # The original tool ends a row with a newline, others do not.
            raws.append(data[start:space].lstrip(b"\n"))
            spaces.append(space)
            start = space + 1 + width
        if n_words == n_promised and data[start:].strip(b"\n"):
            raise ValueError(
                f"{path}: more bytes follow row {n_words - 1}, but the header says "
                f"{n_words} words of {dim} numbers."
            )
        wanted = words.select(raws, 0)
        matrix = np.empty((len(wanted), dim), dtype="<f4")
        if len(wanted):
            with memoryview(data) as source, matrix.data.cast("B") as target:
                for row, i in enumerate(wanted.tolist()):
                    vector = spaces[i] + 1
                    place = row * width
                    target[place : place + width] = source[vector : vector + width]
    return matrix.astype(dtype, copy=False)


_Positions = NDArray[np.int64]

_ZEROS = np.uint64(0x3030303030303030)
_POWERS = 10.0 ** np.arange(17)


class NotDecimalError(ValueError):
    """The bytes of the number at `position` are not a number."""

    def __init__(self, position: int, value: bytes) -> None:
        super().__init__(f"{value[:40]!r} is not a number")
        self.position = position


def parse_decimals(
    text: NDArray[np.uint8], starts: _Positions, ends: _Positions, dots: _Positions
) -> NDArray[np.float64]:
    """Values of the numbers `text[starts[i]:ends[i]]`, equal to `float` of them.

    Eight digits are read as one 64-bit integer and summed by three multiplications
    (Lemire, "Number parsing at a gigabyte per second", 2021), for many numbers in a
    few array operations that do not hold the GIL. Numbers that are not of the form
    -12.345, with up to 8 digits on each side and 15 in all, are left to `float`.

    At least 8 bytes stand before the first number. `dots` is where the decimal point
    stands, or the end if there is none. Raises NotDecimalError for the first that is
    not a number.
    """
    words = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))
    negative = text[starts] == _MINUS
    n_whole = dots - starts - negative
    n_decimals = np.maximum(ends - dots - 1, 0)
    whole, sound = _digits(words, dots, n_whole)
    decimals, also = _digits(words, ends, n_decimals)
    n_digits = n_whole + n_decimals
    sound &= also & (n_digits > 0) & (n_digits < 16)
    power = _POWERS[np.minimum(n_decimals, 16)]
    values = (whole * power + decimals) / power  # exact, then rounded once
    np.negative(values, out=values, where=negative)
    for i in np.flatnonzero(~sound).tolist():
        raw = text[starts[i] : ends[i]].tobytes()
        try:
            if b"_" in raw:
                raise ValueError
            values[i] = float(raw)
        except ValueError:
            raise NotDecimalError(i, raw) from None
    return values


def _digits(
    words: NDArray[np.uint64], end: _Positions, n: _Positions
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The integers in the `n` digits before `end`, and where they are right."""
    sound = (n >= 0) & (n <= 8)
    digits = words[end - 8] ^ _ZEROS
    # The bytes before the n digits come first, in the low bits: make them zeros.
    shift = (64 - 8 * np.clip(n, 0, 8)).astype(np.uint64)
    digits >>= np.minimum(shift, np.uint64(63))
    digits <<= np.minimum(shift, np.uint64(63))
    digits[shift == 64] = 0
    above_nine = (digits + np.uint64(0x7676767676767676)) | digits
    sound &= (above_nine & np.uint64(0x8080808080808080)) == 0
    digits = digits * np.uint64(10) + (digits >> np.uint64(8))
    pairs = np.uint64(0x000000FF000000FF)
    low = (digits & pairs) * np.uint64(100 + (1000000 << 32))
    high = ((digits >> np.uint64(16)) & pairs) * np.uint64(1 + (10000 << 32))
    total = (low + high) >> np.uint64(32)
    return total.astype(np.float64), sound
