"""Reader of sentences with a tag for every token."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from skparaphrase.datasets._tables import (
    Row,
    check_positions,
    check_two,
    find_column,
    iter_lines,
    make_bunch,
)

_CONLLU = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
_CONLLU_ID = re.compile(r"[0-9]+([-.][0-9]+)?")


def read_tagged(
    path: str | PathLike[str],
    *,
    columns: Sequence[str | int] | None = None,
    return_X_y: bool = False,
) -> Bunch:
    """Read tagged sentences from a file with one token per line.

    A blank line ends a sentence. Columns are separated by tabs if the first line
    contains one, and otherwise by spaces.

    Parameters
    ----------
    path : path-like
        UTF-8. A `.conllu` file is read as CoNLL-U [1]_: ten columns without a header;
        lines that begin with `#`, multi-word tokens (`1-2`) and empty nodes (`1.1`) are
        skipped. In other files a line that begins with `#` is a token like any other.
    columns : sequence of two str or int, default=None
        The columns of the token and of the tag: names in the header, or positions from
        0 in a file without a header. None means `("token", "tag")`, and in CoNLL-U
        `("FORM", "UPOS")`, where the other eight names, such as `"XPOS"`, are valid
        too.
    return_X_y : bool, default=False
        Return `(data, target)`.

    Returns
    -------
    sentences : Bunch
        `data`, a list with the token list of each sentence; `target`, a list with the
        tag lists, of the same lengths.

    Raises
    ------
    ValueError
        If a row is too short, has no token or no tag, or is not UTF-8, or if a column
        is missing; the message names the file and the line.

    References
    ----------
    .. [1] Universal Dependencies, `CoNLL-U format
       <https://universaldependencies.org/format.html>`_.
    """
    path = Path(path)
    conllu = path.suffix.lower() == ".conllu"
    if columns is None:
        columns = ("FORM", "UPOS") if conllu else ("token", "tag")
    check_two(columns)
    check_positions(columns)
    data, target = _read_sentences(path, columns, conllu)
    table: Any = {str(columns[0]): data, str(columns[1]): target}
    descr = f"Tagged sentences of {path}"
    return make_bunch(table, columns[:1], columns[1], descr, return_X_y, as_frame=False)


def _read_sentences(
    path: Path, columns: Sequence[str | int], conllu: bool
) -> tuple[list[list[str]], list[list[str]]]:
    rows = _iter_cells(path, conllu)
    header, where = _CONLLU, f"{path}"
    if not conllu and any(isinstance(column, str) for column in columns):
        number, header = next((row for row in rows if row[1]), (1, []))
        where = f"{path}, line {number}"
    positions = [find_column(column, header, where) for column in columns]
    n_columns = len(_CONLLU) if conllu else max(positions) + 1
    data: list[list[str]] = [[]]
    target: list[list[str]] = [[]]
    for number, cells in rows:
        where = f"{path}, line {number}:"
        if not cells:
            data.append([])
            target.append([])
            continue
        if len(cells) < n_columns:
            raise ValueError(
                f"{where} expected {n_columns} columns or more, got {len(cells)}."
            )
        if conllu:
            match = _CONLLU_ID.fullmatch(cells[0])
            if match is None:
                raise ValueError(f"{where} {cells[0]!r} is not an ID of CoNLL-U.")
            if match[1]:
                continue
        token, tag = (cells[position] for position in positions)
        if not token or not tag:
            kind, position = ("tag", positions[1]) if token else ("token", positions[0])
            raise ValueError(f"{where} no {kind} in column {position}.")
        data[-1].append(token)
        target[-1].append(tag)
    return [*filter(None, data)], [*filter(None, target)]


def _iter_cells(path: Path, conllu: bool) -> Iterator[Row]:
    """The cells of each line, which has none if it is blank."""
    sep = "\t" if conllu else ""
    for number, line in enumerate(iter_lines(path, "\n"), 1):
        line = line.removesuffix("\n").removesuffix("\r")
        if not line.strip(" "):
            yield number, []
        elif not (conllu and line.startswith("#")):
            sep = sep or ("\t" if "\t" in line else " ")
            yield number, [x for x in line.split(sep) if x or sep == "\t"]
