"""Splits of pairs of texts for model selection."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from skparaphrase.text import check_pairs, unique_texts

__all__ = ["pair_groups"]


def pair_groups(pairs: Any) -> NDArray[np.intp]:
    """Group pairs that are linked by texts in common.

    If texts recur, a split by rows puts the same text into training and test sets;
    :class:`~sklearn.model_selection.GroupKFold` with these groups does not.

    Parameters
    ----------
    pairs : array-like of str of shape (n_pairs, 2)

    Returns
    -------
    groups : ndarray of shape (n_pairs,)
        Connected components, numbered in order of appearance, of the graph whose nodes
        are texts and whose edges are pairs.

    Examples
    --------
    >>> from skparaphrase.model_selection import pair_groups
    >>> pair_groups([("a", "b"), ("c", "d"), ("e", "b"), ("d", "f")])
    array([0, 1, 0, 1])
    """
    texts = check_pairs(pairs)
    distinct, inverse = unique_texts(texts)
    nodes = np.arange(texts.size) if inverse is None else inverse
    first, second = nodes.reshape(-1, 2).T
    graph = coo_array(
        (np.ones(len(texts), dtype=bool), (first, second)),
        shape=(len(distinct), len(distinct)),
    )
    _, component = connected_components(graph, directed=False)
    _, appeared, groups = np.unique(
        component[first], return_index=True, return_inverse=True
    )
    order = np.empty(len(appeared), dtype=np.intp)
    order[np.argsort(appeared)] = np.arange(len(appeared))
    return order[groups]
