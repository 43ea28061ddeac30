"""Callbacks for models that train: scores, early stopping, checkpoints.

The protocol is scikit-learn's (:mod:`sklearn.callback`), whose `ProgressBar` works with
the models here as well.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.callback._checkpoint import Checkpoint
from skparaphrase.callback._score_monitor import EarlyStopping, ScoreMonitor

__all__ = ["Checkpoint", "EarlyStopping", "ScoreMonitor"]
