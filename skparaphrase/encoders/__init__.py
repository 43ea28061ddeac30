"""Encoders of sentences: texts of shape S become vectors of shape S + (dim,)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.encoders._average import AverageEncoder
from skparaphrase.encoders._paragram import ParagramEncoder
from skparaphrase.encoders._sif import SIFEncoder
from skparaphrase.encoders._tfidf import TfidfEncoder

__all__ = ["AverageEncoder", "ParagramEncoder", "SIFEncoder", "TfidfEncoder"]
