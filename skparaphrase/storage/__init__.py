"""Models and tables in folders."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

__all__: list[str] = []  # models are saved by methods, and loaded by skparaphrase.load
