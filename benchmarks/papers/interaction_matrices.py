"""The two matrices of table 10 of the PWIM paper.

    python benchmarks/papers/interaction_matrices.py --data ../shared [--quick]

He & Lin (2016) print the cosines of the focus cube, times 10, for two pairs of SICK
(line 187 of the development set, line 791 of the test set). Ours are those of the
paper's model after one epoch of SICK's training set. Writes
`benchmarks/results/interaction_matrices.json` and `.md` and, with matplotlib, `.png`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.datasets import read_pairs
from skparaphrase.inspection import word_interactions
from skparaphrase.interaction import PairwiseInteractionRegressor

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.papers import Data, parse_args, run_all, table, write
from _lib.published import PWIM, tables

EPOCHS = 1
CHANNEL = "concatenation cosine"
PAIRS = {  # rows, columns
    "pair 1": ("A man is practicing the drum", "A man is playing the drum"),
    "pair 2": ("A tree is being picked up by a man", "A man is carrying a tree"),
}


def main() -> None:
    args = parse_args(__doc__)
    (found,) = run_all(args, [(run, (args, "matrices"))])
    write(args, "interaction_matrices", found, report(found))
    if not (args.quick or args.short):
        draw(args, found)


def run(args: argparse.Namespace, _: str) -> dict[str, Any]:
    """Cosines of the focus cube times 10, by pair."""
    X, y = read_pairs(args.data / "data/sick/train.tsv", score="score", return_X_y=True)
    model = PairwiseInteractionRegressor(
        Data(args).vectors,
        similarity=None,  # as in the paper
        score_range=(1, 5),
        max_epochs=1 if args.quick else EPOCHS,
        random_state=0,
    )
    model.fit(X[:: 30 if args.quick else 1], y[:: 30 if args.quick else 1])
    found = {}
    for name, pair in PAIRS.items():
        of = word_interactions(model, pair)
        plane = of.channels.index(CHANNEL)
        found[name] = {
            "cosines": (10 * of.cube[plane] * of.weights[plane]).tolist(),
            "focus": of.focus.astype(int).tolist(),
            "score": of.score,
        }
    return found


def printed(name: str) -> np.ndarray:
    """The matrix of the paper."""
    rows, columns = (text.split() for text in PAIRS[name])
    (row,) = (of for key, of in tables()[f"{PWIM} 10"].items() if key.startswith(name))
    return np.reshape(list(row.values()), (len(rows), len(columns)))


def selected(matrix: Any) -> np.ndarray:
    """Cells with factor 1: a tenth of a cosine times 10 is at most 1."""
    return np.abs(np.asarray(matrix)) > 1


def report(found: dict[str, Any]) -> list[str]:
    lines = [
        "# Focus cubes of two pairs",
        "",
        f"Cosines of the focus cube x 10: ours after {EPOCHS} epoch of SICK's",
        "training set, and, in brackets, those of table 10 of He & Lin (2016). In",
        "bold, the cells that the focus selects, which are not multiplied by 0.1. Made",
        "by `python benchmarks/papers/interaction_matrices.py`.",
    ]
    for name, (first, second) in PAIRS.items():
        ours, theirs = np.array(found[name]["cosines"]), printed(name)
        focus = np.array(found[name]["focus"], dtype=bool)
        rows = []
        for i, word in enumerate(first.split()):
            cells = [
                f"**{value:.2f}**" if focus[i, j] else f"{value:.2f}"
                for j, value in enumerate(ours[i])
            ]
            both = zip(cells, theirs[i], strict=True)
            rows.append([word, *(f"{a} ({b:.2f})" for a, b in both)])
        shared = int((focus & selected(theirs)).sum())
        lines += [
            "",
            f"## {name.capitalize()}",
            "",
            *table(["", *second.split()], rows),
            "",
            f"Cells selected here {int(focus.sum())}, in the paper",
            f"{int(selected(theirs).sum())}, in both {shared}.",
        ]
    return lines


def draw(args: argparse.Namespace, found: dict[str, Any]) -> None:
    """Draw our matrices and the printed ones."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(8, 7), layout="constrained")
    grid = figure.subplots(2, 2)
    for axes, name in zip(grid, PAIRS, strict=True):
        rows, columns = (text.split() for text in PAIRS[name])
        matrices = {"here": np.array(found[name]["cosines"]), "table 10": printed(name)}
        for of, (title, matrix) in zip(axes, matrices.items(), strict=True):
            of.imshow(matrix, cmap="Greys", vmin=0, vmax=10)
            of.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
            of.set_yticks(range(len(rows)), rows)
            of.set_title(f"{name}, {title}", fontsize=9)
            for (i, j), value in np.ndenumerate(matrix):
                color = "white" if value > 5 else "black"
                text = of.text(j, i, f"{value:.1f}", ha="center", va="center")
                text.set(fontsize=7, color=color)
    figure.savefig(args.out / "interaction_matrices.png", dpi=110)


if __name__ == "__main__":
    main()
