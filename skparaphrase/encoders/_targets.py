"""What `y` means to an encoder that trains on paraphrases."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase.text import check_pairs


def paraphrase_pairs(
    X: Any, y: Any, *, positive_from: float | None
) -> NDArray[np.object_]:
    """The pairs of `X` that are paraphrases according to `y`.

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2)

    y : array-like of shape (n_pairs,) or None

    positive_from : float or None
        Pairs with this score or more are paraphrases.

    Returns
    -------
    pairs : ndarray of shape (n_paraphrases, 2)

    Raises
    ------
    ValueError
        For scores that are neither 0 nor 1 without `positive_from`, for lengths that
        differ, for fewer than two paraphrases, and for vectors.
    """
    refuse_vectors(y)
    pairs = check_pairs(X)
    chosen = positive_rows(pairs, y, positive_from)
    if chosen is not None:
        pairs = pairs[chosen]
    check_enough(len(pairs))
    return pairs


def refuse_vectors(y: Any) -> None:
    """Raise if `y` holds what only distillation learns from."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) > 1 and shape[-1] > 1:
        raise ValueError(
            f"y has shape {tuple(shape)}: to learn a teacher's vectors set "
            "loss='distillation'."
        )


def positive_rows(
    pairs: Any, y: Any, positive_from: float | None
) -> NDArray[np.bool_] | None:
    """Which of the pairs are paraphrases, shape (n_pairs,); None for all.

    Only the number of pairs is looked at.
    """
    if y is None:
        return None
    labels = np.asarray(y)
    kind = labels.dtype.kind
    if kind in "UT" or (
        kind == "O" and any(isinstance(label, str) for label in labels.flat)
    ):
        raise ValueError(
            "y holds str; say with booleans which pairs are paraphrases, such as "
            "y == 'entailment'."
        )
    scores = column_or_1d(
        check_array(
            y,
            ensure_2d=False,
            dtype=np.float64,
            input_name="y",
            ensure_min_samples=0,
        )
    )
    check_consistent_length(pairs, scores)
    return _positive(scores, positive_from)


def check_enough(n_pairs: int) -> None:
    """Raise if there are no two paraphrases."""
    if n_pairs < 2:
        raise ValueError(
            f"Found {n_pairs} samples that are paraphrases, while a minimum of 2 is "
            "required: the negative examples of a pair are the other pairs."
        )


def _positive(
    scores: NDArray[np.float64], positive_from: float | None
) -> NDArray[np.bool_]:
    if positive_from is not None:
        return scores >= positive_from
    values = set(np.unique(scores).tolist())
    if values <= {0.0, 1.0}:
        return scores == 1
    if values <= {-1.0, 1.0}:
        raise ValueError(
            "y holds -1 and 1; paraphrases are marked with 1, other pairs with 0. "
            "positive_from=1 takes y as it is."
        )
    raise ValueError(
        f"y holds scores between {min(values):g} and {max(values):g}. Say with "
        "positive_from= from which score on a pair is a paraphrase."
    )
