"""Training with torch: no strings here, and no scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.nn._compositions import Average
from skparaphrase.nn._table import WordTable
from skparaphrase.nn._training import (
    Trainer,
    TrainingOptions,
    few_threads,
    resolve_device,
)

__all__ = [
    "Average",
    "Trainer",
    "TrainingOptions",
    "WordTable",
    "few_threads",
    "resolve_device",
]
