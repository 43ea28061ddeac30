"""Metrics and scorers of the ranking of answers, as in trec_eval."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from skparaphrase._compat import BaseScorer, check_response_method
from skparaphrase._frames import without_masks
from skparaphrase._typing import Indices, Predictor, Texts
from skparaphrase.metrics._similarity import check_columns
from skparaphrase.text import check_pairs
from skparaphrase.text._check import describe, is_missing, unique_texts


def map_score(
    y_true: ArrayLike, y_score: ArrayLike, query: ArrayLike | None = None
) -> float:
    r"""Mean average precision (MAP) of the candidates of questions.

    With the candidates of a question in order of score, and :math:`h_k` relevant ones
    among the first :math:`k`, its average precision is the mean of :math:`h_k / k` over
    the ranks :math:`k` of the relevant ones. The score is the mean over questions. This
    is "map" of trec_eval, which He and Lin (2016, section 8) use to evaluate answer
    ranking.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, 2)
        Relevance, 0 or 1, of each candidate; or relevance and query in two columns.
    y_score : array-like of shape (n_samples,)
        Finite scores; the highest score ranks first.
    query : array-like of shape (n_samples,), default=None
        Question of each candidate: a number, str or other hashable, in any order.
        If None, all rows belong to one question, unless `y_true` has two columns.

    Returns
    -------
    score : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If there are no rows, lengths differ, relevance is not 0 or 1, scores are not
        finite, or queries are missing, not hashable or given twice.

    Notes
    -----
    A question without a relevant candidate counts as 0, as in trec_eval. Papers that
    remove such questions score the rows ``np.isin(query, query[y_true == 1])``.

    Among tied rows, the last one ranks first; trec_eval ranks the greater document name
    first. trec_eval 9.0.7 and pytrec_eval round scores to single precision, which may
    create ties; pass ``np.float32(y_score)`` to reproduce their result.

    References
    ----------
    C. Buckley. trec_eval. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from skparaphrase.metrics import map_score
    >>> relevance = [1, 0, 1, 0, 1]
    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> query = ["a", "a", "a", "b", "b"]
    >>> round(map_score(relevance, scores, query), 3)
    0.667
    """
    code, relevant, rank, hits = _rank(y_true, y_score, query)
    n_relevant = np.bincount(code, weights=relevant)
    precision = np.bincount(code, weights=relevant * hits / rank)
    return float(np.mean(precision / np.maximum(n_relevant, 1)))


def mrr_score(
    y_true: ArrayLike, y_score: ArrayLike, query: ArrayLike | None = None
) -> float:
    """Mean reciprocal rank (MRR) of the first relevant candidates.

    This is "recip_rank" of trec_eval, by which He and Lin (2016) select models. The
    errors and notes of :func:`map_score` apply.

    Parameters
    ----------
    y_true, y_score, query
        As in :func:`map_score`.

    Returns
    -------
    score : float
        Between 0 and 1.

    Examples
    --------
    >>> from skparaphrase.metrics import mrr_score
    >>> relevance = [1, 0, 1, 0, 1]
    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> mrr_score(relevance, scores, ["a", "a", "a", "b", "b"])
    0.75
    """
    code, relevant, rank, hits = _rank(y_true, y_score, query)
    reciprocal = np.bincount(code, weights=(relevant & (hits == 1)) / rank)
    return float(reciprocal.mean())


class _RankingScorer(BaseScorer):
    """Score the ranking of answers, in `GridSearchCV` and `cross_validate`.

    `map_scorer` computes :func:`~skparaphrase.metrics.map_score` and
    `mrr_scorer` :func:`~skparaphrase.metrics.mrr_score`, both from the
    `decision_function` of the estimator, or else its `predict_proba` of the positive
    class, or else its `predict`. The question of each row is the second column of y if
    y has two columns, otherwise its text, the first column of X. Split by groups,
    because each fold scores only the rows of a question that it contains.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.metrics import map_scorer
    >>> from skparaphrase.pairs import PairSimilarity
    >>> pairs = [("Who wrote it?", "He wrote it."), ("Who wrote it?", "It is late.")]
    >>> pipe = make_pipeline(SIFEncoder(), PairSimilarity()).fit(pairs)
    >>> map_scorer(pipe, pairs, [1, 0])
    1.0
    """

    def __init__(self, name: str, metric: Callable[..., float]) -> None:
        methods = ("decision_function", "predict_proba", "predict")
        super().__init__(metric, 1, {}, methods)
        self._name = name
        self.__doc__ = type(self).__doc__  # shown by pages of the documentation

    def _score(
        self,
        method_caller: Callable[..., Any],
        estimator: Predictor,
        X: Texts,
        y_true: ArrayLike,
        **params: Any,
    ) -> float:
        query = None if split_queries(y_true)[1] is not None else self._questions(X)
        method = check_response_method(estimator, self._response_method).__name__
        score = method_caller(estimator, method, X, pos_label=None)
        return self._score_func(y_true, score, query, **params)

    def _questions(self, X: Texts) -> Any:
        try:
            return check_pairs(X)[:, 0]
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self!r} needs the question of each row: pass y with two columns, "
                "relevance and query, or X with pairs of str, shape (n_samples, 2), "
                "whose first column is the question."
            ) from error

    def __repr__(self) -> str:
        return self._name

    def __sklearn_clone__(self) -> Self:
        return deepcopy(self)


map_scorer = _RankingScorer("map_scorer", map_score)
mrr_scorer = _RankingScorer("mrr_scorer", mrr_score)


def split_queries(y_true: ArrayLike) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The columns of relevance and of queries, or None without a second column."""
    true = _array(y_true)
    if true.ndim == 2 and true.shape[1] == 2:
        return true[:, 0], true[:, 1]
    return column_or_1d(true), None


def _rank(
    y_true: ArrayLike, y_score: ArrayLike, query: ArrayLike | None
) -> tuple[Indices, NDArray[np.bool_], Indices, Indices]:
    """Sort rows by question and rank: question, relevance, rank, hits so far."""
    (score,) = check_columns({"y_score": y_score})
    true, queries = split_queries(y_true)
    if queries is not None and query is not None:
        raise ValueError("query must be None, as y_true has a column of queries.")
    query = queries if query is None else query
    relevant = check_relevance(true)
    code = np.zeros(len(true), np.intp) if query is None else query_codes(query)
    check_consistent_length(true, score, code)
    last = np.arange(len(code))[::-1]  # with equal scores, the last row ranks first
    order = last[np.lexsort((-score[last], code[last]))]
    code, relevant = code[order], relevant[order]
    counts = np.bincount(code)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    before = np.concatenate([[0], np.cumsum(relevant)])
    return code, relevant, np.arange(len(code)) - start + 1, before[1:] - before[start]


def _array(values: ArrayLike) -> NDArray[Any]:
    """Convert to an array; of objects for a list, which may mix numbers and str."""
    if isinstance(values, (list, tuple)):
        return np.array(values, dtype=object)
    return np.asarray(without_masks(values))


def check_relevance(true: NDArray[Any]) -> NDArray[np.bool_]:
    """Relevance as booleans; raise an error unless it is 0 and 1."""
    values = true.tolist()
    numbers = np.array([_number(value) for value in values])
    bad = np.flatnonzero((numbers != 0) & (numbers != 1))
    if len(bad):
        raise ValueError(
            f"Relevance must be 0 or 1; y_true[{bad[0]}] is "
            f"{describe(values[bad[0]])}. Binarise graded relevance first, for "
            "example with y_true >= 1."
        )
    return numbers == 1


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def query_codes(query: ArrayLike) -> Indices:
    """Index of the question of each row, in order of appearance."""
    values = column_or_1d(_array(query).astype(object))
    try:
        distinct, code = unique_texts(values)
    except TypeError as error:
        raise ValueError(f"Queries must be hashable: {error}.") from error
    for index, value in enumerate(distinct):
        if is_missing(value):
            row = np.flatnonzero(code == index)[0]
            raise ValueError(f"The query of row {row} is missing: {describe(value)}.")
    return code
