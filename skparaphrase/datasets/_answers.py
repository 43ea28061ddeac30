"""Readers of questions with candidate answers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.datasets._bunch import make_bunch
from skparaphrase.datasets._columns import read_arrays
from skparaphrase.datasets._source import Form


def read_answers(
    path: str | PathLike[str],
    *,
    columns: Sequence[str | int] = ("question", "answer"),
    label: str | int | None = "label",
    query: str | int | None = "qid",
    sep: str | None = None,
    encoding: str = "utf-8",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Read questions with candidate answers from a CSV or TSV file, one a row.

    Parameters
    ----------
    path : path-like
        As in :func:`read_pairs`.

    columns : sequence of two str or int, default=("question", "answer")
        Names in the header line, or positions from 0 in a file without one.

    label : str, int or None, default="label"
        The column that holds 1 for a right answer and 0 for a wrong one; None if
        nobody has judged them.

    query : str, int or None, default="qid"
        The column that identifies the question, read as str. None if there is none:
        rows of the same question, to the letter, are one query then, numbered from 0
        in the order of the file.

    sep : str, default=None
        As in :func:`read_pairs`.

    encoding : str, default="utf-8"
        As in :func:`read_pairs`.

    return_X_y : bool, default=False
        Return `(data, target)`, without the queries.

    as_frame : bool, default=False
        Data as a pandas frame, target and query as series.

    Returns
    -------
    answers : Bunch
        `data` of shape (n_candidates, 2), `target` of shape (n_candidates,), dtype
        int64, or None, `query` of shape (n_candidates,), str, or int64 where numbered.

    Raises
    ------
    ValueError
        Names the file and the line of what is wrong, a label that is neither 0 nor 1
        and an empty identifier as well.
    """
    if len(columns) != 2 or isinstance(columns, str):
        raise ValueError(f"columns must be two; got {columns!r}.")
    arrays, queries = read_arrays(
        path,
        columns,
        target=label,
        convert=_relevance,
        query=query,
        form=Form(sep, encoding),
    )
    question, answer = (str(column) for column in columns)
    return make_bunch(
        arrays,
        data=[question, answer],
        target=None if label is None else str(label),
        query=_numbered(arrays[question]) if queries is None else queries,
        descr=f"Questions and answers of {path}",
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def read_wikiqa(
    path: str | PathLike[str],
    *,
    max_answer_tokens: int | None = None,
    answerable_only: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Read a file of the WikiQA corpus [1]_: `WikiQA-train.tsv` and its like.

    Parameters
    ----------
    path : path-like
        UTF-8, tabs, no quotes, with the header `QuestionID`, `Question`, `DocumentID`,
        `DocumentTitle`, `SentenceID`, `Sentence`, `Label`.

    max_answer_tokens : int, default=None
        Cut longer answers after so many pieces between white space; 40 in [2]_. None
        leaves them whole.

    answerable_only : bool, default=False
        Leave out questions that have no right answer, as papers do; 873, 126 and 243
        questions of the training, development and test files are left then [2]_.

    return_X_y : bool, default=False
        Return `(data, target)`, without the queries.

    as_frame : bool, default=False
        Data as a pandas frame, target and query as series.

    Returns
    -------
    answers : Bunch
        `data` of shape (n_candidates, 2), `target` of shape (n_candidates,), dtype
        int64, `query` of shape (n_candidates,), the question identifiers, as in
        :func:`read_answers`.

    Raises
    ------
    ValueError
        Names the file and the line of what is wrong, as :func:`read_answers`; a
        `max_answer_tokens` below 1.

    References
    ----------
    .. [1] Yi Yang, Wen-tau Yih and Christopher Meek. 2015. WikiQA: A challenge dataset
       for open-domain question answering. EMNLP.
    .. [2] Hua He and Jimmy Lin. 2016. Pairwise word interaction modeling with deep
       neural networks for semantic similarity measurement. NAACL.
    """
    if max_answer_tokens is not None and (
        not isinstance(max_answer_tokens, Integral) or max_answer_tokens < 1
    ):
        raise ValueError(
            f"max_answer_tokens must be a whole number of at least 1 or None; got "
            f"{max_answer_tokens!r}."
        )
    arrays, queries = read_arrays(
        path,
        ("Question", "Sentence"),
        target="Label",
        convert=_relevance,
        query="QuestionID",
    )
    if answerable_only:
        answerable = set(queries[arrays["Label"] == 1])
        kept = np.array([query in answerable for query in queries], dtype=bool)
        arrays = {name: values[kept] for name, values in arrays.items()}
        queries = queries[kept]
    if max_answer_tokens is not None:
        arrays["Sentence"][:] = [
            _cut(text, max_answer_tokens) for text in arrays["Sentence"]
        ]
    return make_bunch(
        arrays,
        data=["Question", "Sentence"],
        target="Label",
        query=queries,
        descr=f"WikiQA questions and answers of {path}",
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def _relevance(path: Path, column: str, values: list[str], lines: list[int]) -> Any:
    for value, line in zip(values, lines, strict=True):
        if value not in ("0", "1"):
            raise ValueError(
                f"{path}, line {line}: {value!r} in column {column!r} is neither "
                "0 nor 1."
            )
    return np.array(values, dtype=np.int64)


def _numbered(questions: NDArray[Any]) -> NDArray[np.int64]:
    """The number of each text's first occurrence among the distinct ones."""
    numbers: dict[str, int] = {}
    return np.array(
        [numbers.setdefault(text, len(numbers)) for text in questions], dtype=np.int64
    )


def _cut(text: str, n_tokens: int) -> str:
    # Texts that are short enough keep their white space.
    tokens = text.split()
    return " ".join(tokens[:n_tokens]) if len(tokens) > n_tokens else text
