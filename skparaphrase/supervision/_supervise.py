"""The kind of examples that `X` and `y` hold, by their shapes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from skparaphrase._compat import check_weights, safe_indexing
from skparaphrase._estimator import warn_caller
from skparaphrase._typing import Texts
from skparaphrase.supervision._examples import Examples, Rows
from skparaphrase.supervision._graded import GradedPairs
from skparaphrase.supervision._labels import LabelledTexts
from skparaphrase.supervision._paraphrases import Paraphrases, Triplets
from skparaphrase.supervision._teacher import TeacherVectors
from skparaphrase.text import ROWS, StoredTexts, check_fit_texts, check_texts, is_stored

#: The kinds, of which the first one that matches is taken.
KINDS: tuple[type[Examples], ...] = (
    TeacherVectors,
    LabelledTexts,
    Triplets,
    GradedPairs,
    Paraphrases,
)


def supervise(
    X: Texts,
    y: ArrayLike | None = None,
    learns_from: Collection[str] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Examples:
    """Find out what `X` and `y` say, by their shapes, and check it.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,), (n_pairs, 2) or (n_triplets, 3)
    y : array-like, default=None
    learns_from : collection of str, default=None
        Names of the kinds that the loss learns from; None: of all.
    sample_weight : array-like of shape (n_examples,), default=None
        Examples of weight 0 are left out.

    Returns
    -------
    examples : Examples

    Raises
    ------
    ValueError
        If shapes, values or the loss do not go together, and for too few examples.

    Warns
    -----
    UserWarning
        If three named columns are read as triplets, and none is named "negative".
    """
    names = frozenset(kind.name for kind in KINDS)
    if learns_from is not None:
        names = frozenset(learns_from)
    rows: Rows
    if TeacherVectors.matches((), y, names):  # whatever `X` is; in memory
        rows = check_fit_texts(X)
    else:
        rows = StoredTexts.read(X) if is_stored(X) else check_texts(X, widths=ROWS)
    weights = None
    if sample_weight is not None:
        weights = check_weights(sample_weight, len(rows), np.float32)
        kept = np.flatnonzero(weights)
        if y is not None:
            check_consistent_length(weights, y)
            y = safe_indexing(y, kept)
        rows, weights = rows[kept], weights[kept]
    kind = next(kind for kind in KINDS if kind.matches(rows.shape, y, names))
    examples = kind.check(rows, y, weights)
    if kind is Triplets:
        _warn_of_columns(X)
    if kind.name not in names:
        nouns = sorted(kind.noun for kind in KINDS if kind.name in names)
        raise ValueError(
            f"X and y hold {kind.noun}, but the loss learns from "
            f"{' or '.join(nouns)}. loss='auto' takes one that fits."
        )
    if len(examples) < kind.n_min:
        raise ValueError(
            f"Found {len(examples)} samples that are {kind.noun}, while a minimum of "
            f"{kind.n_min} is required: an example is compared with the others."
        )
    return examples


def _warn_of_columns(X: Any) -> None:
    """Warn if the names of three columns do not say that they are triplets."""
    if hasattr(X, "collect"):  # a lazy frame, whose names take long
        return
    names = [*map(str, getattr(X, "column_names", getattr(X, "columns", ())))]
    if names and not names[-1].isdecimal() and "neg" not in names[-1].lower():
        first, second, third = names
        warn_caller(
            f"Columns {first!r}, {second!r} and {third!r} are read as texts, their "
            "paraphrases and hard negatives. If these are pairs, select two columns, "
            f"such as X[[{second!r}, {third!r}]]; if they are triplets, name the third "
            'column "negative".'
        )
