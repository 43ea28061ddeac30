"""The batch that is passed to a loss."""

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
    """Information about the texts of a batch, for a loss.

    Parameters
    ----------
    identities : ndarray of int of shape (n_texts,)
        Equal numbers represent equal strings, or equal labels with `has_classes`.
    random_state : RandomState
        The source of all random choices.
    targets : Tensor, default=None
        The scores of pairs, shape (n_pairs,), or a teacher's unit vectors of texts,
        shape (n_texts, dim), if the loss learns from these.
    n_negative : int, default=0
        Number of negative pairs, whose texts follow the texts of the paraphrases.
    n_hard : int, default=0
        Number of hard negatives, which are the last texts.
    has_classes : bool, default=False
        Whether texts of equal identities are never negatives of each other.
    start : Tensor of shape (n_texts, dim), default=None
        Unit averages of the initial word vectors, if they are known.
    weights : Tensor, default=None
        Weights of pairs in the loss, shape (n_pairs + n_negative,), or of texts with a
        teacher's vectors, shape (n_texts,).
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
