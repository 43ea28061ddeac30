"""Modules that are shared by several benchmarks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"
