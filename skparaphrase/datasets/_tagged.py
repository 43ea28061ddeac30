"""Reader of sentences with a tag on every token."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from skparaphrase.datasets._source import read_utf8

_CONLLU = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
_CONLLU_ID = re.compile(r"[0-9]+([-.][0-9]+)?")


def read_tagged(
    path: str | PathLike[str],
    *,
    columns: Sequence[str | int] | None = None,
    return_X_y: bool = False,
) -> Any:
    """Read tagged sentences from a file of one token a line.

    A blank line ends a sentence. Columns are separated by tabs or, in a file without
    any tab, by spaces.

    Parameters
    ----------
    path : path-like
        UTF-8. `.conllu` is read as CoNLL-U [1]_: ten columns without a header; lines
        that begin with `#`, multi-word tokens (`1-2`) and empty nodes (`1.1`) are
        left out. In other files a line that begins with `#` is a token like any other.

    columns : sequence of two str or int, default=None
        The columns of the token and of the tag: names in the header line, or positions
        from 0 in a file without one. None stands for `("token", "tag")`, in CoNLL-U
        for `("FORM", "UPOS")`; there `"XPOS"` and the other eight are names as well.

    return_X_y : bool, default=False
        Return `(data, target)`.

    Returns
    -------
    sentences : Bunch
        `data`, a list of the token list of each sentence; `target`, a list of the tag
        lists, as long as those.

    Raises
    ------
    ValueError
        Names the file and the line of a row that is too short, has no token or no tag,
        is not UTF-8 or lacks a column.

    References
    ----------
    .. [1] Universal Dependencies, `CoNLL-U format
       <https://universaldependencies.org/format.html>`_.
    """
    path = Path(path)
    conllu = path.suffix.lower() == ".conllu"
    if columns is None:
        columns = ("FORM", "UPOS") if conllu else ("token", "tag")
    if len(columns) != 2 or isinstance(columns, str):
        raise ValueError(f"columns must be two; got {columns!r}.")
    return make_tagged(
        read_utf8(path),
        source=str(path),
        columns=columns,
        conllu=conllu,
        descr=f"Tagged sentences of {path}",
        return_X_y=return_X_y,
    )


def make_tagged(
    text: str,
    *,
    source: str,
    columns: Sequence[str | int],
    conllu: bool,
    descr: str,
    return_X_y: bool,
) -> Any:
    """The `Bunch` of a file's text; `source` is the file's name in errors."""
    data: list[list[str]] = []
    target: list[list[str]] = []
    for sentence in _sentences(text, source, columns, conllu):
        data.append([token for token, _ in sentence])
        target.append([tag for _, tag in sentence])
    if return_X_y:
        return data, target
    token, tag = (str(column) for column in columns)
    return Bunch(
        data=data,
        target=target,
        frame=None,
        feature_names=[token],
        target_names=tag,
        DESCR=descr,
    )


def _sentences(
    text: str, source: str, columns: Sequence[str | int], conllu: bool
) -> Iterator[list[tuple[str, str]]]:
    rows = _rows(text)
    if conllu:
        first, second = _positions(columns, _CONLLU, f"{source}: CoNLL-U has")
    elif all(isinstance(column, int) for column in columns):
        first, second = _positions(columns, [], source)
    else:
        # Blank lines before the header end no sentence.
        number, header = next((row for row in rows if row[1]), (1, []))
        message = f"{source}, line {number}: the header has"
        first, second = _positions(columns, header, message)
    least = len(_CONLLU) if conllu else max(first, second) + 1
    sentence: list[tuple[str, str]] = []
    for number, row in rows:
        if not row:
            if sentence:
                yield sentence
            sentence = []
            continue
        if conllu and row[0].startswith("#"):
            continue
        where = f"{source}, line {number}:"
        if len(row) < least:
            raise ValueError(
                f"{where} expected {least} columns or more, got {len(row)}."
            )
        if conllu:
            found = _CONLLU_ID.fullmatch(row[0])
            if found is None:
                raise ValueError(f"{where} {row[0]!r} is not an ID of CoNLL-U.")
            if found[1]:
                continue
        for name, position in (("token", first), ("tag", second)):
            if not row[position]:
                raise ValueError(f"{where} no {name} in column {position}.")
        sentence.append((row[first], row[second]))
    if sentence:
        yield sentence


def _positions(
    columns: Sequence[str | int], header: list[str], message: str
) -> tuple[int, int]:
    """Where the two columns stand; integers are taken as they are."""
    positions = []
    for column in columns:
        if isinstance(column, int):
            if column < 0:
                raise ValueError(f"Columns are counted from 0; got {column}.")
            positions.append(column)
        elif column in header:
            positions.append(header.index(column))
        else:
            raise ValueError(f"{message} no column {column!r} but {header}.")
    first, second = positions
    return first, second


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells; a blank line has none."""
    tabs = "\t" in text
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip(" "):
            yield number, []
        elif tabs:
            yield number, line.split("\t")
        else:
            yield number, [cell for cell in line.split(" ") if cell]
