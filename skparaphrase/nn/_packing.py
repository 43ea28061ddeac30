"""Tokens of a batch in the order of the steps of a recurrence."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skparaphrase.nn._transfer import to_device


class Packing:
    """The tokens of a batch by time step: the first ones, the second ones, and so on.

    Texts stand in order of falling length, so that those still running are the first
    rows of every step. Nothing is padded, and texts cannot see each other. The row of
    a text in step `t` is its row in step `t - 1` plus the size of that step.

    Parameters
    ----------
    offsets : ndarray of shape (n_texts + 1,), int64
        Where each text begins in the tokens, and where the last one ends.

    device : torch.device, default=None
        Of the tensors.

    reverse : bool, default=False
        Read each text from its last token to its first.

    Attributes
    ----------
    starts : list of int
        First packed row of each step, and the number of rows.

    tokens : Tensor of shape (n_tokens,), int64
        The token of each packed row.

    previous : Tensor of shape (n_tokens - starts[1],), int64
        For the rows of the second step and later, the row of the same text one step
        before.

    lengths : ndarray of shape (n_texts,)
    """

    def __init__(
        self,
        offsets: NDArray[np.int64],
        *,
        device: torch.device | None = None,
        reverse: bool = False,
    ) -> None:
        self.lengths = np.diff(offsets)
        order = np.argsort(-self.lengths, kind="stable")
        n_steps = int(self.lengths.max(initial=0))
        ended = np.cumsum(np.bincount(self.lengths, minlength=n_steps + 1))[:-1]
        sizes = len(order) - ended[:n_steps]
        starts = np.append(0, np.cumsum(sizes))
        step = np.repeat(np.arange(n_steps), sizes)
        rank = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        text = order[rank]
        tokens = offsets[text + 1] - 1 - step if reverse else offsets[text] + step
        later = rank[sizes[0] if n_steps else 0 :]
        previous = later + np.repeat(starts[:-2], sizes[1:])
        running = np.flatnonzero(self.lengths)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        final = starts[self.lengths[running] - 1] + ranks[running]
        self.starts: list[int] = starts.tolist()
        parts = (tokens, previous, running, final)
        together = to_device(np.concatenate(parts), device or torch.device("cpu"))
        self.tokens, self.previous, self._running, self._final = together.split(
            [len(part) for part in parts]
        )

    def unpack(self, packed: Tensor) -> Tensor:
        """Packed rows, in the order of the tokens."""
        return torch.empty_like(packed).index_copy(0, self.tokens, packed)

    def last(self, packed: Tensor) -> Tensor:
        """The row of each text in its last step; zero for a text without tokens.

        Parameters
        ----------
        packed : Tensor of shape (n_tokens, dim)

        Returns
        -------
        last : Tensor of shape (n_texts, dim)
        """
        last = packed.index_select(0, self._final)
        if len(last) == len(self.lengths):
            return last
        zeros = packed.new_zeros(len(self.lengths), packed.shape[1])
        return zeros.index_copy(0, self._running, last)
