"""Training with PyTorch: the loop, trainers, update rules, several processes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# Names "as" themselves are for our estimators, and not public.
from skparaphrase.training._loop import History as History
from skparaphrase.training._loop import check_patience as check_patience
from skparaphrase.training._loop import fit_epochs as fit_epochs
from skparaphrase.training._loop import report_gain as report_gain
from skparaphrase.training._loop import (
    warn_if_a_constant_is_better as warn_if_a_constant_is_better,
)
from skparaphrase.training._supervised import ExamplesTrainer as ExamplesTrainer
from skparaphrase.training._supervised import TaggedSentences as TaggedSentences
from skparaphrase.training._supervised import TargetTexts as TargetTexts
from skparaphrase.training._supervised import head_trainer as head_trainer
from skparaphrase.training._trainer import (
    BaseTrainer,
    LossBatch,
    ParaphraseTrainer,
)
from skparaphrase.training._trainer import Steps as Steps

__all__ = [
    "BaseTrainer",
    "LossBatch",
    "ParaphraseTrainer",
]
