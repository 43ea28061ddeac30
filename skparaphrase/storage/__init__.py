"""Saving models and tables to folders, and loading them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

__all__: list[str] = []  # models are saved by methods, and loaded by skparaphrase.load

# Modules that other rooms import from; the others serve this room alone.
_SHARED = ("_folders", "_models")
