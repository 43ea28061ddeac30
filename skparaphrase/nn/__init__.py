"""Training with PyTorch. This package knows neither strings nor scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.nn._compositions import (
    Average,
    Charagram,
    Composition,
    DeepAverage,
    Pooled,
    charagram_range,
    parameter_arrays,
    with_parameters,
)
from skparaphrase.nn._contrastive import (
    choose_negatives,
    infonce_loss,
    margin_loss,
    unit_vectors,
)
from skparaphrase.nn._convolutions import CharacterConvolution, Convolution
from skparaphrase.nn._distributed import resolve_device
from skparaphrase.nn._heads import Head
from skparaphrase.nn._interaction import Interaction
from skparaphrase.nn._recurrent import LSTM, IdentityRecurrent, Recurrent, StackedLSTM
from skparaphrase.nn._supervised import (
    Examples,
    HeadTrainer,
    InteractionTrainer,
    TaggerTrainer,
)
from skparaphrase.nn._table import WordTable, to_device
from skparaphrase.nn._tagger import Sentences, Tagger
from skparaphrase.nn._trainer import (
    BaseTrainer,
    LossBatch,
    ParaphraseTrainer,
    pair_batches,
)

__all__ = [
    "LSTM",
    "Average",
    "BaseTrainer",
    "CharacterConvolution",
    "Charagram",
    "Composition",
    "Convolution",
    "DeepAverage",
    "Examples",
    "Head",
    "HeadTrainer",
    "IdentityRecurrent",
    "Interaction",
    "InteractionTrainer",
    "LossBatch",
    "ParaphraseTrainer",
    "Pooled",
    "Recurrent",
    "Sentences",
    "StackedLSTM",
    "Tagger",
    "TaggerTrainer",
    "WordTable",
    "charagram_range",
    "choose_negatives",
    "infonce_loss",
    "margin_loss",
    "pair_batches",
    "parameter_arrays",
    "resolve_device",
    "to_device",
    "unit_vectors",
    "with_parameters",
]
