"""Encoders of sentences: texts of shape S become vectors of shape S + (dim,)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.encoders._average import AverageEncoder, SIFEncoder, TfidfEncoder
from skparaphrase.encoders._base import AveragingEncoder as AveragingEncoder
from skparaphrase.encoders._base import TextEncoder as TextEncoder
from skparaphrase.encoders._base import check_word_vectors as check_word_vectors
from skparaphrase.encoders._base import text_vectors as text_vectors
from skparaphrase.encoders._char_networks import CharCNNEncoder, CharLSTMEncoder
from skparaphrase.encoders._charagram import CharagramEncoder
from skparaphrase.encoders._convolutional import ConvolutionalEncoder
from skparaphrase.encoders._deep_averaging import (
    DeepAveragingEncoder,
    ProjectionEncoder,
)
from skparaphrase.encoders._distilled import DistilledEncoder
from skparaphrase.encoders._embedder import Embedder as Embedder
from skparaphrase.encoders._embedding import embed_batch as embed_batch
from skparaphrase.encoders._embedding import similar_lengths as similar_lengths
from skparaphrase.encoders._initialize import begin_training as begin_training
from skparaphrase.encoders._initialize import copy_fitted as copy_fitted
from skparaphrase.encoders._initialize import resume_training as resume_training
from skparaphrase.encoders._initialize import warn_if_fitted as warn_if_fitted
from skparaphrase.encoders._lstm import LSTMEncoder
from skparaphrase.encoders._network import NetworkEncoder
from skparaphrase.encoders._paragram import ParagramEncoder
from skparaphrase.encoders._pretrained import load_pretrained as load_pretrained
from skparaphrase.encoders._pretrained import similarity as similarity
from skparaphrase.encoders._rnn import IdentityRNNEncoder, RNNEncoder
from skparaphrase.encoders._start import Start as Start
from skparaphrase.encoders._start import TableRows as TableRows
from skparaphrase.encoders._start import unwrap_frozen as unwrap_frozen
from skparaphrase.encoders._trained import TrainedEncoder as TrainedEncoder

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
    "NetworkEncoder",
    "ParagramEncoder",
    "ProjectionEncoder",
    "RNNEncoder",
    "SIFEncoder",
    "TfidfEncoder",
]
