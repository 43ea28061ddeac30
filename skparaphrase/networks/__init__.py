"""Networks of PyTorch: compositions, heads and the table of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# Names "as" themselves are for other rooms, and not public.
from skparaphrase.networks._compositions import (
    Average,
    Charagram,
    Composition,
    DeepAverage,
    Residual,
)
from skparaphrase.networks._compositions import charagram_range as charagram_range
from skparaphrase.networks._compositions import parameter_arrays as parameter_arrays
from skparaphrase.networks._compositions import with_parameters as with_parameters
from skparaphrase.networks._convolutions import CharacterConvolution, Convolution
from skparaphrase.networks._heads import Head as Head
from skparaphrase.networks._heads import Sentences as Sentences
from skparaphrase.networks._heads import Tagger as Tagger
from skparaphrase.networks._heads import (
    binary_cross_entropy_losses as binary_cross_entropy_losses,
)
from skparaphrase.networks._heads import cross_entropy_losses as cross_entropy_losses
from skparaphrase.networks._heads import divergence_losses as divergence_losses
from skparaphrase.networks._heads import hinge_losses as hinge_losses
from skparaphrase.networks._heads import tagging_losses as tagging_losses
from skparaphrase.networks._interaction import Interaction as Interaction
from skparaphrase.networks._interaction import focus_mask as focus_mask
from skparaphrase.networks._interaction import focus_weights as focus_weights
from skparaphrase.networks._recurrent import LSTM, IdentityRecurrent, Recurrent
from skparaphrase.networks._table import Ints as Ints
from skparaphrase.networks._table import UsedRows as UsedRows
from skparaphrase.networks._table import WordTable as WordTable
from skparaphrase.networks._table import gather_rows as gather_rows
from skparaphrase.networks._table import pool, to_device
from skparaphrase.networks._table import resolve_device as resolve_device
from skparaphrase.networks._table import unit_vectors as unit_vectors

__all__ = [
    "LSTM",
    "Average",
    "CharacterConvolution",
    "Charagram",
    "Composition",
    "Convolution",
    "DeepAverage",
    "IdentityRecurrent",
    "Recurrent",
    "Residual",
    "pool",
    "to_device",
]
