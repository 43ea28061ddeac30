"""Look-up of words and n-grams, and sums of rows: compiled, or in Python and NumPy.

The plain version documents the functions. It runs where the package was installed
without a compiler, and if the environment variable `SKPARAPHRASE_CORE` is "plain".
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from types import ModuleType

from skparaphrase._core import _plain
from skparaphrase._core._plain import JOINERS as JOINERS
from skparaphrase._core._plain import distinct_weights as distinct_weights
from skparaphrase._core._plain import is_word as is_word

core: ModuleType = _plain
if os.environ.get("SKPARAPHRASE_CORE") != "plain":
    try:
        from skparaphrase._core import _compiled as core  # type: ignore
    except ImportError:  # there was no compiler
        pass

COMPILED = core is not _plain
