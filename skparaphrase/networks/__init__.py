"""PyTorch networks: compositions, heads and the table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# Names imported "as" themselves are for other packages, and not public.
from skparaphrase.networks._compositions import Average as Average
from skparaphrase.networks._compositions import Charagram as Charagram
from skparaphrase.networks._compositions import Composition, Residual
from skparaphrase.networks._compositions import DeepAverage as DeepAverage
from skparaphrase.networks._compositions import charagram_range as charagram_range
from skparaphrase.networks._compositions import parameter_arrays as parameter_arrays
from skparaphrase.networks._compositions import with_parameters as with_parameters
from skparaphrase.networks._convolutions import (
    CharacterConvolution as CharacterConvolution,
)
from skparaphrase.networks._convolutions import Convolution as Convolution
from skparaphrase.networks._heads import Head as Head
from skparaphrase.networks._interaction import Interaction as Interaction
from skparaphrase.networks._interaction import focus_mask as focus_mask
from skparaphrase.networks._interaction import focus_weights as focus_weights
from skparaphrase.networks._recurrent import LSTM as LSTM
from skparaphrase.networks._recurrent import IdentityRecurrent as IdentityRecurrent
from skparaphrase.networks._recurrent import Recurrent as Recurrent
from skparaphrase.networks._table import WordTable as WordTable
from skparaphrase.networks._table import pool, to_device
from skparaphrase.networks._table import resolve_device as resolve_device
from skparaphrase.networks._tagger import Sentences as Sentences
from skparaphrase.networks._tagger import Tagger as Tagger

__all__ = [
    "Composition",
    "Residual",
    "pool",
    "to_device",
]

# Modules that other packages import from; the others are private to this one.
_SHARED = ("_compositions", "_heads", "_table")
