"""Training with PyTorch: the loop, objectives, update rules, several processes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# Names "as" themselves are for our estimators, and not public.
from skparaphrase.training._loop import History as History
from skparaphrase.training._loop import fit_epochs as fit_epochs
from skparaphrase.training._loop import report_gain as report_gain
from skparaphrase.training._loop import (
    warn_if_a_constant_is_better as warn_if_a_constant_is_better,
)
from skparaphrase.training._objectives import HeadObjective as HeadObjective
from skparaphrase.training._objectives import (
    InteractionObjective as InteractionObjective,
)
from skparaphrase.training._objectives import ParaphraseObjective as ParaphraseObjective
from skparaphrase.training._objectives import TaggingObjective as TaggingObjective
from skparaphrase.training._trainer import Steps as Steps
from skparaphrase.training._trainer import Trainer as Trainer

__all__: list[str] = []
