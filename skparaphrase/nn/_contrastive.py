"""Losses of a batch of paraphrase pairs, and the choice of negative examples."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from torch import Tensor
from torch.nn import functional as F

from skparaphrase.nn._table import Ints, to_device

BLOCK = 1024  # texts whose cosines with all others are in memory at a time


def unit_vectors(vectors: Tensor) -> Tensor:
    """Vectors of length 1; a zero vector stays zero, with cosine and gradient 0."""
    unit: Tensor = _Unit.apply(vectors)
    return unit


class _Unit(torch.autograd.Function):
    """v / |v|, with a gradient of three operations.

    Without it a fit of `ParagramEncoder` takes 6 to 11 % longer.
    """

    @staticmethod
    def forward(ctx: Any, vectors: Tensor) -> Tensor:
        norms = torch.linalg.vector_norm(vectors, dim=1, keepdim=True)
        norms.masked_fill_(norms < 1e-12, torch.inf)
        unit = vectors / norms
        ctx.save_for_backward(unit, norms)
        return unit

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        unit, norms = ctx.saved_tensors
        along = (unit * gradient).sum(dim=1, keepdim=True)
        return torch.addcmul(gradient, unit, along, value=-1).div_(norms)


def margin_loss(unit: Tensor, chosen: Tensor, found: Tensor, margin: float) -> Tensor:
    """Hinge loss of :class:`skparaphrase.losses.MarginLoss`.

    Parameters
    ----------
    unit : Tensor of shape (2B, dim) or (4B, dim)
        Unit vectors, the texts of pair `i` in rows `2i` and `2i + 1`. Further rows may
        hold negatives that were embedded once more.
    chosen : Tensor of shape (2B,)
        Row of the negative of each text.
    found : Tensor of shape (2B,), bool
        A text without a negative adds no loss.
    margin : float

    Returns
    -------
    loss : Tensor, a scalar
    """
    texts = unit[: len(chosen)]
    first, second = texts.view(-1, 2, unit.shape[1]).unbind(dim=1)
    positive = torch.linalg.vecdot(first, second)
    negative = torch.linalg.vecdot(texts, unit.index_select(0, chosen)).view(-1, 2)
    hinges = F.relu(margin - positive[:, None] + negative) * found.view(-1, 2)
    return hinges.sum() / len(positive)


def infonce_loss(
    unit: Tensor, texts: Ints, *, temperature: float, mask_identical: bool
) -> Tensor:
    """Cross-entropy of finding the partner in the batch, averaged over both directions.

    Parameters
    ----------
    unit : Tensor of shape (2B, dim)
        Unit vectors, the texts of pair `i` in rows `2i` and `2i + 1`.
    texts : ndarray of shape (2B,)
        Equal numbers mean equal strings.
    temperature : float
        Divides the cosines.
    mask_identical : bool
        Exclude candidates whose string equals the text or its partner.

    Returns
    -------
    loss : Tensor, a scalar
    """
    loss: Tensor = _InfoNCE.apply(unit, texts, temperature, mask_identical)
    return loss


class _InfoNCE(torch.autograd.Function):
    """Cross-entropy in both directions, one block of rows of the cosines at a time.

    Only the log-sum-exp of every row and column is kept for the gradient: at a batch
    size of 8,192 it takes 134 MB, the whole matrix 1,074 MB.
    """

    @staticmethod
    def forward(
        ctx: Any, unit: Tensor, texts: Ints, temperature: float, mask_identical: bool
    ) -> Tensor:
        ctx.texts = texts if mask_identical else None
        ctx.temperature = temperature
        n_pairs = len(unit) // 2
        of_rows = unit.new_empty(n_pairs)
        of_columns = unit.new_full((n_pairs,), -torch.inf)
        own = unit.new_empty(n_pairs)
        for rows in gen_batches(n_pairs, BLOCK):
            by_row, by_column = _logits(unit, rows, temperature, ctx.texts)
            of_rows[rows] = by_row.logsumexp(dim=1)
            of_columns = of_columns.logaddexp(by_column.logsumexp(dim=0))
            own[rows] = by_row.diagonal(rows.start)
        ctx.save_for_backward(unit, of_rows, of_columns)
        return (of_rows + of_columns - 2 * own).sum() / (2 * n_pairs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        unit, of_rows, of_columns = ctx.saved_tensors
        one, other = unit.view(-1, 2, unit.shape[1]).unbind(dim=1)
        of_unit = torch.zeros_like(unit)
        of_one, of_other = of_unit.view(-1, 2, unit.shape[1]).unbind(dim=1)
        for rows in gen_batches(len(one), BLOCK):
            by_row, by_column = _logits(unit, rows, ctx.temperature, ctx.texts)
            shares = (by_row - of_rows[rows, None]).exp_()
            shares += (by_column - of_columns).exp_()
            shares.diagonal(rows.start).sub_(2)
            shares *= gradient / (len(unit) * ctx.temperature)
            of_one[rows] = shares @ other
            of_other += shares.T @ one[rows]
        return of_unit, None, None, None


def _logits(
    unit: Tensor, rows: slice, temperature: float, texts: Ints | None
) -> tuple[Tensor, Tensor]:
    """Cosines of some first texts with all second texts, divided by the temperature.

    Returned twice: as candidates of the first texts, and of the second texts. Where
    `texts` excludes a candidate, its logit is -inf.
    """
    one, other = unit.view(-1, 2, unit.shape[1]).unbind(dim=1)
    logits = one[rows] @ other.T / temperature
    if texts is None:
        return logits, logits
    first, second = texts[0::2], texts[1::2]
    firsts, seconds = first[rows, None], second[rows, None]
    own = np.arange(rows.start, rows.stop)[:, None] == np.arange(len(first))
    by_row, by_column = (
        logits.masked_fill(to_device(same & ~own, unit.device), -torch.inf)
        for same in (
            (second == seconds) | (second == firsts),
            (firsts == first) | (firsts == second),
        )
    )
    return by_row, by_column


def choose_negatives(
    unit: Tensor,
    texts: Ints,
    *,
    how: str,
    pool: str = "both",
    mask_identical: bool,
    random_state: RandomState,
) -> tuple[Tensor, Tensor]:
    """A negative example from the other pairs for each of the 2B texts of a batch.

    Cosines are computed in blocks, never for the whole batch at once.

    Parameters
    ----------
    unit : Tensor of shape (2B, dim)
        Unit vectors, the texts of pair `i` in rows `2i` and `2i + 1`.
    texts : ndarray of shape (2B,)
        Equal numbers mean equal strings.
    how : {"max", "mix", "random"}
        See :class:`skparaphrase.losses.MarginLoss`. A random choice draws a pair, then
        a side; with `mask_identical` it draws from the remaining candidates.
    pool : {"both", "first"}
        Which texts of the other pairs are candidates.
    mask_identical : bool
        Exclude texts that equal the text or its partner.
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
    if how != "max" and mask_identical:  # one for each text, whatever the blocks
        numbers = to_device(random_state.random_sample(n), device)
    parts = []
    for rows in gen_batches(n, BLOCK):
        scores = unit[rows] @ unit.T
        pairs = scores.view(-1, 2, n // 2, 2)
        own = pairs.diagonal(rows.start // 2, dim1=0, dim2=2)
        own.fill_(-torch.inf)  # the text and its partner
        if pool == "first":
            scores[:, 1::2] = -torch.inf
        if mask_identical:
            same = to_device(_identical(texts, rows), device)
            scores.masked_fill_(same, -torch.inf)  # indexing by a mask synchronises
        if device.type == "cpu":  # NumPy takes a fifth of the time
            chosen = torch.from_numpy(scores.numpy().argmax(axis=1))
            best = scores.gather(1, chosen[:, None])[:, 0]
        else:
            best, chosen = scores.max(dim=1)
        drawn = chosen
        if numbers is not None:
            drawn = _draw_candidate(scores > -torch.inf, numbers[rows])
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


def _draw_candidate(allowed: Tensor, numbers: Tensor) -> Tensor:
    """A candidate of each row, given a number in [0, 1); any place if there is none."""
    counts = allowed.cumsum(dim=1, dtype=torch.int32)
    rank = (numbers * counts[:, -1]).to(torch.int32) + 1
    return torch.searchsorted(counts, rank[:, None])[:, 0].clamp(max=len(counts[0]) - 1)


def _draw(n: int, pool: str, random_state: RandomState) -> Ints:
    pair = random_state.randint(n // 2, size=n)
    side = random_state.randint(2 if pool == "both" else 1, size=n)
    return 2 * pair + side


def _identical(texts: Ints, rows: slice) -> NDArray[np.bool_]:
    """Where a candidate (column) equals a text or its partner (row)."""
    same = texts[rows, None] == texts
    partner = np.arange(len(same)) ^ 1
    return same | same[partner]
