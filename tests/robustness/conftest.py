"""Attacks, which are also used by the script `soak.py`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
