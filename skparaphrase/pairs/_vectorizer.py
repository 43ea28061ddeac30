"""Features of pairs from vectorizers of single texts, such as tf-idf."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, fit_context, get_output_config
from skparaphrase._docs import DocumentedOnline
from skparaphrase._output import LastAxisTransformer
from skparaphrase.text import check_pairs, unique_texts


def _product(first: Any, second: Any) -> Any:
    return first.multiply(second) if sparse.issparse(first) else first * second


def _cosine(first: Any, second: Any) -> Any:
    if not first.shape[0]:
        return first[:, :1]
    product = _product(normalize(first), normalize(second)).sum(axis=1)
    column = np.asarray(product).reshape(-1, 1)
    return type(first)(column) if sparse.issparse(first) else column


_FEATURES: dict[str, Callable[[Any, Any], Any]] = {
    "product": _product,
    "absdiff": lambda first, second: abs(first - second),
    "difference": lambda first, second: first - second,
    "sum": lambda first, second: first + second,
    "first": lambda first, second: first,
    "second": lambda first, second: second,
    "cosine": _cosine,
}


class PairVectorizer(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    """Pairs of texts to features, by way of a vectorizer of single texts.

    The vectorizer learns from all texts of the pairs, of both sides alike, and turns
    each text into a row. The two rows of a pair become its features as in
    :class:`PairFeatures`: with words as features, "product" says which words the two
    share and "absdiff" which they do not. Sparse rows give sparse features.

    Parameters
    ----------
    vectorizer : transformer of texts, default=None
        Such as :class:`~sklearn.feature_extraction.text.TfidfVectorizer`, which is what
        None means, `CountVectorizer`, `HashingVectorizer`, or a pipeline of one with
        :class:`~sklearn.decomposition.TruncatedSVD`, which gives dense rows.

    how : sequence of str, default=("product", "absdiff")
        Any of "product", "absdiff", "difference" (first less second), "sum", "first",
        "second", each as wide as the vectorizer's rows, and "cosine", of width 1; side
        by side. The cosine with a zero row is 0.

    Attributes
    ----------
    vectorizer_ : transformer
        The fitted clone. That of a :class:`~sklearn.frozen.FrozenEstimator` is itself.

    See Also
    --------
    PairFeatures : The same of dense vectors of pairs, behind an encoder.

    Notes
    -----
    A text that stands in many pairs counts as often in document frequencies, but
    `transform` vectorises it once.

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

    Beside the vectors of an encoder:

    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.pipeline import FeatureUnion, make_pipeline
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.pairs import PairFeatures
    >>> encoder = FrozenEstimator(SIFEncoder().fit(["any"]))
    >>> union = FeatureUnion(
    ...     [("vectors", make_pipeline(encoder, PairFeatures())), ("words", features)]
    ... )
    >>> union.fit_transform(pairs).shape
    (2, 266)
    """

    vectorizer_: Any

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "vectorizer": [HasMethods(["fit", "transform"]), None],
        "how": ["array-like"],
    }

    def __init__(
        self,
        vectorizer: Any = None,
        how: Sequence[str] = ("product", "absdiff"),
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
            Given to the vectorizer for each text of the pair; most ignore it.

        Returns
        -------
        self : PairVectorizer

        Raises
        ------
        ValueError, TypeError
            If `X` does not hold pairs of texts, or no pair at all; for unknown names in
            `how`; and what the vectorizer raises.
        """
        self._fit(X, y, "fit")
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and transform the same pairs, which are read once.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)
        y : array-like of shape (n_pairs,), default=None
            As for `fit`.

        Returns
        -------
        features : csr_matrix or ndarray
            As of `transform`.
        """
        X = list(X) if isinstance(X, Iterator) else X
        if not hasattr(self._vectorizer(), "fit_transform"):  # frozen
            return self.fit(X, y).transform(X)
        rows = _as_rows(self._fit(X, y, "fit_transform"))
        return self._features(rows[0::2], rows[1::2], X)

    def transform(self, X: Any) -> Any:
        """Features of each pair.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)
            A text that occurs many times is vectorised once.

        Returns
        -------
        features : csr_matrix of shape (n_pairs, n_features_out)
            An ndarray if the vectorizer's rows are dense, or a frame if `set_output`
            asks for one.

        Raises
        ------
        ValueError, TypeError
            If `X` does not hold pairs of texts; the message has the index. If a frame
            is asked for, but the rows are sparse.
        """
        check_is_fitted(self)
        pairs = check_pairs(X)
        distinct, inverse = unique_texts(pairs)
        rows = _as_rows(self.vectorizer_.transform(distinct or [""]))
        if inverse is None:
            inverse = np.arange(pairs.size)
        return self._features(rows[inverse[0::2]], rows[inverse[1::2]], X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names such as "product_word", in the order of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str objects of shape (n_features_out,)

        Raises
        ------
        AttributeError
            If the vectorizer does not name its features.
        """
        check_is_fitted(self)
        given: list[Any] = []
        if any(name != "cosine" for name in self.how):
            if not hasattr(self.vectorizer_, "get_feature_names_out"):
                raise AttributeError(
                    f"The vectorizer, {type(self.vectorizer_).__name__}, does not "
                    "provide get_feature_names_out."
                )
            given = list(self.vectorizer_.get_feature_names_out())
        names = [
            named
            for name in self.how
            for named in (
                [name] if name == "cosine" else [f"{name}_{word}" for word in given]
            )
        ]
        return np.asarray(names, dtype=object)

    def _vectorizer(self) -> Any:
        return TfidfVectorizer() if self.vectorizer is None else self.vectorizer

    def _fit(self, X: Any, y: Any, method: str) -> Any:
        unknown = [n for n in self.how if not isinstance(n, str) or n not in _FEATURES]
        if unknown or not len(self.how):
            raise ValueError(
                f"how must hold some of {sorted(_FEATURES)}; got {self.how!r}."
            )
        pairs = check_pairs(X)
        if not len(pairs):
            raise ValueError(
                f"Found array with 0 sample(s) (shape={pairs.shape}) while a minimum "
                f"of 1 is required by {type(self).__name__}."
            )
        if y is not None:
            y = np.repeat(np.asarray(y), 2, axis=0)
        vectorizer = clone(self._vectorizer())
        found = getattr(vectorizer, method)(pairs.ravel().tolist(), y)
        self.vectorizer_ = vectorizer
        return found

    def _features(self, first: Any, second: Any, X: Any) -> Any:
        columns = [_FEATURES[name](first, second) for name in self.how]
        if not sparse.issparse(first):
            return self._wrap(np.concatenate(columns, axis=1), X)
        if get_output_config("transform", self)["dense"] != "default":
            raise ValueError(
                "Frames cannot hold sparse features. Reduce the vectorizer's rows, or "
                "use set_output(transform='default')."
            )
        return sparse.hstack(columns, format="csr")

    @property
    def _n_features_out(self) -> int:
        return len(self.get_feature_names_out())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vectorizer_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        assert tags.transformer_tags is not None
        tags.transformer_tags.preserves_dtype = []
        return tags


def _as_rows(rows: Any) -> Any:
    """A CSR matrix or an array of numbers that can be subtracted."""
    rows = rows.tocsr() if sparse.issparse(rows) else np.asarray(rows)
    if rows.dtype.kind in "bu":  # 0 - 1 would wrap around
        rows = rows.astype(np.int64)
    return rows
