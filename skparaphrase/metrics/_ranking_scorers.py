"""Scorers of rankings by question, for model selection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, Self

from skparaphrase._compat import BaseScorer, cached_call, check_response_method
from skparaphrase.metrics._ranking import (
    mean_average_precision,
    mean_reciprocal_rank,
    split_queries,
)
from skparaphrase.text import check_pairs


class _RankingScorer(BaseScorer):
    """Scorer by question; the instances say what it does."""

    def __init__(self, name: str, metric: Callable[..., float], doc: str) -> None:
        methods = ("decision_function", "predict_proba", "predict")
        super().__init__(metric, 1, {}, methods)
        self._name = name
        self.__doc__ = doc

    def __call__(self, estimator: Any, X: Any, y_true: Any, **params: Any) -> float:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Has `decision_function`, `predict_proba` or `predict`; the first counts.

        X : array-like of shape (n_samples, ...)
            What the estimator takes, such as pairs of question and candidate.

        y_true : array-like of shape (n_samples,) or (n_samples, 2)
            Relevance, 0 or 1; or relevance and query in two columns.

        **params : dict
            `query`, array-like of shape (n_samples,), and `no_relevant`, as the metric
            takes them. They need no routing here.

        Returns
        -------
        score : float
        """
        return self._score(partial(cached_call, None), estimator, X, y_true, **params)

    def _score(
        self,
        method_caller: Callable[..., Any],
        estimator: Any,
        X: Any,
        y_true: Any,
        **params: Any,
    ) -> float:
        query = params.pop("query", None)
        if split_queries(y_true)[1] is not None:
            query = None
        elif query is None:
            query = self._questions(X)
        method = check_response_method(estimator, self._response_method).__name__
        score = method_caller(estimator, method, X, pos_label=None)
        return self._score_func(y_true, score, query, **params)

    def _questions(self, X: Any) -> Any:
        try:
            return check_pairs(X)[:, 0]
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self!r} needs the question of each row: a y of two columns, "
                "relevance and query; or the metadata query, which "
                f"{self!r}.set_score_request(query=True) asks for; or an X of pairs of "
                "str, shape (n_samples, 2), whose first column is the question."
            ) from error

    def __repr__(self) -> str:
        return self._name

    def __sklearn_clone__(self) -> Self:
        return deepcopy(self)


_DOC = """Scorer by {long}, for `GridSearchCV` and `cross_validate`.

Ranks by the estimator's `decision_function`, failing that by its `predict_proba` of the
positive class, failing that by `predict`, and gives the scores to
:func:`~skparaphrase.metrics.{metric}`. The question of each row is, in this order,

1. the second column of y, where y has two;
2. the metadata `query`: with metadata routing, `{name}.set_score_request(query=True)`
   asks for it, and `query="groups"` for the groups that
   :class:`~sklearn.model_selection.GroupKFold` splits by. As for every scorer of
   scikit-learn the request stays with the object; `sklearn.base.clone({name})` is one
   of your own;
3. the text of the question, the first column of X.

Raises a ValueError if there is none of these. A question whose rows are spread over
folds is scored in each of them by the rows there: split by groups.

Examples
--------
>>> from sklearn import config_context
>>> from sklearn.base import clone
>>> from sklearn.model_selection import GroupKFold, cross_validate
>>> from sklearn.pipeline import make_pipeline
>>> from skparaphrase.encoders import SIFEncoder
>>> from skparaphrase.metrics import {name}
>>> from skparaphrase.pairs import PairSimilarity
>>> pairs = [
...     ("Who wrote it?", "He wrote it."), ("Who wrote it?", "It is late."),
...     ("Is it late?", "He wrote it."), ("Is it late?", "It is late."),
... ]
>>> pipe = make_pipeline(SIFEncoder(), PairSimilarity())
>>> {name}(pipe.fit(pairs), pairs, [1, 0, 0, 1])
1.0
>>> with config_context(enable_metadata_routing=True):
...     found = cross_validate(
...         pipe, pairs, [1, 0, 0, 1], params={{"groups": [7, 7, 8, 8]}},
...         cv=GroupKFold(2), scoring=clone({name}).set_score_request(query="groups"),
...     )
>>> found["test_score"]
array([1., 1.])
"""

map_scorer = _RankingScorer(
    "map_scorer",
    mean_average_precision,
    _DOC.format(
        name="map_scorer",
        metric="mean_average_precision",
        long="mean average precision",
    ),
)
mrr_scorer = _RankingScorer(
    "mrr_scorer",
    mean_reciprocal_rank,
    _DOC.format(
        name="mrr_scorer", metric="mean_reciprocal_rank", long="mean reciprocal rank"
    ),
)

__test__ = {str(scorer): scorer.__doc__ for scorer in (map_scorer, mrr_scorer)}
