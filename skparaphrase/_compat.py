"""What differs between versions of scikit-learn, and its private names.

The package runs with scikit-learn 1.6 and later; `make matrix` tests each version.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar

import numpy as np
import sklearn
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.metrics._scorer import _BaseScorer as BaseScorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils import check_scalar
from sklearn.utils._openmp_helpers import (
    _openmp_effective_n_threads as effective_n_threads,
)
from sklearn.utils._optional_dependencies import check_matplotlib_support
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    Options,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils._set_output import ADAPTERS_MANAGER
from sklearn.utils._set_output import _get_output_config as get_output_config
from sklearn.utils.validation import _check_response_method as check_response_method
from sklearn.utils.validation import _check_sample_weight
from sklearn.utils.validation import _is_fitted as is_fitted

from skparaphrase._frames import without_masks

Method = TypeVar("Method", bound=Callable[..., Any])

if TYPE_CHECKING:  # scikit-learn's have no types, and would hide those of a method

    def fit_context(
        *, prefer_skip_nested_validation: bool
    ) -> Callable[[Method], Method]: ...

    def with_callbacks(method: Method) -> Method: ...

    class CallbackSupportMixin:
        def set_callbacks(self, *callbacks: Any) -> Self: ...

        def _init_callback_context(self, **options: Any) -> Any: ...

else:
    from sklearn.base import _fit_context as fit_context

    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:  # before 1.9

        class CallbackSupportMixin:
            def set_callbacks(self, *callbacks: Any) -> Never:
                """Raise: only scikit-learn 1.9 and later have callbacks."""
                raise ImportError(
                    "Callbacks need scikit-learn 1.9 or later; this is scikit-learn "
                    f"{sklearn.__version__}. Fits without callbacks work as usual."
                )

        def with_callbacks(method: Method) -> Method:
            return method


def check_int(
    value: Any, name: str, min_val: int = 1, max_val: int | None = None
) -> int:
    """An argument as an int; sums and products of NumPy's small integers overflow."""
    check_scalar(value, name, Integral, min_val=min_val, max_val=max_val)
    return int(value)


def check_real(
    value: Any, name: str, min_val: float | None = None, max_val: float | None = None
) -> None:
    """Raise unless an argument is a number in a range; `check_scalar` lets nan pass."""
    check_scalar(value, name, Real, min_val=min_val, max_val=max_val)
    if np.isnan(value):
        raise ValueError(f"{name} is nan; give a number.")


def check_weights(
    sample_weight: ArrayLike | None, n_samples: int, dtype: DTypeLike = np.float64
) -> NDArray[Any]:
    """Weights that are not negative, nor all zero; None stands for ones."""
    X = np.empty((n_samples, 0))
    weights: NDArray[Any] = _check_sample_weight(
        without_masks(sample_weight), X, dtype=dtype, ensure_non_negative=True
    )
    if not weights.any():  # which scikit-learn checks from 1.9 on
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights
