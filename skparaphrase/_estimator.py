"""What every estimator shares: stored parameters, links to docs, warnings."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
import warnings
from typing import Any

from numpy.typing import NDArray

HOME = "https://skparaphrase.readthedocs.io/en/latest"
_WITHIN = {"skparaphrase", "sklearn", "joblib"}


class DocumentedOnline:
    """Estimators whose HTML links to their pages of the documentation.

    Stands before `BaseEstimator` among the bases, whose link leads to scikit-learn.
    Classes of other packages that derive from ours have no link.
    """

    _doc_link_module = "skparaphrase"
    _doc_link_template = (
        f"{HOME}/api/generated/{{estimator_module}}.{{estimator_name}}.html"
    )


#: Arrays by name: the fitted state of models, and what trainers give them.
Arrays = dict[str, NDArray[Any]]


def store_parameters(estimator: Any, arguments: dict[str, Any]) -> None:
    """Store the arguments of `__init__`, given `self` and `locals()`."""
    arguments = {name: value for name, value in arguments.items() if name != "self"}
    vars(estimator).update(arguments)


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside this package and scikit-learn that led here.

    `skip_file_prefixes` of Python 3.12 does the same.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _WITHIN:
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
