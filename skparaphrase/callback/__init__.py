"""Callbacks for encoders that train: a score every epoch, early stopping.

The protocol is scikit-learn's (:mod:`sklearn.callback`), whose `ProgressBar` works with
the encoders here as well.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.callback._score_monitor import EarlyStopping, ScoreMonitor

__all__ = ["EarlyStopping", "ScoreMonitor"]
