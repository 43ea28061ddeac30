"""Losses that encoders are trained with, and the base for a loss of your own."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase._compat import StrOptions
from skparaphrase.losses._base import Loss
from skparaphrase.losses._distillation import DistillationLoss
from skparaphrase.losses._infonce import InfoNCELoss
from skparaphrase.losses._margin import MarginLoss

__all__ = ["DistillationLoss", "InfoNCELoss", "Loss", "MarginLoss"]

#: What the names of the parameter `loss` stand for. "margin" is the setting of the
#: paper, which encoders may override.
LOSSES: dict[str, type[Loss]] = {
    "margin": MarginLoss,
    "infonce": InfoNCELoss,
    "distillation": DistillationLoss,
}

#: Constraint of the parameter `loss`.
LOSS = [StrOptions(set(LOSSES)), Loss]


def check_loss(loss: str | Loss, margin_loss: MarginLoss) -> Loss:
    """The object that the parameter `loss` stands for.

    `margin_loss` is what "margin" means for the encoder, the setting of its paper.
    """
    if isinstance(loss, str):
        loss = margin_loss if loss == "margin" else LOSSES[loss]()
    loss._validate_params()
    return loss
