"""Attack with new seeds until the time is over, and print a table of failures.

Run `python tests/robustness/soak.py [MINUTES]`.
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
from pathlib import Path

from attacks import ATTACKS


def main(minutes: float) -> int:
    """Print attack, cases and failures, and each failure with its seed."""
    warnings.simplefilter("error")
    cases: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    root = Path(tempfile.mkdtemp())
    end, seed = time.monotonic() + 60 * minutes, time.time_ns() // 10**6
    while time.monotonic() < end:
        seed += 1
        for name, attack in ATTACKS.items():
            cases[name] += 1
            folder = root / f"{name}-{seed}"
            try:
                attack(seed, folder)
            except Exception:
                failures[name] += 1
                print(f"{name} with seed {seed}:\n{traceback.format_exc()}")
            shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(root)
    print(f"{'attack':24}{'cases':>10}{'failures':>10}")
    for name in ATTACKS:
        print(f"{name:24}{cases[name]:10}{failures[name]:10}")
    return sum(failures.values())


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30) > 0)
