"""Attacks, which are also the script `soak.py`'s."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

spec = spec_from_file_location("attacks", Path(__file__).with_name("attacks.py"))
sys.modules["attacks"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["attacks"])
