"""`set_output` for transformers that act on the last axis."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from skparaphrase._compat import ADAPTERS_MANAGER, get_output_config


def without_metadata(array: Any) -> Any:
    """A view of the array that `numpy.save` writes without a warning."""
    if isinstance(array, np.ndarray) and array.dtype.metadata is not None:
        return array.view(np.dtype(array.dtype.str))
    return array


class IndexedArray(np.ndarray[Any, Any]):
    """An array that remembers the index of the frame that it was made from.

    Vectors of pairs, which no frame holds, carry it to a step that makes frames again.
    Slices and copies have none, and results of arithmetic are plain arrays. For caches
    the dtype has a digest of it as metadata, of which `numpy.save` warns.
    """

    index: Any = None

    @classmethod
    def of(cls, array: NDArray[Any], index: Any) -> Self:
        """A view of the array, with the index."""
        # joblib hashes bytes and dtype of arrays, and nothing that a subclass adds: a
        # cached step would give the frame of equal vectors, with the index of those.
        dtype = np.dtype(array.dtype.str, metadata={"index": joblib.hash(index)})
        indexed = array.view(dtype).view(cls)
        indexed.index = index
        return indexed

    def __array_wrap__(
        self, array: Any, context: Any = None, return_scalar: bool = False
    ) -> Any:
        plain = without_metadata(np.asarray(array))
        return plain[()] if return_scalar else plain

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: Any = super().__reduce__()
        make, arguments, state = reduced
        return make, arguments, (state, self.index)

    def __setstate__(self, state: Any) -> None:
        state, self.index = state
        super().__setstate__(state)


class LastAxisTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Frames for results of shape (n, d), plain arrays for (n, 2, d).

    scikit-learn wraps every result in the container that `set_output` or the global
    configuration asks for, which fails for more than two dimensions. Classes below wrap
    with :meth:`_wrap` at the end of `transform`.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        kwargs["auto_wrap_output_keys"] = None
        super().__init_subclass__(**kwargs)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the container of two-dimensional results.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, default=None
            None leaves the configuration as it is. Vectors of pairs, of shape
            (n_pairs, 2, dim), are arrays always; with "pandas" they hand the index of
            the pairs on to the frames of later steps, such as `PairFeatures`.

        Returns
        -------
        self : estimator instance
        """
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _wrap(self, vectors: NDArray[Any], X: Any) -> Any:
        kind = get_output_config("transform", self)["dense"]
        if kind == "default" or (vectors.ndim != 2 and kind != "pandas"):
            return vectors
        index = X.index if hasattr(X, "iloc") or isinstance(X, IndexedArray) else None
        if vectors.ndim != 2:
            return vectors if index is None else IndexedArray.of(vectors, index)
        frame = ADAPTERS_MANAGER.adapters[kind].create_container(
            vectors, X, columns=self.get_feature_names_out
        )
        if kind == "pandas" and index is not None:
            frame.index = index
        return frame
