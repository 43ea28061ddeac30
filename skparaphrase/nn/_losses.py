"""Losses of a batch of paraphrase pairs, or of texts that a teacher has embedded."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F


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
        positive = (first * second).sum(dim=1)
        against = unit.index_select(0, chosen)
        negative = (texts * against).sum(dim=1).view(-1, 2)
        hinges = F.relu(margin - positive[:, None] + negative) * found.view(-1, 2)
        ctx.save_for_backward(unit, against, chosen, hinges > 0)
        return hinges.sum() / len(positive)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        unit, against, chosen, active = ctx.saved_tensors
        active = active.to(unit.dtype) * (gradient / len(active))
        hinge = active.view(-1, 1)
        texts = unit[: len(chosen)]
        partner = texts.view(-1, 2, unit.shape[1]).flip(1)
        of_texts = against * hinge
        of_texts -= (partner * active.sum(dim=1)[:, None, None]).view_as(texts)
        of_unit = F.pad(of_texts, (0, 0, 0, len(unit) - len(texts)))
        of_unit.index_add_(0, chosen, texts * hinge)
        return of_unit, None, None, None


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
    one, other = unit.view(-1, 2, unit.shape[1]).unbind(dim=1)
    logits = one @ other.T / temperature
    first, second = texts[0::2], texts[1::2]
    losses = []
    for scores, own, partner in ((logits, first, second), (logits.T, second, first)):
        if mask_identical:
            same = (partner[None] == partner[:, None]) | (partner[None] == own[:, None])
            np.fill_diagonal(same, False)
            masked = torch.from_numpy(same).to(unit.device)
            scores = scores.masked_fill(masked, -torch.inf)
        target = torch.arange(len(scores), device=unit.device)
        losses.append(F.cross_entropy(scores, target))
    return (losses[0] + losses[1]) / 2


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
