"""Larger-than-memory data: texts in a folder, and vectors computed in blocks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.streams._store import TextStore
from skparaphrase.streams._transform import transform_blocks, transform_to

__all__ = ["TextStore", "transform_blocks", "transform_to"]
