"""Groups of text pairs for model selection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from skparaphrase._math import text_groups
from skparaphrase._typing import Indices, Texts
from skparaphrase.text import check_pairs
from skparaphrase.text._check import unique_texts

__all__ = ["pair_groups"]


def pair_groups(pairs: Texts) -> Indices:
    """Group pairs that are connected by shared texts.

    :class:`~sklearn.model_selection.GroupKFold` with these groups never puts the same
    text into both the training and the test set.

    Parameters
    ----------
    pairs : array-like of str of shape (n_pairs, 2)

    Returns
    -------
    groups : ndarray of shape (n_pairs,)
        Connected components of the graph whose nodes are texts and whose edges are
        pairs, numbered in order of appearance.

    Examples
    --------
    >>> from skparaphrase.model_selection import pair_groups
    >>> pair_groups([("a", "b"), ("c", "d"), ("e", "b"), ("d", "f")])
    array([0, 1, 0, 1])
    """
    return text_groups(unique_texts(check_pairs(pairs))[1])
