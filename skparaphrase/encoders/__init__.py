"""Encoders of sentences: texts of shape S become vectors of shape S + (dim,)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.encoders._average import AverageEncoder
from skparaphrase.encoders._char_cnn import CharCNNEncoder
from skparaphrase.encoders._char_lstm import CharLSTMEncoder
from skparaphrase.encoders._charagram import CharagramEncoder
from skparaphrase.encoders._convolutional import ConvolutionalEncoder
from skparaphrase.encoders._deep_averaging import DeepAveragingEncoder
from skparaphrase.encoders._identity_rnn import IdentityRNNEncoder
from skparaphrase.encoders._lstm import LSTMEncoder
from skparaphrase.encoders._paragram import ParagramEncoder
from skparaphrase.encoders._projection import ProjectionEncoder
from skparaphrase.encoders._rnn import RNNEncoder
from skparaphrase.encoders._sif import SIFEncoder
from skparaphrase.encoders._tfidf import TfidfEncoder

__all__ = [
    "AverageEncoder",
    "CharCNNEncoder",
    "CharLSTMEncoder",
    "CharagramEncoder",
    "ConvolutionalEncoder",
    "DeepAveragingEncoder",
    "IdentityRNNEncoder",
    "LSTMEncoder",
    "ParagramEncoder",
    "ProjectionEncoder",
    "RNNEncoder",
    "SIFEncoder",
    "TfidfEncoder",
]
