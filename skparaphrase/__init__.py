"""Paraphrastic sentence embeddings for scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

__version__ = "0.1.0.dev0"
