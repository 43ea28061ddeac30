"""Word vectors under training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skparaphrase.nn._rows import put_rows, take_rows


class WordTable:
    """A matrix of word vectors of which a step touches only the rows of its batch.

    The rows that a batch uses are copied into a small leaf tensor; composition, loss
    and backward pass work on that, and the optimiser writes the rows back. No step
    looks at the other rows, so that its cost does not grow with the vocabulary.

    Parameters
    ----------
    matrix : ndarray of shape (n_words, dim), float32
        Copied.

    initial : ndarray of shape (n_words, dim), float32, default=None
        What the penalty pulls the vectors to; None is zero.

    sparse : bool, default=True
        False makes every step touch all rows, as in the papers' code.

    device : torch.device

    frozen : bool, default=False
        The vectors are never changed.
    """

    def __init__(
        self,
        matrix: NDArray[np.float32],
        *,
        initial: NDArray[np.float32] | None,
        sparse: bool,
        device: torch.device,
        frozen: bool = False,
    ) -> None:
        self.weight = torch.tensor(matrix, dtype=torch.float32, device=device)
        self.initial = None
        if initial is not None:
            self.initial = torch.tensor(initial, dtype=torch.float32, device=device)
        self.sparse = sparse
        self.frozen = frozen
        self._place = np.zeros(len(matrix) if sparse else 0, dtype=np.int64)

    def leaf(self, ids: NDArray[np.integer]) -> tuple[Tensor, Tensor | None, Tensor]:
        """The rows that `ids` name, ready for a backward pass.

        Parameters
        ----------
        ids : ndarray of shape (n_tokens,)

        Returns
        -------
        leaf : Tensor of shape (n_rows, dim)
            Requires a gradient, unless the table is frozen.
        rows : Tensor of shape (n_rows,) or None
            The place of each row of `leaf` in the table; None for all rows in order.
        local : Tensor of shape (n_tokens,)
            The row of `leaf` of each token.
        """
        device = self.weight.device
        if not self.sparse:
            leaf = self.weight.detach().requires_grad_(not self.frozen)
            return leaf, None, torch.from_numpy(ids.astype(np.int64)).to(device)
        # The last token of each word wins its place; those tokens are the rows.
        tokens = np.arange(len(ids))
        self._place[ids] = tokens
        distinct = np.sort(ids[self._place[ids] == tokens])  # quicker to gather
        self._place[distinct] = tokens[: len(distinct)]
        rows = torch.from_numpy(distinct.astype(np.int64)).to(device)
        local = torch.from_numpy(self._place[ids]).to(device)
        leaf = take_rows(self.weight, rows).requires_grad_(not self.frozen)
        return leaf, rows, local

    def add_penalty_(
        self, gradient: Tensor, leaf: Tensor, rows: Tensor | None, penalty: float
    ) -> None:
        """Add the gradient of half the squared distance from the initial rows."""
        gradient.add_(leaf, alpha=penalty)
        if self.initial is not None:
            initial = self.initial
            if rows is not None:
                initial = take_rows(initial, rows)
            gradient.sub_(initial, alpha=penalty)

    def write(self, leaf: Tensor, rows: Tensor | None) -> None:
        """Put updated rows back into the table."""
        if rows is not None:
            put_rows(self.weight, rows, leaf)

    def numpy(self) -> NDArray[np.float32]:
        """All vectors; they share memory with the table if it lies on the CPU."""
        return self.weight.detach().cpu().numpy()
