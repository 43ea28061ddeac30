"""Rows and columns of tables in text files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from skparaphrase.datasets._source import PACKED, Form, TextSource

Row = tuple[int, list[str]]  # the line that it ends in, and cells


def read_columns(
    path: Path, wanted: dict[str, str | int], form: Form | None = None
) -> dict[str, tuple[list[str], list[int]]]:
    """Values of each wanted column, and the lines that they stand in.

    Without `form` the ending decides, the text is UTF-8, and errors name no option.
    """
    found: dict[str, tuple[list[str], list[int]]] = {name: ([], []) for name in wanted}
    columns = found.values()
    for number, cells in iter_rows(path, list(wanted.values()), form):
        for (values, lines), cell in zip(columns, cells, strict=True):
            values.append(cell)
            lines.append(number)
    return found


def iter_rows(
    path: Path, wanted: Sequence[str | int], form: Form | None = None
) -> Iterator[Row]:
    """The wanted cells of a row, and the line that it ends in, one after another.

    As :func:`read_columns`. What is wrong with the wish is an error at once, what is
    wrong with the file when it is read.
    """
    for column in wanted:
        if isinstance(column, int) and column < 0:
            raise ValueError(f"Columns are counted from 0; got {column}.")
    sep, quotes, is_packed = _separator(path, form)
    source = TextSource(path, is_packed=is_packed, form=form)
    return _wanted_cells(source, wanted, sep, quotes)


def _wanted_cells(
    source: TextSource, wanted: Sequence[str | int], sep: str, quotes: bool
) -> Iterator[Row]:
    path = source.path
    named = not all(isinstance(column, int) for column in wanted)
    least = len({*wanted}) if named else max(map(int, wanted)) + 1
    hint = "" if source.form is None else _hint(source, sep, least)
    rows = _quoted_rows(source, sep, hint) if quotes else _plain_rows(source, sep)
    if named:
        number, header = next(rows, (1, []))
        where = f"{path}, line {number}"
        positions = [_position(header, column, where, hint) for column in wanted]
    else:
        positions = [int(column) for column in wanted]
    last = max(positions)
    for number, row in rows:
        if len(row) <= last:
            raise ValueError(
                f"{path}, line {number}: expected {last + 1} columns or more, got "
                f"{len(row)}.{hint}"
            )
        yield number, [row[position] for position in positions]


def _separator(path: Path, form: Form | None) -> tuple[str, bool, bool]:
    """The separator, whether cells may be quoted, and whether the file is packed."""
    is_packed = path.suffix.lower() in PACKED
    inner = path.with_suffix("") if is_packed else path
    commas = inner.suffix.lower() == ".csv"
    sep = None if form is None else form.sep
    if sep is None:
        return "," if commas else "\t", commas, is_packed
    if not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n':
        raise ValueError(
            f"sep must be None or one character, no quote nor line end; got {sep!r}."
        )
    # Programs that write .csv quote, whatever they separate by.
    return sep, commas or sep != "\t", is_packed


def _hint(source: TextSource, sep: str, least: int) -> str:
    """What to say when the first line holds another separator, and not this one."""
    lines = (line.rstrip("\r\n") for line in source.lines(""))
    line = next(filter(None, lines), "")
    if not line or sep in line:
        return ""
    other = max(";\t,", key=line.count)
    if line.count(other) < max(1, least - 1):
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


def _plain_rows(source: TextSource, sep: str) -> Iterator[Row]:
    """Lines that are not empty, cut at every separator."""
    for number, line in enumerate(source.lines("\n"), 1):
        line = line.removesuffix("\n").removesuffix("\r")
        if line:
            yield number, line.split(sep)


def _quoted_rows(source: TextSource, sep: str, hint: str) -> Iterator[Row]:
    """Rows that are not empty, of cells with or without quotes.

    A quote after spaces opens a cell too, in which the separator may stand. Only in a
    file that has such a cell are spaces after separators left out.
    """
    skip_spaces = False
    if sep != " ":
        opens = re.compile(rf'(?:^|{re.escape(sep)}) +"')
        if any(map(opens.search, source.lines("\n"))):
            # Inside of a quoted cell the same characters are text, and both readings
            # agree.
            skip_spaces = not _readings_agree(source, sep, hint)
    yield from _parse(source, sep, hint, skip_spaces=skip_spaces)


def _readings_agree(source: TextSource, sep: str, hint: str) -> bool:
    """Whether rows are the same, but for spaces, with and without `skip_spaces`."""
    exact = map(_stripped, _parse(source, sep, hint))
    agree = True
    for row in map(_stripped, _parse(source, sep, hint, skip_spaces=True)):
        try:
            agree = agree and next(exact, None) == row
        except ValueError:
            agree = False
    try:
        return agree and next(exact, None) is None
    except ValueError:
        return False


def _stripped(row: Row) -> Row:
    return row[0], [cell.lstrip(" ") for cell in row[1]]


def _parse(
    source: TextSource, sep: str, hint: str, *, skip_spaces: bool = False
) -> Iterator[Row]:
    reader = csv.reader(
        source.lines(""), delimiter=sep, skipinitialspace=skip_spaces, strict=True
    )
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise ValueError(
            f"{source.path}, line {reader.line_num}: {error}.{hint}"
        ) from error
