"""Regressions of speed: our calls compared with the obvious implementation.

    make bench
    python benchmarks/speed/guard.py --record

A race (`_lib/races.py`) times a call of ours and a call of another library, or of the
obvious implementation, alternately in one process, five times. The ratio of the two is
the speed-up of our call. A race counts as slower if our median, in units of the time of
the other side, is over 20 % longer than recorded, and if no repetition is as good as
the worst recorded one. Such races are run a second time, and must be slower again; then
the exit status is 1. It needs neither data nor other packages, and takes two or three
minutes.

Ratios depend on the machine. On a different machine, run `--record` first (`--results`
sets the file), change the code, and run it again.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.timing import machine, shown, table

RECORDED = RESULTS / "guard.json"
TOLERANCE = 0.2
Ratios = dict[str, list[float]]  # ratio of each repetition, by race


def main() -> int:
    args = _parse_args()
    recorded = _recorded(args)
    with TemporaryDirectory() as folder:
        found = run(args, Path(folder))
        suspects = slower(recorded, found)
        if suspects:
            print(f"\nonce more: {', '.join(suspects)}\n")
            found |= run(args, Path(folder), list(suspects))
            suspects = slower(recorded, {name: found[name] for name in suspects})
    print("\n".join(["", *_report(recorded, found)]))
    if args.record:
        _record(args, found)
        return 0
    for name, times in suspects.items():
        print(f"SLOWER: {name}: {times - 1:.0%} more time than recorded")
    if not recorded and not args.quick:
        print(f"Nothing to compare with: {args.results} does not exist (--record).")
    return 1 if suspects else 0


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="races whose name holds this")
    parser.add_argument("--quick", action="store_true", help="little, not compared")
    parser.add_argument("--record", action="store_true", help="write the ratios")
    parser.add_argument("--results", type=Path, default=RECORDED)
    args = parser.parse_args()
    if args.only and args.record:
        parser.error("--record writes the ratios of all races: not with --only")
    if args.quick:
        args.rounds = 1
        if args.record:
            parser.error("--quick gives no ratios that could be recorded.")
    return args


# Comparison ------------------------------------------------------------------------


def slower(
    recorded: Mapping[str, Sequence[float]],
    found: Mapping[str, Sequence[float]],
    tolerance: float = TOLERANCE,
) -> dict[str, float]:
    """Slower races, with their factors.

    Their medians differ by more than `tolerance`, and their ranges do not overlap.
    """
    slow = {}
    for name, now in found.items():
        if before := recorded.get(name):
            times = median(before) / median(now)
            if times > 1 + tolerance and max(now) < min(before):
                slow[name] = times
    return slow


def _recorded(args: argparse.Namespace) -> Ratios:
    """Recorded ratios; empty if there are none, or if new ones are recorded."""
    if args.record or args.quick or not args.results.exists():
        return {}
    stored = json.loads(args.results.read_text("utf-8"))
    if stored["threads"] != args.threads:
        print(f"Recorded with {stored['threads']} threads, not {args.threads}.")
    if stored["machine"]["processor"] != machine()["processor"]:
        print(f"Recorded on another machine: {stored['machine']['processor']}.")
    return stored["ratios"]


# Timing ----------------------------------------------------------------------------


def run(
    args: argparse.Namespace, folder: Path, names: Sequence[str] | None = None
) -> Ratios:
    """Run all races, or some, and return their ratios."""
    import torch

    from _lib.races import RACES, Material

    torch.set_num_threads(args.threads)
    material = Material(folder, args.quick)
    found = {}
    for name, prepare in RACES.items():
        if args.only in name and (names is None or name in names):
            race = prepare(material)
            found[name] = ratios(race.ours, race.other, race.share, args.rounds)
            print(f"{name:62} {_spread(found[name])}", flush=True)
    return found


def ratios(
    ours: Callable[[], object],
    other: Callable[[], object],
    share: float,
    n_rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The ratio of each repetition; the two sides take turns to be first."""
    ours()
    other()
    found = []
    for i in range(n_rounds):
        calls = [ours, other]
        taken = {
            call: _seconds(call, clock)
            for call in (calls if i % 2 == 0 else calls[::-1])
        }
        found.append(taken[other] / share / taken[ours])
    return found


def _seconds(
    call: Callable[[], object], clock: Callable[[], float], at_least: float = 0.3
) -> float:
    """Seconds of the fastest call within a third of a second; at least one call."""
    fastest, start = float("inf"), clock()
    while True:
        before = clock()
        call()
        after = clock()
        fastest = min(fastest, after - before)
        if after - start >= at_least:
            return fastest


# Results ---------------------------------------------------------------------------


def _spread(values: Sequence[float]) -> str:
    return shown(median(values), min(values), max(values))


def _report(recorded: Ratios, found: Ratios) -> list[str]:
    """A Markdown table, with the recorded ratios if there are any."""
    heads, rows = ["ours / the other way", "times as fast"], []
    if recorded:
        heads += ["recorded", "change"]
    for name, values in found.items():
        cells = [name, _spread(values)]
        if before := recorded.get(name):
            change = median(values) / median(before) - 1
            cells += [_spread(before), f"{change:+.0%}"]
        rows.append(cells + [""] * (len(heads) - len(cells)))
    return table(heads, rows)


def _record(args: argparse.Namespace, found: Ratios) -> None:
    about = machine()
    stored: dict[str, Any] = {
        "date": str(date.today()),
        "threads": args.threads,
        "machine": about,
        "ratios": found,
    }
    args.results.parent.mkdir(parents=True, exist_ok=True)
    args.results.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    text = f"""# What `make bench` compares with

## Ratios that are guarded

Made by `python benchmarks/speed/guard.py --record`, which says how: how many
times as fast ours is, medians of {args.rounds} repetitions and their range,
with {args.threads} threads. {date.today()}; {about["processor"]};
{about["system"]}.

"""
    text += "\n".join([*_report({}, found), ""])
    args.results.with_suffix(".md").write_text(text, "utf-8")


if __name__ == "__main__":
    if "OMP_WAIT_POLICY" not in os.environ:  # read when torch is loaded
        os.environ["OMP_WAIT_POLICY"] = "passive"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    warnings.filterwarnings("ignore", message="Sparse invariant checks")
    sys.exit(main())
