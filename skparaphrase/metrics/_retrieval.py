"""Scorer of retrieval with a search or an encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from skparaphrase._math import unit_vectors
from skparaphrase._typing import Encoder, Indices, Searcher, Texts, Vectors
from skparaphrase.metrics._ranking import check_relevance
from skparaphrase.metrics._relevance import Grades, check_qrels, cutoff, mean_score
from skparaphrase.metrics._similarity import transform_pairs
from skparaphrase.text import check_pairs, check_texts
from skparaphrase.text._check import ROWS, check_single_texts, unique_texts

_METRICS = r"(mrr|map)(@[1-9]\d*)?|(ndcg|recall|success)@[1-9]\d*"
_ENTRIES = 2**22  # cosines computed at a time
_TIE = 1e-6  # cosines that differ by less are equal up to rounding


class RetrievalScorer:
    """Score a search or an encoder by the ranks of the relevant texts.

    This is a scorer for `GridSearchCV`, `cross_validate` and
    :class:`~skparaphrase.callback.ScoreMonitor` that does not need graded pairs. It
    scores on its own queries. Without queries, it scores an encoder on the test part of
    the split.

    A fitted search, such as :class:`~skparaphrase.search.SemanticSearch`, is measured
    as it is used, with its index, masks and words: the scorer calls
    ``search.search(queries, k=k)`` and looks for the relevant texts among the hits.
    These are given by `pairs`, or by their ids in `qrels`.

    With an encoder, all distinct right texts of the pairs are ranked for each left text
    by the cosine of their vectors, and vice versa. With a `corpus`, only the left texts
    are queries, and the right texts are ranked together with the corpus.

    Parameters
    ----------
    pairs : array-like of str of shape (n_pairs, 2), default=None
        At least two paraphrase pairs, or queries and their answers, not used in `fit`.
        Without `qrels`, None takes the pairs that the scorer is called with, such as
        the test part of a split. Split by
        :func:`~skparaphrase.model_selection.pair_groups` to exclude training texts from
        the test part.
    corpus : array-like of str of shape (n_texts,), default=None
        Additional texts to search. It may contain the right texts of the pairs. A
        search ranks its own texts instead.
    queries : mapping of query id to str, default=None
        The texts of queries, instead of `pairs`. Queries that are not in `qrels` are
        left out.
    qrels : mapping of query id to mapping of document id to number, default=None
        The grades of texts for each query, in the form of BEIR and ir_measures. Texts
        with a grade above 0 are relevant; texts without a grade are not. Document ids
        are the ids of the search, or the values of a column if "groups" in
        `search_params` names it. To score an encoder by `qrels`, use it in a search.
    metric : str or list of str, default="mrr"
        "mrr", "map", or "mrr@k", "map@k", "ndcg@k", "recall@k" or "success@k" with a
        number, such as "ndcg@10"; see Notes. With a list, the scorer returns a dict,
        for example for `GridSearchCV(refit="mrr")`.
    search_params : dict, default=None
        Other arguments of `search.search`, such as ``{"mask": mask}``.

    Raises
    ------
    ValueError
        If a query in `qrels` has no text or no relevant document (the message contains
        its id), if not exactly one of `pairs` and `qrels` is given for a search, or if
        there are fewer than two pairs.
    TypeError
        If an encoder is scored by `qrels`.

    See Also
    --------
    STSScorer : For pairs with graded scores.
    map_score : For scores of given candidates.

    Notes
    -----
    For a search, the metrics are as in trec_eval and ir_measures, averaged over the
    queries:

    - "mrr": reciprocal rank of the first relevant text, or 0
    - "map": average precision; relevant texts that are not found count as 0
    - "ndcg": discounted cumulative gain, linear in the grades, divided by the gain of
      the best order [1]_
    - "recall": share of the relevant texts that are found
    - "success": whether any relevant text is found; "success@1" is the share of queries
      whose first hit is relevant

    Texts that are not among the first k hits (100 for "mrr" and "map") count as not
    found. Each query is searched once, with the largest k. If no hit of any query is
    relevant, a warning shows example ids of both. With `pairs`, hits are compared by
    their texts, and a hit with the text of the query is left out.

    For an encoder, each partner is ranked separately: "recall@k" and "success@k" are
    the share of partners with at most this rank, and "mrr" and "map" the mean of 1 /
    rank. For a query with several relevant texts, pass a pair for each of them. A text
    that occurs in several pairs is one candidate. When a partner is ranked, the text
    itself and its partners in other pairs are left out. Ties are ranked
    pessimistically: candidates whose cosine equals the partner's within 1e-6 rank
    before it. The cosine of a zero vector is 0. Cosines are computed in blocks: time
    grows with the square of the number of pairs, but memory does not.

    References
    ----------
    .. [1] Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR
       techniques".

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.metrics import RetrievalScorer
    >>> scorer = RetrievalScorer(load_paraphrases().data[:500])
    >>> round(scorer(AverageEncoder()), 2)
    0.71

    A search, with graded texts:

    >>> from skparaphrase.search import SemanticSearch
    >>> texts = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
    >>> search = SemanticSearch().fit(texts, ids=["parcel", "refund", "bikes"])
    >>> scorer = RetrievalScorer(
    ...     queries={"q1": "My package is lost.", "q2": "Do you have bicycles?"},
    ...     qrels={"q1": {"parcel": 2, "refund": 1}, "q2": {"bikes": 2}},
    ...     metric=["ndcg@2", "success@1"],
    ... )
    >>> scorer(search)
    {'ndcg@2': 1.0, 'success@1': 1.0}

    Without pairs, in a search for parameters:

    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> from skparaphrase.model_selection import pair_groups
    >>> pairs = load_paraphrases().data[:300]
    >>> search = GridSearchCV(
    ...     ParaphraseEncoder(random_state=0), {"max_epochs": [0, 2]},
    ...     cv=GroupKFold(3), scoring=RetrievalScorer(),
    ... )
    >>> search.fit(pairs, groups=pair_groups(pairs)).best_params_
    {'max_epochs': 2}
    """

    def __init__(
        self,
        pairs: Texts | None = None,
        *,
        corpus: Texts | None = None,
        queries: Mapping[Any, str] | None = None,
        qrels: Mapping[Any, Grades] | None = None,
        metric: str | list[str] = "mrr",
        search_params: Mapping[str, Any] | None = None,
    ) -> None:
        self.pairs = None if pairs is None else _enough(check_pairs(pairs))
        self.corpus = None if corpus is None else check_single_texts(corpus, "corpus")
        self.queries, self.qrels = queries, qrels
        if queries is not None and qrels and pairs is None:
            check_qrels(queries, qrels)
        elif queries is not None or qrels is not None:
            raise ValueError("Pass pairs, or queries and qrels.")
        names = [metric] if isinstance(metric, str) else list(metric)
        for name in names or [""]:
            if not isinstance(name, str) or not re.fullmatch(_METRICS, name):
                raise ValueError(
                    'metric must be "mrr", "map", "mrr@k", "map@k", "ndcg@k", '
                    f'"recall@k" or "success@k", or a list of these; got {name!r}.'
                )
        self.metric = metric
        self.search_params = dict(search_params or {})
        if {"k", "as_frame"} & self.search_params.keys():
            raise ValueError("search_params cannot have k or as_frame: metric sets k.")
        self.__name__ = ", ".join(names)  # axis label of learning curves

    def __call__(
        self,
        estimator: Encoder | Searcher,
        X: Texts | None = None,
        y: ArrayLike | None = None,
    ) -> float | dict[str, float]:
        """Score a fitted search or encoder, or a pipeline that ends in a transformer.

        Parameters
        ----------
        estimator : estimator
            A search has a method `search(queries, k=...)`, which returns hits, such as
            a mapping with "id" and "text", each of shape (n_queries, k), best first.
            The `transform` of an encoder maps pairs to vectors of shape (n_pairs, 2,
            d), and the texts of a corpus to vectors of shape (n_texts, d).
        X : array-like of str of shape (n_pairs, 2) or (n_triplets, 3), default=None
            Ignored if the scorer has pairs or qrels. Hard negatives, the third column,
            are part of the corpus.
        y : array-like of shape (n_pairs,), default=None
            Marks: 1 or True for paraphrases, and 0 for other pairs, which are left out.
            Ignored if the scorer has pairs or qrels.

        Returns
        -------
        score : float or dict of str to float
            From 0 to 1; a dict if `metric` is a list.
        """
        names = [self.metric] if isinstance(self.metric, str) else self.metric
        if isinstance(estimator, Searcher):
            hits, qrels = self._find(estimator, max(map(cutoff, names)))
            scores = {name: mean_score(name, hits, qrels) for name in names}
        else:
            ranks = self._partner_ranks(estimator, X, y)
            scores = {name: _score(name, ranks) for name in names}
        return scores[self.metric] if isinstance(self.metric, str) else scores

    def _find(self, search: Searcher, k: int) -> tuple[list[list[Any]], list[Grades]]:
        """The hits of each query, and the grades of texts."""
        params = self.search_params
        if self.queries is not None and self.qrels is not None:
            texts = [self.queries[name] for name in self.qrels]
            hits = search.search(texts, k=k, **params)
            groups = params.get("groups")
            ids = hits[groups if isinstance(groups, str) else "id"]
            return ids.tolist(), [*self.qrels.values()]
        if self.pairs is None:
            raise ValueError("To score a search, pass pairs, or queries and qrels.")
        right: dict[str, dict[Any, float]] = {}
        for query, text in self.pairs:
            right.setdefault(query, {})[text] = 1
        rows = search.search([*right], k=k + 1, **params)["text"].tolist()
        for row, query in zip(rows, right, strict=True):
            if query in row and query not in right[query]:
                row.remove(query)  # a query is not its own answer
        return rows, [*right.values()]

    def _partner_ranks(
        self, encoder: Encoder, X: Texts | None, y: ArrayLike | None
    ) -> Indices:
        if self.qrels is not None:
            raise TypeError(
                "qrels need a search: SemanticSearch(encoder).fit(texts, ids=ids)."
            )
        pairs, corpus = self.pairs, self.corpus
        if pairs is None:
            pairs, negatives = _read_fold(X, y)
            if negatives is not None:
                corpus = negatives if corpus is None else np.append(corpus, negatives)
        vectors = _checked_units(transform_pairs(encoder, pairs))
        if corpus is None:
            _, texts = unique_texts(pairs)
            return partner_ranks(vectors[:, 0], vectors[:, 1], texts)
        others = _checked_units(np.asarray(encoder.transform(corpus)))
        _, texts = unique_texts(np.concatenate([*pairs.T, corpus]))
        asked, texts = np.split(texts, [len(pairs)])
        rows = np.concatenate([vectors[:, 1], others])
        return _ranks(vectors[:, 0], asked, rows, texts)

    def __repr__(self) -> str:
        size = "" if self.pairs is None else f"{len(self.pairs)} pairs"
        size = size if self.qrels is None else f"{len(self.qrels)} queries"
        return f"RetrievalScorer({size})"


def _read_fold(
    X: Texts | None, y: ArrayLike | None
) -> tuple[NDArray[np.object_], NDArray[np.object_] | None]:
    """Pairs, and the hard negatives of triplets."""
    if X is None:
        raise ValueError(
            "RetrievalScorer() scores the pairs it is called with: pass X, or "
            "RetrievalScorer(pairs)."
        )
    rows = check_texts(X, widths=ROWS)
    if rows.shape[1:] == (3,):
        return _enough(rows[:, :2]), rows[:, 2]
    pairs = check_pairs(rows)
    if y is not None:
        check_consistent_length(pairs, y)
        pairs = pairs[check_relevance(column_or_1d(y))]
    return _enough(pairs), None


def _enough(pairs: NDArray[np.object_]) -> NDArray[np.object_]:
    if len(pairs) < 2:
        raise ValueError(f"RetrievalScorer needs at least 2 pairs; got {len(pairs)}.")
    return pairs


def _score(metric: str, ranks: Indices) -> float:
    """Mean over partners; each is the only relevant text."""
    gains = {"mrr": 1 / ranks, "map": 1 / ranks, "ndcg": 1 / np.log2(1 + ranks)}
    name, _, k = metric.partition("@")
    return float(np.mean((ranks <= float(k or "inf")) * gains.get(name, 1.0)))


def _checked_units(vectors: Vectors) -> Vectors:
    assert_all_finite(vectors, input_name="vectors")
    return unit_vectors(vectors)


def partner_ranks(left: Vectors, right: Vectors, texts: Indices) -> Indices:
    """Ranks of the partners of all left texts, then of all right texts, counted from 1.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs, d)
        Unit vectors; row `i` of both is a pair.
    texts : ndarray of int of shape (n_pairs, 2)
        Index of each text, equal for equal texts.
    """
    forward = _ranks(left, texts[:, 0], right, texts[:, 1])
    return np.append(forward, _ranks(right, texts[:, 1], left, texts[:, 0]))


def _ranks(queries: Vectors, asked: Indices, rows: Vectors, texts: Indices) -> Indices:
    """Rank of the partner of each query among distinct texts, counted from 1.

    The partners are the first rows. `asked` and `texts` are the indices of the texts of
    queries and rows.
    """
    candidates, first, column = np.unique(texts, return_index=True, return_inverse=True)
    column = column[: len(queries)]
    vectors = rows[first]
    # Candidates that are not wrong: partners in any pair, and the text itself.
    row = np.concatenate([asked, candidates])
    skipped = np.concatenate([column, np.arange(len(candidates))])
    shape = 1 + max(asked.max(), texts.max()), len(candidates)
    is_skipped = csr_array((np.ones(len(row), bool), (row, skipped)), shape=shape)
    ranks = np.empty(len(queries), dtype=np.intp)
    step = max(_ENTRIES // len(candidates), 1)
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        cosines = queries[block] @ vectors.T
        least = np.take_along_axis(cosines, column[block, np.newaxis], axis=1) - _TIE
        cosines[is_skipped[asked[block]].nonzero()] = -np.inf
        ranks[block] = 1 + np.count_nonzero(cosines >= least, axis=1)
    return ranks
