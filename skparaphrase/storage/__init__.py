"""Saving models and tables to folders, and loading them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

__all__: list[str] = []  # models are saved by methods, and loaded by skparaphrase.load

# Modules that other packages import from; the others are private to this one.
_SHARED = ("_folders", "_models")
