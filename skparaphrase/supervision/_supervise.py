"""The kind of examples that `X` and `y` hold, by their shapes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from skparaphrase._compat import check_weights, safe_indexing
from skparaphrase._estimator import warn_caller
from skparaphrase._frames import column_names
from skparaphrase._typing import Texts
from skparaphrase.supervision._examples import Examples, Lesson, Rows
from skparaphrase.supervision._labels import LabelledTexts
from skparaphrase.supervision._pairs import (
    MARKED,
    GradedPairs,
    Paraphrases,
    Triplets,
    read_scores,
)
from skparaphrase.supervision._teacher import TeacherVectors, refuse_indicator
from skparaphrase.text import check_texts
from skparaphrase.text._check import (
    ROWS,
    StoredTexts,
    check_fit_texts,
    is_missing,
    is_stored,
)

KINDS: dict[str, Lesson] = {
    kind.name: kind
    for kind in (
        TeacherVectors(),
        LabelledTexts(),
        Triplets(),
        GradedPairs(),
        Paraphrases(),
    )
}


def supervise(
    X: Texts,
    y: ArrayLike | None = None,
    learns_from: Collection[str] | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    takes_negatives: bool = True,
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
    groups : array-like of shape (n_examples,), default=None
        Examples of equal values stay together in a split.
    takes_negatives : bool, default=True
        Whether pairs that are marked with 0 are kept.

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
    names = frozenset(KINDS if learns_from is None else learns_from)
    has_teacher = names == {"vectors"} or holds_vectors(y, names)
    texts: Rows
    if has_teacher:  # in memory
        texts = check_fit_texts(X)
    else:
        texts = StoredTexts.read(X) if is_stored(X) else check_texts(X, widths=ROWS)
    examples = Examples(texts, groups=check_groups(groups, len(texts)))
    if sample_weight is not None:
        weights = check_weights(sample_weight, len(texts), np.float32)
        kept = np.flatnonzero(weights)
        if y is not None:
            check_consistent_length(weights, y)
            y = safe_indexing(y, kept)
        examples = replace(examples, weights=weights).take(kept)
    shape = examples.texts.shape
    kind = KINDS["vectors" if has_teacher else kind_of(shape, y, names)]
    examples = kind.read(replace(examples, kind=kind), y)
    if examples.kind is MARKED and not takes_negatives:
        examples = examples.take(examples.targets)
        examples = replace(examples, targets=None, kind=kind)
    if kind.name == "triplets":
        _warn_of_columns(X)
    if kind.name not in names:
        nouns = sorted(KINDS[name].noun for name in names)
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


def holds_vectors(y: Any, names: Collection[str]) -> bool:
    """Whether `y` holds a teacher's vectors."""
    shape: tuple[int, ...] = getattr(y, "shape", None) or np.shape(y)
    if len(shape) < 2 or shape[-1] < 2:
        return False
    if len(shape) == 2:
        refuse_indicator(y, shape)
    if "vectors" not in names:
        raise ValueError(
            f"y has shape {tuple(shape)}: set loss='distillation' to learn the "
            "vectors of a teacher."
        )
    return True


def kind_of(shape: tuple[int, ...], y: ArrayLike | None, names: Collection[str]) -> str:
    """The name of the kind of examples, by the shape of texts and the values of `y`.

    Where `y` holds 0 and 1 only, `names`, those of the kinds that the loss learns from,
    decide between marks of paraphrases and scores.
    """
    if len(shape) == 1 and shape[0]:
        return "labels"
    if shape[1:] == (3,):
        return "triplets"
    if y is None or shape[1:] != (2,) or not shape[0]:
        return "pairs"
    scores = read_scores(y)
    if "pairs" in names and np.isin(scores, (0, 1)).all():
        return "pairs"
    if "scores" not in names and len(scores) == shape[0]:
        raise ValueError(
            f"y contains scores between {scores.min():g} and {scores.max():g}. Set "
            "loss='cosent' (or 'auto') to learn their order, or mark paraphrases, "
            "such as y >= 4."
        )
    return "scores"


def check_groups(groups: ArrayLike | None, n_examples: int) -> NDArray[np.intp] | None:
    """The number of the group of each example; None without groups."""
    if groups is None:
        return None
    values = column_or_1d(groups)
    if len(values) != n_examples:
        raise ValueError(f"groups has {len(values)} values for {n_examples} examples.")
    for i, value in enumerate(values.tolist()):
        if is_missing(value):
            raise ValueError(f"groups[{i}] is {value!r}: each example needs a group.")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(v, len(numbers)) for v in values.tolist()])


def _warn_of_columns(X: Any) -> None:
    """Warn if the names of three columns do not say that they are triplets."""
    if hasattr(X, "collect"):  # a lazy frame, whose names take long
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
