"""What every estimator shares: stored parameters, settings of papers, links to docs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

HOME = "https://skparaphrase.readthedocs.io/en/latest"


class DocumentedOnline:
    """Estimators whose HTML links to their pages of the documentation.

    Stands before `BaseEstimator` among the bases, whose link leads to scikit-learn.
    Classes of other packages that derive from ours have no link.
    """

    _doc_link_module = "skparaphrase"
    _doc_link_template = (
        f"{HOME}/api/generated/{{estimator_module}}.{{estimator_name}}.html"
    )


def store_parameters(estimator: Any, arguments: dict[str, Any]) -> None:
    """Store the arguments of `__init__`, given `self` and `locals()`."""
    arguments = {name: value for name, value in arguments.items() if name != "self"}
    vars(estimator).update(arguments)
