"""Callbacks for models that train: scores and checkpoints.

The protocol is scikit-learn's (:mod:`sklearn.callback`), whose `ProgressBar` works with
the models here as well. After an epoch, the hook `on_fit_task_end` gets a dict
`metadata` with the number of the "epoch" (from 1), its "loss" and, if there is
validation, the "validation_score".
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.callback._checkpoint import Checkpoint
from skparaphrase.callback._score_monitor import ScoreMonitor

__all__ = ["Checkpoint", "ScoreMonitor"]
