"""The command line of a benchmark: rounds of worker processes, tables of results.

It imports little on purpose: the process that monitors memory loads neither NumPy nor
vectors, so it shares no pages with the monitored processes.
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
from dataclasses import dataclass, field
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
PLAIN = {"SKPARAPHRASE_CORE": "plain"}  # without the compiled core
_SHARED_MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Contender:
    """The task of one worker process."""

    label: str
    work: Callable[..., Measures]
    needs: tuple[str, ...] = ()
    watched: bool = False  # its memory is measured from outside
    threads: int | None = None  # None takes the threads of the group
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """A figure per round, and its target.

    The figure is "contender.column", the ratio of two of these ("a.column / b.column"),
    or a function of the measures of a round.
    """

    label: str
    figure: str | Callable[[Found], float]
    at_least: float | None = None
    at_most: float | None = None

    def of(self, found: Found) -> float:
        if callable(self.figure):
            return self.figure(found)
        names = [name.rpartition(".") for name in self.figure.split(" / ")]
        value, *others = [found[name][column] for name, _, column in names]
        return value / others[0] if others else value

    def judged(self, value: float) -> dict[str, object]:
        """The target as text, and whether a value meets it."""
        if self.at_least is not None:
            target, met = f"at least {self.at_least:,g}", value >= self.at_least
        elif self.at_most is not None:
            target, met = f"at most {self.at_most:,g}", value <= self.at_most
        else:
            return {"target": "", "met": None}
        return {"target": target, "met": met}


@dataclass(frozen=True)
class Group:
    """Contenders that alternate, and the columns of their table."""

    title: str
    text: str
    columns: Mapping[str, str]
    contenders: Mapping[str, Contender]
    comparisons: tuple[Comparison, ...] = ()
    prepare: Callable[[Args], None] | None = None  # in a separate process
    threads: int | None = None  # None takes `--threads`


# Measures --------------------------------------------------------------------------


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The duration of a call in seconds, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


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
    """CPU seconds of the fastest call, which depend less on other programs."""
    return best_of(call, n_calls, time.process_time)


def peak_of(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call, and its peak memory in MB beyond the memory before.

    Measured as the kernel's resident set (Linux); the result is included.
    """
    # Free but still resident memory would hide growth (glibc).
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
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="less data")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(groups))
    parser.add_argument("--tables", action="store_true", help="only write the tables")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(_work(args, groups)))
        return
    names = [] if args.tables else args.only.split(",")
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
        # In the order of the script, without groups that no longer exist.
        results = {name: results[name] for name in groups if name in results}
        stored.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    page = report(script, about, groups, results)
    stored.with_suffix(".md").write_text(page, "utf-8")
    if names:
        some = {name: results[name] for name in names}
        print(report(script, about, groups, some))


def _work(args: Args, groups: Mapping[str, Group]) -> Measures:
    """Run a worker: a contender, or the preparation of a group."""
    group, name = groups[args.worker[0]], args.worker[1]
    if name:
        return group.contenders[name].work(args)
    assert group.prepare is not None
    group.prepare(args)
    return {}


def _measure(script: Path, args: Args, name: str, group: Group) -> dict[str, Any]:
    """One group, all rounds: contenders in turn, forwards and backwards."""
    left_out = {
        each.label: f"{', '.join(missing)} not installed"
        for each in group.contenders.values()
        if (missing := [module for module in each.needs if find_spec(module) is None])
    }
    for label, reason in left_out.items():
        print(f"left out: {label} ({reason})")
    workers = {n: of for n, of in group.contenders.items() if of.label not in left_out}
    load = os.getloadavg()[0]
    if group.prepare is not None:
        run_worker(script, args, name)
    samples: Samples = {worker: [] for worker in workers}
    for i in range(args.rounds):
        for worker in workers if i % 2 == 0 else reversed(workers):
            found = run_worker(script, args, name, worker, workers[worker])
            samples[worker].append(found)
            shown = ", ".join(f"{k} {number(v)}" for k, v in found.items())
            print(f"round {i + 1}/{args.rounds}  {worker:24} {shown}", flush=True)
    about = (
        f"{date.today()}{' with --quick' if args.quick else ''}: rounds {args.rounds}, "
        f"threads {args.threads}, load of the machine {load:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after."
    )
    return {
        **summarise(group, samples),
        "left_out": left_out,
        "samples": samples,
        "about": about,
        "machine": machine(),
    }


# Processes -------------------------------------------------------------------------


def run_worker(
    script: Path,
    args: Args,
    group: str,
    name: str = "",
    contender: Contender | None = None,
) -> Measures:
    """The output of a fresh process that runs one contender, and its peak memory.

    Without a name, the process prepares the group.
    """
    contender = contender or Contender("", dict)
    threads = str(contender.threads or args.threads)
    command = [
        *(sys.executable, str(script), "--worker", group, name),
        *("--data", str(args.data), "--folder", str(args.folder)),
        *("--threads", threads, *(["--quick"] if args.quick else [])),
    ]
    libraries = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")
    environment = {
        **os.environ,
        **{f"{library}_NUM_THREADS": threads for library in libraries},
        "LOKY_MAX_CPU_COUNT": threads,
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        **contender.environment,
    }
    environment.pop("TOKENIZERS_PARALLELISM", None)
    with TemporaryFile() as out, TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors, env=environment)
        peaks = _watch(process) if contender.watched else {}
        process.wait()
        out.seek(0)
        errors.seek(0)
        if process.returncode:
            raise RuntimeError(f"{name} failed:\n{errors.read().decode()[-4000:]}")
        printed = out.read().decode().splitlines()
    return json.loads(printed[-1]) | peaks


def _watch(process: subprocess.Popen[bytes], interval: float = 0.02) -> Measures:
    """Peak memory, in MB, of a process and its children.

    Proportional set sizes are summed, so a page that several processes map counts once.
    Unrelated processes that run at the same time reduce the share of common libraries.
    Growth of /dev/shm is reported separately; its mapped pages are also in the sum.
    """
    import psutil

    root = psutil.Process(process.pid)
    before = shutil.disk_usage(_SHARED_MEMORY).used
    peak = shared = 0
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
        shared = max(shared, shutil.disk_usage(_SHARED_MEMORY).used - before)
        time.sleep(interval)
    return {"peak": peak / 1e6, "shm": shared / 1e6}


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
        for measured in zip(*samples.values(), strict=True):
            try:
                values.append(comparison.of(dict(zip(samples, measured, strict=True))))
            except KeyError:  # a library is not installed, or was too slow
                continue
        if values:
            spread = _spread(values)
            comparisons[comparison.label] = spread | comparison.judged(spread["median"])
    return {"contenders": contenders, "comparisons": comparisons}


def _spread(values: list[float]) -> Measures:
    return {"median": median(values), "min": min(values), "max": max(values)}


def report(
    script: Path, about: str, groups: Mapping[str, Group], results: Mapping[str, Any]
) -> str:
    """All groups as Markdown, with the machine of the last one."""
    made_on = list(results.values())[-1]["machine"]
    versions = ", ".join(f"{name} {v}" for name, v in made_on["versions"].items())
    lines = [
        f"# {about.partition(chr(10))[0].rstrip('.')}",
        "",
        f"Made by `benchmarks/{script.parent.name}/{script.name}`, which says how:",
        "medians over rounds with their range, every contender in a fresh process",
        f"each round, ratios within a round. {made_on['processor']};",
        f"{made_on['system']}; Python {made_on['python']}; {versions}.",
        "",
    ]
    for name, found in results.items():
        lines += _section(groups[name], found)
    return "\n".join(lines)


def _section(group: Group, results: Mapping[str, Any]) -> list[str]:
    lines = [f"## {group.title}", "", " ".join(group.text.split()), ""]
    lines += [results["about"], ""]
    rows = [
        [label, *(_cell(measures.get(column)) for column in group.columns)]
        for label, measures in results["contenders"].items()
    ]
    lines += table(["", *group.columns.values()], rows)
    met = {True: "yes", False: "**no**", None: ""}
    rows = [
        [label, _cell(found), found["target"], met[found["met"]]]
        for label, found in results["comparisons"].items()
    ]
    if rows:
        heads = ["ratio within a round", "median (range)", "target", "met"]
        lines += ["", *table(heads, rows, "r--")]
    for label, reason in results["left_out"].items():
        lines += ["", f"Left out: {label} ({reason})."]
    return [*lines, ""]


def table(heads: list[str], rows: list[list[str]], align: str = "") -> list[str]:
    """Lines of a table of Markdown; columns of numbers ("r") are on the right."""
    kinds = "-" + (align or "r" * (len(heads) - 1))
    rule = ["---:" if kind == "r" else "---" for kind in kinds]
    return [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]


def _cell(values: Measures | None) -> str:
    return "" if values is None else shown(*map(values.get, ("median", "min", "max")))


def shown(middle: float, low: float, high: float) -> str:
    """Format a median and its range."""
    return f"{number(middle)} ({number(low)} to {number(high)})"


def number(value: float) -> str:
    """Format with about three digits: 0.123, 1.23, 12.3, 123, 12,345."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
