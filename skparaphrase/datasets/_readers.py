"""Readers of CSV and TSV files of texts, pairs of texts, and answers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import isfinite
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_scalar

from skparaphrase._estimator import warn_caller
from skparaphrase.datasets._tables import Columns, check_two, iter_rows, make_bunch

_Path = str | PathLike[str]
_Error = Callable[[int, str], ValueError]  # of the row and what is wrong with its cell
_Convert = Callable[[list[str], _Error], NDArray[Any]]

_PAIR = ("sentence1", "sentence2")
_INTEGER = re.compile("0|-?[1-9][0-9]{0,17}")  # no two spellings of one number


def read_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = _PAIR,
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Bunch:
    """Read pairs of texts from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        A `.csv` file is read with commas and quotes, any other file with tabs and
        without quotes. Files that end in `.gz`, `.bz2` or `.xz` are decompressed, and
        the extension before that counts. Lines of other than `.csv` files end at line
        feeds, and must not contain carriage returns before them.
    columns : sequence of two str or int, default=("sentence1", "sentence2")
        Names in the header, or positions from 0 in a file without a header.
    sep : str, default=None
        The character between columns; None chooses it by the extension. With any
        separator other than a tab, and in every `.csv` file, cells may be quoted, and
        spaces before a cell are ignored unless they are quoted.
    encoding : str, default="utf-8"
        A name of a Python codec, such as `"cp1252"` or `"utf-16"`. A byte order mark
        is dropped.
    return_X_y : bool, default=False
        Return `(data, target)`; pairs without scores or classes have the target None.
    as_frame : bool, default=False
        Return a pandas frame of pairs, and series for everything else.

    Returns
    -------
    pairs : Bunch
        `data` of shape (n_pairs, 2); `target` is None.

    Raises
    ------
    ValueError
        If a row is too short, longer than the header or cannot be decoded, or if a
        column is missing from the header or occurs twice in it; the message names the
        file and the line.

    Warns
    -----
    UserWarning
        If texts are empty, which teaches nothing.
    LookupError
        If Python has no such encoding.
    """
    check_two(columns)
    table, _ = read_columns(path, columns, None, to_labels, sep=sep, encoding=encoding)
    return make_bunch(table, columns, None, str(path), return_X_y, as_frame)


def iter_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = _PAIR,
    sep: str | None = None,
    encoding: str = "utf-8",
) -> Iterator[tuple[str, str]]:
    r"""Iterate over the pairs of texts in a CSV or TSV file.

    The pairs are those of :func:`read_pairs`; the file may be larger than memory.

    Parameters
    ----------
    path, columns, sep, encoding
        As in :func:`read_pairs`.

    Returns
    -------
    pairs : iterator of tuple (str, str)
        The file is opened when the first pair is requested.

    Raises
    ------
    ValueError
        As in :func:`read_pairs`, when the iterator reaches the row.
    LookupError
        If Python has no such encoding.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skparaphrase.datasets import iter_pairs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.tsv")
    ...     _ = path.write_text("sentence1\tsentence2\na cat\tcats\n")
    ...     next(iter_pairs(path))
    ('a cat', 'cats')
    """
    check_two(columns)
    rows = iter_rows(Path(path), columns, sep=sep, encoding=encoding)
    return ((first, second) for _, (first, second) in rows)


def read_scored_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = _PAIR,
    score: str | int = "score",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Bunch:
    """Read pairs of texts and their scores from a CSV or TSV file.

    Parameters
    ----------
    path, columns
        As in :func:`read_pairs`.
    score : str or int, default="score"
        The column of numbers. With `sep=";"`, a column without points may have decimal
        commas: `4,5`.
    sep, encoding, return_X_y, as_frame
        As in :func:`read_pairs`.

    Returns
    -------
    pairs : Bunch
        `data` of shape (n_pairs, 2), `target` of shape (n_pairs,).

    Raises
    ------
    ValueError
        As in :func:`read_pairs`, or if a score is not a number.
    """
    check_two(columns)
    convert = partial(_to_numbers, comma=sep == ";")
    options = {"sep": sep, "encoding": encoding, "parameters": "columns= and score="}
    table, _ = read_columns(path, columns, score, convert, **options)
    return make_bunch(table, columns, score, str(path), return_X_y, as_frame)


def read_labelled_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = _PAIR,
    label: str | int = "label",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Bunch:
    """Read pairs of texts and their classes from a CSV or TSV file.

    Parameters
    ----------
    path, columns
        As in :func:`read_pairs`.
    label : str or int, default="label"
        The column of classes. They are read as int64 if every one of them is an integer
        in canonical form (`0`, `-3`, not `01` or `1.0`), and as str otherwise.
    sep, encoding, return_X_y, as_frame
        As in :func:`read_pairs`.

    Returns
    -------
    pairs : Bunch
        `data` of shape (n_pairs, 2), `target` of shape (n_pairs,), dtype int64 or
        object (str).

    Raises
    ------
    ValueError
        As in :func:`read_pairs`, or if a label is empty.
    """
    check_two(columns)
    options = {"sep": sep, "encoding": encoding, "parameters": "columns= and label="}
    table, _ = read_columns(path, columns, label, to_labels, **options)
    return make_bunch(table, columns, label, str(path), return_X_y, as_frame)


def read_texts(
    path: _Path,
    *,
    column: str | int = "text",
    target: str | int | None = "label",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Bunch:
    """Read single texts and their classes from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.
    column : str or int, default="text"
        The column of texts: its name in the header, or its position from 0 in a file
        without a header.
    target : str, int or None, default="label"
        The column of classes, read as in :func:`read_labelled_pairs`; None if the
        texts have none.
    sep, encoding, return_X_y, as_frame
        As in :func:`read_pairs`.

    Returns
    -------
    texts : Bunch
        `data` of shape (n_texts,); `target` of shape (n_texts,), dtype int64 or object
        (str), or None.

    Raises
    ------
    ValueError
        As in :func:`read_pairs`, or if a label is empty.
    """
    options = {"sep": sep, "encoding": encoding, "parameters": "column= and target="}
    table, _ = read_columns(path, [column], target, to_labels, **options)
    return make_bunch(table, [column], target, str(path), return_X_y, as_frame)


def read_answers(
    path: _Path,
    *,
    columns: Sequence[str | int] = ("question", "answer"),
    label: str | int | None = "label",
    query: str | int | None = "qid",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Bunch:
    """Read questions with candidate answers, one per row, from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.
    columns : sequence of two str or int, default=("question", "answer")
        Names in the header, or positions from 0 in a file without a header.
    label : str, int or None, default="label"
        The column that is 1 for a correct answer and 0 for a wrong one; None if the
        answers are not judged.
    query : str, int or None, default="qid"
        The column that identifies the question, read as str. If None, rows with
        identical questions form a query, and queries are numbered from 0 in file order.
    sep, encoding, return_X_y, as_frame
        As in :func:`read_pairs`; `(data, target)` is without the queries.

    Returns
    -------
    answers : Bunch
        `data` of shape (n_candidates, 2), `target` of shape (n_candidates,), dtype
        int64, or None, `query` of shape (n_candidates,), str, or int64 if numbered.

    Raises
    ------
    ValueError
        As in :func:`read_pairs`, or if a label is neither 0 nor 1 or an identifier is
        empty.
    """
    check_two(columns)
    parameters = "columns=, label= and query="
    options = {"sep": sep, "encoding": encoding, "parameters": parameters}
    table, queries = read_columns(path, columns, label, _to_relevance, query, **options)
    if query is None:
        questions = table[str(columns[0])]
        numbers = {text: i for i, text in enumerate(dict.fromkeys(questions))}
        queries = np.array([numbers[text] for text in questions], dtype=np.int64)
    return make_bunch(table, columns, label, str(path), return_X_y, as_frame, queries)


def read_wikiqa(
    path: _Path,
    *,
    max_answer_tokens: int | None = None,
    answerable_only: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Bunch:
    """Read a file of the WikiQA corpus [1]_, such as `WikiQA-train.tsv`.

    Parameters
    ----------
    path : path-like
        UTF-8, tabs, no quotes, with the header `QuestionID`, `Question`, `DocumentID`,
        `DocumentTitle`, `SentenceID`, `Sentence`, `Label`.
    max_answer_tokens : int, default=None
        Truncate longer answers to this number of whitespace-separated tokens; 40 in
        [2]_. None keeps them whole.
    answerable_only : bool, default=False
        Drop questions without a correct answer, as the papers do: 873, 126 and 243
        questions remain in the training, development and test files [2]_.
    return_X_y, as_frame
        As in :func:`read_answers`.

    Returns
    -------
    answers : Bunch
        `data` of shape (n_candidates, 2), `target` of shape (n_candidates,), dtype
        int64, and `query` of shape (n_candidates,), the question identifiers.

    Raises
    ------
    TypeError, ValueError
        If `max_answer_tokens` is not a positive integer, or as in :func:`read_answers`.

    References
    ----------
    .. [1] Yi Yang, Wen-tau Yih and Christopher Meek. 2015. WikiQA: A challenge dataset
       for open-domain question answering. EMNLP.
    .. [2] Hua He and Jimmy Lin. 2016. Pairwise word interaction modeling with deep
       neural networks for semantic similarity measurement. NAACL.
    """
    if max_answer_tokens is not None:
        check_scalar(max_answer_tokens, "max_answer_tokens", Integral, min_val=1)

    columns = ["Question", "Sentence"]
    table, query = read_columns(
        path, columns, "Label", _to_relevance, "QuestionID", parameters=""
    )
    if answerable_only:
        kept = np.isin(query, query[table["Label"] == 1])
        table = {name: values[kept] for name, values in table.items()}
        query = query[kept]
    if max_answer_tokens is not None:
        for i, answer in enumerate(table["Sentence"]):
            tokens = answer.split()
            if len(tokens) > max_answer_tokens:  # others keep their white space
                table["Sentence"][i] = " ".join(tokens[:max_answer_tokens])
    return make_bunch(
        table, columns, "Label", f"WikiQA: {path}", return_X_y, as_frame, query
    )


def read_columns(
    path: _Path,
    columns: Sequence[str | int],
    target: str | int | None,
    convert: _Convert,
    query: str | int | None = None,
    **options: Any,
) -> tuple[Columns, Any]:
    """Columns of texts and one of converted targets, and the queries or None.

    `options` are those of :func:`iter_rows`.
    """
    path = Path(path)
    wanted = {str(c): c for c in (*columns, target, query) if c is not None}
    values: dict[str, list[str]] = {name: [] for name in wanted}
    lines = []
    for line, cells in iter_rows(path, list(wanted.values()), **options):
        lines.append(line)
        for column, cell in zip(values.values(), cells, strict=True):
            column.append(cell)

    def error(name: str | int, row: int, problem: str) -> ValueError:
        return ValueError(f"{path}, line {lines[row]}, column {str(name)!r}: {problem}")

    table = {str(column): np.array(values[str(column)], object) for column in columns}
    is_empty = np.any([texts == "" for texts in table.values()], axis=0)
    if is_empty.any():
        warn_caller(
            f"{path} has {is_empty.sum()} rows with an empty text, the first in line "
            f"{lines[is_empty.argmax()]}. Unless they are meant, drop them."
        )
    if target is not None:
        table[str(target)] = convert(values[str(target)], partial(error, target))
    if query is None:
        return table, None
    return table, _not_empty(values[str(query)], partial(error, query))


def _to_numbers(values: list[str], error: _Error, *, comma: bool) -> NDArray[Any]:
    found = np.empty(len(values))
    # In a column with points, commas may separate thousands.
    comma = comma and not any("." in value for value in values)
    for i, value in enumerate(values):
        try:
            found[i] = float(value.replace(",", ".") if comma else value)
        except ValueError:
            found[i] = np.nan
        if not isfinite(found[i]) or "_" in value:
            raise error(i, f"{value!r} is not a number.")
    return found


def to_labels(values: list[str], error: _Error) -> NDArray[Any]:
    found = _not_empty(values, error)
    return found.astype(np.int64) if all(map(_INTEGER.fullmatch, values)) else found


def _to_relevance(values: list[str], error: _Error) -> NDArray[Any]:
    for i, value in enumerate(values):
        if value not in ("0", "1"):
            raise error(i, f"{value!r} is neither 0 nor 1.")
    return np.array(values, dtype=np.int64)


def _not_empty(values: list[str], error: _Error) -> NDArray[Any]:
    if "" in values:
        raise error(values.index(""), "the cell is empty.")
    return np.array(values, dtype=object)
