"""Word vectors under training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skparaphrase.nn._rows import put_rows, take_rows
from skparaphrase.nn._transfer import to_device

Matrix = NDArray[np.float32]
MatrixRows = Callable[[NDArray[np.integer]], Matrix]


@dataclass(frozen=True)
class UsedRows:
    """Which rows of a table a batch uses; what they hold does not matter.

    Attributes
    ----------
    rows : Tensor of shape (n_rows,) or None
        Their places in the table; None for all rows in order.
    local : Tensor of shape (n_tokens,)
        Which of them each token names.
    initial : Tensor of shape (n_rows, dim) or None
        What the penalty pulls them to; None is zero.
    """

    rows: Tensor | None
    local: Tensor
    initial: Tensor | None


class WordTable:
    """A matrix of word vectors of which a step touches only the rows of its batch.

    The rows that a batch uses are copied into a small leaf tensor; composition, loss
    and backward pass work on that, and the optimiser writes the rows back. No step
    looks at the other rows, so that its cost does not grow with the vocabulary.

    Parameters
    ----------
    matrix : ndarray of shape (n_words, dim), float32
        Copied, unless `copy` is False.

    initial : ndarray of shape (n_words, dim), float32, or callable, default=None
        What the penalty pulls the vectors to; None is zero. Or a function that gives
        some of its rows, as :meth:`~skparaphrase.vectors.WordVectors.rows` does. Not
        copied, unless steps touch all rows or the device has memory of its own.

    sparse : bool, default=True
        False makes every step touch all rows, as in the papers' code.

    device : torch.device

    frozen : bool, default=False
        The vectors are never changed.

    copy : bool, default=True
        False trains in `matrix` itself, on a CPU.
    """

    def __init__(
        self,
        matrix: Matrix,
        *,
        initial: Matrix | MatrixRows | None,
        sparse: bool,
        device: torch.device,
        frozen: bool = False,
        copy: bool = True,
    ) -> None:
        make = torch.tensor if copy else torch.as_tensor
        self.weight = make(matrix, dtype=torch.float32, device=device)
        self.sparse = sparse
        self.frozen = frozen
        self._place = np.zeros(len(matrix) if sparse else 0, dtype=np.int32)
        self._initial: Tensor | None = None
        self._initial_rows: MatrixRows | None = None
        if initial is not None and sparse and device.type == "cpu":
            self._initial_rows = initial if callable(initial) else initial.__getitem__
        elif initial is not None:
            whole = initial(np.arange(len(matrix))) if callable(initial) else initial
            self._initial = torch.tensor(whole, dtype=torch.float32, device=device)

    def used(self, ids: NDArray[np.integer], *, with_initial: bool = True) -> UsedRows:
        """The rows that some tokens use.

        Parameters
        ----------
        ids : ndarray of shape (n_tokens,)
        with_initial : bool, default=True
            False leaves `initial` out.

        Returns
        -------
        used : UsedRows
        """
        device = self.weight.device
        rows = None
        if not self.sparse:
            local = ids
        else:
            # The last token of each word wins its place; those tokens are the rows.
            tokens = np.arange(len(ids), dtype=np.int32)
            self._place[ids] = tokens
            distinct = ids[self._place[ids] == tokens]
            distinct.sort()  # quicker to gather
            self._place[distinct] = tokens[: len(distinct)]
            local = self._place[ids]
            rows = to_device(distinct.astype(np.int64), device)
        return UsedRows(
            rows,
            to_device(local.astype(np.int64), device),
            self.initial(rows) if with_initial else None,
        )

    def initial(self, rows: Tensor | None) -> Tensor | None:
        """What the penalty pulls some rows, or all, to; None is zero."""
        if self._initial_rows is not None and rows is not None:
            return torch.from_numpy(self._initial_rows(rows.numpy()))
        if self._initial is None or rows is None:
            return self._initial
        return take_rows(self._initial, rows)

    def take(self, rows: Tensor | None) -> Tensor:
        """Some rows, or all, ready for a backward pass.

        Parameters
        ----------
        rows : Tensor of shape (n_rows,) or None

        Returns
        -------
        leaf : Tensor of shape (n_rows, dim)
            Requires a gradient, unless the table is frozen.
        """
        leaf = self.weight.detach() if rows is None else take_rows(self.weight, rows)
        return leaf.requires_grad_(not self.frozen)

    def leaf(self, ids: NDArray[np.integer]) -> tuple[Tensor, Tensor | None, Tensor]:
        """The rows that `ids` name, ready for a backward pass.

        Parameters
        ----------
        ids : ndarray of shape (n_tokens,)

        Returns
        -------
        leaf : Tensor of shape (n_rows, dim)
            As :meth:`take` gives it.
        rows : Tensor of shape (n_rows,) or None
            The place of each row of `leaf` in the table; None for all rows in order.
        local : Tensor of shape (n_tokens,)
            The row of `leaf` of each token.
        """
        used = self.used(ids, with_initial=False)
        return self.take(used.rows), used.rows, used.local

    @staticmethod
    def add_penalty_(
        gradient: Tensor, leaf: Tensor, initial: Tensor | None, penalty: float
    ) -> None:
        """Add the gradient of half the squared distance from the initial rows."""
        gradient.add_(leaf, alpha=penalty)
        if initial is not None:
            gradient.sub_(initial, alpha=penalty)

    def write(self, leaf: Tensor, rows: Tensor | None) -> None:
        """Put updated rows back into the table."""
        if rows is not None:
            put_rows(self.weight, rows, leaf)

    def numpy(self) -> NDArray[np.float32]:
        """All vectors; they share memory with the table if it lies on the CPU."""
        return self.weight.detach().cpu().numpy()
