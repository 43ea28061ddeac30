"""Draw the picture of the README from recorded results of benchmarks.

After a change in adaptation.json or mteb_sts.json of benchmarks/results::

    python docs/_ext/picture.py
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from pathlib import Path
from statistics import median

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[1]
RESULTS = DOCS.parent / "benchmarks" / "results"
LABELS = {  # of models whose name is not one, or is long
    "load_pretrained()": "skparaphrase",
    "wordllama, 256 dimensions": "wordllama",
    "static-similarity-mrl-multilingual-v1": "static-similarity-mrl",
    "static-retrieval-mrl-en-v1": "static-retrieval-mrl",
}
LEFT = {"wordllama", "static-retrieval-mrl"}  # of their points


def read(name: str) -> object:
    """The results of a script."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["results"]


def draw_training(axes: plt.Axes) -> None:
    """What training gains, by the number of labelled texts."""
    rows = [row for row in read("adaptation")["intents"] if "intent" in row[""]]
    sizes = [int(row[""].split()[0]) for row in rows]
    for column, label, color in (
        ("neighbour", "after fit(texts, labels)", "C0"),
        ("neighbour, start", "load_pretrained()", "0.4"),
    ):
        shares = [median(row[column]) for row in rows]
        axes.plot(sizes, shares, "o-", color=color, label=label)
        for size, share in zip(sizes, shares, strict=True):
            below = column.endswith("start")
            axes.annotate(
                f"{share:.0f}",
                (size, share),
                xytext=(0, -14 if below else 7),
                textcoords="offset points",
                ha="center",
                color=color,
            )
    labels = [
        f"{size}\n{median(row['seconds']):.2g} s"
        for size, row in zip(sizes, rows, strict=True)
    ]
    axes.set(
        xscale="log",
        ylim=(50, 100),
        xlabel="labelled questions of each intent, and time to fit",
    )
    axes.set_xticks(sizes, labels)
    axes.minorticks_off()
    axes.set_title("The nearest question has the same intent, of 150, %")
    axes.legend(loc="lower right", frameon=False)


def draw_models(axes: plt.Axes) -> None:
    """Similarity on MTEB's scale, by the size of the model."""
    for row in read("mteb_sts"):
        name = LABELS.get(row[""], row[""])
        if row.get("MB") is None or name.startswith("load_pretrained("):
            continue
        color = "C0" if name == "skparaphrase" else "0.4"
        axes.plot(row["MB"], row["mean"], "o", color=color)
        axes.annotate(
            name,
            (row["MB"], row["mean"]),
            xytext=(-6 if name in LEFT else 6, 0),
            textcoords="offset points",
            ha="right" if name in LEFT else "left",
            va="center",
            fontsize=9,
            color=color,
        )
    axes.set(xscale="log", xlim=(3, 6000), ylim=(65, 80), xlabel="MB")
    axes.set_xticks([5, 50, 500], ["5", "50", "500"])
    axes.minorticks_off()
    axes.set_title("Similarity of sentences (STS, SICK), Spearman x 100")


def draw(path: Path) -> None:
    """Write the picture."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
    draw_training(left)
    draw_models(right)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    draw(DOCS / "_static" / "results.png")
