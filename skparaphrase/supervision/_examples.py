"""Examples that an encoder learns from: the base of their kinds."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import train_test_split

from skparaphrase._estimator import warn_caller
from skparaphrase._math import text_groups
from skparaphrase._typing import Encoder
from skparaphrase.text import StoredTexts, TokenBatch, unique_texts

Rows = NDArray[np.object_] | StoredTexts
Shape = tuple[int, ...]
Names = frozenset[str]  # of kinds that a loss learns from
Axes = NDArray[np.float32] | None  # a map from a teacher's vectors to ours
Weights = NDArray[np.float32] | None


@dataclass(frozen=True)
class Arranged:
    """Examples as a trainer of encoders reads them.

    Attributes
    ----------
    texts : TokenBatch
        Distinct texts, or any texts with `identities`.
    examples : ndarray of int of shape (n_pairs, 2), (n_triplets, 3) or (n_texts,)
        Positions in `texts`.
    identities : ndarray of int of shape (n_texts,), default=None
        Equal where strings, or labels, are equal; None if all texts differ.
    has_classes : bool, default=False
        Whether texts of equal identities are never negatives of each other.
    scores : ndarray of shape (n_pairs,), default=None
        Graded scores of the pairs.
    teacher : ndarray of shape (n_texts, dim), default=None
        Unit vectors that a teacher gives the texts.
    weights : ndarray of shape (n_examples,), default=None
        Of the examples in the loss, or with `teacher` of the texts, shape (n_texts,).
        Their mean over the examples is 1.
    """

    texts: TokenBatch
    examples: NDArray[np.intp]
    identities: NDArray[np.intp] | None = None
    has_classes: bool = False
    scores: NDArray[np.float32] | None = None
    teacher: NDArray[np.float32] | None = None
    weights: Weights = None


class Examples(ABC):
    """Base class of the kinds of examples; each distinct text is encoded once.

    A kind has the class attributes below, and defines :meth:`matches`, :meth:`check`
    and :meth:`validate`.

    Parameters
    ----------
    rows : ndarray of str or StoredTexts, of shape (n_texts,), (n_pairs, 2) or
            (n_triplets, 3)
    targets : ndarray of shape (n_examples, ...), default=None
        What is known of each example: its score, the index of its label, or the unit
        vectors of a teacher.
    weights : ndarray of shape (n_examples,), default=None
        Positive weights of the examples in the loss.
    """

    name: ClassVar[str]  # in `Loss.learns_from`
    noun: ClassVar[str]  # in messages
    default_loss: ClassVar[str]  # what loss="auto" stands for
    metric: ClassVar[str]  # what `validate` returns, in messages
    n_min: ClassVar[int] = 2  # examples, of which each is compared with the others
    has_order: ClassVar[bool] = True  # in which the first epoch may visit them
    starts_far: ClassVar[bool] = False  # from its aim: changes of words have no limit

    def __init__(
        self, rows: Rows, targets: NDArray[Any] | None = None, weights: Weights = None
    ) -> None:
        self.rows = rows
        self.targets: Any = targets
        self.weights = weights

    @classmethod
    @abstractmethod
    def matches(cls, shape: Shape, y: ArrayLike | None, names: Names) -> bool:
        """Whether texts of a shape and `y` are of this kind.

        `names` are the names of the kinds that the loss learns from. The kinds are
        asked in the order of their table, and the first one that matches is taken.
        """

    @classmethod
    @abstractmethod
    def check(cls, rows: Rows, y: ArrayLike | None, weights: Weights) -> Self:
        """Examples of this kind; invalid targets raise a ValueError."""

    @abstractmethod
    def validate(self, encoder: Encoder, train: Self) -> float:
        """Score of a fitted encoder on these examples; higher is better.

        `train` are the examples that the encoder was trained on.
        """

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> Rows:
        """All texts, one after another; shape (n,)."""
        return self.rows.ravel()

    @cached_property
    def _unique(self) -> tuple[list[str] | StoredTexts, NDArray[np.intp]]:
        if isinstance(self.rows, StoredTexts):
            return self.rows.unique()
        return unique_texts(self.rows)

    @property
    def distinct(self) -> list[str] | StoredTexts:
        """The distinct texts, in order of appearance."""
        return self._unique[0]

    @property
    def indices(self) -> NDArray[np.intp]:
        """Positions of the texts of each example in `distinct`; the shape of `rows`."""
        return self._unique[1]

    def take(self, chosen: NDArray[np.intp]) -> Self:
        """Some of the examples."""
        targets = None if self.targets is None else self.targets[chosen]
        weights = None if self.weights is None else self.weights[chosen]
        return type(self)(self.rows[chosen], targets, weights)

    @property
    def normalized_weights(self) -> Weights:
        """The weights, divided by their mean."""
        return None if self.weights is None else self.weights / self.weights.mean()

    def split(self, fraction: float | None, rng: RandomState) -> Any:
        """Examples to train on, and those to validate on, or None.

        Parameters
        ----------
        fraction : float or None
            Share of the examples that is held out.
        rng : RandomState

        Returns
        -------
        train, held_out : Examples, Examples or None
            Examples that texts connect stay together, if that leaves enough to
            validate on. Hard negatives do not count: they would connect nearly all
            triplets.
        """
        if fraction is None:
            return self, None
        groups = text_groups(self.indices.reshape(len(self), -1)[:, :2])
        train, held_out = split_off(self, fraction, rng, groups=groups)
        self._check_split(train, held_out, fraction)
        held_out.rows = np.asarray(held_out.rows)  # in memory
        return train, held_out

    def _check_split(self, train: Self, held_out: Self, fraction: float) -> None:
        if min(len(train), len(held_out)) < 2:
            raise ValueError(
                f"validation_fraction={fraction} leaves {len(train)} examples to train "
                f"on and {len(held_out)} to validate on, while a minimum of 2 is "
                "required of each."
            )

    def teacher_axes(
        self,
        dim: int,
        embed: Callable[[Any], NDArray[np.float32]],
        earlier: Axes,
    ) -> Axes:
        """The map from a teacher's vectors to those of an encoder, if it needs one.

        Parameters
        ----------
        dim : int
            Dimensions of the encoder's vectors.
        embed : callable
            Returns the vectors of distinct texts by the encoder that training starts
            from.
        earlier : ndarray or None
            The map of an earlier fit, which stays in use.

        Returns
        -------
        axes : ndarray of shape (dim_teacher, dim) or None
        """
        return earlier

    def arrange(self, batch: TokenBatch, rng: RandomState, axes: Axes) -> Arranged:
        """Examples for a trainer, given the tokens of the distinct texts.

        Parameters
        ----------
        batch : TokenBatch of n_distinct texts
        rng : RandomState
        axes : ndarray or None
            As of :meth:`teacher_axes`.
        """
        return Arranged(batch, self.indices, weights=self.normalized_weights)


def split_off(
    examples: Any,
    fraction: float,
    rng: RandomState,
    *,
    stratify: NDArray[Any] | None = None,
    groups: NDArray[np.intp] | None = None,
) -> tuple[Any, Any]:
    """Examples to train on, and a random share to validate on, both in order.

    Examples of one group stay together; if its size leaves too few to validate on, a
    warning says that they do not.
    """
    train, held_out = train_test_split(
        np.arange(len(examples)),
        test_size=fraction,
        random_state=rng,
        stratify=stratify,
    )
    if groups is not None and groups.max() + 1 < len(groups):
        sizes, room, chosen = np.bincount(groups).tolist(), len(held_out), []
        for group in rng.permutation(len(sizes)).tolist():
            if sizes[group] <= room:
                chosen.append(group)
                room -= sizes[group]
            if not room:
                break
        in_groups = np.isin(groups, chosen)
        if 2 * room <= len(held_out):
            train, held_out = np.flatnonzero(~in_groups), np.flatnonzero(in_groups)
        else:
            warn_caller(
                "Shared texts connect so many examples that those held out for "
                "validation share texts with the others: their scores are too high."
            )
    return examples.take(np.sort(train)), examples.take(np.sort(held_out))
