"""Measures of ranking by question."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase.text import numbered_texts
from skparaphrase.text._check import _describe, _is_missing


def mean_average_precision(
    y_true: Any, y_score: Any, query: Any = None, *, no_relevant: str = "zero"
) -> float:
    r"""Average precision of the candidates of a question, averaged over questions.

    With the candidates of a question in order of score, and :math:`h_k` relevant ones
    among the first :math:`k`, its average precision is the mean of :math:`h_k / k` over
    the ranks :math:`k` of the relevant ones. This is "map" of trec_eval, with which He
    and Lin (2016, section 6) score the ranking of answers.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, 2)
        Relevance, 0 or 1, of each candidate; or relevance and query in two columns.

    y_score : array-like of shape (n_samples,)
        Finite scores; the highest comes first.

    query : array-like of shape (n_samples,), default=None
        Question of each candidate: numbers, str or anything hashable, in any order.
        None makes all rows one question, unless `y_true` has the column.

    no_relevant : {"zero", "skip"}, default="zero"
        What a question without a relevant candidate counts: 0, as in trec_eval, or
        nothing, as where papers remove such questions.

    Returns
    -------
    score : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        For lengths that differ, no rows, relevance other than 0 and 1, scores that are
        not finite, identifiers that are missing or cannot be hashed, a `query` beside a
        two-column `y_true`, and if "skip" leaves no question. Messages name the first
        bad row.

    Notes
    -----
    Of equal scores the later row comes first, as trec_eval puts the greater document
    name first, and names here are the numbers of the rows, padded with zeros: a
    constant score ranks from the last row to the first. Scores are compared in double
    precision. trec_eval 9.0.7 and pytrec_eval round them to single precision and may
    see more ties; ``np.float32(y_score)`` gives their figure.

    A question with relevant candidates only scores 1. trec_eval leaves out questions
    that have scores but no judgement at all; here every row is judged.

    References
    ----------
    C. Buckley. trec_eval. https://github.com/usnistgov/trec_eval

    H. He and J. Lin. Pairwise word interaction modeling with deep neural networks for
    semantic similarity measurement. NAACL 2016.

    Examples
    --------
    >>> from skparaphrase.metrics import mean_average_precision
    >>> relevance = [1, 0, 1, 0, 1]
    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> query = ["a", "a", "a", "b", "b"]
    >>> round(mean_average_precision(relevance, scores, query), 3)
    0.667
    """
    code, relevant, rank, hits = _ranked(y_true, y_score, query)
    n_relevant = np.bincount(code, weights=relevant)
    precision = np.bincount(code, weights=relevant * hits / rank)
    return _mean(precision / np.maximum(n_relevant, 1), n_relevant, no_relevant)


def mean_reciprocal_rank(
    y_true: Any, y_score: Any, query: Any = None, *, no_relevant: str = "zero"
) -> float:
    """One over the rank of the first relevant candidate, averaged over questions.

    This is "recip_rank" of trec_eval, on which He and Lin (2016, section 6) select
    their models of answers.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, 2)
        Relevance, 0 or 1, of each candidate; or relevance and query in two columns.

    y_score : array-like of shape (n_samples,)
        Finite scores; the highest comes first. Of equal ones, the later row.

    query : array-like of shape (n_samples,), default=None
        Question of each candidate: numbers, str or anything hashable, in any order.
        None makes all rows one question, unless `y_true` has the column.

    no_relevant : {"zero", "skip"}, default="zero"
        What a question without a relevant candidate counts: 0, or nothing.

    Returns
    -------
    score : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        As :func:`mean_average_precision`, whose notes hold here.

    Examples
    --------
    >>> from skparaphrase.metrics import mean_reciprocal_rank
    >>> relevance = [1, 0, 1, 0, 1]
    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> mean_reciprocal_rank(relevance, scores, ["a", "a", "a", "b", "b"])
    0.75
    """
    code, relevant, rank, hits = _ranked(y_true, y_score, query)
    reciprocal = np.bincount(code, weights=(relevant & (hits == 1)) / rank)
    return _mean(reciprocal, np.bincount(code, weights=relevant), no_relevant)


def split_queries(y_true: Any) -> tuple[NDArray[Any], Any]:
    """The column of relevance, and that of queries; None where there is one column."""
    true = _array(y_true)
    if true.ndim == 2 and true.shape[1] == 2:
        return true[:, 0], true[:, 1]
    return column_or_1d(true), None


def _ranked(
    y_true: Any, y_score: Any, query: Any
) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.intp], NDArray[np.intp]]:
    """Rows in order of rank, question by question.

    The question's number, the relevance, the rank from 1, and the relevant rows up to
    that rank; each of shape (n_samples,).
    """
    score = check_array(
        y_score,
        ensure_2d=False,
        ensure_all_finite=False,
        dtype=np.float64,
        input_name="y_score",
    )
    score = column_or_1d(score)
    true, queries = split_queries(y_true)
    if queries is not None:
        if query is not None:
            raise ValueError("y_true has a column of queries: query must be None.")
        query = queries
    check_consistent_length(true, score)
    bad = np.flatnonzero(~np.isfinite(score))
    if len(bad):
        raise ValueError(
            f"Scores must be finite; y_score[{bad[0]}] is {score[bad[0]]}."
        )
    relevant = check_relevance(true)
    if query is None:
        code = np.zeros(len(true), dtype=np.intp)
    else:
        code = query_codes(query)
        check_consistent_length(code, score)
    last = np.arange(len(code))[::-1]  # of equal scores, the last row first
    order = last[np.lexsort((-score[last], code[last]))]
    code, relevant = code[order], relevant[order]
    counts = np.bincount(code)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    before = np.concatenate([[0], np.cumsum(relevant)])
    return code, relevant, np.arange(len(code)) - start + 1, before[1:] - before[start]


def _mean(score: NDArray[Any], n_relevant: NDArray[Any], no_relevant: str) -> float:
    """Mean over the questions, or over those with a relevant row."""
    if no_relevant not in ("zero", "skip"):
        raise ValueError(f"no_relevant must be 'zero' or 'skip'; got {no_relevant!r}.")
    if no_relevant == "skip":
        score = score[n_relevant > 0]
        if not len(score):
            raise ValueError("No question has a relevant row: there is none to score.")
    return float(score.mean())


def _array(values: Any) -> NDArray[Any]:
    """An array, of objects where a list might mix numbers and str."""
    if isinstance(values, (list, tuple)):
        try:
            return np.array(values, dtype=object)
        except ValueError:
            raise ValueError("Rows differ in shape.") from None
    return np.asarray(values)


def check_relevance(true: NDArray[Any]) -> NDArray[np.bool_]:
    """Relevance of 0 and 1 as booleans."""
    try:
        numbers = true.astype(np.float64)
    except (TypeError, ValueError):
        numbers = np.array([_number(value) for value in true.tolist()])
    bad = np.flatnonzero((numbers != 0) & (numbers != 1))
    if len(bad):
        raise ValueError(
            f"Relevance must be 0 or 1; y_true[{bad[0]}] is "
            f"{_describe(true[bad[0]])}. Make graded relevance binary first, such as "
            "by y_true >= 1."
        )
    return numbers == 1


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def query_codes(query: Any) -> NDArray[np.intp]:
    """Numbers of the questions, in order of appearance."""
    values = column_or_1d(_array(query).astype(object), input_name="query")
    try:
        distinct, code = numbered_texts(values)
    except TypeError as error:
        raise ValueError(f"Queries must be hashable: {error}.") from error
    for number, value in enumerate(distinct):
        if _is_missing(value):
            row = np.flatnonzero(code == number)[0]
            raise ValueError(f"The query of row {row} is missing: {_describe(value)}.")
    return code
