"""The most similar pairs among many texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, Interval, fit_context
from skparaphrase._nearest import nearest
from skparaphrase.search._base import EncoderUser
from skparaphrase.text._check import check_single_texts


class ParaphraseMiner(EncoderUser):
    """Find the pairs of texts with the largest cosines, in one list or across two.

    Compares every text with every other in blocks, never as a whole matrix: time grows
    with the square of the number of texts, memory with the number of texts and pairs.

    Parameters
    ----------
    encoder : transformer, default=None
        As in :class:`SemanticSearch`.
    threshold : float, default=0.7
        The smallest cosine of a pair.
    top_k : int, default=100
        Number of nearest texts considered for each text. A pair is kept if one of its
        texts is among the `top_k` nearest of the other.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.

    See Also
    --------
    NearDuplicates : Groups of texts that mean the same.

    Examples
    --------
    >>> from skparaphrase.search import ParaphraseMiner
    >>> texts = ["A cat sleeps.", "Buy now!", "The cat is asleep.", "It rains."]
    >>> pairs = ParaphraseMiner().fit(texts).mine(texts)
    >>> pairs.row
    array([[0, 2]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["fit", "transform"]), None],
        "threshold": [Interval(Real, -1, 1, closed="both")],
        "top_k": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, encoder: Any = None, *, threshold: float = 0.7, top_k: int = 100
    ) -> None:
        self.encoder = encoder
        self.threshold = threshold
        self.top_k = top_k

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the encoder, unless it is fitted.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,)
        y : ignored

        Returns
        -------
        self : ParaphraseMiner
        """
        self._fit_encoder(check_single_texts(X))
        return self

    def mine(self, texts: Any, others: Any = None) -> Bunch:
        """Find the most similar pairs.

        Parameters
        ----------
        texts : array-like of str of shape (n_texts,)
        others : array-like of str of shape (n_others,), default=None
            The second texts of the pairs. None finds pairs among `texts`, each once.

        Returns
        -------
        pairs : Bunch
            By falling score, then by row, with the fields

            - row : ndarray of int of shape (n_pairs, 2), positions in the lists
            - text : ndarray of shape (n_pairs, 2), dtype object, pairs for an encoder
            - score : ndarray of shape (n_pairs,), the cosine
        """
        check_is_fitted(self)
        texts = check_single_texts(texts, "texts")
        is_one_list = others is None
        others = texts if is_one_list else check_single_texts(others, "others")
        vectors = self._embed(texts)
        other_vectors = vectors if is_one_list else self._embed(others)
        options: Any = {"k": self.top_k, "threshold": self.threshold}
        if is_one_list:
            first, second, score = nearest(vectors, vectors, **options, skip_same=True)
            first, second = np.minimum(first, second), np.maximum(first, second)
        else:
            first, second, score = nearest(vectors, other_vectors, **options)
            back = nearest(other_vectors, vectors, **options)
            first, second = np.append(first, back[1]), np.append(second, back[0])
            score = np.append(score, back[2])
        _, places = np.unique(first * len(others) + second, return_index=True)
        order = places[np.argsort(-score[places], kind="stable")]
        row, score = np.column_stack([first, second])[order], score[order]
        text = np.column_stack([texts[row[:, 0]], others[row[:, 1]]])
        return Bunch(row=row, text=text, score=score)
