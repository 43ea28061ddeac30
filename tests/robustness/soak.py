"""Attack with new seeds until the time is up, and print a table of failures.

Run `python tests/robustness/soak.py [MINUTES]`. A call of over two minutes counts as a
hang and ends the run. All kinds are attacked at least once.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from faulthandler import cancel_dump_traceback_later, dump_traceback_later
from itertools import count
from pathlib import Path

import numpy as np
import psutil
from process_attacks import PROCESS_ATTACKS
from test_attacks import ATTACKS
from thread_attacks import THREAD_ATTACKS


def main(minutes: float) -> int:
    """Print kinds, cases and failures of each attack; return the number of failures."""
    warnings.simplefilter("error")
    # OpenBLAS computes with memory beyond a small matrix.
    warnings.filterwarnings("ignore", "invalid value encountered in matmul")
    # Few of the tokens are words. Threads would undo a filter of an attack's own.
    warnings.filterwarnings("ignore", "Words that the table lacks")
    attacks = ATTACKS | PROCESS_ATTACKS | THREAD_ATTACKS
    cases = [(attack, kind) for attack, kinds in attacks.items() for kind in kinds]
    n_cases: Counter[str] = Counter()
    n_failures: Counter[str] = Counter()
    memory = []
    process, folder = psutil.Process(), Path(tempfile.mkdtemp(), "case")
    end = time.monotonic() + 60 * minutes
    for seed in count(time.time_ns() // 10**6):
        if len(memory) >= len(cases) and time.monotonic() > end:
            break
        attack, kind = cases[seed % len(cases)]
        n_cases[attack.__name__] += 1
        dump_traceback_later(120, exit=True)
        try:
            attack(kind, seed, folder)
        except Exception:
            n_failures[attack.__name__] += 1
            print(f"{attack.__name__} of {kind!r}, seed {seed}")
            traceback.print_exc()
        cancel_dump_traceback_later()
        shutil.rmtree(folder, ignore_errors=True)
        memory.append(process.memory_info().rss / 1e6)
    print(f"{'attack':20}", *(f"{name:>10}" for name in ("kinds", "cases", "failures")))
    for attack, kinds in attacks.items():
        name = attack.__name__
        row = len(kinds), n_cases[name], n_failures[name]
        print(f"{name:20}", *(f"{number:10,}" for number in row))
    later = memory[len(cases) :] or memory  # all kinds have been fitted by then
    quarters = [part.mean() for part in np.array_split(later, 4)]
    print("memory, MB, in the quarters:", *(f"{mean:,.1f}" for mean in quarters))
    if quarters[3] > 1.05 * quarters[1]:
        print("The memory grows: the last quarter has over 5 % more than the second.")
        n_failures["memory"] += 1
    return n_failures.total()


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30) > 0)
