"""Training with torch: no strings here, and no scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.nn._compositions import (
    Average,
    Charagram,
    Composition,
    DeepAverage,
    Pooled,
    charagram_range,
)
from skparaphrase.nn._convolutions import CharacterConvolution, Convolution
from skparaphrase.nn._losses import unit_vectors
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._recurrent import LSTM, IdentityRecurrent, Recurrent
from skparaphrase.nn._table import WordTable
from skparaphrase.nn._training import (
    Trainer,
    TrainingOptions,
    batch_slices,
    few_threads,
    resolve_device,
)

__all__ = [
    "LSTM",
    "Average",
    "CharacterConvolution",
    "Charagram",
    "Composition",
    "Convolution",
    "DeepAverage",
    "IdentityRecurrent",
    "Pooled",
    "Recurrent",
    "Trainer",
    "TrainingOptions",
    "WordTable",
    "batch_slices",
    "charagram_range",
    "choose_negatives",
    "few_threads",
    "resolve_device",
    "unit_vectors",
]
