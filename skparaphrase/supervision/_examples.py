"""Examples for training a model, with strings and with token ids."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from skparaphrase._estimator import warn_caller
from skparaphrase._math import text_groups
from skparaphrase._typing import Encoder
from skparaphrase.text._check import unique_texts
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.text._stored import StoredTexts

Rows = NDArray[np.object_] | StoredTexts
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
Axes = NDArray[np.float32] | None  # a map from a teacher's vectors to ours


class Kind:
    """Base class of kinds of examples, which defines how they are split for validation.

    For encoders the base class is :class:`Lesson`, and for supervised models
    :class:`~skparaphrase.supervision._targets.Targets`.
    """

    metric: ClassVar[str]  # of validation, for messages
    splits_groups: ClassVar[bool] = False  # whatever their sizes

    def strata(self, examples: "Examples") -> NDArray[Any] | None:
        """Labels to stratify a split by."""
        return None

    def links(self, examples: "Examples") -> NDArray[np.intp]:
        """Integers that link examples to be kept together, shape (n_examples, n_links).

        By default, the integers of the texts, except for hard negatives, which would
        link nearly all triplets.
        """
        return examples.indices.reshape(len(examples), -1)[:, :2]

    def check_split(
        self, train: "Examples", held_out: "Examples", fraction: float
    ) -> None:
        """Raise an error if a part cannot be used."""


@dataclass(frozen=True)
class Examples:
    """Texts, pairs or triplets of texts, with their targets, weights and groups.

    Attributes
    ----------
    texts : ndarray of str or StoredTexts, of shape (n,), (n, 2) or (n, 3)
    targets : ndarray of shape (n, ...), default=None
    weights : ndarray of shape (n,), default=None
        None for equal weights. The shape is (n, n_labels) after weighting by class if
        texts have several labels.
    kind : Kind, default=None
        The kind of the examples.
    groups : ndarray of int of shape (n,), default=None
        Examples of a group stay together in a split.
    """

    texts: Rows
    targets: Any = None
    weights: NDArray[Any] | None = None
    kind: Any = None
    groups: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def _unique(self) -> tuple[list[str] | StoredTexts, NDArray[np.intp]]:
        if isinstance(self.texts, StoredTexts):
            return self.texts.unique()
        return unique_texts(self.texts)

    @property
    def distinct(self) -> Any:
        """The distinct texts, in order of appearance."""
        return self._unique[0]

    @property
    def indices(self) -> NDArray[np.intp]:
        """Positions of the texts in `distinct`; the shape of `texts`."""
        return self._unique[1]

    def take(self, chosen: NDArray[Any]) -> "Examples":
        """Some examples, by row indices or a mask."""
        names = "texts", "targets", "weights", "groups"
        given = {name: getattr(self, name) for name in names}
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        taken = {k: v[chosen] for k, v in given.items() if v is not None}
        return replace(self, **taken)

    def with_weight(self) -> "Examples":
        """The examples whose weights are not zero."""
        return self if self.weights is None else self.take(self.weights > 0)

    def normalized_weights(self) -> NDArray[np.float32] | None:
        """The weights, divided by their mean."""
        if self.weights is None:
            return None
        return (self.weights / self.weights.mean()).astype(np.float32)

    def connected(self) -> NDArray[np.intp]:
        """A number for each example, equal for those that stay together in a split."""
        links = self.kind.links(self)
        if self.groups is not None:  # must differ from the integers of the texts
            links = np.column_stack([links, self.groups + links.max() + 1])
        return text_groups(links)

    def split(self, fraction: float, rng: RandomState) -> "tuple[Examples, Examples]":
        """Split off a random share of the examples for validation; keep the order.

        Examples that share a text, or belong to one group, stay together.
        """
        groups, strata = self.connected(), self.kind.strata(self)
        try:
            if self.kind.splits_groups:
                rows = split_groups(groups, fraction, rng)
            else:
                whole = self.groups is not None
                rows = split_rows(groups, fraction, rng, strata, whole=whole)
        except ValueError as error:
            raise ValueError(
                f"validation_fraction={fraction} cannot be held out: {error} Hold out "
                "more, drop labels of one example, or pass X_val and y_val."
            ) from error
        train, held_out = map(self.take, rows)
        self.kind.check_split(train, held_out, fraction)
        return train, replace(held_out, texts=np.asarray(held_out.texts))


def split_rows(
    groups: NDArray[np.intp],
    fraction: float,
    rng: RandomState,
    labels: NDArray[Any] | None = None,
    *,
    whole: bool = False,
) -> Split:
    """Split rows into training rows and a random share for validation, both in order.

    Rows of one group stay together, and both parts have about the same shares of the
    `labels`. If that leaves too few rows for validation, groups are split, with a
    warning. With `whole`, a share of the groups is held out instead, whatever their
    size.
    """
    rows = np.arange(len(groups))
    train, held_out = train_test_split(
        rows, test_size=fraction, random_state=rng, stratify=labels
    )
    if groups.max() + 1 < len(groups):
        codes = np.zeros(len(groups), np.intp)
        if labels is not None:
            codes = np.unique(labels, return_inverse=True)[1]
        quota, chosen = np.bincount(codes[held_out], minlength=codes.max() + 1), []
        order = np.argsort(groups, kind="stable")
        ends = np.cumsum(np.bincount(groups))
        for group in rng.permutation(len(ends)).tolist():
            members = order[ends[group - 1] if group else 0 : ends[group]]
            counts = np.bincount(codes[members], minlength=len(quota))
            if (counts <= quota).all():
                chosen.append(group)
                quota -= counts
            if not quota.any():
                break
        in_groups = np.isin(groups, chosen)
        if 2 * quota.sum() <= len(held_out):
            return np.flatnonzero(~in_groups), np.flatnonzero(in_groups)
        if whole:
            return split_groups(groups, fraction, rng)
        warn_caller(
            "Shared texts connect so many examples that the examples held out for "
            "validation share texts with the others. Their scores are too high."
        )
    return np.sort(train), np.sort(held_out)


def split_groups(groups: NDArray[np.intp], fraction: float, rng: Any) -> Split:
    """Hold out a random share of the groups, however large they are."""
    if groups.max() == 0:
        raise ValueError("groups, questions or shared texts connect all examples.")
    splitter = GroupShuffleSplit(1, test_size=fraction, random_state=rng)
    ((train, held_out),) = splitter.split(groups, groups=groups)
    return np.sort(train), np.sort(held_out)


@dataclass(frozen=True)
class EncodedExamples:
    """Examples in the form that a trainer reads, with texts as token ids.

    Attributes
    ----------
    texts : TokenBatch or Sentences
        Distinct texts, or any texts with `identities`; for a tagger, sentences.
    indices : ndarray of int of shape (n_examples,), (n_examples, 2) or (n_examples, 3)
        Positions in `texts`.
    targets : ndarray, default=None
        Scores, shape (n_examples,); distributions over outputs, shape (n_examples,
        n_outputs); with `of_texts`, a teacher's unit vectors, shape (n_texts, dim); or
        the tags of all tokens, end to end.
    weights : ndarray of shape (n_examples,), default=None
        Weights of the examples in the loss, or of the texts with `of_texts`. Their mean
        over the examples is 1. The shape is (n_examples, n_outputs) if each output of
        "binary_cross_entropy" has its own weight.
    of_texts : bool, default=False
        Whether targets and weights belong to texts.
    identities : ndarray of int of shape (n_texts,), default=None
        Equal for equal strings, or equal labels; None if all texts differ.
    has_classes : bool, default=False
        Whether texts of equal identities are never negatives of each other.
    n_negative : int, default=0
        Number of pairs marked 0; they are the last examples.
    """

    texts: Any
    indices: NDArray[np.intp]
    targets: NDArray[Any] | None = None
    weights: NDArray[np.float32] | None = None
    of_texts: bool = False
    identities: NDArray[np.intp] | None = None
    has_classes: bool = False
    n_negative: int = 0

    def __len__(self) -> int:
        return len(self.indices)


class Lesson(Kind, ABC):
    """Base class of the kinds of examples that an encoder learns from.

    A kind has the class attributes below, and defines :meth:`read` and
    :meth:`validate`.
    """

    name: ClassVar[str]  # in `KINDS`, and in `BaseLoss.learns_from`
    noun: ClassVar[str]  # for messages
    default_loss: ClassVar[str]  # the loss of loss="auto"
    n_min: ClassVar[int] = 2  # examples, which are compared with each other
    has_teacher: ClassVar[bool] = False  # vectors then move far: no shrinkage
    advice: ClassVar[str] = ""  # with a loss that does not learn from it

    @abstractmethod
    def read(self, examples: Examples, y: ArrayLike | None) -> Examples:
        """The examples with their targets; invalid ones raise a ValueError."""

    def check_part(self, examples: Examples, where: str) -> None:
        """Raise an error if examples "to train on" or "to validate on" are unusable."""

    def check_validation(self, held_out: Examples, train: Examples) -> None:
        """Raise an error if given examples cannot validate a fit on the others."""

    @abstractmethod
    def validate(self, encoder: Encoder, held_out: Examples, train: Examples) -> float:
        """Score of a fitted encoder on held-out examples; higher is better."""

    def check_split(self, train: Examples, held_out: Examples, fraction: float) -> None:
        """Raise an error unless both parts have enough examples."""
        if min(len(train), len(held_out)) < self.n_min:
            raise ValueError(
                f"validation_fraction={fraction} leaves {len(train)} examples to train "
                f"on and {len(held_out)} to validate on, but a minimum of "
                f"{self.n_min} is required for each."
            )

    def encode(
        self, examples: Examples, batch: TokenBatch, rng: RandomState, axes: Axes
    ) -> EncodedExamples:
        """Examples for a trainer, given the tokens of the distinct texts.

        With a teacher, `axes` map its vectors to the dimensions of the encoder.
        """
        weights = examples.normalized_weights()
        return EncodedExamples(batch, examples.indices, weights=weights)
