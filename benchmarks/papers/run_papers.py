"""Run the rows of all tables and figures of the papers, and write the tables.

    python benchmarks/papers/run_papers.py --data ../shared [--short] [--only NAME]
                                           [--rows ROW]

A table is an entry in the TOML file of its paper: rows, seeds and text. Published
figures are in `_lib/published.toml`. After each table, and in `papers.md`, they are
shown next to ours. Each row with each seed is a task; `--jobs` tasks run at a time,
with one thread each. The result of a task is kept in `benchmarks/results/runs`, so an
interrupted run can be resumed. Remove that folder to measure again. A table that fails
does not stop the others, but sets the exit status.

On two cores, everything takes about five hours, most of them for word interaction and
tagging. `--short` takes just under an hour: one seed, a third of the training data, two
epochs of word interaction, eight of tagging. `--quick` takes a few minutes, on a
thousand training examples. Neither replaces recorded results (`--out` writes them
elsewhere). `--tables` only writes the tables again, from recorded results; `--rows`
measures some rows of one table, and keeps the others. Without the data, only the table
`bundled` runs.
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
from _lib.comparison import differences, overview
from _lib.paper_tables import Table, page, recorded
from _lib.papers import Data, versions
from papers import TABLES

NOTES = {
    "quick": "A quick run on a sample of the data: its figures mean nothing. Sizes in "
    "the text are those of a full run.",
    "short": "A short run: one seed, a third of the training data, fewer epochs. Sizes "
    "in the text are those of a full run.",
    "full": "",
}


def main() -> int:
    args = _parse_args()
    if args.tables:
        args.out.mkdir(parents=True, exist_ok=True)
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
    if is_kept(args):
        args.out.mkdir(parents=True, exist_ok=True)
        paths = {name: args.out / f"{name}.md" for name in TABLES}
        texts = {
            k: path.read_text("utf-8") for k, path in paths.items() if path.exists()
        }
        (args.out / "papers.md").write_text(overview(texts, NOTES[args.part]), "utf-8")
        print(f"All of {args.out}: {args.out / 'papers.md'}")
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
    parser.add_argument("--rows", nargs="+", help="replace some rows of one table")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument(
        "--only", nargs="+", choices=TABLES, default=list(TABLES), metavar="NAME"
    )
    args = parser.parse_args()
    if args.rows and (args.quick or args.short):
        parser.error("--rows replaces rows of recorded tables, which are of full runs.")
    if args.rows and (
        len(args.only) != 1 or not {*args.rows} <= {*TABLES[args.only[0]].rows}
    ):
        parser.error("--rows takes rows of the one table that --only names.")
    args.data = args.data.resolve()
    args.part = "quick" if args.quick else "short" if args.short else "full"
    if args.part != "full":
        args.seeds = 1
        print(NOTES[args.part])
    if not args.tables and not (args.data / "data").is_dir():
        args.only = [name for name in args.only if TABLES[name].is_bundled]
        print(f"There is no folder {args.data / 'data'}: only bundled data are used.")
        if not args.only:
            parser.error("these tables need the data that --data names.")
    return args


def is_kept(args: argparse.Namespace) -> bool:
    """Whether to write tables; runs on a part of the data do not replace results."""
    return bool(args.part == "full" or args.out != RESULTS)


def run(one: Table, args: argparse.Namespace) -> None:
    """Measure all rows of a table, and write its results and its text."""
    n_seeds = args.seeds or one.seeds
    wanted = args.rows or list(one.rows)
    runs: dict[str, list[Any]] = {name: [] for name in one.rows if name in wanted}
    for names in one.stages():
        tasks = [
            (name, seed)
            for name in names
            if name in wanted
            for seed in range(min(n_seeds, one.rows[name].get("seeds", n_seeds)))
        ]
        n_jobs = max(min(args.jobs, len(tasks)), 1)
        parallel = joblib.Parallel(n_jobs, batch_size=1, return_as="generator")
        found = parallel(joblib.delayed(measured)(one, args, *task) for task in tasks)
        started = time.perf_counter()
        for number, ((name, seed), result) in enumerate(
            zip(tasks, found, strict=True), 1
        ):
            runs[name].append(result)
            left = (time.perf_counter() - started) * (len(tasks) / number - 1)
            print(
                f"   {number} of {len(tasks)}: {name}, seed {seed}, "
                f"{result['seconds']:.0f} s; about {left / 60:.0f} min left",
                flush=True,
            )
    results = one.combine(runs)
    if args.rows:
        results = _joined(recorded(one.name)["results"], results)
    content = {"versions": versions(), "seeds": n_seeds, "results": results}
    content = json.loads(json.dumps(content))  # numeric keys become strings
    title, rest = page(one, content).split("\n\n", 1)
    note = f"{NOTES[args.part]}\n\n" if NOTES[args.part] else ""
    text = f"{title}\n\n{note}{rest}"
    print(text)
    if lines := differences(text):
        print("Ours (published, difference):", *lines, "", sep="\n")
    if not is_kept(args):
        print("(a part of the data: not written; --out names another folder)")
        return
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"{one.name}.json").write_text(
        json.dumps(content, indent=1) + "\n", "utf-8"
    )
    (args.out / f"{one.name}.md").write_text(text, "utf-8")
    if find_spec("matplotlib") is not None:
        one.draw(content["results"], args.out / f"{one.name}.png")


def _joined(old: Any, new: Any) -> Any:
    """Recorded results, with some rows replaced."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return old | {key: _joined(old.get(key), value) for key, value in new.items()}


def measured(one: Table, args: argparse.Namespace, name: str, seed: int) -> Any:
    """The result of a row with one seed, possibly from an earlier run."""
    path = args.runs / one.name / f"{name.replace('/', ' ')}-{seed}.json"
    settings = repr(one.rows[name])
    if path.exists():
        kept = json.loads(path.read_text("utf-8"))
        if kept["settings"] == settings:
            return kept["result"]
    torch.set_num_threads(1)
    started = time.process_time()
    result = one.measure(None if one.is_bundled else Data(args), name, seed)
    result["seconds"] = round(time.process_time() - started, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"settings": settings, "result": result}), "utf-8")
    new.replace(path)
    return json.loads(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
