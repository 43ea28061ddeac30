"""Removal of the directions that all sentence vectors share."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral
from typing import Any, ClassVar, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    Interval,
    check_same_namespace,
    fit_context,
    get_namespace,
)
from skparaphrase._docs import DocumentedOnline
from skparaphrase._output import LastAxisTransformer
from skparaphrase._threads import one_blas_thread
from skparaphrase._validation import check_last_axis
from skparaphrase.decomposition._products import add_gram, without

_SMALL = 512  # up to here threads of LAPACK gain nothing, and wait where others work


class CommonComponentRemoval(LastAxisTransformer, DocumentedOnline, BaseEstimator):
    r"""Remove the first principal directions of vectors.

    Lines 4 to 7 of algorithm 1 of Arora et al. (2017): with :math:`u` the first right
    singular vector of the matrix whose rows are the vectors given to `fit`, not
    centred, every vector becomes :math:`v - u u^\top v`. Works on the last axis of
    arrays of shape (n, d), (n, 2, d) and so on.

    Parameters
    ----------
    n_components : int, default=1
        How many directions to remove; 1 is the paper's choice. 0 leaves the vectors as
        they are.

    separate : bool, default=False
        Find the directions of the first and of the second sentences of pairs apart, as
        the paper's code does, and not of all together, as the paper says. Such a
        removal takes pairs only.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, d)
        Orthonormal directions, strongest first. With `separate`, of shape
        (2, n_components, d). Signs are such that the entry largest in magnitude is
        positive.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the (uncentred) sum of squares that lies in each direction. With
        `separate`, of shape (2, n_components).

    n_features_in_ : int
        Length d of the vectors.

    n_samples_seen_ : int
        How many vectors the directions come from; of each side, with `separate`.

    Notes
    -----
    The d x d matrix of inner products, of 256 vectors at a time in their own precision,
    is summed in double, so that memory does not grow with the number of vectors. It is
    kept (8 d^2 bytes; twice, with `separate`) for :meth:`partial_fit` to go on with.
    The paper fits on the very sentences that it evaluates; in a `Pipeline`, fit on the
    training part is applied to the test part. Takes arrays of any library that follows
    the Array API where scikit-learn is configured with `array_api_dispatch=True`.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.decomposition import CommonComponentRemoval
    >>> vectors = np.array([[3.0, 0.1], [3.0, -0.2], [3.0, 0.1]])
    >>> CommonComponentRemoval().fit_transform(vectors).round(3)
    array([[ 0. ,  0.1],
           [ 0. , -0.2],
           [ 0. ,  0.1]])
    """

    components_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    n_samples_seen_: int

    _gram: NDArray[Any]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 0, None, closed="left")],
        "separate": ["boolean"],
    }

    def __init__(self, n_components: int = 1, *, separate: bool = False) -> None:
        self.n_components = n_components
        self.separate = separate

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)

        y : None
            Ignored.

        Returns
        -------
        self : CommonComponentRemoval

        Raises
        ------
        ValueError
            If there are not more vectors than directions, counted over all axes but
            the last, or if `n_components` exceeds d.
        """
        return self._add(X, goes_on=False)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions of these vectors and all that were given before.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)
            The next vectors. The directions are, but for rounding, those of one
            :meth:`fit` on all of them.

        y : None
            Ignored.

        Returns
        -------
        self : CommonComponentRemoval

        Raises
        ------
        ValueError
            As in :meth:`fit`, with the vectors of all calls; if `separate` was another
            before.
        """
        return self._add(X, goes_on=hasattr(self, "_gram"))

    def _add(self, X: Any, *, goes_on: bool) -> Self:
        xp, _ = get_namespace(X)
        if goes_on:
            check_same_namespace(X, self, attribute="components_", method="partial_fit")
        X = self._check(X, reset=not goes_on)
        if self.separate and X.ndim != 3:
            raise ValueError(
                "separate=True needs vectors of pairs, shape (n_pairs, 2, d); got "
                f"shape {tuple(X.shape)}."
            )
        if self.separate:
            sides = [X[:, i, :] for i in range(X.shape[1])]
        else:
            sides = [xp.reshape(X, (-1, X.shape[-1]))]
        if goes_on and self._gram.shape[0] != len(sides):
            raise ValueError(
                "partial_fit goes on with as many sides as it began with, "
                f"{self._gram.shape[0]}; got {len(sides)}. Has `separate` changed?"
            )
        n_samples = int(sides[0].shape[0]) + (self.n_samples_seen_ if goes_on else 0)
        self._check_enough(n_samples, X.shape[-1])
        grams = [
            add_gram(xp, side, self._gram[i, :, :] if goes_on else None)
            for i, side in enumerate(sides)
        ]
        found = [self._directions(xp, gram, X.dtype) for gram in grams]
        components = xp.stack([components for components, _ in found])
        ratios = xp.stack([ratio for _, ratio in found])
        self.components_ = components if self.separate else components[0, :, :]
        self.explained_variance_ratio_ = ratios if self.separate else ratios[0, :]
        self._gram = xp.stack(grams)
        self.n_samples_seen_ = n_samples
        return self

    def transform(self, X: Any) -> Any:
        """Remove the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, ..., d)

        Returns
        -------
        X_new : ndarray of the shape of `X`
            Orthogonal to every direction. Zero vectors stay zero.
        """
        check_is_fitted(self)
        check_same_namespace(X, self, attribute="components_", method="transform")
        xp, _ = get_namespace(X)
        X_checked = self._check(X, reset=False)
        components = xp.astype(self.components_, X_checked.dtype, copy=False)
        if self.separate:
            if X_checked.ndim != 3 or X_checked.shape[1] != components.shape[0]:
                raise ValueError(
                    "Fitted with separate=True on pairs: expected vectors of shape "
                    f"(n_pairs, {components.shape[0]}, d); got {X_checked.shape}."
                )
            removed = xp.stack(
                [
                    without(xp, X_checked[:, i, :], components[i, :, :])
                    for i in range(components.shape[0])
                ],
                axis=1,
            )
        else:
            removed = without(xp, X_checked, components)
        return self._wrap(removed, X)

    def _check(self, X: Any, *, reset: bool) -> Any:
        is_array = hasattr(X, "__array_namespace__")
        X = check_last_axis(X, self, reset=reset, dtype="numeric" if is_array else None)
        xp, _ = get_namespace(X)
        if not xp.isdtype(X.dtype, ("real floating",)):
            X = xp.astype(X, xp.float64)
        return X

    def _check_enough(self, n_samples: int, n_features: int) -> None:
        if self.n_components > n_features:
            raise ValueError(
                f"n_components={self.n_components} exceeds the {n_features} features."
            )
        if self.n_components and n_samples <= self.n_components:
            raise ValueError(
                f"Found array with {n_samples} sample(s), but removing "
                f"{self.n_components} component(s) needs at least "
                f"{self.n_components + 1}: fewer would leave nothing of the vectors."
            )

    def _directions(self, xp: Any, gram: Any, dtype: Any) -> tuple[Any, Any]:
        values, vectors = _eigh(xp, gram)
        # eigh sorts upwards, a direction a column.
        strongest = xp.flip(vectors.T, axis=0)[: self.n_components, :]
        total = xp.sum(xp.maximum(values, xp.zeros_like(values)))
        ratio = xp.flip(values)[: self.n_components] / (total if total > 0 else 1.0)
        largest = xp.argmax(xp.abs(strongest), axis=1, keepdims=True)
        signs = xp.sign(xp.take_along_axis(strongest, largest, axis=1))
        return xp.astype(strongest * signs, dtype), xp.astype(ratio, dtype)

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.array_api_support = True
        assert tags.transformer_tags is not None
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _eigh(xp: Any, gram: Any) -> Any:
    if gram.shape[0] > _SMALL:
        return xp.linalg.eigh(gram)
    with one_blas_thread():
        return xp.linalg.eigh(gram)
