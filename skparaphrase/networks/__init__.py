"""Networks of PyTorch: compositions, heads and the table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.networks._compositions import (
    Average,
    Charagram,
    Composition,
    DeepAverage,
    Residual,
    charagram_range,
    parameter_arrays,
    unit_vectors,
    with_parameters,
)
from skparaphrase.networks._convolutions import CharacterConvolution, Convolution
from skparaphrase.networks._heads import Head
from skparaphrase.networks._interaction import Interaction
from skparaphrase.networks._recurrent import (
    LSTM,
    IdentityRecurrent,
    Recurrent,
    StackedLSTM,
)
from skparaphrase.networks._table import WordTable, resolve_device, to_device
from skparaphrase.networks._tagger import Sentences, Tagger

__all__ = [
    "LSTM",
    "Average",
    "CharacterConvolution",
    "Charagram",
    "Composition",
    "Convolution",
    "DeepAverage",
    "Head",
    "IdentityRecurrent",
    "Interaction",
    "Recurrent",
    "Residual",
    "Sentences",
    "StackedLSTM",
    "Tagger",
    "WordTable",
    "charagram_range",
    "parameter_arrays",
    "resolve_device",
    "to_device",
    "unit_vectors",
    "with_parameters",
]
