"""What a loss sees of a batch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["LossBatch"]


@dataclass(frozen=True)
class LossBatch:
    """The texts of a batch, as a loss sees them.

    Parameters
    ----------
    identities : ndarray of int of shape (n_texts,)
        Equal numbers stand for equal strings, or with `has_classes` for equal labels.
    random_state : RandomState
        The source of all random choices.
    targets : Tensor, default=None
        The scores of pairs, shape (n_pairs,), or a teacher's unit vectors of texts,
        shape (n_texts, dim), if the loss learns from these.
    n_negative : int, default=0
        The number of negative pairs, whose texts follow those of the paraphrases.
    n_hard : int, default=0
        The number of hard negatives, whose texts are the last ones.
    has_classes : bool, default=False
        Whether texts of equal identities are never negatives of each other.
    start : Tensor of shape (n_texts, dim), default=None
        Unit averages of the word vectors that training started from, if they are known.
    weights : Tensor, default=None
        Weights in the loss of pairs, shape (n_pairs + n_negative,), or with a teacher's
        vectors of texts, shape (n_texts,).
    """

    identities: NDArray[np.integer]
    random_state: RandomState
    targets: "Tensor | None" = None
    n_negative: int = 0
    n_hard: int = 0
    has_classes: bool = False
    start: "Tensor | None" = None
    weights: "Tensor | None" = None

    @property
    def n_pairs(self) -> int:
        """The number of paraphrases."""
        return (len(self.identities) - self.n_hard) // 2 - self.n_negative
