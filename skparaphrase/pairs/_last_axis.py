"""scikit-learn transformers on the vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Tags, TransformerTags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import fit_context
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._output import LastAxisTransformer, check_last_axis


class LastAxis(
    LastAxisTransformer, MetaEstimatorMixin, DocumentedOnline, BaseEstimator
):
    """Apply a scikit-learn transformer to the last axis of an array.

    Vectors of pairs, shape (n_pairs, 2, d), are reshaped to 2 n_pairs rows for the
    transformer, and its result is reshaped to pairs.

    Parameters
    ----------
    transformer : transformer
        Takes an array of shape (n_rows, d), such as
        :class:`~sklearn.decomposition.PCA`.

    Attributes
    ----------
    transformer_ : transformer
        The fitted clone.
    n_features_in_ : int
        Length d of the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> from skparaphrase.pairs import LastAxis
    >>> vectors = np.random.default_rng(0).normal(size=(10, 2, 5))
    >>> LastAxis(PCA(3)).fit_transform(vectors).shape
    (10, 2, 3)
    """

    transformer_: Any
    n_features_in_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"transformer": [object]}

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit the transformer to all vectors as rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)
        y : array-like of shape (n_samples,), default=None
            Repeated for each vector of a sample.
        **fit_params : dict
            Passed to the transformer if it requests them, with metadata routing; those
            with an entry for each sample are repeated as `y` is.

        Returns
        -------
        self : LastAxis
        """
        X = check_last_axis(X, self, reset=True)
        rows = X.reshape(-1, X.shape[-1])

        def repeated(values: Any) -> NDArray[Any]:
            return np.repeat(np.asarray(values), len(rows) // len(X), axis=0)

        routed = process_routing(self, "fit", **fit_params).transformer.fit
        for name, value in routed.items():
            if np.shape(value)[:1] == (len(X),):
                routed[name] = repeated(value)
        y = None if y is None else repeated(y)
        self.transformer_ = clone(self.transformer).fit(rows, y, **routed)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Transform all vectors as rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)

        Returns
        -------
        X_new : ndarray of shape (n_samples, ..., d_new)
        """
        check_is_fitted(self)
        vectors = check_last_axis(X, self, reset=False)
        rows = vectors.reshape(-1, vectors.shape[-1])
        if len(rows):
            rows = self.transformer_.transform(rows)
        else:  # most transformers refuse zero rows
            like = np.zeros((1, vectors.shape[-1]), dtype=vectors.dtype)
            rows = self.transformer_.transform(like)[:0]
        if issparse(rows):
            rows = rows.toarray()
        rows = np.asarray(rows)
        return self._wrap(rows.reshape(*vectors.shape[:-1], rows.shape[-1]), X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the transformer's features.

        Parameters
        ----------
        input_features : array-like of str, default=None

        Returns
        -------
        names : ndarray of str objects
        """
        check_is_fitted(self)
        return self.transformer_.get_feature_names_out(input_features)

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata of `fit` the transformer requests."""
        methods = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(
            transformer=self.transformer,
            method_mapping=methods.add(caller="fit_transform", callee="fit"),
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags
