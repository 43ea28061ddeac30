"""Tables: rows of CSV and TSV files, and columns as a `Bunch`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

Columns = dict[str, NDArray[Any]]
Row = tuple[int, list[str]]  # the line in which it ends, and its cells
_Error = Callable[[int, str], ValueError]  # of a line and its problem

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
_TIMES = 50  # the size of a compressed file that its text may have; English has 3
_ALLOWED = 2**24  # bytes that it may have in any case
_MARK = "\udfff"  # no text that can be decoded has a lone surrogate
_MARK_ERRORS = "skparaphrase-mark"


def _mark(error: Any) -> tuple[str, int]:
    return _MARK, error.end


codecs.register_error(_MARK_ERRORS, _mark)


class _Expanded(io.RawIOBase):
    """What a decompressor gives, up to the size that is allowed for `path`."""

    def __init__(self, file: Any, path: Path) -> None:
        self._file, self._path, self._n_bytes = file, path, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_bytes: int = self._file.readinto(buffer)
        self._n_bytes += n_bytes
        check_expanded(self._path, self._n_bytes)
        return n_bytes

    def close(self) -> None:
        self._file.close()
        super().close()


def check_expanded(path: Path, n_bytes: int) -> None:
    """Raise a ValueError if `n_bytes` are too many for a file that was compressed.

    Few bytes of a malicious file can stand for more than the memory or the disk holds.
    """
    if n_bytes > _ALLOWED + _TIMES * path.stat().st_size:
        raise ValueError(
            f"{path} is damaged or malicious: it holds more than {_TIMES} times its "
            "size. If you trust it, decompress it yourself."
        )


def open_compressed(path: Path, open_file: Callable[..., Any]) -> io.BufferedReader:
    """A compressed file, which must not become too large."""
    if not path.stat().st_size:  # gzip finds no text in it
        raise EOFError("it is empty")
    return io.BufferedReader(_Expanded(open_file(path, "rb"), path))


class TextFile:
    """A text file that can be read several times, a line at a time.

    It is decompressed if it ends in `.gz`, `.bz2` or `.xz`. `advise` says whether
    errors may suggest the options `encoding=` and `sep=`.
    """

    def __init__(
        self, path: Path, *, encoding: str = "utf-8", advise: bool = False
    ) -> None:
        "".encode(encoding)  # a LookupError unless it is an encoding of text
        self.path = path
        self.encoding = encoding
        self.advise = advise
        # Some builds of Python lack one of these modules.
        module = _COMPRESSED.get(path.suffix.lower())
        self._open: Any = import_module(module).open if module else open

    def _text(self, newline: str, errors: str = "strict") -> io.TextIOWrapper:
        return io.TextIOWrapper(self._bytes(), self.encoding, errors, newline)

    def _bytes(self) -> io.BufferedReader:
        if self._open is open:
            return self.path.open("rb")
        return open_compressed(self.path, self._open)

    def lines(self, newline: str) -> Iterator[str]:
        """Lines with their ends, which are any if `newline` is "", else `newline`."""
        try:
            yield from self._lines(newline)
        except Exception as error:
            # The compression modules have various errors, all without an errno.
            errno = getattr(error, "errno", None)
            if self._open is open or isinstance(error, ValueError) or errno is not None:
                raise
            raise ValueError(
                f"{self.path} is damaged or not a {self.path.suffix} file ({error})."
            ) from error

    def _lines(self, newline: str) -> Iterator[str]:
        is_utf8 = codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig")
        try:
            if is_utf8 and self._head()[:2].count(0) == 1:
                # UTF-16 without a byte order mark can be valid UTF-8.
                raise self._not_decoded(1, "null bytes", is_utf8)
            with self._text(newline) as file:
                for line in islice(file, 1):
                    yield line.removeprefix("\ufeff")
                yield from file
        except UnicodeError as error:
            number, reason = 1, getattr(error, "reason", str(error))
            with suppress(UnicodeError), self._text("\n", _MARK_ERRORS) as file:
                number = next(i for i, line in enumerate(file, 1) if _MARK in line)
            raise self._not_decoded(number, reason, is_utf8) from error

    def _head(self) -> bytes:
        with self._bytes() as file:
            return file.read(4096)

    def _not_decoded(self, number: int, reason: str, is_utf8: bool) -> ValueError:
        advice = ""
        if is_utf8 and self.advise:
            head, guess = self._head(), "cp1252"
            if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                guess = "utf-16"
            elif b"\0" in head:
                big_endian = head[::2].count(0) > head[1::2].count(0)
                guess = "utf-16-be" if big_endian else "utf-16-le"
            advice = f" Try encoding={guess!r}."
        name = "UTF-8" if is_utf8 else self.encoding
        return ValueError(f"{self.path}, line {number}: not {name} ({reason}).{advice}")


def check_two(columns: Sequence[str | int]) -> None:
    """Refuse columns that are not two."""
    if len(columns) != 2 or isinstance(columns, str):
        raise ValueError(f"columns must be two names or positions; got {columns!r}.")


def check_positions(columns: Sequence[str | int]) -> None:
    """Refuse negative positions."""
    for column in columns:
        if isinstance(column, int) and column < 0:
            raise ValueError(f"Columns are counted from 0; got {column}.")


def iter_rows(
    path: Path,
    columns: Sequence[str | int],
    *,
    sep: str | None = None,
    encoding: str = "utf-8",
    advise: bool = True,
) -> Iterator[Row]:
    """The cells of the wanted columns, row by row.

    Columns are names in the header, or positions from 0 in a file without a header. If
    `sep` is None, it is a comma in a `.csv` file, and else a tab. Invalid arguments
    raise immediately, invalid files when they are read.
    """
    check_positions(columns)
    inner = path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path
    is_csv = inner.suffix.lower() == ".csv"
    if sep is None:
        sep = "," if is_csv else "\t"
    elif not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n':
        raise ValueError(
            "sep must be None or one character other than a quote or a line end; got "
            f"{sep!r}."
        )
    file = TextFile(path, encoding=encoding, advise=advise)
    # Programs that write .csv files quote cells whatever the separator is.
    return _iter_cells(file, columns, sep, quoted=is_csv or sep != "\t")


def _iter_cells(
    file: TextFile, columns: Sequence[str | int], sep: str, quoted: bool
) -> Iterator[Row]:
    named = not all(isinstance(column, int) for column in columns)
    n_columns = len({*columns}) if named else max(map(int, columns)) + 1

    def error(number: int, problem: str) -> ValueError:
        advice = _separator_advice(file, sep, n_columns) if file.advise else ""
        return ValueError(f"{file.path}, line {number}: {problem}{advice}")

    rows = _quoted_rows(file, sep, error) if quoted else _plain_rows(file, sep)
    if named:
        number, header = next(rows, (1, []))
        positions = [_position(column, header, number, error) for column in columns]
    else:
        positions = [int(column) for column in columns]
    last = max(positions)
    for number, row in rows:
        if len(row) <= last:
            raise error(number, f"expected {last + 1} columns or more, got {len(row)}.")
        yield number, [row[position] for position in positions]


def _separator_advice(file: TextFile, sep: str, n_columns: int) -> str:
    """What to add to an error if the first line has another separator instead."""
    lines = (line.rstrip("\r\n") for line in file.lines(""))
    line = next(filter(None, lines), "")
    other = max(";\t,", key=line.count)
    if not line or sep in line or line.count(other) < max(1, n_columns - 1):
        return ""
    return f" The file seems to be separated by {other!r}: try sep={other!r}."


def _position(column: str | int, header: list[str], number: int, error: _Error) -> int:
    if header.count(str(column)) == 1 and isinstance(column, str):
        return header.index(column)
    if isinstance(column, str) and column in header:
        problem = f"{header.count(column)} columns are named {column!r}"
    else:
        problem = f"no column {column!r}"
        key = _folded(str(column))
        similar = dict.fromkeys(repr(name) for name in header if _folded(name) == key)
        if similar:
            problem += f", did you mean {' or '.join(similar)}?"
    raise error(
        number,
        f"{problem}; the header is {header}. For a file without a header, pass "
        "positions.",
    )


def _folded(name: str) -> str:
    """A name without its case and white space."""
    return "".join(name.split()).casefold()


def _plain_rows(file: TextFile, sep: str) -> Iterator[Row]:
    """Split the lines that are not empty at every separator."""
    for number, line in enumerate(file.lines("\n"), 1):
        line = line.removesuffix("\n").removesuffix("\r")
        if line:
            yield number, line.split(sep)


def _quoted_rows(file: TextFile, sep: str, error: _Error) -> Iterator[Row]:
    """Parse rows of cells with or without quotes.

    A quote after spaces opens a cell too, in which the separator may occur. Spaces
    after separators are dropped only in a file that has such a cell.
    """
    skip_spaces = False
    if sep != " ":
        opening = re.compile(rf'(?:^|{re.escape(sep)}) +"')
        lines = file.lines("\n")
        if any(' "' in line and opening.search(line) for line in lines):
            # Inside a quoted cell the same characters are text: both readings agree.
            skip_spaces = not _readings_agree(file, sep, error)
    return _parsed(file, sep, error, skip_spaces=skip_spaces)


def _readings_agree(file: TextFile, sep: str, error: _Error) -> bool:
    """Whether the rows are the same, except for spaces, if spaces are skipped."""

    def rows(skip_spaces: bool) -> Iterator[Row]:
        for number, cells in _parsed(file, sep, error, skip_spaces=skip_spaces):
            yield number, [cell.lstrip(" ") for cell in cells]

    try:
        return all(row == other for row, other in zip_longest(rows(False), rows(True)))
    except ValueError:
        return False


def _parsed(
    file: TextFile, sep: str, error: _Error, *, skip_spaces: bool
) -> Iterator[Row]:
    # The csv module, not pandas, which takes 1.6 times the memory, pads short rows,
    # accepts text after closing quotes, ends lines at a lone "\r" and reports no lines.
    reader = csv.reader(
        file.lines(""), delimiter=sep, skipinitialspace=skip_spaces, strict=True
    )
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as problem:
        raise error(reader.line_num, f"{problem}.") from problem


def make_bunch(
    columns: Columns,
    data: Sequence[str | int],
    target: str | int | None,
    descr: str,
    return_X_y: bool,
    as_frame: bool,
    query: NDArray[Any] | None = None,
) -> Any:
    """A `Bunch` of `data`, `target` and `DESCR`, or `(data, target)`.

    `columns` has arrays of shape (n_rows,); `data` names those of the texts, `target`
    that of the labels or scores. `query` of shape (n_rows,) is no column of the frame.
    """
    names = [*map(str, data)]
    target = None if target is None else str(target)
    frame = None
    texts: Any
    labels: Any = None if target is None else columns[target]
    if as_frame:
        import pandas as pd

        frame = pd.DataFrame(columns)
        texts = frame[names if len(names) > 1 else names[0]]
        labels = None if target is None else frame[target]
        query = None if query is None else pd.Series(query, name="query")
    elif len(names) > 1:
        texts = np.stack([columns[name] for name in names], axis=1)
    else:
        texts = columns[names[0]]
    if return_X_y:
        return texts, labels
    bunch = Bunch(
        data=texts,
        target=labels,
        frame=frame,
        feature_names=names,
        target_names=target,
        DESCR=descr,
    )
    if query is not None:
        bunch["query"] = query
    return bunch
