"""Run the scripts of all tables and figures of the papers, one after the other.

    python benchmarks/papers/run_papers.py [--short] [--seeds 1] [--jobs 4]

The options are passed on to the scripts; without `--seeds`, each uses its own number. A
script that fails does not stop the others, but sets the exit status.

On two cores, everything takes about five hours, most of them for word interaction and
tagging. `--short` takes just under an hour: one seed, a third of the training data, two
epochs of word interaction, eight of tagging, three folds. `--quick` takes six
minutes, on a thousand training examples. Neither replaces recorded results (`--out`
writes them elsewhere). `--tables` only writes the tables again, from recorded results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.recorded import write_again

SCRIPTS = (
    "sts",
    "wieting_encoders",
    "charagram_words",
    "charagram_ngrams",
    "charagram_unknown_and_length",
    "charagram_convergence",
    "charagram_neighbors",
    "wieting_words",
    "wieting_amount",
    "wieting_margins_and_weights",
    "cse_widths",
    "cse_cumulative",
    "cse_pairs",
    "wieting_supervised",
    "sif_supervised",
    "cse_supervised",
    "charagram_tagging",
    "interaction_similarity",
    "interaction_ranking",
    "interaction_matrices",
    "parameter_counts",
    "shortfalls",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default="../shared")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--quick", action="store_true", help="a sample of each")
    part.add_argument("--short", action="store_true", help="all in less than an hour")
    part.add_argument("--tables", action="store_true", help="write only the tables")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--out")
    parser.add_argument(
        "--only", nargs="+", choices=SCRIPTS, default=SCRIPTS, metavar="SCRIPT"
    )
    args = parser.parse_args()

    if args.tables:
        write_again()
        return 0
    options = ["--data", args.data]
    for name in ("seeds", "jobs", "out"):
        if getattr(args, name) is not None:
            options += [f"--{name}", str(getattr(args, name))]
    options += [f"--{name}" for name in ("quick", "short") if getattr(args, name)]

    outcomes = []
    for name in args.only:
        print(f"== {name}", flush=True)
        path = Path(__file__).parent / f"{name}.py"
        started = time.perf_counter()
        code = subprocess.run([sys.executable, str(path), *options]).returncode
        outcomes.append((name, time.perf_counter() - started, code))

    print("== times")
    for name, seconds, code in outcomes:
        print(f"{name:30} {seconds:7.1f} s{'' if code == 0 else f'  FAILED ({code})'}")
    print(f"{'all':30} {sum(seconds for _, seconds, _ in outcomes):7.1f} s")
    return 1 if any(code for _, _, code in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
