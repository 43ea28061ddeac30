"""Paraphrastic sentence embeddings for scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.encoders._saving import load

__all__ = ["__version__", "load"]

__version__ = "0.1.0.dev0"
