"""Readers of the user's own tables of pairs and texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from skparaphrase.datasets._bunch import make_bunch
from skparaphrase.datasets._columns import Convert, labels, numbers, read_arrays
from skparaphrase.datasets._source import Form
from skparaphrase.datasets._tables import iter_rows

_Path = str | PathLike[str]


def read_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = ("sentence1", "sentence2"),
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Read pairs of texts from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        `.csv` is read with commas and quotes, everything else with tabs and without
        quotes. Of `.gz`, `.bz2` and `.xz`, which are unpacked, the ending before
        decides.

    columns : sequence of two str or int, default=("sentence1", "sentence2")
        Names in the header line, or positions from 0 in a file without one.

    sep : str, default=None
        The character between columns. Any but a tab means quotes as well; with a tab,
        only a `.csv` has quotes. None leaves it to the ending.

    encoding : str, default="utf-8"
        One of Python's, such as `"cp1252"` or `"utf-16"`. A byte order mark is left
        out.

    return_X_y : bool, default=False
        Return `(data, None)`.

    as_frame : bool, default=False
        Data as a pandas frame.

    Returns
    -------
    pairs : Bunch
        `data` of shape (n_pairs, 2); `target` is None.

    Raises
    ------
    ValueError
        Names the file and the line of a row that is too short or cannot be decoded,
        and of a header that has a column not at all or twice.
    LookupError
        Python has no such encoding.
    """
    return _read(
        path,
        _two(columns),
        descr=f"Pairs of {path}",
        form=Form(sep, encoding),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def iter_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = ("sentence1", "sentence2"),
    sep: str | None = None,
    encoding: str = "utf-8",
) -> Iterator[tuple[str, str]]:
    r"""Read pairs of texts from a CSV or TSV file, one after another.

    The pairs of :func:`read_pairs`, for files that are larger than memory.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.

    columns : sequence of two str or int, default=("sentence1", "sentence2")
        As in :func:`read_pairs`.

    sep : str, default=None
        As in :func:`read_pairs`.

    encoding : str, default="utf-8"
        As in :func:`read_pairs`.

    Returns
    -------
    pairs : iterator of tuple (str, str)
        Opens the file when the first pair is asked for. A file with quotes is read
        twice, because a quote after a space anywhere changes what spaces mean, and four
        times where there is one.

    Raises
    ------
    ValueError
        As in :func:`read_pairs`, of a row when it is its turn.
    LookupError
        Python has no such encoding.

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
    rows = iter_rows(Path(path), _two(columns), Form(sep, encoding))
    return ((first, second) for _, (first, second) in rows)


def read_scored_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = ("sentence1", "sentence2"),
    score: str | int = "score",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Read pairs of texts and their scores from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.

    columns : sequence of two str or int, default=("sentence1", "sentence2")
        Names in the header line, or positions from 0 in a file without one.

    score : str or int, default="score"
        The column of numbers. With `sep=";"` a column without points may have decimal
        commas: `4,5`.

    sep : str, default=None
        As in :func:`read_pairs`.

    encoding : str, default="utf-8"
        As in :func:`read_pairs`.

    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data as a pandas frame, scores as a series.

    Returns
    -------
    pairs : Bunch
        `data` of shape (n_pairs, 2), `target` of shape (n_pairs,).

    Raises
    ------
    ValueError
        Names the file and the line of what is wrong, a score that is no number as well.
    """
    return _read(
        path,
        _two(columns),
        target=score,
        convert=partial(numbers, comma=sep == ";"),
        descr=f"Scored pairs of {path}",
        form=Form(sep, encoding),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def read_labelled_pairs(
    path: _Path,
    *,
    columns: Sequence[str | int] = ("sentence1", "sentence2"),
    label: str | int = "label",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Read pairs of texts and their classes from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.

    columns : sequence of two str or int, default=("sentence1", "sentence2")
        Names in the header line, or positions from 0 in a file without one.

    label : str or int, default="label"
        The column of classes. Read as int64 when every one of them is a whole number
        written the plain way (`0`, `-3`, not `01` or `1.0`), as str otherwise.

    sep : str, default=None
        As in :func:`read_pairs`.

    encoding : str, default="utf-8"
        As in :func:`read_pairs`.

    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data as a pandas frame, labels as a series.

    Returns
    -------
    pairs : Bunch
        `data` of shape (n_pairs, 2), `target` of shape (n_pairs,), dtype int64 or
        object (str).

    Raises
    ------
    ValueError
        Names the file and the line of what is wrong, an empty label as well.
    """
    return _read(
        path,
        _two(columns),
        target=label,
        convert=labels,
        descr=f"Labelled pairs of {path}",
        form=Form(sep, encoding),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def read_texts(
    path: _Path,
    *,
    column: str | int = "text",
    target: str | int | None = "label",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Read single texts and their classes from a CSV or TSV file.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.

    column : str or int, default="text"
        The column of texts: its name in the header line, or its position from 0 in a
        file without one.

    target : str, int or None, default="label"
        The column of classes, read as in :func:`read_labelled_pairs`; None if the
        texts have none.

    sep : str, default=None
        As in :func:`read_pairs`.

    encoding : str, default="utf-8"
        As in :func:`read_pairs`.

    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data and labels as pandas series.

    Returns
    -------
    texts : Bunch
        `data` of shape (n_texts,); `target` of shape (n_texts,), dtype int64 or object
        (str), or None.

    Raises
    ------
    ValueError
        Names the file and the line of what is wrong, an empty label as well.
    """
    return _read(
        path,
        [column],
        target=target,
        convert=labels,
        descr=f"Texts of {path}",
        form=Form(sep, encoding),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def _two(columns: Sequence[str | int]) -> Sequence[str | int]:
    if len(columns) != 2:
        raise ValueError(f"columns must be two; got {columns!r}.")
    return columns


def _read(
    path: _Path,
    columns: Sequence[str | int],
    *,
    target: str | int | None = None,
    convert: Convert | None = None,
    form: Form,
    descr: str,
    return_X_y: bool,
    as_frame: bool,
) -> Any:
    arrays, _ = read_arrays(path, columns, target=target, convert=convert, form=form)
    return make_bunch(
        arrays,
        data=[str(column) for column in columns],
        target=None if target is None else str(target),
        descr=descr,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
