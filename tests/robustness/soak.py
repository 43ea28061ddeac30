"""Attack with new seeds until the time is over, and print a table of failures.

Run `python tests/robustness/soak.py [MINUTES]`. A call of over two minutes is a hang,
and ends the run. All kinds are attacked once before the time begins.
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
from pathlib import Path

import psutil
from attacks import ATTACKS

from skparaphrase.text import WordLookup


def main(minutes: float) -> int:
    """Print attack, kinds, cases and failures, and each failure with its seed."""
    warnings.simplefilter("error")
    WordLookup.max_bytes = 2**22  # so that memory is full within minutes
    calls = {(name, kind): 0 for name, each in ATTACKS.items() for kind in each.kinds}
    failures: Counter[str] = Counter()
    slowest = dict.fromkeys(ATTACKS, 0.0)
    process, root = psutil.Process(), Path(tempfile.mkdtemp())
    seed = time.time_ns() // 10**6

    def attack(name: str, kind: str) -> None:
        nonlocal seed
        seed += 1
        start = time.monotonic()
        dump_traceback_later(120, exit=True)
        try:
            ATTACKS[name].run(kind, seed, root / "case")
        except Exception:
            failures[name] += 1
            print(f"{name} of {kind!r} with seed {seed}:\n{traceback.format_exc()}")
        cancel_dump_traceback_later()
        shutil.rmtree(root / "case", ignore_errors=True)
        slowest[name] = max(slowest[name], time.monotonic() - start)
        calls[name, kind] += 1

    for name, kind in calls:
        attack(name, kind)
    shares = {key: ATTACKS[key[0]].n_cases / ATTACKS[key[0]].asked for key in calls}
    n_asked = dict(shares)  # of a call, of the cases that are asked for
    memory: list[list[float]] = [[], [], [], []]
    start, seconds = time.monotonic(), 60 * minutes
    while (passed := time.monotonic() - start) < seconds:
        memory[int(4 * passed / seconds)].append(process.memory_info().rss / 1e6)
        key = min(shares, key=shares.__getitem__)
        attack(*key)
        shares[key] += n_asked[key]
    shutil.rmtree(root)
    columns = "kinds", "cases of each", "cases", "failures", "slowest, s"
    print(f"{'attack':20}", *(f"{column:>14}" for column in columns))
    for name, (_, kinds, _, n_cases) in ATTACKS.items():
        cases = [calls[name, kind] * n_cases for kind in kinds]
        row = len(kinds), min(cases), sum(cases), failures[name]
        print(f"{name:20}", *(f"{x:14,}" for x in row), f"{slowest[name]:14.1f}")
    means = [sum(quarter) / len(quarter) for quarter in memory]
    print("memory, MB, in the quarters:", *(f"{mean:,.1f}" for mean in means))
    print(f"minutes: {minutes:g}, of a processor: {time.process_time() / 60:.1f}")
    grows = means[3] > 1.05 * means[1]
    if grows:
        print("The memory grows: the last quarter has over 5 % more than the second.")
    return sum(failures.values()) + grows


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30) > 0)
