"""Features of pairs for any classifier or regressor."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import fit_context
from skparaphrase._docs import DocumentedOnline
from skparaphrase._output import LastAxisTransformer
from skparaphrase.metrics._paired import cosine_similarity
from skparaphrase.pairs._check import check_pair_vectors

_Vectors = NDArray[np.floating]

_FEATURES: dict[str, Callable[[_Vectors, _Vectors], _Vectors]] = {
    "product": lambda first, second: first * second,
    "absdiff": lambda first, second: np.abs(first - second),
    "difference": lambda first, second: first - second,
    "sum": lambda first, second: first + second,
    "first": lambda first, second: first,
    "second": lambda first, second: second,
    "cosine": lambda first, second: cosine_similarity(first, second)[:, np.newaxis],
}


class PairFeatures(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    """Vectors of pairs to one row of features a pair.

    The default, product and absolute difference, are the features of Tai et al. (2015),
    which Wieting et al. (2016) and Arora et al. (2017) use; both are symmetric in the
    two sentences.

    Parameters
    ----------
    how : sequence of str, default=("product", "absdiff")
        Any of "product", "absdiff", "difference" (first less second), "sum", "first",
        "second", each of width d, and "cosine", of width 1; side by side.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"how": ["array-like"]}

    def __init__(self, how: Sequence[str] = ("product", "absdiff")) -> None:
        self.how = how

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the shape and the names of features.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, d)

        y : None
            Ignored.

        Returns
        -------
        self : PairFeatures
        """
        unknown = [n for n in self.how if not isinstance(n, str) or n not in _FEATURES]
        if unknown or not len(self.how):
            raise ValueError(
                f"how must hold some of {sorted(_FEATURES)}; got {self.how!r}."
            )
        check_pair_vectors(X, self, reset=True)
        return self

    def transform(self, X: Any) -> Any:
        """Features of each pair.

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
        columns = [_FEATURES[name](first, second) for name in self.how]
        return self._wrap(np.concatenate(columns, axis=1), X)

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
        names = [
            name if name == "cosine" else f"{name}{i}"
            for name in self.how
            for i in range(1 if name == "cosine" else self.n_features_in_)
        ]
        return np.asarray(names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = False
        assert tags.transformer_tags is not None
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
