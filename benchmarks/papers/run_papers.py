"""Run the rows of all tables and figures of the papers, and write the tables.

    python benchmarks/papers/run_papers.py --data ../shared [--short] [--only NAME]

A table is an entry in the TOML file of its paper: rows, seeds and text. Published
figures are in `_lib/published.toml`. Each row with each seed is a task; `--jobs` tasks
run at a time, with one thread each. The result of a task is kept in
`benchmarks/results/runs`, so that an interrupted run can be resumed; remove that folder
to measure again. A table that fails does not stop the others, but sets the exit status.

On two cores, everything takes about five hours, most of them for word interaction and
tagging. `--short` takes just under an hour: one seed, a third of the training data, two
epochs of word interaction, eight of tagging. `--quick` takes a few minutes, on a
thousand training examples. Neither replaces recorded results (`--out` writes them
elsewhere). `--tables` only writes the tables again, from recorded results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import os
import sys
import time
import traceback
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.paper_tables import Table, page, recorded
from _lib.papers import Data, versions
from papers import TABLES


def main() -> int:
    args = _parse_args()
    if args.tables:
        for name in args.only:
            text = page(TABLES[name], recorded(name))
            (args.out / f"{name}.md").write_text(text, "utf-8")
        return 0
    outcomes = {}
    with TemporaryDirectory() as folder:
        args.runs = Path(folder) if args.quick or args.short else args.out / "runs"
        for number, name in enumerate(args.only, 1):
            print(f"== {name} (table {number} of {len(args.only)})", flush=True)
            started = time.perf_counter()
            try:
                run(TABLES[name], args)
                failed = ""
            except Exception:
                traceback.print_exc()
                failed = "  FAILED"
            outcomes[name] = f"{time.perf_counter() - started:7.1f} s{failed}"
    print("== times")
    for name, outcome in outcomes.items():
        print(f"{name:30} {outcome}")
    return int(any("FAILED" in outcome for outcome in outcomes.values()))


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--quick", action="store_true", help="a sample of each")
    part.add_argument("--short", action="store_true", help="all in less than an hour")
    part.add_argument("--tables", action="store_true", help="write only the tables")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument(
        "--only", nargs="+", choices=TABLES, default=list(TABLES), metavar="NAME"
    )
    args = parser.parse_args()
    args.data = args.data.resolve()
    if args.quick or args.short:
        args.seeds = 1
    return args


def run(one: Table, args: argparse.Namespace) -> None:
    """Measure all rows of a table, and write its results and its text."""
    n_seeds = args.seeds or one.seeds
    runs: dict[str, list[Any]] = {name: [] for name in one.rows}
    for names in one.stages():
        tasks = [
            (name, seed)
            for name in names
            for seed in range(min(n_seeds, one.rows[name].get("seeds", n_seeds)))
        ]
        n_jobs = min(args.jobs, len(tasks))
        parallel = joblib.Parallel(n_jobs, batch_size=1, return_as="generator")
        found = parallel(joblib.delayed(measured)(one, args, *task) for task in tasks)
        for number, ((name, _), result) in enumerate(zip(tasks, found, strict=True), 1):
            runs[name].append(result)
            print(f"   {number} of {len(tasks)} runs of {one.name}", flush=True)
    content = {
        "versions": versions(),
        "seeds": n_seeds,
        "results": one.combine(runs),
    }
    content = json.loads(json.dumps(content))  # numbers that are keys become texts
    text = page(one, content)
    print(text)
    if (args.quick or args.short) and args.out == RESULTS:
        print("(a part of the data: not written)")
        return
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"{one.name}.json").write_text(
        json.dumps(content, indent=1) + "\n", "utf-8"
    )
    (args.out / f"{one.name}.md").write_text(text, "utf-8")
    if find_spec("matplotlib") is not None:
        one.draw(content["results"], args.out / f"{one.name}.png")


def measured(one: Table, args: argparse.Namespace, name: str, seed: int) -> Any:
    """The result of a row with one seed, or that of an earlier run."""
    path = args.runs / one.name / f"{name.replace('/', ' ')}-{seed}.json"
    settings = repr(one.rows[name])
    if path.exists():
        kept = json.loads(path.read_text("utf-8"))
        if kept["settings"] == settings:
            return kept["result"]
    torch.set_num_threads(1)
    started = time.process_time()
    result = one.measure(Data(args), name, seed)
    result["seconds"] = round(time.process_time() - started, 1)
    print(one.name, name, seed, result, flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"settings": settings, "result": result}), "utf-8")
    new.replace(path)
    return json.loads(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
