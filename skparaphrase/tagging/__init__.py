"""Tags for the words of sentences."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.tagging._sequence_tagger import SequenceTagger

__all__ = ["SequenceTagger"]
