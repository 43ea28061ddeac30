"""Rows and columns of tables in text files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
import csv
import re
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import NamedTuple

Row = tuple[int, list[str]]  # the line that it ends in, and its cells

_PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}


class Form(NamedTuple):
    """What the caller said of a file; errors then tell what else to say.

    Parameters
    ----------
    sep : str or None
        None leaves it to the ending.
    encoding : str
    """

    sep: str | None
    encoding: str


def read_columns(
    path: Path, wanted: dict[str, str | int], form: Form | None = None
) -> dict[str, tuple[list[str], list[int]]]:
    """Values of each wanted column, and the lines that they stand in.

    Without `form` the ending decides, the text is UTF-8, and errors name no option.
    """
    for column in wanted.values():
        if isinstance(column, int) and column < 0:
            raise ValueError(f"Columns are counted from 0; got {column}.")
    sep, quotes, inner = _separator(path, form)
    raw = path.read_bytes()
    if inner is not path:
        raw = _unpack(raw, path)
    text = _decode(raw, path, form)
    named = not all(isinstance(column, int) for column in wanted.values())
    least = len(wanted) if named else max(map(int, wanted.values())) + 1
    hint = "" if form is None else _hint(text, sep, least)
    rows = _quoted_rows(text, sep, path, hint) if quotes else _plain_rows(text, sep)
    if named:
        number, header = next(rows, (1, []))
        positions = {
            name: _position(header, column, f"{path}, line {number}", hint)
            for name, column in wanted.items()
        }
    else:
        positions = {name: int(column) for name, column in wanted.items()}
    last = max(positions.values())
    found: dict[str, tuple[list[str], list[int]]] = {
        name: ([], []) for name in positions
    }
    for number, row in rows:
        if len(row) <= last:
            raise ValueError(
                f"{path}, line {number}: expected {last + 1} columns or more, got "
                f"{len(row)}.{hint}"
            )
        for name, position in positions.items():
            found[name][0].append(row[position])
            found[name][1].append(number)
    return found


def read_utf8(path: Path) -> str:
    """The text of a file without its byte order mark; errors name the line."""
    return _decode(path.read_bytes(), path, None)


def _separator(path: Path, form: Form | None) -> tuple[str, bool, Path]:
    """The separator, whether cells may be quoted, and the name before compression."""
    inner = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    commas = inner.suffix.lower() == ".csv"
    sep = None if form is None else form.sep
    if sep is None:
        return "," if commas else "\t", commas, inner
    if not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n':
        raise ValueError(
            f"sep must be None or one character, no quote nor line end; got {sep!r}."
        )
    # Programs that write .csv quote, whatever they separate by.
    return sep, commas or sep != "\t", inner


def _unpack(raw: bytes, path: Path) -> bytes:
    # Not every Python is built with all three.
    module = import_module(_PACKED[path.suffix.lower()])
    try:
        unpacked: bytes = module.decompress(raw)
    except Exception as error:  # each module has its own
        raise ValueError(
            f"{path} is damaged or no {path.suffix} file ({error})."
        ) from error
    return unpacked


def _decode(raw: bytes, path: Path, form: Form | None) -> str:
    encoding = "utf-8" if form is None else form.encoding
    utf8 = codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
    name = "UTF-8" if utf8 else encoding
    hint = ""
    if utf8 and form is not None:
        hint = f" Perhaps encoding={_guess_encoding(raw)!r}."
    if utf8 and raw[:2].count(0) == 1:
        # UTF-16 without a mark can pass for UTF-8.
        raise ValueError(f"{path}, line 1: not UTF-8 (null bytes).{hint}")
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding, "replace")
        number = before.count("\n") + 1
        raise ValueError(
            f"{path}, line {number}: not {name} ({error.reason}).{hint}"
        ) from error


def _guess_encoding(raw: bytes) -> str:
    """What a file that is not UTF-8 may be."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in raw:
        big = raw[::2].count(0) > raw[1::2].count(0)
        return "utf-16-be" if big else "utf-16-le"
    return "cp1252"


def _hint(text: str, sep: str, least: int) -> str:
    """What to say when the first line holds another separator, and not this one."""
    line = re.search(r"[^\r\n]+", text)
    if line is None or sep in line[0]:
        return ""
    other = max(";\t,", key=line[0].count)
    if line[0].count(other) < max(1, least - 1):
        return ""
    return f" The file looks separated by {other!r}: sep={other!r}."


def _position(header: list[str], column: str | int, where: str, hint: str) -> int:
    """Where the one column of this name stands."""
    times = header.count(str(column)) if isinstance(column, str) else 0
    if times == 1:
        return header.index(str(column))
    if times > 1:
        raise ValueError(
            f"{where}: {times} columns are named {column!r}; the header has {header}."
        )
    alike = [name for name in header if _key(name) == _key(str(column))]
    if alike:
        names = " or ".join(map(repr, dict.fromkeys(alike)))
        raise ValueError(
            f"{where}: no column {column!r}, did you mean {names}? The header has "
            f"{header}."
        )
    hint = hint or " A file without a header is read by positions."
    raise ValueError(f"{where}: no column {column!r}; the header has {header}.{hint}")


def _key(name: str) -> str:
    """A name without its case and white space."""
    return "".join(name.split()).casefold()


def _plain_rows(text: str, sep: str) -> Iterator[Row]:
    """Lines that are not empty, cut at every separator."""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if line:
            yield number, line.split(sep)


def _quoted_rows(text: str, sep: str, path: Path, hint: str) -> Iterator[Row]:
    """Rows that are not empty, of cells with or without quotes.

    A quote after spaces opens a cell too, in which the separator may stand. Only in a
    file that has such a cell are spaces after separators left out.
    """
    if sep == " " or not re.search(rf'(?m)(?:^|{re.escape(sep)}) +"', text):
        yield from _parse(text, sep, path, hint)
        return
    # Inside of a quoted cell the same characters are text, and both readings agree.
    spaced = list(_parse(text, sep, path, hint, skip_spaces=True))
    try:
        exact = list(_parse(text, sep, path, hint))
    except ValueError:
        exact = []
    agree = [*map(_stripped, exact)] == [*map(_stripped, spaced)]
    yield from exact if agree else spaced


def _stripped(row: Row) -> Row:
    return row[0], [cell.lstrip(" ") for cell in row[1]]


def _parse(
    text: str, sep: str, path: Path, hint: str, *, skip_spaces: bool = False
) -> Iterator[Row]:
    reader = csv.reader(
        StringIO(text, newline=""),
        delimiter=sep,
        skipinitialspace=skip_spaces,
        strict=True,
    )
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}.{hint}") from error
