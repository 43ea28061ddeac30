"""Modules of the benchmarks are imported as their scripts import them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
