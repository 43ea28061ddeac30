"""Choice of a negative example for every text of a batch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor


def choose_negatives(
    unit: Tensor,
    texts: NDArray[np.integer],
    *,
    how: str,
    pool: str = "both",
    mask_identical: bool,
    random_state: RandomState,
) -> tuple[Tensor, Tensor]:
    """A negative for each of the 2B texts of a batch, from the other pairs.

    Pair `i` stands in rows `2i` and `2i + 1`. Own text and own partner are no
    candidates.

    Parameters
    ----------
    unit : Tensor of shape (2B, dim)
        Vectors of length 1 (or 0) under the current parameters.

    texts : ndarray of shape (2B,)
        Equal numbers mean equal strings.

    how : {"max", "mix", "random"}
        "max": the most similar. "mix": by a fair coin for each text, that or a text
        drawn from the batch. "random": always drawn. A draw takes a pair, then a side;
        as in the paper's code it may hit the own pair. With `mask_identical` it takes
        any candidate that is left.

    pool : {"both", "first"}
        Candidates: both texts of the other pairs, as in the code of Wieting et al.
        (2016), or the first alone, as in the formula of the paper.

    mask_identical : bool
        Leave out texts that equal the text or its partner. The papers do not.

    random_state : RandomState

    Returns
    -------
    chosen : Tensor of shape (2B,), int64
    found : Tensor of shape (2B,), bool
        False where no candidate was left.
    """
    n = len(unit)
    device = unit.device
    if how == "random" and not mask_identical:
        drawn = _draw(n, pool, random_state).to(device)
        return drawn, torch.ones_like(drawn, dtype=torch.bool)
    scores = unit @ unit.T
    pairs = scores.view(n // 2, 2, n // 2, 2)
    pairs.diagonal(dim1=0, dim2=2).fill_(-torch.inf)  # self and partner
    if pool == "first":
        scores[:, 1::2] = -torch.inf
    if mask_identical:
        scores[_identical(texts).to(device)] = -torch.inf
    best, chosen = scores.max(dim=1)
    found = best > -torch.inf
    if how != "max":
        if mask_identical:  # drawn from the candidates that are left
            keys = torch.from_numpy(random_state.random_sample((n, n))).to(device)
            drawn = keys.masked_fill(scores == -torch.inf, -1).argmax(dim=1)
        else:
            drawn = _draw(n, pool, random_state).to(device)
        if how == "mix":
            coin = torch.from_numpy(random_state.random_sample(n) < 0.5).to(device)
            drawn = torch.where(coin, drawn, chosen)
        chosen = drawn
    return chosen, found


def _draw(n: int, pool: str, random_state: RandomState) -> Tensor:
    pair = random_state.randint(n // 2, size=n)
    side = random_state.randint(2 if pool == "both" else 1, size=n)
    return torch.from_numpy(2 * pair + side)


def _identical(texts: NDArray[np.integer]) -> Tensor:
    """Where a candidate (column) equals a text or its partner (row)."""
    same = torch.from_numpy(texts[:, None] == texts[None, :])
    partner = np.arange(len(texts)) ^ 1
    return same | same[partner]
