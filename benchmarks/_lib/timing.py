"""The command line of a benchmark: rounds of worker processes, tables of results.

It imports little on purpose: the process that monitors memory loads neither NumPy nor
vectors, so that it shares no page with the monitored processes.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import ctypes
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from _lib import RESULTS

Args = argparse.Namespace
Measures = dict[str, float]
Found = Mapping[str, Measures]  # of one round, by contender
Samples = dict[str, list[Measures]]  # by contender, one entry per round
PACKAGES = (
    *("skparaphrase", "numpy", "scipy", "scikit-learn", "torch", "joblib"),
    *("gensim", "model2vec", "sentence-transformers", "tokenizers", "psutil"),
)
N_CPUS = os.cpu_count() or 1
_SHARED_MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Contender:
    """The task of one worker process."""

    label: str
    work: Callable[..., Measures]
    needs: tuple[str, ...] = ()
    watched: bool = False  # its memory is measured from outside
    threads: int | None = None  # None takes those of the group
    plain: bool = False  # without the compiled core

    @property
    def missing(self) -> list[str]:
        return [module for module in self.needs if find_spec(module) is None]


@dataclass(frozen=True)
class Comparison:
    """A number computed in each round, and its target."""

    label: str
    of: Callable[[Found], float]
    at_least: float | None = None
    at_most: float | None = None

    @property
    def target(self) -> str:
        if self.at_least is not None:
            return f"at least {self.at_least:,g}"
        return "" if self.at_most is None else f"at most {self.at_most:,g}"

    def is_met(self, value: float) -> bool | None:
        if self.at_least is not None:
            return value >= self.at_least
        return None if self.at_most is None else value <= self.at_most


@dataclass(frozen=True)
class Group:
    """Contenders that alternate, and the columns of their table."""

    title: str
    text: str
    columns: Mapping[str, str]
    contenders: Mapping[str, Contender]
    comparisons: tuple[Comparison, ...]
    prepare: Callable[[Args], None] | None = None  # in a separate process
    note: Callable[[Samples], str] | None = None
    threads: int | None = None  # None takes `--threads`

    @property
    def missing(self) -> dict[str, str]:
        """The reasons why contenders are left out, by label."""
        return {
            each.label: f"{', '.join(each.missing)} not installed"
            for each in self.contenders.values()
            if each.missing
        }


def ratio(
    label: str,
    first: str,
    second: str,
    column: str = "all",
    second_column: str | None = None,
    **target: float,
) -> Comparison:
    """The ratio of a measure of two contenders."""

    def divide(found: Found) -> float:
        return found[first][column] / found[second][second_column or column]

    return Comparison(label, divide, **target)


def best_of(
    call: Callable[[], object],
    n_calls: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds of the fastest call."""
    seconds = []
    for _ in range(n_calls):
        start = clock()
        call()
        seconds.append(clock() - start)
    return min(seconds)


def cpu_of(call: Callable[[], object], n_calls: int = 3) -> float:
    """CPU seconds of the fastest call, on which other programs have less influence."""
    return best_of(call, n_calls, time.process_time)


def peak_of(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call, and its peak memory in MB beyond the memory before.

    Measured as the kernel's resident set (Linux); the result is included.
    """
    # Memory that is free but still resident would hide growth (glibc).
    ctypes.CDLL(None).malloc_trim(0)
    before = resident("VmRSS")
    # This resets the kernel's record of the peak (man 5 proc).
    Path("/proc/self/clear_refs").write_text("5")
    returned = call()
    return returned, resident("VmHWM") - before


def resident(field: str) -> float:
    """A value of the status of this process, such as "VmRSS", in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith(f"{field}:")]
    return int(line.split()[1]) * 1024 / 1e6


# Command line ----------------------------------------------------------------------


def main(script: Path, about: str, groups: Mapping[str, Group]) -> None:
    """Run `script` as its users call it, or as one of its workers."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--threads", type=int, default=N_CPUS)
    parser.add_argument("--quick", action="store_true", help="less data")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(groups))
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(_work(args, groups)))
        return
    names = args.only.split(",")
    if unknown := set(names) - set(groups):
        parser.error(f"--only takes {', '.join(groups)}; got {', '.join(unknown)}")
    args.out.mkdir(parents=True, exist_ok=True)
    stored = args.out / f"{script.stem}.json"
    results = json.loads(stored.read_text("utf-8")) if stored.exists() else {}
    for name in names:
        with TemporaryDirectory() as folder:
            options = {**vars(args), "folder": Path(folder)}
            options["threads"] = groups[name].threads or args.threads
            results[name] = _measure(script, Args(**options), name, groups[name])
        # In the order of the script, without groups that it no longer has.
        found = {name: results[name] for name in groups if name in results}
        stored.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        stored.with_suffix(".md").write_text(
            _report(script, about, groups, found), "utf-8"
        )
    print(_report(script, about, groups, {name: results[name] for name in names}))


def _work(args: Args, groups: Mapping[str, Group]) -> Measures:
    """Run a worker: a contender, or the preparation of a group."""
    for name, group in groups.items():
        if args.worker == f"prepare-{name}" and group.prepare is not None:
            group.prepare(args)
            return {}
        if args.worker in group.contenders:
            return group.contenders[args.worker].work(args)
    raise SystemExit(f"Unknown contender {args.worker!r}.")


def _measure(script: Path, args: Args, name: str, group: Group) -> dict[str, Any]:
    """One group, all rounds: contenders in turn, forwards and backwards."""
    for label, reason in group.missing.items():
        print(f"left out: {label} ({reason})")
    contenders = {n: each for n, each in group.contenders.items() if not each.missing}
    load = os.getloadavg()[0]
    if group.prepare is not None:
        run_worker(script, f"prepare-{name}", args)
    samples: Samples = {worker: [] for worker in contenders}
    for i in range(args.rounds):
        for worker in contenders if i % 2 == 0 else reversed(contenders):
            found = run_worker(script, worker, args, contenders[worker])
            samples[worker].append(found)
            shown = ", ".join(f"{k} {number(v)}" for k, v in found.items())
            print(f"round {i + 1}/{args.rounds}  {worker:24} {shown}", flush=True)
    about = [
        f"{date.today()}{' with --quick' if args.quick else ''}: rounds {args.rounds}, "
        f"threads {args.threads}, load of the machine {load:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after.",
        *([group.note(samples)] if group.note else []),
    ]
    return {
        **summarise(group, samples),
        "about": " ".join(about),
        "machine": machine(),
    }


# Processes -------------------------------------------------------------------------


def run_worker(
    script: Path, name: str, args: Args, contender: Contender | None = None
) -> Measures:
    """The output of a fresh process that runs one contender, and its peak memory."""
    threads = (contender and contender.threads) or args.threads
    command = [
        *(sys.executable, str(script), "--worker", name),
        *("--data", str(args.data), "--folder", str(args.folder)),
        *("--threads", str(threads), *(["--quick"] if args.quick else [])),
    ]
    environment = _environment(threads)
    if contender and contender.plain:
        environment["SKPARAPHRASE_CORE"] = "plain"
    with TemporaryFile() as out, TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors, env=environment)
        peaks = _watch(process) if contender and contender.watched else {}
        process.wait()
        out.seek(0)
        errors.seek(0)
        if process.returncode:
            raise RuntimeError(f"{name} failed:\n{errors.read().decode()[-4000:]}")
        printed = out.read().decode().splitlines()
    return json.loads(printed[-1]) | peaks


def _environment(threads: int) -> dict[str, str]:
    environment = dict(os.environ)
    environment.pop("TOKENIZERS_PARALLELISM", None)
    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON"):
        environment[f"{name}_NUM_THREADS"] = str(threads)
    return environment | {
        "LOKY_MAX_CPU_COUNT": str(threads),
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TRANSFORMERS_VERBOSITY": "error",
    }


def _watch(process: subprocess.Popen[bytes], interval: float = 0.02) -> Measures:
    """Peak memory, in MB, of a process and its children.

    Proportional set sizes are summed, so a page that several processes map counts once.
    Unrelated processes that run at the same time reduce the share of common libraries.
    Growth of /dev/shm is reported separately; its mapped pages are also in the sum.
    """
    import psutil

    root = psutil.Process(process.pid)
    n_bytes_before = _shared_memory()
    peak = shared = n_samples = 0
    while process.poll() is None:
        total = 0
        try:
            tree = [root, *root.children(recursive=True)]
        except psutil.Error:
            break
        for each in tree:
            try:
                total += each.memory_full_info().pss
            except psutil.Error:  # it has just exited
                continue
        peak = max(peak, total)
        shared = max(shared, _shared_memory() - n_bytes_before)
        n_samples += 1
        time.sleep(interval)
    return {"peak": peak / 1e6, "shm": shared / 1e6, "n_samples": n_samples}


def _shared_memory() -> int:
    return shutil.disk_usage(_SHARED_MEMORY).used if _SHARED_MEMORY.exists() else 0


# Results ---------------------------------------------------------------------------


def machine() -> dict[str, object]:
    """The machine and the versions that affect the numbers."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    model = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        lines = info.read_text().splitlines()
        models = [line for line in lines if line.startswith("model name")]
        model = models[0].partition(":")[2].strip() if models else model
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": f"{model}, {os.cpu_count()} CPUs",
        "versions": versions,
    }


def summarise(group: Group, samples: Samples) -> dict[str, object]:
    """Medians and ranges of measures and of the comparisons of each round."""
    n_rounds = max(map(len, samples.values()))
    contenders = {
        group.contenders[name].label: {
            column: _spread(values)
            for column in group.columns
            if (values := [found[column] for found in rounds if column in found])
        }
        for name, rounds in samples.items()
    }
    comparisons = {}
    for comparison in group.comparisons:
        values = []
        for i in range(n_rounds):
            try:
                values.append(comparison.of({n: s[i] for n, s in samples.items()}))
            except KeyError:  # a library is not installed, or was too slow
                continue
        if values:
            spread = _spread(values)
            comparisons[comparison.label] = {
                **spread,
                "target": comparison.target,
                "met": comparison.is_met(spread["median"]),
            }
    return {
        "contenders": contenders,
        "comparisons": comparisons,
        "left_out": group.missing,
        "samples": samples,
    }


def _spread(values: list[float]) -> Measures:
    return {"median": median(values), "min": min(values), "max": max(values)}


def _markdown(group: Group, summary: Mapping[str, Any]) -> str:
    """The section of one group."""
    lines = [f"## {group.title}", "", " ".join(group.text.split()), ""]
    lines += [f"{summary['about']}", ""]
    lines += _row("", *group.columns.values())
    lines += _row("---", *["---:"] * len(group.columns))
    for label, measures in summary["contenders"].items():
        lines += _row(label, *(_cell(measures.get(c)) for c in group.columns))
    if summary["comparisons"]:
        lines += ["", *_row("ratio within a round", "median (range)", "target", "met")]
        lines += _row("---", "---:", "---", "---")
    for label, found in summary["comparisons"].items():
        met = {True: "yes", False: "**no**", None: ""}[found["met"]]
        lines += _row(label, _cell(found), found["target"], met)
    for label, reason in summary["left_out"].items():
        lines += ["", f"Left out: {label} ({reason})."]
    return "\n".join([*lines, ""])


def _report(
    script: Path, about: str, groups: Mapping[str, Group], results: Mapping[str, Any]
) -> str:
    """All groups as Markdown, with the machine of the last one."""
    made_on = list(results.values())[-1]["machine"]
    versions = ", ".join(f"{name} {v}" for name, v in made_on["versions"].items())
    head = [
        f"# {about.partition(chr(10))[0].rstrip('.')}",
        "",
        f"Made by `benchmarks/{script.parent.name}/{script.name}`, which says how:",
        "medians over rounds with their range, every contender in a fresh process",
        f"each round, ratios within a round. {made_on['processor']};",
        f"{made_on['system']}; Python {made_on['python']}; {versions}.",
        "",
    ]
    sections = [_markdown(groups[name], found) for name, found in results.items()]
    return "\n".join([*head, *sections])


def _row(*cells: str) -> list[str]:
    return [f"| {' | '.join(cells)} |"]


def _cell(spread: Measures | None) -> str:
    if spread is None:
        return ""
    low, high = number(spread["min"]), number(spread["max"])
    return f"{number(spread['median'])} ({low} to {high})"


def number(value: float) -> str:
    """Format with about three digits: 0.123, 1.23, 12.3, 123, 12,345."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
