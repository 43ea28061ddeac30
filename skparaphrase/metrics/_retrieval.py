"""Retrieval of paraphrases: how well an encoder ranks the partner of a text."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import assert_all_finite

from skparaphrase.metrics._similarity import Vectors, unit_vectors
from skparaphrase.text import check_pairs, numbered_texts

_ENTRIES = 2**22  # cosines in memory at a time
_TIE = 1e-6  # cosines that differ by less are equal but for rounding


class RetrievalScorer:
    """Score an encoder on paraphrase pairs, by the rank of the partner of each text.

    A scorer for `GridSearchCV`, `cross_validate` and
    :class:`~skparaphrase.callback.ScoreMonitor` that needs no graded scores: it
    ignores the test part of the split and scores on its own pairs.

    Each left text ranks all distinct right texts by the cosine of their vectors, and
    each right text the left texts. The score is the mean of 1 / rank of the partner
    over both sides of all pairs.

    Parameters
    ----------
    pairs : array-like of str of shape (n_pairs, 2)
        At least two paraphrase pairs, not used in `fit`.

    See Also
    --------
    STSScorer : For pairs with graded scores.

    Notes
    -----
    A text that occurs in several pairs is one candidate, and is the partner wherever
    it equals the partner. The text itself and its partners in other pairs are not wrong
    answers and are left out. Ties are ranked pessimistically: candidates whose cosine
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
    """

    def __init__(self, pairs: Any) -> None:
        self.pairs = check_pairs(pairs)
        if len(self.pairs) < 2:
            raise ValueError(
                f"RetrievalScorer needs at least 2 pairs; got {len(self.pairs)}."
            )
        self.__name__ = "retrieval"  # the axis label of learning curves

    def __call__(self, estimator: Any, X: Any = None, y: Any = None) -> float:
        """Score a fitted encoder, or a pipeline that ends in a transformer.

        Parameters
        ----------
        estimator : estimator
            Its `transform` maps pairs to vectors of shape (n_pairs, 2, d).
        X, y : ignored

        Returns
        -------
        score : float
            Greater than 0, at most 1.
        """
        vectors = np.asarray(estimator.transform(self.pairs))
        if vectors.ndim != 3 or vectors.shape[:2] != self.pairs.shape:
            raise ValueError(
                "RetrievalScorer needs vectors of pairs, shape "
                f"({len(self.pairs)}, 2, d), but transform gives {vectors.shape}."
            )
        _, texts = numbered_texts(self.pairs)
        return retrieval_mrr(vectors[:, 0], vectors[:, 1], texts)

    def __repr__(self) -> str:
        return f"RetrievalScorer({len(self.pairs)} pairs)"


def retrieval_mrr(left: Vectors, right: Vectors, texts: NDArray[np.intp]) -> float:
    """Mean reciprocal rank of partners, as of :class:`RetrievalScorer`.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs, d)
        Row `i` of both is a pair.
    texts : ndarray of int of shape (n_pairs, 2)
        Number of each text, at least 0 and equal for equal texts.
    """
    for vectors in (left, right):
        assert_all_finite(vectors, input_name="vectors")
    left, right = unit_vectors(left), unit_vectors(right)
    forward = _ranks(left, right, texts)
    backward = _ranks(right, left, texts[:, ::-1])
    return float(np.mean(1 / np.stack([forward, backward])))


def _ranks(
    queries: Vectors, partners: Vectors, texts: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Rank of the partner of each query among the distinct partners, from 1."""
    asked = texts[:, 0]
    candidates, first, column = np.unique(
        texts[:, 1], return_index=True, return_inverse=True
    )
    vectors = partners[first]
    # The candidates that are not wrong: partners in any pair, and the text itself.
    rows = np.concatenate([asked, candidates])
    columns = np.concatenate([column, np.arange(len(candidates))])
    shape = (int(texts.max()) + 1, len(candidates))
    known = csr_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=shape)
    ranks = np.empty(len(queries), dtype=np.intp)
    step = max(_ENTRIES // len(candidates), 1)
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        cosines = queries[block] @ vectors.T
        least = np.take_along_axis(cosines, column[block, np.newaxis], axis=1) - _TIE
        cosines[known[asked[block]].nonzero()] = -np.inf
        ranks[block] = 1 + np.count_nonzero(cosines >= least, axis=1)
    return ranks
