"""Features of pairs from vectorizers of texts, such as tf-idf."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils import Tags, TransformerTags, check_array
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, fit_context
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._math import check_how, pair_features
from skparaphrase._output import LastAxisTransformer
from skparaphrase.pairs._features import cosine_column, pair_feature_names
from skparaphrase.text import check_pairs, unique_texts


class PairVectorizer(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    """Turn pairs of texts into features, with a vectorizer of single texts.

    The vectorizer is fitted to the texts of both sides and turns each text into a row.
    The two rows of a pair become its features as in :class:`PairFeatures`. If columns
    are words, "product" indicates the words that both texts contain, "absdiff" those
    that only one contains. Sparse rows give sparse features.

    Parameters
    ----------
    vectorizer : transformer of texts, default=None
        For example `CountVectorizer`, `HashingVectorizer`, or a pipeline with
        :class:`~sklearn.decomposition.TruncatedSVD`, which gives dense rows. None is
        :class:`~sklearn.feature_extraction.text.TfidfVectorizer`.
    how : sequence of str, default=("product", "absdiff")
        As in :class:`PairFeatures`. The cosine with a zero row is 0.

    Attributes
    ----------
    vectorizer_ : transformer
        The fitted clone, or the same :class:`~sklearn.frozen.FrozenEstimator`.

    See Also
    --------
    PairFeatures : The same features from the vectors of an encoder.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from skparaphrase.pairs import PairVectorizer
    >>> pairs = [("a cat sat", "the cat sat"), ("buy bread", "cat sat")]
    >>> features = PairVectorizer(CountVectorizer())
    >>> features.fit_transform(pairs).toarray()
    array([[0, 0, 1, 1, 0, 0, 0, 0, 0, 1],
           [0, 0, 0, 0, 0, 1, 1, 1, 1, 0]])
    >>> features.get_feature_names_out()[:5].tolist()
    ['product_bread', 'product_buy', 'product_cat', 'product_sat', 'product_the']
    """

    vectorizer_: Any

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "vectorizer": [HasMethods(["fit", "transform"]), None],
        "how": ["array-like"],
    }

    def __init__(
        self, vectorizer: Any = None, how: Sequence[str] = ("product", "absdiff")
    ) -> None:
        self.vectorizer = vectorizer
        self.how = how

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the vectorizer to the texts of both sides.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)
        y : array-like of shape (n_pairs,), default=None
            Passed to the vectorizer for each text of the pair; most ignore it.

        Returns
        -------
        self : PairVectorizer
        """
        check_how(self.how)
        options = {"dtype": None, "ensure_all_finite": False, "estimator": self}
        pairs = check_array(check_pairs(X), **options)
        if y is not None:
            y = np.repeat(np.asarray(y), 2, axis=0)
        given = self.vectorizer
        vectorizer = TfidfVectorizer() if given is None else clone(given)
        self.vectorizer_ = vectorizer.fit(pairs.ravel().tolist(), y)
        return self

    def transform(self, X: Any) -> Any:
        """Compute the features of each pair.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        features : csr_array of shape (n_pairs, n_features_out)
            An ndarray if the rows are dense, or a frame if `set_output` asks for one.
        """
        check_is_fitted(self)
        pairs = check_pairs(X)
        distinct, indices = unique_texts(pairs)
        rows = _as_rows(self.vectorizer_.transform(distinct or [""]))
        first, second = rows[indices[:, 0]], rows[indices[:, 1]]
        blocks = pair_features(self.how, first, second, cosine_column)
        return self._concatenate(blocks, X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names such as "product_word", in the order of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str objects of shape (n_features_out,)
        """
        check_is_fitted(self)
        if set(self.how) == {"cosine"}:
            return pair_feature_names(self.how, [])
        words = self.vectorizer_.get_feature_names_out()
        return pair_feature_names(self.how, [f"_{word}" for word in words])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


def _as_rows(rows: Any) -> Any:
    """A CSR or a dense array of numbers that can be subtracted."""
    rows = sparse.csr_array(rows) if sparse.issparse(rows) else np.asarray(rows)
    if rows.dtype.kind in "bu":  # 0 - 1 would wrap around
        rows = rows.astype(np.int64)
    return rows
