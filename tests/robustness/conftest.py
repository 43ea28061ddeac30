"""Attacks, which are also the script `soak.py`'s."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
