"""Readers of files of pairs and of texts, and of tables in general."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import io
import re
from collections.abc import Iterator, Sequence
from math import isfinite, nan
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from skparaphrase._compat import check_int
from skparaphrase._estimator import warn_caller
from skparaphrase._files import open_data
from skparaphrase._lazy import import_for
from skparaphrase._typing import FilePath

Columns = dict[str, NDArray[Any]]
Row = tuple[int, list[str]]  # the number of its last line, and its cells

_QUOTED = re.compile('"[^"]*(?:""[^"]*)+"')  # a cell that contains quotes
_HINTS = {  # by the first character of a row
    '"': " Pass quoted=True if cells are quoted.",
    "#": " Pass skiprows= to skip comments at the beginning.",
}
_INTEGER = re.compile("0|-?[1-9][0-9]{0,17}")  # one spelling of each number

PAIR = ("sentence1", "sentence2")


def read_pairs(
    path: FilePath,
    *,
    columns: Sequence[str | int] = PAIR,
    score: str | int | None = None,
    label: str | int | None = None,
    sep: str | None = None,
    quoted: bool | None = None,
    skiprows: int = 0,
    dropna: bool = False,
    encoding: str = "utf-8",
    return_X_y: bool = False,
) -> Any:
    r"""Read pairs of texts with scores or classes from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        A `.csv` file is read with commas and quotes, any other file with tabs and
        without quotes. Files compressed by gzip, bzip2, xz or zip (of one file) are
        decompressed, and the extension before that counts.
    columns : sequence of two str or int, default=("sentence1", "sentence2")
        Names in the header, or positions from 0 in a file without a header.
    score : str or int, default=None
        The column of scores, as numbers with a decimal point.
    label : str or int, default=None
        The column of classes, instead of scores. Classes are read as int64 if all of
        them are integers in canonical form (`0`, `-3`, not `01` or `1.0`), otherwise as
        str.
    sep : str, default=None
        The character between columns; None chooses it by the extension.
    quoted : bool, default=None
        Whether cells may be quoted; spaces before a cell are then ignored unless they
        are quoted. None means yes with any separator other than a tab, and in every
        `.csv` file. R and pandas also quote cells of tab-separated files.
    skiprows : int, default=0
        Number of lines to skip at the beginning, such as comments before the header.
    dropna : bool, default=False
        If True, leave out rows in which a text, the score or the label is empty.
    encoding : str, default="utf-8"
        A name of a Python codec, such as `"cp1252"` or `"utf-16"`. A file that begins
        with the mark of UTF-16 needs none.
    return_X_y : bool, default=False
        Return `(data, target)`.

    Returns
    -------
    pairs : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,), or
        None without `score` and `label`.

    Raises
    ------
    ValueError
        If a row is too short, longer than the header or cannot be decoded, if a column
        is missing from the header or occurs twice in it, if a score is not a number, or
        if a label is empty; the message names the file, the line and the column. Also
        if the file is of another kind, such as Parquet or Excel.
    LookupError
        If Python has no such encoding.

    Warns
    -----
    UserWarning
        If texts are empty, or if cells seem to be quoted but are read without quotes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skparaphrase.datasets import read_pairs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.csv")
    ...     _ = path.write_text("sentence1,sentence2,score\na cat,cats,4.5\n")
    ...     pairs, scores = read_pairs(path, score="score", return_X_y=True)
    >>> pairs.tolist(), scores.tolist()
    ([['a cat', 'cats']], [4.5])
    """
    if len(columns) != 2 or isinstance(columns, str):
        raise ValueError(f"columns must be two names or positions; got {columns!r}.")
    if score is not None and label is not None:
        raise ValueError("Pass score= or label=, not both.")
    target = label if score is None else score
    table = read_table(
        path,
        columns,
        target,
        numeric=score is not None,
        sep=sep,
        quoted=quoted,
        skiprows=skiprows,
        dropna=dropna,
        encoding=encoding,
        parameters="columns=, score= or label=",
    )
    return make_bunch(table, columns, target, str(path), return_X_y)


def read_texts(
    path: FilePath,
    *,
    column: str | int = "text",
    label: str | int | None = "label",
    sep: str | None = None,
    quoted: bool | None = None,
    skiprows: int = 0,
    dropna: bool = False,
    encoding: str = "utf-8",
    return_X_y: bool = False,
) -> Any:
    """Read texts with classes from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.
    column : str or int, default="text"
        The column of texts: its name in the header, or its position from 0 in a file
        without a header.
    label : str, int or None, default="label"
        The column of classes, read as in :func:`read_pairs`; None if there is none.
    sep, quoted, skiprows, dropna, encoding, return_X_y
        As in :func:`read_pairs`.

    Returns
    -------
    texts : Bunch
        `data` of shape (n_texts,), dtype object; `target` of shape (n_texts,), dtype
        int64 or object (str), or None.

    Raises
    ------
    ValueError
        As in :func:`read_pairs`.
    """
    table = read_table(
        path,
        [column],
        label,
        sep=sep,
        quoted=quoted,
        skiprows=skiprows,
        dropna=dropna,
        encoding=encoding,
        parameters="column= or label= (None if there is none)",
    )
    return make_bunch(table, [column], label, str(path), return_X_y)


def read_table(
    path: FilePath,
    texts: Sequence[str | int],
    target: str | int | None = None,
    *,
    numeric: bool = False,
    sep: str | None = None,
    quoted: bool | None = None,
    skiprows: int = 0,
    dropna: bool = False,
    encoding: str = "utf-8",
    parameters: str = "",
) -> Columns:
    """Read columns of texts, and a column of scores (if `numeric`) or class labels.

    If `sep` is None, it is a comma in a `.csv` file, and otherwise a tab. Errors about
    columns suggest `parameters`.
    """
    path = Path(path)
    columns = [*texts] if target is None else [*texts, target]
    for column in columns:
        if not isinstance(column, str) and column < 0:
            raise ValueError(f"Columns are counted from 0; got {column}.")
    with open_data(path, encoding) as (file, name):
        content = file.read()
    is_csv = name.lower().endswith(".csv")
    sep = ("," if is_csv else "\t") if sep is None else sep
    if not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n':
        raise ValueError(
            f"sep must be one character, other than a quote or a line end; got {sep!r}."
        )
    # Programs that write .csv files quote cells whatever the separator is.
    is_quoted = is_csv or sep != "\t" if quoted is None else quoted
    is_guessed = quoted is None and not is_quoted
    skiprows = check_int(skiprows, "skiprows", 0)
    rows = iter_rows(
        content,
        str(path),
        sep=sep,
        quoted=is_quoted,
        skiprows=skiprows,
        encoding=encoding,
    )
    rows = select_columns(rows, columns, str(path), sep=sep, parameters=parameters)
    lines: list[int] = []
    values: list[list[str]] = [[] for _ in columns]  # of strings, for fast gc
    for line, row in rows:
        if target is not None:
            row[-1] = row[-1].strip()
        if dropna and "" in row:
            continue
        if is_guessed and any(map(_QUOTED.fullmatch, row)):
            is_guessed = False  # one warning is enough
            warn_caller(
                f"{path}, line {line}: a cell seems to be quoted. Pass quoted=True to "
                "read it so, or quoted=False if the quotes are part of the text."
            )
        lines.append(line)
        for cells, cell in zip(values, row, strict=True):
            cells.append(cell)
    names = [*map(str, columns)]
    table = {
        name: np.array(cells, object) for name, cells in zip(names, values, strict=True)
    }
    is_empty = np.any([table[name] == "" for name in names[: len(texts)]], axis=0)
    if is_empty.any():
        warn_caller(
            f"{path} has {is_empty.sum()} rows with an empty text, the first in line "
            f"{lines[is_empty.argmax()]}. Unless they are meant, pass dropna=True."
        )
    if target is not None:
        cells = values[-1]
        if numeric:
            table[names[-1]] = np.array([*map(read_number, cells)], float)
            wrong = np.flatnonzero(np.isnan(table[names[-1]]))
        else:
            wrong = np.flatnonzero(table[names[-1]] == "")
            if all(map(_INTEGER.fullmatch, cells)):
                table[names[-1]] = table[names[-1]].astype(np.int64)
        if len(wrong):
            cell = cells[wrong[0]]
            problem = "the cell is empty. Pass dropna=True to leave out such rows"
            if cell:
                problem = f"{cell!r} is not a number"
            where = f"{path}, line {lines[wrong[0]]}, column {names[-1]!r}"
            raise ValueError(f"{where}: {problem}.")
    return table


def read_number(text: str) -> float:
    """Convert to a finite number, or else NaN."""
    try:
        number = float("nan" if "_" in text else text)
    except ValueError:
        return nan
    return number if isfinite(number) else nan


def iter_rows(
    content: bytes,
    source: str,
    *,
    sep: str = "\t",
    quoted: bool = False,
    skiprows: int = 0,
    encoding: str = "utf-8",
) -> Iterator[Row]:
    """Iterate over the rows that are not empty.

    Without quotes, rows end at line feeds, or at carriage returns if there are no line
    feeds. A byte order mark is dropped.
    """
    newline = "\n" if b"\n" in content else "\r"
    lines = io.TextIOWrapper(
        io.BytesIO(content), encoding, newline="" if quoted else newline
    )
    n_lines = 0

    def count() -> Iterator[str]:
        nonlocal n_lines
        for line in lines:
            n_lines += 1
            if n_lines > skiprows:
                yield line

    rows: Iterator[list[str]]
    if quoted:
        # The csv module, not pandas, which pads short rows, accepts text after closing
        # quotes, and reports no lines.
        rows = csv.reader(
            count(), delimiter=sep, skipinitialspace=sep != " ", strict=True
        )
    else:
        ends = (line.removesuffix(newline).removesuffix("\r") for line in count())
        rows = (line.split(sep) for line in ends if line)
    try:
        if lines.read(1) != "\ufeff":
            lines.seek(0)
        for cells in rows:
            if cells:
                yield n_lines, cells
    except csv.Error as error:
        advice = "Is a quote not doubled or not closed, or should sep= be another?"
        if "field limit" in str(error):
            advice += " Longer cells need csv.field_size_limit(2**31 - 1) before."
        raise ValueError(f"{source}, line {n_lines}: {error}. {advice}") from error
    except UnicodeError as error:
        number, reason = n_lines + 1, str(error)
        if isinstance(error, UnicodeDecodeError):  # in a block of several lines
            before = error.object[: error.start].decode(error.encoding, "ignore")
            number, reason = number + before.count("\n"), error.reason
        raise ValueError(
            f"{source}, line {number}: not {encoding} ({reason}). Pass encoding= for a "
            'file in another encoding, such as "cp1252".'
        ) from error


def select_columns(
    rows: Iterator[Row],
    columns: Sequence[str | int],
    source: str,
    *,
    sep: str = "\t",
    parameters: str = "",
) -> Iterator[Row]:
    """Iterate over rows with the cells of `columns`, which may be names in a header.

    Errors suggest `sep=` and `parameters`, if given.
    """
    advice = parameters and (
        f" Pass the names of yours with {parameters}, positions if the file has no "
        f"header, or sep= if {sep!r} does not separate the columns."
    )

    def hint(row: list[str]) -> str:
        return (parameters and _HINTS.get("".join(row)[:1])) or ""

    header: list[str] = []
    if any(isinstance(column, str) for column in columns):
        number, header = next(rows, (1, []))
        for column in columns:
            count = header.count(column) if isinstance(column, str) else 1
            if count != 1:
                problem = f"{count} columns are named" if count else "no column"
                raise ValueError(
                    f"{source}, line {number}: {problem} {column!r}; the header is "
                    f"{header}.{advice}{hint(header)}"
                )
    positions = [
        header.index(column) if isinstance(column, str) else index(column)
        for column in columns
    ]
    n_columns = max(positions) + 1
    for number, row in rows:
        if len(row) < n_columns:
            raise ValueError(
                f"{source}, line {number}: expected {n_columns} columns or more, got "
                f"{len(row)}.{advice}{hint(row)}"
            )
        if header and any(row[len(header) :]):
            quotes = "" if sep == "\t" else f" Quote cells that contain {sep!r}."
            raise ValueError(
                f"{source}, line {number}: the header has {len(header)} columns, this "
                f"row {len(row)}.{quotes}"
            )
        yield number, [row[position] for position in positions]


def make_bunch(
    columns: Columns,
    data: Sequence[str | int],
    target: str | int | None,
    descr: str,
    return_X_y: bool,
    as_frame: bool = False,
) -> Any:
    """A `Bunch` of `data`, `target` and `DESCR`, or `(data, target)`.

    `columns` has arrays of shape (n_rows,); `data` names the columns of texts, and
    `target` the column of labels or scores.
    """
    names = [*map(str, data)]
    target = None if target is None else str(target)
    frame: Any = None
    texts: Any
    if as_frame:
        frame = import_for("as_frame=True", "pandas", "pandas").DataFrame(columns)
        texts = frame[names if len(names) > 1 else names[0]]
    elif len(names) > 1:
        texts = np.stack([columns[name] for name in names], axis=1)
    else:
        texts = columns[names[0]]
    labels: Any = None
    if target is not None:
        labels = frame[target] if as_frame else columns[target]
    if return_X_y:
        return texts, labels
    return Bunch(
        data=texts,
        target=labels,
        frame=frame,
        feature_names=names,
        target_names=target,
        DESCR=descr,
    )
