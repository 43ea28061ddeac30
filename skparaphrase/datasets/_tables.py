"""Tables: rows of CSV and TSV files, and columns as a `Bunch`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from skparaphrase.storage._folders import open_plain

Columns = dict[str, NDArray[Any]]
Row = tuple[int, list[str]]  # the line in which it ends, and its cells

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
_TIMES = 50  # the size of a compressed file that its text may have; English has 3
_LONGEST = 2**27  # characters of a quoted cell
_ALLOWED = 2**24  # bytes that it may have in any case


class _Expanded(io.RawIOBase):
    """What a decompressor gives, up to the size that is allowed for `path`."""

    def __init__(self, file: Any, path: Path, raw: Any) -> None:
        self._file, self._path, self._raw, self._n_bytes = file, path, raw, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_bytes: int = self._file.readinto(buffer)
        self._n_bytes += n_bytes
        check_expanded(self._path, self._n_bytes)
        return n_bytes

    def close(self) -> None:
        self._file.close()
        self._raw.close()  # a decompressor does not close a file that was opened
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
    raw = open_plain(path)
    if not path.stat().st_size:  # gzip finds no text in it
        raw.close()
        raise EOFError("it is empty")
    return io.BufferedReader(_Expanded(open_file(raw, "rb"), path, raw))


def iter_lines(
    path: Path, newline: str, *, encoding: str = "utf-8", advice: str = ""
) -> Iterator[str]:
    """Iterate over the lines of a text file with their ends.

    A line ends at any line end if `newline` is "", else at `newline`, and then must not
    contain other carriage returns than one before it. Files that end in
    `.gz`, `.bz2` or `.xz` are decompressed. If a line cannot be decoded, the error
    names it and ends with `advice`.
    """
    # Some builds of Python lack one of these modules.
    module = _COMPRESSED.get(path.suffix.lower())
    number = 0
    try:
        raw = (
            open_compressed(path, import_module(module).open)
            if module
            else open_plain(path)
        )
        with io.TextIOWrapper(raw, encoding, newline=newline) as file:
            for line in islice(file, 1):
                if "\0" in line:  # UTF-16 can be valid UTF-8
                    raise UnicodeError("null characters")
                number = 1
                _check_returns(path, number, line, newline)
                yield line.removeprefix("\ufeff")
            for line in file:
                number += 1
                if newline and "\r" in line:  # calls take a fifth longer
                    _check_returns(path, number, line, newline)
                yield line
    except UnicodeError as error:
        number, reason = number + 1, getattr(error, "reason", error)
        if isinstance(error, UnicodeDecodeError):  # in a block of several lines
            before = error.object[: error.start].decode(error.encoding, "ignore")
            number += before.count("\n")
        raise ValueError(
            f"{path}, line {number}: not {encoding} ({reason}).{advice}"
        ) from error
    except Exception as error:
        # The compression modules have various errors, all without an errno.
        errno = getattr(error, "errno", None)
        if not module or isinstance(error, ValueError) or errno is not None:
            raise
        raise ValueError(
            f"{path} is damaged or not a {path.suffix} file ({error})."
        ) from error


def _check_returns(path: Path, number: int, line: str, newline: str) -> None:
    """Refuse a carriage return inside of a line that ends at `newline`.

    It ends a line in very old files, which would lose all cells but the first ones.
    """
    if newline and "\r" in line.removesuffix(newline).removesuffix("\r"):
        raise ValueError(
            f"{path}, line {number}: a carriage return without a line feed. Save the "
            "file with line ends of Unix or Windows."
        )


def check_two(columns: Sequence[str | int]) -> None:
    """Check that exactly two columns are given."""
    if len(columns) != 2 or isinstance(columns, str):
        raise ValueError(f"columns must be two names or positions; got {columns!r}.")


def check_positions(columns: Sequence[str | int]) -> None:
    """Refuse negative positions."""
    for column in columns:
        if not isinstance(column, str) and column < 0:
            raise ValueError(f"Columns are counted from 0; got {column}.")


def find_column(
    column: str | int, header: list[str], where: str, advice: str = ""
) -> int:
    """The position of a column, which is a position or a name in the header.

    An error ends with `advice`.
    """
    if not isinstance(column, str):
        return index(column)
    count = header.count(column)
    if count != 1:
        problem = f"{count} columns are named" if count else "no column"
        raise ValueError(
            f"{where}: {problem} {column!r}; the header is {header}.{advice}"
        )
    return header.index(column)


def iter_rows(
    path: Path,
    columns: Sequence[str | int],
    *,
    sep: str | None = None,
    encoding: str = "utf-8",
    parameters: str = "columns=",
) -> Iterator[Row]:
    """Iterate over the rows of a file, of which the cells in `columns` are returned.

    Columns are names in the header, or positions from 0 in a file without a header. If
    `sep` is None, it is a comma in a `.csv` file, and else a tab. `parameters` choose
    columns; if there are none, errors do not suggest arguments. Invalid arguments raise
    immediately, invalid files when they are read.
    """
    check_positions(columns)
    "".encode(encoding)  # a LookupError unless it is an encoding of text
    inner = path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path
    is_csv = inner.suffix.lower() == ".csv"
    if sep is None:
        sep = "," if is_csv else "\t"
    elif not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n':
        raise ValueError(
            "sep must be None or one character other than a quote or a line end; got "
            f"{sep!r}."
        )
    # Programs that write .csv files quote cells whatever the separator is.
    quoted = is_csv or sep != "\t"
    advice = " Pass encoding= for a file in another encoding." if parameters else ""
    newline = "" if quoted else "\n"
    lines = iter_lines(path, newline, encoding=encoding, advice=advice)
    rows = _quoted_rows(path, lines, sep) if quoted else plain_rows(lines, sep)
    return select_columns(str(path), rows, columns, sep, parameters)


def select_columns(
    source: str,
    rows: Iterator[Row],
    columns: Sequence[str | int],
    sep: str = "\t",
    parameters: str = "",
) -> Iterator[Row]:
    """Iterate over the rows of `source` with the cells in `columns` only.

    Errors about columns suggest `sep=` or `parameters`, if there are parameters.
    """
    advice = f" Pass sep= if {sep!r} does not separate the columns."
    positions = [index(column) for column in columns if not isinstance(column, str)]
    most = None  # cells of a row
    if len(positions) < len(columns):
        number, header = next(rows, (1, []))
        most = len(header)
        names = f" Pass the names of yours with {parameters}"
        names = f"{names}, or positions if the file has no header."
        names = (names if most >= len(columns) else advice) if parameters else ""
        where = f"{source}, line {number}"
        positions = [find_column(column, header, where, names) for column in columns]
    n_columns = max(positions) + 1
    for number, row in rows:
        if len(row) < n_columns:
            raise ValueError(
                f"{source}, line {number}: expected {n_columns} columns or more, got "
                f"{len(row)}.{advice if parameters else ''}"
            )
        if most and any(row[most:]):
            quotes = "" if sep == "\t" else f" Quote cells that contain {sep!r}."
            raise ValueError(
                f"{source}, line {number}: the header has {most} columns, this row "
                f"{len(row)}.{quotes}"
            )
        yield number, [row[position] for position in positions]


def plain_rows(lines: Iterable[str], sep: str) -> Iterator[Row]:
    """Split the lines that are not empty at every separator."""
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\n").removesuffix("\r")
        if line:
            yield number, line.split(sep)


def _quoted_rows(path: Path, lines: Iterable[str], sep: str) -> Iterator[Row]:
    """Parse rows of cells with or without quotes; spaces may precede them."""
    # The csv module, not pandas, which takes 1.6 times the memory, pads short rows,
    # accepts text after closing quotes, ends lines at a lone "\r" and reports no lines.
    skip = sep != " "
    # The limit of a cell is one of the whole process, 131,072 characters by default.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    reader = csv.reader(lines, delimiter=sep, skipinitialspace=skip, strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        advice = (
            f"Pass sep= if {sep!r} does not separate the columns."
            if reader.line_num == 1
            else "A quote inside of a quoted cell must be doubled, and one that is not "
            "closed takes the lines after it."
        )
        raise ValueError(
            f"{path}, line {reader.line_num}: {error}. {advice}"
        ) from error


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
