"""Choice of a negative example for every text of a batch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor

from skparaphrase.nn._transfer import to_device

BLOCK = 1024  # texts whose cosines with all others are in memory at a time


def row_blocks(n_rows: int) -> list[slice]:
    """Slices of at most `BLOCK` rows."""
    starts = range(0, n_rows, BLOCK)
    return [slice(start, min(start + BLOCK, n_rows)) for start in starts]


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
    candidates. Cosines are made block by block, never for the whole batch at once.

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
        drawn = to_device(_draw(n, pool, random_state), device)
        return drawn, torch.ones_like(drawn, dtype=torch.bool)
    numbers = None
    if how != "max" and mask_identical:  # one a text, whatever the blocks
        numbers = to_device(random_state.random_sample(n), device)
    parts = []
    for rows in row_blocks(n):
        scores = unit[rows] @ unit.T
        pairs = scores.view(-1, 2, n // 2, 2)
        own = pairs.diagonal(rows.start // 2, dim1=0, dim2=2)
        own.fill_(-torch.inf)  # the text and its partner
        if pool == "first":
            scores[:, 1::2] = -torch.inf
        if mask_identical:
            same = to_device(_identical(texts, rows), device)
            scores.masked_fill_(same, -torch.inf)  # an index by a mask would wait
        best, chosen = _maxima(scores)
        drawn = chosen
        if numbers is not None:
            drawn = _draw_left(scores > -torch.inf, numbers[rows])
        parts.append((chosen, best > -torch.inf, drawn))
    chosen, found, drawn = map(torch.cat, zip(*parts, strict=True))
    if how == "max":
        return chosen, found
    if numbers is None:
        drawn = to_device(_draw(n, pool, random_state), device)
    if how == "mix":
        coin = to_device(random_state.random_sample(n) < 0.5, device)
        drawn = torch.where(coin, drawn, chosen)
    return drawn, found


def _maxima(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The largest score of each row, and the first place where it stands."""
    if scores.device.type != "cpu":
        return scores.max(dim=1)
    # NumPy takes a fifth of the time.
    chosen = torch.from_numpy(scores.numpy().argmax(axis=1))
    return scores.gather(1, chosen[:, None])[:, 0], chosen


def _draw_left(allowed: Tensor, numbers: Tensor) -> Tensor:
    """A candidate of each row, given a number from 0 to 1 for it.

    Rows without one get any place.
    """
    counts = allowed.cumsum(dim=1, dtype=torch.int32)
    rank = (numbers * counts[:, -1]).to(torch.int32) + 1
    return torch.searchsorted(counts, rank[:, None])[:, 0].clamp(max=len(counts[0]) - 1)


def _draw(n: int, pool: str, random_state: RandomState) -> NDArray[np.integer]:
    pair = random_state.randint(n // 2, size=n)
    side = random_state.randint(2 if pool == "both" else 1, size=n)
    return 2 * pair + side


def _identical(texts: NDArray[np.integer], rows: slice) -> NDArray[np.bool_]:
    """Where a candidate (column) equals a text or its partner (row)."""
    same = texts[rows, None] == texts
    partner = np.arange(len(same)) ^ 1
    return same | same[partner]
