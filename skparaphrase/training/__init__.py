"""Training with PyTorch: the loop, trainers, update rules, several processes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.training._loop import (
    Training,
    begin_randomness,
    check_patience,
    forget_epochs,
    split_off,
    unchanged_on_error,
)
from skparaphrase.training._supervised import (
    Examples,
    HeadTrainer,
    InteractionTrainer,
    TaggerTrainer,
)
from skparaphrase.training._trainer import (
    BaseTrainer,
    LossBatch,
    ParaphraseTrainer,
    pair_batches,
)

__all__ = [
    "BaseTrainer",
    "Examples",
    "HeadTrainer",
    "InteractionTrainer",
    "LossBatch",
    "ParaphraseTrainer",
    "TaggerTrainer",
    "Training",
    "begin_randomness",
    "check_patience",
    "forget_epochs",
    "pair_batches",
    "split_off",
    "unchanged_on_error",
]
