"""Transformers of sentence vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.decomposition._common_component import CommonComponentRemoval

__all__ = ["CommonComponentRemoval"]
