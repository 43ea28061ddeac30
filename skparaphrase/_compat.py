"""The private names of scikit-learn that we lean on, in one place."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from sklearn.base import _fit_context as fit_context
from sklearn.utils._array_api import check_same_namespace, device, get_namespace
from sklearn.utils._openmp_helpers import (
    _openmp_effective_n_threads as effective_n_threads,
)
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config

__all__ = [
    "ADAPTERS_MANAGER",
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_same_namespace",
    "device",
    "effective_n_threads",
    "fit_context",
    "get_namespace",
    "get_output_config",
]

get_output_config = _get_output_config
