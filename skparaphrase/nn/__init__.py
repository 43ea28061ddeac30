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
from skparaphrase.nn._distillation import DistillationTrainer
from skparaphrase.nn._heads import Head
from skparaphrase.nn._interaction import (
    Interaction,
    InteractionOptions,
    InteractionTrainer,
)
from skparaphrase.nn._loop import few_threads, resolve_device
from skparaphrase.nn._losses import unit_vectors
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._recurrent import LSTM, IdentityRecurrent, Recurrent
from skparaphrase.nn._supervised import SupervisedOptions, SupervisedTrainer
from skparaphrase.nn._table import WordTable
from skparaphrase.nn._tagging import Sentences, Tagger, TaggerOptions, TaggerTrainer
from skparaphrase.nn._training import Trainer, TrainingOptions, batch_slices
from skparaphrase.nn._transfer import to_device

__all__ = [
    "LSTM",
    "Average",
    "CharacterConvolution",
    "Charagram",
    "Composition",
    "Convolution",
    "DeepAverage",
    "DistillationTrainer",
    "Head",
    "IdentityRecurrent",
    "Interaction",
    "InteractionOptions",
    "InteractionTrainer",
    "Pooled",
    "Recurrent",
    "Sentences",
    "SupervisedOptions",
    "SupervisedTrainer",
    "Tagger",
    "TaggerOptions",
    "TaggerTrainer",
    "Trainer",
    "TrainingOptions",
    "WordTable",
    "batch_slices",
    "charagram_range",
    "choose_negatives",
    "few_threads",
    "resolve_device",
    "to_device",
    "unit_vectors",
]
