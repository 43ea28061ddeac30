"""States of words in their sentence, read in both directions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase.nn._cells import run_lstm
from skparaphrase.nn._compositions import uniform
from skparaphrase.nn._packing import Packing
from skparaphrase.nn._transfer import to_device


class Direction(nn.Module):
    """A long short-term memory without peepholes, with two biases for each gate.

    As in the code of He & Lin (2016): all parameters are drawn from U(-r, r), with
    r = 1 / sqrt(dim_in) for `W_x` and `b_x`, and r = 1 / sqrt(dim) for `W_h` and `b_h`.

    Parameters
    ----------
    dim_in : int
    dim : int

    Attributes
    ----------
    W_x : Parameter of shape (4 * dim, dim_in)
        Rows for i, f, c and o.
    W_h : Parameter of shape (4 * dim, dim)
    b_x, b_h : Parameter of shape (4 * dim,)
    """

    def __init__(self, dim_in: int, dim: int) -> None:
        super().__init__()
        self.W_x = nn.Parameter(torch.empty(4 * dim, dim_in, dtype=torch.float32))
        self.W_h = nn.Parameter(torch.empty(4 * dim, dim, dtype=torch.float32))
        self.b_x = nn.Parameter(torch.empty(4 * dim, dtype=torch.float32))
        self.b_h = nn.Parameter(torch.empty(4 * dim, dtype=torch.float32))

    def reset(self, random_state: RandomState) -> None:
        """Draw all parameters."""
        with torch.no_grad():
            for weight, bias in ((self.W_x, self.b_x), (self.W_h, self.b_h)):
                limit = weight.shape[1] ** -0.5
                weight.copy_(uniform(random_state, weight.shape, limit))
                bias.copy_(uniform(random_state, bias.shape, limit))

    def forward(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """States of all tokens, packed, of shape (n_tokens, dim)."""
        return run_lstm(
            table, rows, self.W_x, self.W_h, self.b_x + self.b_h, None, packing
        )


class Context(nn.Module):
    """States of every word, from left to right and from right to left.

    Section 3.1 of He & Lin (2016).

    Parameters
    ----------
    dim_in : int
    dim : int
        Of the states of one direction.
    share_directions : bool
        One memory reads in both directions, as in the paper's code; otherwise each
        direction has its own, as in its text.
    """

    def __init__(self, dim_in: int, dim: int, *, share_directions: bool) -> None:
        super().__init__()
        self.forwards = Direction(dim_in, dim)
        self.backwards = None if share_directions else Direction(dim_in, dim)

    def reset(self, random_state: RandomState) -> None:
        """Draw all parameters."""
        self.forwards.reset(random_state)
        if self.backwards is not None:
            self.backwards.reset(random_state)

    def forward(
        self, table: Tensor, ids: Tensor, offsets: NDArray[np.int64]
    ) -> tuple[Tensor, Tensor]:
        """States of tokens in both directions.

        Parameters
        ----------
        table : Tensor of shape (n_rows, dim_in)
        ids : Tensor of shape (n_tokens,), int64
        offsets : ndarray of shape (n_texts + 1,)

        Returns
        -------
        forwards, backwards : Tensor of shape (n_tokens, dim)
            The backward state of a token is that of the reader who comes from the
            end of its text.
        """
        device = table.device
        if self.backwards is not None:
            states = []
            for memory, reverse in ((self.forwards, False), (self.backwards, True)):
                packing = Packing(offsets, device=device, reverse=reverse)
                packed = memory(table, ids[packing.tokens], packing)
                states.append(packing.unpack(packed))
            return states[0], states[1]
        # Both directions in one go: every text a second time, turned around.
        n_tokens = int(offsets[-1])
        mirror = np.repeat(offsets[:-1] + offsets[1:] - 1, np.diff(offsets))
        turned = to_device(mirror - np.arange(n_tokens), device)
        packing = Packing(np.append(offsets, offsets[1:] + n_tokens), device=device)
        rows = torch.cat([ids, ids[turned]])[packing.tokens]
        both = packing.unpack(self.forwards(table, rows, packing))
        return both[:n_tokens], both[n_tokens:][turned]
