"""Where the pages of the documentation are."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

HOME = "https://skparaphrase.readthedocs.io/en/latest"


class DocumentedOnline:
    """Mixin of estimators: scikit-learn's HTML shows a link to their pages.

    Stands before `BaseEstimator` among the bases, whose link is one to scikit-learn.
    Classes of other packages that derive from ours have no link.
    """

    _doc_link_module = "skparaphrase"
    _doc_link_template = (
        f"{HOME}/api/generated/{{estimator_module}}.{{estimator_name}}.html"
    )
