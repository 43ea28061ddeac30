"""Helpers of the tests of networks, which trainers need, too."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path
from runpy import run_path

found = run_path(str(Path(__file__).parents[1] / "networks" / "conftest.py"))
double, nets = found["double"], found["nets"]
