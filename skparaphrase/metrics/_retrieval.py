"""Retrieval of paraphrases: how well an encoder ranks the partner of a text."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from skparaphrase._math import unit_vectors
from skparaphrase._typing import Encoder, Indices, Texts, Vectors
from skparaphrase.metrics._ranking import check_relevance
from skparaphrase.metrics._similarity import transform_pairs
from skparaphrase.text import (
    ROWS,
    check_pairs,
    check_single_texts,
    check_texts,
    unique_texts,
)

_ENTRIES = 2**22  # cosines in memory at a time
_TIE = 1e-6  # cosines that differ by less are equal but for rounding


class RetrievalScorer:
    """Score an encoder on paraphrase pairs, by the rank of the partner of each text.

    A scorer for `GridSearchCV`, `cross_validate` and
    :class:`~skparaphrase.callback.ScoreMonitor` that needs no graded scores. It scores
    on its own pairs, or without any on the test part of the split.

    Each left text ranks all distinct right texts by the cosine of their vectors, and
    each right text the left texts. With a `corpus`, the left texts are queries, which
    rank the right texts and those of the corpus together.

    Parameters
    ----------
    pairs : array-like of str of shape (n_pairs, 2), default=None
        At least two paraphrase pairs, or queries and their answers, not used in `fit`.
        None takes those that the scorer is called with, such as the test part of a
        split. Split by :func:`~skparaphrase.model_selection.pair_groups`, so that no
        text of the test part is trained on.
    corpus : array-like of str of shape (n_texts,), default=None
        More texts to search among. May hold the right texts of the pairs.
    metric : str or list of str, default="mrr"
        "mrr", the mean of 1 / rank of the partners, and "recall@1", "recall@10" or any
        other number, the share of partners of at most this rank. With a list, the
        scorer returns a dict, as `GridSearchCV(refit="mrr")` understands.

    See Also
    --------
    STSScorer : For pairs with graded scores.

    Notes
    -----
    For a query with several relevant texts, pass a pair for each of them. A text that
    occurs in several pairs is one candidate, and is the partner wherever it equals the
    partner. The text itself is left out, and so are the partners of other pairs where
    a partner is ranked alone. Ties are ranked pessimistically: candidates whose cosine
    equals that of the partner, within 1e-6, rank before it. The cosine of a zero vector
    is 0. Cosines are computed in blocks: time grows with the square of the number of
    pairs, memory does not.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.metrics import RetrievalScorer
    >>> scorer = RetrievalScorer(load_paraphrases().data[:500])
    >>> round(scorer(AverageEncoder()), 2)
    0.71

    Without pairs, in a search:

    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.model_selection import pair_groups
    >>> pairs = load_paraphrases().data[:300]
    >>> search = GridSearchCV(
    ...     ParagramEncoder(random_state=0), {"max_epochs": [0, 2]},
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
        metric: str | list[str] = "mrr",
    ) -> None:
        self.pairs = None if pairs is None else _enough(check_pairs(pairs))
        self.corpus = None if corpus is None else check_single_texts(corpus, "corpus")
        names = [metric] if isinstance(metric, str) else list(metric)
        for name in names:
            if not re.fullmatch(r"mrr|recall@[1-9]\d*", name):
                raise ValueError(
                    'metric must be "mrr" or "recall@k", or a list of these; got '
                    f"{name!r}."
                )
        self.metric = metric
        self.__name__ = ", ".join(names)  # the axis label of learning curves

    def __call__(
        self, estimator: Encoder, X: Texts | None = None, y: ArrayLike | None = None
    ) -> float | dict[str, float]:
        """Score a fitted encoder, or a pipeline that ends in a transformer.

        Parameters
        ----------
        estimator : estimator
            Its `transform` maps pairs to vectors of shape (n_pairs, 2, d), and the
            texts of a corpus to vectors of shape (n_texts, d).
        X : array-like of str of shape (n_pairs, 2) or (n_triplets, 3), default=None
            Ignored if the scorer has pairs. Hard negatives, the third column, are part
            of the corpus.
        y : array-like of shape (n_pairs,), default=None
            Marks paraphrases with 1 or True, and other pairs, which are left out, with
            0. Ignored if the scorer has pairs.

        Returns
        -------
        score : float or dict of str to float
            From 0 to 1; a dict if `metric` is a list.
        """
        pairs, corpus = self.pairs, self.corpus
        if pairs is None:
            pairs, negatives = _read_fold(X, y)
            if negatives is not None:
                corpus = negatives if corpus is None else np.append(corpus, negatives)
        vectors = np.asarray(transform_pairs(estimator, pairs))
        if vectors.ndim != 3 or vectors.shape[:2] != pairs.shape:
            raise ValueError(
                "RetrievalScorer needs vectors of pairs, shape "
                f"({len(pairs)}, 2, d), but transform gives {vectors.shape}."
            )
        vectors = _checked_units(vectors)
        if corpus is None:
            _, texts = unique_texts(pairs)
            ranks = partner_ranks(vectors[:, 0], vectors[:, 1], texts)
        else:
            others = _checked_units(np.asarray(estimator.transform(corpus)))
            _, texts = unique_texts(np.concatenate([*pairs.T, corpus]))
            asked, texts = np.split(texts, [len(pairs)])
            rows = np.concatenate([vectors[:, 1], others])
            ranks = _ranks(vectors[:, 0], asked, rows, texts)
        if isinstance(self.metric, str):
            return _score(self.metric, ranks)
        return {name: _score(name, ranks) for name in self.metric}

    def __repr__(self) -> str:
        n_pairs = "" if self.pairs is None else f"{len(self.pairs)} pairs"
        return f"RetrievalScorer({n_pairs})"


def _read_fold(
    X: Texts | None, y: ArrayLike | None
) -> tuple[NDArray[np.object_], NDArray[np.object_] | None]:
    """Pairs, and the hard negatives of triplets."""
    if X is None:
        raise ValueError(
            "RetrievalScorer() scores the pairs that it is called with: pass X, or "
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
    name, _, k = metric.partition("@")
    return float(np.mean(1 / ranks if name == "mrr" else ranks <= int(k)))


def _checked_units(vectors: Vectors) -> Vectors:
    assert_all_finite(vectors, input_name="vectors")
    return unit_vectors(vectors)


def partner_ranks(left: Vectors, right: Vectors, texts: Indices) -> Indices:
    """Ranks of the partners of all left texts, then of all right texts, from 1.

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
    """Rank of the partner of each query among distinct texts, from 1.

    The partners are the first rows; `asked` and `texts` are indices of the texts of
    queries and rows.
    """
    candidates, first, column = np.unique(texts, return_index=True, return_inverse=True)
    column = column[: len(queries)]
    vectors = rows[first]
    # The candidates that are not wrong: partners in any pair, and the text itself.
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
