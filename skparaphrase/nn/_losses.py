"""Losses of a batch of paraphrase pairs, or of texts that a teacher has embedded."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from skparaphrase.nn._negatives import row_blocks
from skparaphrase.nn._transfer import to_device


def unit_vectors(vectors: Tensor) -> Tensor:
    """Vectors of length 1; zero stays zero, with cosine and gradient 0."""
    unit: Tensor = _Unit.apply(vectors)
    return unit


class _Unit(torch.autograd.Function):
    """v / |v|, with a gradient of three operations."""

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
    r"""Hinge loss of Wieting et al. (2016).

    The mean over pairs of :math:`\max(0, \delta - \cos(x_1, x_2) + \cos(x_1, t_1)) +
    \max(0, \delta - \cos(x_1, x_2) + \cos(x_2, t_2))`.

    Parameters
    ----------
    unit : Tensor of shape (2B, dim) or (4B, dim)
        Unit vectors, the texts of pair `i` in rows `2i` and `2i + 1`. Further rows may
        hold negatives that were embedded once more.
    chosen : Tensor of shape (2B,)
        Row of the negative of each text.
    found : Tensor of shape (2B,), bool
        Texts without a negative add nothing.
    margin : float
        delta.

    Returns
    -------
    loss : Tensor, a scalar
    """
    loss: Tensor = _Margin.apply(unit, chosen, found, margin)
    return loss


class _Margin(torch.autograd.Function):
    """The hinges, with their gradient in a third of torch's operations."""

    @staticmethod
    def forward(
        ctx: Any, unit: Tensor, chosen: Tensor, found: Tensor, margin: float
    ) -> Tensor:
        texts = unit[: len(chosen)]
        first, second = texts.view(-1, 2, unit.shape[1]).unbind(dim=1)
        positive = torch.linalg.vecdot(first, second)
        negative = torch.linalg.vecdot(texts, unit.index_select(0, chosen))
        hinges = F.relu(margin - positive[:, None] + negative.view(-1, 2))
        hinges *= found.view(-1, 2)
        ctx.save_for_backward(unit, chosen, hinges > 0)
        return hinges.sum() / len(positive)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        unit, chosen, active = ctx.saved_tensors
        n = len(chosen)
        partner, starts = _partners(n, chosen.device)
        hinge = active * (gradient / len(active)).to(unit.dtype)
        # A text is pulled to its partner by the hinges of both, and off its negative.
        pull = -hinge.sum(dim=1, keepdim=True).expand(-1, 2)
        of_unit = F.embedding_bag(
            torch.stack([partner, chosen], dim=1).view(-1),
            unit,
            starts,
            mode="sum",
            per_sample_weights=torch.stack([pull, hinge], dim=2).view(-1),
        )
        if len(unit) > n:
            of_unit = F.pad(of_unit, (0, 0, 0, len(unit) - n))
        of_unit.index_add_(0, chosen, unit[:n] * hinge.view(-1, 1))
        return of_unit, None, None, None


@lru_cache(maxsize=8)
def _partners(n: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """The other text of the pair of each of n texts, and every second number."""
    texts = torch.arange(n, device=device)
    return texts ^ 1, 2 * texts


def infonce_loss(
    unit: Tensor,
    texts: NDArray[np.integer],
    *,
    temperature: float,
    mask_identical: bool,
) -> Tensor:
    """Cross-entropy of finding the partner among the batch, both ways, averaged.

    Parameters
    ----------
    unit : Tensor of shape (2B, dim)
        Unit vectors, the texts of pair `i` in rows `2i` and `2i + 1`.
    texts : ndarray of shape (2B,)
        Equal numbers mean equal strings.
    temperature : float
        Divides the cosines.
    mask_identical : bool
        Leave out candidates whose string is that of the text or of its partner.

    Returns
    -------
    loss : Tensor, a scalar
    """
    loss: Tensor = _InfoNCE.apply(unit, texts, temperature, mask_identical)
    return loss


class _InfoNCE(torch.autograd.Function):
    """Cross-entropy both ways, some rows of the matrix of cosines at a time.

    What is remembered is the logarithm of the sum of every row and of every column.
    """

    @staticmethod
    def forward(
        ctx: Any,
        unit: Tensor,
        texts: NDArray[np.integer],
        temperature: float,
        mask_identical: bool,
    ) -> Tensor:
        ctx.texts = texts if mask_identical else None
        ctx.temperature = temperature
        n_pairs = len(unit) // 2
        of_rows = unit.new_empty(n_pairs)
        of_columns = unit.new_full((n_pairs,), -torch.inf)
        own = unit.new_empty(n_pairs)
        for rows in row_blocks(n_pairs):
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
        for rows in row_blocks(len(one)):
            by_row, by_column = _logits(unit, rows, ctx.temperature, ctx.texts)
            shares = (by_row - of_rows[rows, None]).exp_()
            shares += (by_column - of_columns).exp_()
            shares.diagonal(rows.start).sub_(2)
            shares *= gradient / (len(unit) * ctx.temperature)
            of_one[rows] = shares @ other
            of_other += shares.T @ one[rows]
        return of_unit, None, None, None


def _logits(
    unit: Tensor,
    rows: slice,
    temperature: float,
    texts: NDArray[np.integer] | None,
) -> tuple[Tensor, Tensor]:
    """Cosines of some first texts with all second ones, by the temperature.

    Twice: as candidates of the first texts, and of the second ones. Candidates that
    `texts` rules out are -inf.
    """
    one, other = unit.view(-1, 2, unit.shape[1]).unbind(dim=1)
    logits = one[rows] @ other.T / temperature
    if texts is None:
        return logits, logits
    first, second = texts[0::2], texts[1::2]
    firsts, seconds = first[rows, None], second[rows, None]
    own = np.arange(rows.start, rows.stop)[:, None] == np.arange(len(first))
    masked = [
        logits.masked_fill(to_device(same & ~own, unit.device), -torch.inf)
        for same in (
            (second == seconds) | (second == firsts),
            (firsts == first) | (firsts == second),
        )
    ]
    return masked[0], masked[1]


def cosine_loss(unit: Tensor, targets: Tensor) -> Tensor:
    """The mean of 1 - cos(text, target).

    Parameters
    ----------
    unit : Tensor of shape (n_texts, dim)
        Unit vectors.
    targets : Tensor of shape (n_texts, dim)
        Unit vectors.

    Returns
    -------
    loss : Tensor, a scalar
    """
    return 1 - (unit * targets).sum() / len(unit)
