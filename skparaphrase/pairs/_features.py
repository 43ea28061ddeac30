"""Features of pairs of vectors or of texts, for any classifier or regressor."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils import Tags, TransformerTags, check_array
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, fit_context
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._math import check_pair_features, cosine, pair_features
from skparaphrase._output import LastAxisTransformer, check_pair_vectors
from skparaphrase._typing import Texts
from skparaphrase.text import check_pairs
from skparaphrase.text._check import unique_texts

_DEFAULTS, _FACTORS = ("product", "absdiff", "cosine"), (1.0, 0.3, 3.0)


class PairFeatures(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    """Convert the two vectors of each pair to one row of features.

    Product and absolute difference are the features of Tai et al. (2015), Wieting et
    al. (2016) and Arora et al. (2017). The cosine is the most informative feature. All
    three are symmetric in the two sentences.

    Parameters
    ----------
    features : sequence of str, default=None
        Any of "product", "absdiff", "difference" (first minus second), "sum", "first",
        "second", each of width d, and "cosine", of width 1. They are concatenated. None
        is ("product", "absdiff", "cosine"), multiplied by 1, 0.3 and 3. With unit
        vectors, the penalty of a linear model then hardly affects the cosine and keeps
        the other weights small. The factors were chosen on SICK dev, MSRP train and STS
        2012 train.

    Attributes
    ----------
    n_features_in_ : int
        Length d of the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.pairs import PairFeatures
    >>> vectors = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    >>> features = PairFeatures()
    >>> features.fit_transform(vectors).round(2)
    array([[3.  , 8.  , 0.6 , 0.6 , 2.95]])
    >>> features.get_feature_names_out().tolist()
    ['product0', 'product1', 'absdiff0', 'absdiff1', 'cosine']
    >>> PairFeatures(("product", "absdiff")).fit_transform(vectors)
    array([[3., 8., 2., 2.]])
    """

    n_features_in_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "features": ["array-like", None]
    }

    def __init__(self, features: Sequence[str] | None = None) -> None:
        self.features = features

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Check the vectors and the names of the features.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, d)
        y : None
            Ignored.

        Returns
        -------
        self : PairFeatures
        """
        check_pair_features(self._names)
        check_pair_vectors(X, self, reset=True)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Compute the features of each pair.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, d)

        Returns
        -------
        features : ndarray of shape (n_pairs, n_features_out)
        """
        check_is_fitted(self)
        vectors = check_pair_vectors(X, self, reset=False)
        first, second = vectors[:, 0], vectors[:, 1]
        blocks = pair_features(self._names, first, second, _cosine_column)
        if self.features is None:
            blocks = [b * f for b, f in zip(blocks, _FACTORS, strict=True)]
        return self._wrap(np.concatenate(blocks, axis=1), X)

    def get_feature_names_out(self, input_features: None = None) -> NDArray[np.object_]:
        """Get names such as "product0", in the order of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str objects of shape (n_features_out,)
        """
        check_is_fitted(self)
        return _feature_names(self._names, [*map(str, range(self.n_features_in_))])

    @property
    def _names(self) -> Sequence[str]:
        return _DEFAULTS if self.features is None else self.features

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        return tags


class PairVectorizer(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    """Convert pairs of texts to features with a vectorizer of single texts.

    The vectorizer is fitted to the texts of both sides and maps each text to a row. The
    two rows of a pair become its features as in :class:`PairFeatures`. If columns are
    words, "product" indicates words in both texts, and "absdiff" words in only one of
    them. Features of sparse rows are sparse.

    Parameters
    ----------
    vectorizer : transformer of texts, default=None
        For example `CountVectorizer`, `HashingVectorizer`, or a pipeline with
        :class:`~sklearn.decomposition.TruncatedSVD`, whose rows are dense. None uses
        :class:`~sklearn.feature_extraction.text.TfidfVectorizer`.
    features : sequence of str, default=("product", "absdiff")
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
        "features": ["array-like"],
    }

    def __init__(
        self, vectorizer: Any = None, features: Sequence[str] = ("product", "absdiff")
    ) -> None:
        self.vectorizer = vectorizer
        self.features = features

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Texts, y: ArrayLike | None = None) -> Self:
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
        check_pair_features(self.features)
        options = {"dtype": None, "ensure_all_finite": False, "estimator": self}
        pairs = check_array(check_pairs(X), **options)
        if y is not None:
            y = np.repeat(np.asarray(y), 2, axis=0)
        vectorizer = TfidfVectorizer() if self.vectorizer is None else self.vectorizer
        self.vectorizer_ = clone(vectorizer).fit(pairs.ravel().tolist(), y)
        return self

    def transform(self, X: Texts) -> Any:
        """Compute the features of each pair.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        features : csr_array of shape (n_pairs, n_features_out)
            An ndarray if the rows are dense, or a frame if `set_output` requests one.
        """
        check_is_fitted(self)
        pairs = check_pairs(X)
        distinct, indices = unique_texts(pairs)
        rows = _as_rows(self.vectorizer_.transform(distinct or [""]))
        first, second = rows[indices[:, 0]], rows[indices[:, 1]]
        blocks = pair_features(self.features, first, second, _cosine_column)
        return self._concatenate(blocks, X)

    def get_feature_names_out(self, input_features: None = None) -> NDArray[np.object_]:
        """Get names such as "product_word", in the order of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str objects of shape (n_features_out,)
        """
        check_is_fitted(self)
        words = self.vectorizer_.get_feature_names_out()
        return _feature_names(self.features, [f"_{word}" for word in words])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False  # of numbers
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


def _as_rows(rows: Any) -> Any:
    """Convert to a CSR or dense array of a type that can be subtracted."""
    rows = sparse.csr_array(rows) if sparse.issparse(rows) else np.asarray(rows)
    return rows.astype(np.int64) if rows.dtype.kind in "bu" else rows  # 0 - 1 is -1


def _cosine_column(first: Any, second: Any) -> Any:
    """Cosines of dense or sparse rows, of shape (n, 1)."""
    if not sparse.issparse(first):
        dtype = np.result_type(first, np.float32)  # the rows may be integers
        first, second = (rows.astype(dtype, copy=False) for rows in (first, second))
        return cosine(first, second)[:, np.newaxis]
    if not first.shape[0]:
        return first[:, :1]
    cosines = (normalize(first) * normalize(second)).sum(axis=1)
    return sparse.csr_array(cosines[:, np.newaxis])


def _feature_names(features: Sequence[str], suffixes: Sequence[str]) -> NDArray[Any]:
    """Names of the columns; the cosine has one column, without a suffix."""
    names = [
        name + suffix
        for name in features
        for suffix in ([""] if name == "cosine" else suffixes)
    ]
    return np.asarray(names, dtype=object)
