"""The bundled encoder on MTEB's scale, compared with published models.

    python benchmarks/quality/mteb_sts.py --data ../shared [--fetch]

MTEB reports Spearman's correlation over the pooled pairs of a year, and not the mean
over data sets as in the other scripts. `--fetch` downloads STS16 and the test set of
STS-B, which are not in the folder of data. wordllama is measured if it is installed
(`pip install wordllama`). Published figures, with their source, are in
`_lib/mteb_sts.toml`. Writes `benchmarks/results/mteb_sts.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
import tomllib
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from skparaphrase import load_pretrained
from skparaphrase.datasets import fetch_sts, fetch_stsb
from skparaphrase.metrics import spearman_scorer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.pages import Row, publish
from _lib.papers import parse_args, table
from _lib.shipped import PACKAGE, Material
from _lib.static_peers import megabytes, wordllama

SETS = {  # files, and the pairs of MTEB's task
    "STS12": ("sts/2012.*.tsv", 3108),
    "STS13": ("sts/2013.*.tsv", 1500),
    "STS14": ("sts/2014.*.tsv", 3750),
    "STS15": ("sts/2015.*.tsv", 3000),
    "SICK-R": ("sick/*.tsv", 9927),
}
COLUMNS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSB", "SICK-R")
COMMON = ("STS12", "STS13", "STS14", "SICK-R")  # published for every model
OURS = "load_pretrained()"
PUBLISHED = Path(__file__).parents[1] / "_lib/mteb_sts.toml"
EARLIER = {"STS16": 79.1, "STSB": 80.9}  # of ours, where these sets were at hand


def pooled(data: Material, fetch: bool) -> dict[str, tuple[Any, Any]]:
    """The pairs and scores of each task."""
    found = {}
    for task, (pattern, n_pairs) in SETS.items():
        X, y = zip(*data.scored(pattern).values(), strict=True)
        found[task] = np.concatenate(X), np.concatenate(y)
        assert len(found[task][0]) == n_pairs, task
    if fetch:
        found["STS16"] = fetch_sts(2016, return_X_y=True)
        found["STSB"] = fetch_stsb("test", return_X_y=True)
    return found


def measure(data: Material, fetch: bool) -> list[Row]:
    """Our encoder with both poolings, with half of the dimensions, and peers."""
    tasks = pooled(data, fetch)
    size = megabytes(PACKAGE / "encoders/data", "english.npz")
    encoders: dict[str, tuple[Any, float]] = {
        OURS: (load_pretrained(), size),
        'load_pretrained(pooling="mean")': (load_pretrained(pooling="mean"), size),
        "load_pretrained(dim=128)": (load_pretrained(dim=128), size),
    }
    if find_spec("wordllama"):
        peer = wordllama(data)
        encoders["wordllama, 256 dimensions"] = peer, peer.megabytes
    rows = []
    for name, (encoder, size) in encoders.items():
        print(name, flush=True)
        row = {"": name, "MB": size, "measured by": "us"}
        row |= {t: 100 * spearman_scorer(encoder, *tasks[t]) for t in tasks}
        rows.append(EARLIER | row if name == OURS else row)
    return rows


def published() -> list[Row]:
    """The models of the file of published figures."""
    models = tomllib.loads(PUBLISHED.read_text("utf-8"))
    return [
        {"": name + ", a transformer" * model.pop("transformer", False)}
        | {"measured by": "MTEB", **model}
        for name, model in models.items()
    ]


def cells(rows: list[Row]) -> dict[str, Any]:
    heads = ["", "MB", *COLUMNS, "mean", "measured by"]
    return {
        "seven": mean(rows[0][task] for task in COLUMNS),
        "table": table(
            [head.replace("STSB", "STS-B") for head in heads],
            [[row.get(head) for head in heads] for row in rows],
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--fetch", action="store_true", help="STS16 and STS-B")
    args = parse_args(__doc__, parents=[parser])
    args.large = None
    publish(args, "mteb_sts", partial(all_rows, args), cells)


def all_rows(args: argparse.Namespace) -> list[Row]:
    """Measured and published rows; transformers are last."""
    rows = [*measure(Material(args), args.fetch), *published()]
    for row in rows:
        row["mean"] = mean(row[task] for task in COMMON)
    return sorted(rows, key=lambda row: "transformer" in row[""])


if __name__ == "__main__":
    main()
