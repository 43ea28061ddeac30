"""What got slower: calls of ours beside the obvious way, against the recorded ratios.

    make bench
    python benchmarks/guard.py --record

A race is a call of ours and a call of a peer or of the obvious way (`_races.py`), timed
in turn in one process, five times; its ratio says how many times as fast ours is. A
race got slower if ours takes over 20 % longer than recorded, measured in the time of
the other side, by the medians, and if no repetition is as good as the worst one that
was recorded; whatever looks so is run a second time, and both have to say it. The
status is 1 then. Needs neither data nor packages beside the package, and two or three
minutes.

Ratios depend on the machine: on another one than the recorded, `--record` first
(`--results` says where), change the code, and run it again.
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

from _timing import machine, number

RESULTS = Path(__file__).parent / "results" / "guard.json"
TOLERANCE = 0.2
Ratios = dict[str, list[float]]  # of each repetition, by race


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
    parser.add_argument("--results", type=Path, default=RESULTS)
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
    """Races that got slower, and how many times the recorded time they take.

    By more than `tolerance`, of the medians, and without an overlap of the ranges.
    """
    slow = {}
    for name, now in found.items():
        if before := recorded.get(name):
            times = median(before) / median(now)
            if times > 1 + tolerance and max(now) < min(before):
                slow[name] = times
    return slow


def _recorded(args: argparse.Namespace) -> Ratios:
    """Ratios to compare with; none if there are none, or others are to be written."""
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
    """Ratios of all races, or of some."""
    import torch
    from _races import RACES, Material

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
    """How many times as fast ours is, in each repetition; the first turns alternate."""
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
    """The fastest of as many calls as fit into a third of a second, of one at least."""
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
    low, high = number(min(values)), number(max(values))
    return f"{number(median(values))} ({low} to {high})"


def _report(recorded: Ratios, found: Ratios) -> list[str]:
    """A table of Markdown, with what is recorded if there is something."""
    heads = ["ours / the other way", "times as fast"]
    heads += ["recorded", "change"] if recorded else []
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for name, values in found.items():
        cells = [name, _spread(values)]
        if recorded:
            before = recorded.get(name)
            change = f"{median(values) / median(before) - 1:+.0%}" if before else ""
            cells += [_spread(before) if before else "", change]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


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
    head = [
        "# What `make bench` compares with",
        "",
        "## Ratios that are guarded",
        "",
        "Made by `python benchmarks/guard.py --record`, which says how: how many times",
        f"as fast ours is, medians of {args.rounds} repetitions and their range, with",
        f"{args.threads} threads. {date.today()}; {about['processor']};",
        f"{about['system']}.",
        "",
    ]
    lines = [*head, *_report({}, found), ""]
    args.results.with_suffix(".md").write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    if "OMP_WAIT_POLICY" not in os.environ:  # read when torch is loaded
        os.environ["OMP_WAIT_POLICY"] = "passive"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    warnings.filterwarnings("ignore", message="Sparse invariant checks")
    sys.exit(main())
