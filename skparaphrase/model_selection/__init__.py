"""Splitting and tuning with pairs of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.model_selection._groups import pair_groups

__all__ = ["pair_groups"]
