"""Features of pairs of vectors, for any classifier or regressor."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize
from sklearn.utils import Tags, TransformerTags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import fit_context
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._math import check_how, cosine, pair_features
from skparaphrase._output import LastAxisTransformer, check_pair_vectors


def cosine_column(first: Any, second: Any) -> Any:
    """Cosines of dense or sparse rows, of shape (n, 1)."""
    if not sparse.issparse(first):
        dtype = np.result_type(first, np.float32)  # integers become floats
        first, second = (rows.astype(dtype, copy=False) for rows in (first, second))
        return cosine(first, second)[:, np.newaxis]
    if not first.shape[0]:
        return first[:, :1]
    cosines = (normalize(first) * normalize(second)).sum(axis=1)
    return sparse.csr_array(cosines[:, np.newaxis])


def pair_feature_names(how: Sequence[str], suffixes: Sequence[str]) -> NDArray[Any]:
    """Names of the columns; the cosine has one column, without a suffix."""
    names = [
        name + suffix
        for name in how
        for suffix in ([""] if name == "cosine" else suffixes)
    ]
    return np.asarray(names, dtype=object)


class PairFeatures(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    """Turn the vectors of each pair into one row of features.

    The default features, product and absolute difference, are those of Tai et al.
    (2015), Wieting et al. (2016) and Arora et al. (2017). Both are symmetric in the two
    sentences.

    Parameters
    ----------
    how : sequence of str, default=("product", "absdiff")
        Any of "product", "absdiff", "difference" (first minus second), "sum", "first",
        "second", each of width d, and "cosine", of width 1; concatenated.

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
    >>> features.fit_transform(vectors)
    array([[3., 8., 2., 2.]])
    >>> features.get_feature_names_out().tolist()
    ['product0', 'product1', 'absdiff0', 'absdiff1']
    """

    n_features_in_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"how": ["array-like"]}

    def __init__(self, how: Sequence[str] = ("product", "absdiff")) -> None:
        self.how = how

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
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
        check_how(self.how)
        check_pair_vectors(X, self, reset=True)
        return self

    def transform(self, X: Any) -> NDArray[np.floating]:
        """Compute the features of each pair.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, d)

        Returns
        -------
        features : ndarray of shape (n_pairs, n_features_out)

        Raises
        ------
        ValueError
            If a feature is too large for the data type.
        """
        check_is_fitted(self)
        vectors = check_pair_vectors(X, self, reset=False)
        try:
            with np.errstate(over="raise"):
                blocks = pair_features(
                    self.how, vectors[:, 0], vectors[:, 1], cosine_column
                )
        except FloatingPointError:
            raise ValueError(
                f"Features overflow {vectors.dtype}: make the vectors shorter, or "
                "convert them to float64."
            ) from None
        return self._wrap(np.concatenate(blocks, axis=1), X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names such as "product0", in the order of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str objects of shape (n_features_out,)
        """
        check_is_fitted(self)
        return pair_feature_names(self.how, [*map(str, range(self.n_features_in_))])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        return tags
