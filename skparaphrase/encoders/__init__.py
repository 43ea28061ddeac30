"""Encoders of sentences: texts of shape S become vectors of shape S + (dim,)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.encoders._average import AverageEncoder, TfidfEncoder
from skparaphrase.encoders._char_networks import CharCNNEncoder, CharLSTMEncoder
from skparaphrase.encoders._charagram import CharagramEncoder
from skparaphrase.encoders._convolutional import ConvolutionalEncoder
from skparaphrase.encoders._deep_averaging import (
    DeepAveragingEncoder,
    ProjectionEncoder,
)
from skparaphrase.encoders._distilled import DistilledEncoder
from skparaphrase.encoders._lstm import LSTMEncoder
from skparaphrase.encoders._paragram import ParagramEncoder
from skparaphrase.encoders._rnn import IdentityRNNEncoder, RNNEncoder
from skparaphrase.encoders._sif import SIFEncoder

__all__ = [
    "AverageEncoder",
    "CharCNNEncoder",
    "CharLSTMEncoder",
    "CharagramEncoder",
    "ConvolutionalEncoder",
    "DeepAveragingEncoder",
    "DistilledEncoder",
    "IdentityRNNEncoder",
    "LSTMEncoder",
    "ParagramEncoder",
    "ProjectionEncoder",
    "RNNEncoder",
    "SIFEncoder",
    "TfidfEncoder",
]
