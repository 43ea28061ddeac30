"""Encoders of sentences: texts of shape S become vectors of shape S + (dim,)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase import _docstrings
from skparaphrase.encoders._average import AverageEncoder, SIFEncoder, TfidfEncoder
from skparaphrase.encoders._characters import (
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
)
from skparaphrase.encoders._distilled import DistilledEncoder
from skparaphrase.encoders._networks import (
    DeepAveragingEncoder,
    NetworkEncoder,
    ProjectionEncoder,
)
from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.encoders._sequences import (
    CNNEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    RNNEncoder,
)

__all__ = [
    "AverageEncoder",
    "CNNEncoder",
    "CharCNNEncoder",
    "CharLSTMEncoder",
    "CharagramEncoder",
    "DeepAveragingEncoder",
    "DistilledEncoder",
    "IdentityRNNEncoder",
    "LSTMEncoder",
    "NetworkEncoder",
    "ParaphraseEncoder",
    "ProjectionEncoder",
    "RNNEncoder",
    "SIFEncoder",
    "TfidfEncoder",
]

# Modules that other packages import from; the others are private to this one.
_SHARED = (
    "_adapter",
    "_base",
    "_embedding",
    "_pretrained",
    "_start",
    "_trained",
)

_docstrings.complete(__name__)
