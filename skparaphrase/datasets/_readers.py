"""Readers of your own files of pairs and of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from typing import Any

from skparaphrase._typing import FilePath
from skparaphrase.datasets._tables import make_bunch, read_table

PAIR = ("sentence1", "sentence2")


def read_pairs(
    path: FilePath,
    *,
    columns: Sequence[str | int] = PAIR,
    score: str | int | None = None,
    label: str | int | None = None,
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
) -> Any:
    r"""Read pairs of texts, and their scores or classes, from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        A `.csv` file is read with commas and quotes, any other file with tabs and
        without quotes. Files that end in `.gz`, `.bz2` or `.xz` are decompressed, and
        the extension before that counts.
    columns : sequence of two str or int, default=("sentence1", "sentence2")
        Names in the header, or positions from 0 in a file without a header.
    score : str or int, default=None
        The column of scores, which are numbers. With `sep=";"`, a column without points
        may have decimal commas: `4,5`.
    label : str or int, default=None
        The column of classes, instead of scores. They are read as int64 if every one of
        them is an integer in canonical form (`0`, `-3`, not `01` or `1.0`), and as str
        otherwise.
    sep : str, default=None
        The character between columns; None chooses it by the extension. With any
        separator other than a tab, and in every `.csv` file, cells may be quoted, and
        spaces before a cell are ignored unless they are quoted.
    encoding : str, default="utf-8"
        A name of a Python codec, such as `"cp1252"` or `"utf-16"`.
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
        if a label is empty; the message names the file, the line and the column.
    LookupError
        If Python has no such encoding.

    Warns
    -----
    UserWarning
        If texts are empty.

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
    encoding: str = "utf-8",
    return_X_y: bool = False,
) -> Any:
    """Read single texts and their classes from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.
    column : str or int, default="text"
        The column of texts: its name in the header, or its position from 0 in a file
        without a header.
    label : str, int or None, default="label"
        The column of classes, read as in :func:`read_pairs`; None if there is none.
    sep, encoding, return_X_y
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
        encoding=encoding,
        parameters="column= or label=",
    )
    return make_bunch(table, [column], label, str(path), return_X_y)
