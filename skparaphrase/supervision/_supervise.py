"""The kind of examples in `X` and `y`, determined by their shapes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from skparaphrase._compat import check_weights, safe_indexing
from skparaphrase._estimator import warn_caller
from skparaphrase._frames import column_names, without_masks
from skparaphrase._typing import Texts
from skparaphrase.supervision._examples import Examples, Lesson
from skparaphrase.supervision._labels import LabelledTexts
from skparaphrase.supervision._pairs import (
    GradedPairs,
    MarkedPairs,
    Paraphrases,
    Triplets,
    read_scores,
)
from skparaphrase.supervision._teacher import TeacherVectors, refuse_indicator
from skparaphrase.text import check_texts
from skparaphrase.text._check import (
    ROWS,
    check_text_blocks,
    is_missing,
)
from skparaphrase.text._stored import StoredTexts, is_stored

KINDS: dict[str, Lesson] = {
    kind.name: kind
    for kind in (
        TeacherVectors(),
        LabelledTexts(),
        Triplets(),
        GradedPairs(),
        Paraphrases(),
        MarkedPairs(),
    )
}


def supervise(
    X: Texts,
    y: Any = None,
    loss: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    warn: bool = True,
) -> Examples:
    """Check `X` and `y`, and determine the kind of examples from their shapes.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,), (n_pairs, 2) or (n_triplets, 3)
    y : array-like, default=None
    loss : BaseLoss, default=None
        Its attributes determine which kinds of examples it learns from, and whether it
        supports weights and pairs marked with 0. None supports all of them.
    sample_weight : array-like of shape (n_examples,), default=None
        Examples of weight 0 are left out.
    groups : array-like of shape (n_examples,), default=None
        Examples of equal values stay together in a split.
    warn : bool, default=True

    Returns
    -------
    examples : Examples

    Raises
    ------
    ValueError
        If shapes, values and loss do not match, or if there are too few examples.

    Warns
    -----
    UserWarning
        If three named columns are read as triplets and none is named "negative", or if
        there are pairs marked with 0 that the loss does not support.
    """
    in_memory = not is_stored(X) or np.ndim(y) > 1  # like a teacher's vectors
    texts = (
        check_texts(X, widths=ROWS)
        if in_memory
        else StoredTexts.of(partial(check_text_blocks, X, widths=ROWS))
    )
    examples = Examples(texts, groups=check_groups(groups, len(texts)))
    if sample_weight is not None:
        if loss is not None and not loss.takes_weights:
            raise ValueError(
                f"{type(loss).__name__} does not support sample_weight: multiply by "
                "`batch.weights` in `compute`, and set `takes_weights = True`."
            )
        weights = check_weights(sample_weight, len(texts), np.float32)
        kept = np.flatnonzero(weights)
        if y is not None:
            check_consistent_length(weights, y)
            y = safe_indexing(y, kept)
        examples = replace(examples, weights=weights).take(kept)
    kind = KINDS[kind_of(examples.texts.shape, y, loss)]
    examples = kind.read(replace(examples, kind=kind), y)
    n_all = len(examples)
    if isinstance(kind, MarkedPairs) and not (loss is None or loss.takes_negatives):
        kind, examples = KINDS["pairs"], examples.take(examples.targets)
        examples = replace(examples, targets=None, kind=kind)
    if len(examples) < kind.n_min:
        raise ValueError(
            f"Found {len(examples)} samples ({kind.noun}), but a minimum of "
            f"{kind.n_min} is required, because examples are compared with each other."
        )
    if warn and kind.name == "triplets":
        _warn_of_columns(X)
    if warn and len(examples) < n_all:
        warn_caller(
            f"{n_all - len(examples)} of {n_all} pairs are marked with 0 and are left "
            f"out, because {type(loss).__name__} does not learn from them. "
            "InfoNCELoss, which loss='auto' selects, learns that they are not "
            "paraphrases."
        )
    return examples


def kind_of(shape: tuple[int, ...], y: Any, loss: Any = None) -> str:
    """Name the kind of examples, given the shapes of texts and `y`, and its values.

    If `y` contains only 0 and 1, the loss decides between marks of paraphrases and
    scores.
    """
    names = frozenset(KINDS if loss is None else loss.learns_from)
    if unknown := names - KINDS.keys():
        raise ValueError(
            f"{type(loss).__name__}.learns_from contains {sorted(unknown)}; the kinds "
            f"of examples are {sorted(KINDS)}."
        )
    y_shape = getattr(y, "shape", None) or np.asarray(y).shape
    if names == {"vectors"} or (len(y_shape) > 1 and y_shape[-1] > 1):
        if names != {"vectors"} and len(y_shape) == 2:
            refuse_indicator(y, y_shape)
        name = "vectors"
    elif len(shape) == 1 and shape[0]:
        name = "labels"
    elif shape[1:] == (3,):
        name = "triplets"
    elif y is None or not shape[0]:
        name = "pairs"
    else:
        scores = read_scores(y)
        name = "scores"
        if "pairs" in names and np.isin(scores, (0, 1)).all():
            return "pairs" if scores.all() else "marks"
    if name not in names:
        kind, nouns = KINDS[name], sorted(KINDS[name].noun for name in names)
        raise ValueError(
            f"X and y hold {kind.noun}, but the loss learns from "
            f"{' or '.join(nouns)}. loss='auto' selects one that fits.{kind.advice}"
        )
    return name


def check_groups(groups: ArrayLike | None, n_examples: int) -> NDArray[np.intp] | None:
    """Number the group of each example; None without groups."""
    if groups is None:
        return None
    values = column_or_1d(without_masks(groups))
    if len(values) != n_examples:
        raise ValueError(f"groups has {len(values)} values for {n_examples} examples.")
    for i, value in enumerate(values.tolist()):
        if is_missing(value):
            raise ValueError(f"groups[{i}] is {value!r}: each example needs a group.")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(v, len(numbers)) for v in values.tolist()])


def _warn_of_columns(X: Any) -> None:
    """Warn if the names of three columns do not indicate triplets."""
    if hasattr(X, "collect"):  # a lazy frame, whose names are slow to get
        return
    names = [*map(str, column_names(X))]
    if names and not names[-1].isdecimal() and "neg" not in names[-1].lower():
        first, second, third = names
        warn_caller(
            f"Columns {first!r}, {second!r} and {third!r} are read as texts, their "
            "paraphrases and hard negatives. If these are pairs, select two columns, "
            f"such as X[[{second!r}, {third!r}]]; if they are triplets, name the third "
            'column "negative".'
        )
