"""Look-up of words and n-grams, and sums of rows, compiled or in plain NumPy.

The functions are documented in the plain version, which is used if the package was
installed without a compiler, or if the environment variable `SKPARAPHRASE_CORE` is
"plain".
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from contextlib import suppress
from importlib import import_module

from skparaphrase._core._plain import CHUNKS as CHUNKS
from skparaphrase._core._plain import JOINERS as JOINERS
from skparaphrase._core._plain import MARKS as MARKS
from skparaphrase._core._plain import MOST_RUNS as MOST_RUNS
from skparaphrase._core._plain import ORDINAL as ORDINAL
from skparaphrase._core._plain import WORD as WORD
from skparaphrase._core._plain import WordIndex as WordIndex
from skparaphrase._core._plain import distinct_weights as distinct_weights
from skparaphrase._core._plain import folded as folded
from skparaphrase._core._plain import is_word as is_word
from skparaphrase._core._plain import normalize as normalize
from skparaphrase._core._plain import windows as windows

core = import_module("._plain", __name__)
COMPILED = False
if os.environ.get("SKPARAPHRASE_CORE") != "plain":
    with suppress(ImportError):  # installed without a compiler
        core = import_module("._compiled", __name__)
        COMPILED = True
