"""Draw pictures from recorded results of benchmarks, and set the style of all others.

The pictures of the README are files. After a change in adaptation.json or mteb_sts.json
of benchmarks/results::

    python docs/_ext/picture.py

Those of the pages are drawn when the site is built.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from io import BytesIO
from pathlib import Path
from statistics import mean, median
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

DOCS = Path(__file__).parents[1]
RESULTS = DOCS.parent / "benchmarks" / "results"
STYLE = Path(__file__).with_name("skparaphrase.mplstyle")
OURS, OTHERS = "#0072B2", "#595959"
DARK = {"text": "#d1d7e0", "ours": "#56B4E9", "others": "#9ba5b0"}
LABELS = {  # of models whose name is not one, or does not say what it is
    "load_pretrained()": "skparaphrase",
    "wordllama, 256 dimensions": "wordllama",
    "all-MiniLM-L6-v2, a transformer": "all-MiniLM-L6-v2 (transformer)",
}
PLACES = {  # of names that would collide on the right: points from the dot, alignment
    "potion-base-2M": (-4, -10, "left"),
    "potion-base-8M": (0, 9, "center"),
    "static-retrieval-mrl-en-v1": (-6, 0, "right"),
    "potion-multilingual-128M": (0, 9, "center"),
    "static-similarity-mrl-multilingual-v1": (0, 9, "center"),
    **dict.fromkeys(("CNNEncoder", "CharagramEncoder"), (-6, 0, "right")),
    "DeepAveragingEncoder": (0, 10, "center"),
    "ProjectionEncoder": (0, -11, "center"),
}
ENCODERS = {  # in throughput.json, and in wieting_encoders.json
    "ParaphraseEncoder": "PP, centred start",
    "ProjectionEncoder": "projection",
    "DeepAveragingEncoder": "DAN, 1 layer",
    "CNNEncoder": "CSE",
    "IdentityRNNEncoder": "iRNN",
    "RNNEncoder": "RNN",
    "LSTMEncoder(output_gate=False)": "LSTM",
    "CharagramEncoder": "Charagram",
    "CharCNNEncoder": "charCNN",
}


def read(name: str) -> Any:
    """The results of a script."""
    found = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return found.get("results", found)


def write_name(
    axes: plt.Axes, name: str, point: tuple[float, float], **how: Any
) -> None:
    """Write the name of a point next to it."""
    x, y, side = PLACES.get(name, (6, 0, "left"))
    options = {"textcoords": "offset points", "ha": side, "va": "center", **how}
    axes.annotate(name, point, xytext=(x, y), fontsize="small", **options)


def draw_training(axes: plt.Axes, ours: str = OURS, others: str = OTHERS) -> None:
    """What training gains, by the number of labelled texts."""
    rows = [row for row in read("adaptation")["intents"] if "intent" in row[""]]
    sizes = [int(row[""].split()[0]) for row in rows]
    for column, label, color, place in (
        ("neighbour", "trained on the labels", ours, 7),
        ("neighbour, start", "load_pretrained(), not trained", others, -15),
    ):
        shares = [median(row[column]) for row in rows]
        axes.plot(sizes, shares, "o-", color=color, label=label)
        for point in zip(sizes, shares, strict=True):
            at = {"xytext": (0, place), "textcoords": "offset points", "ha": "center"}
            axes.annotate(f"{point[1]:.0f}", point, color=color, **at)
    seconds = [f"{median(row['seconds']):.2g} s" for row in rows]
    axes.set(xscale="log", ylim=(50, 100), ylabel="accuracy, %")
    axes.set_xlabel("labelled questions per intent, and time to train")
    axes.set_xticks(sizes, [f"{n}\n{s}" for n, s in zip(sizes, seconds, strict=True)])
    axes.minorticks_off()
    title = "Nearest-neighbour intent accuracy\n(CLINC150, 150 intents)"
    axes.set_title(title)
    axes.legend(loc="lower right", labelcolor="linecolor")


def draw_models(axes: plt.Axes, ours: str = OURS, others: str = OTHERS) -> None:
    """Similarity on MTEB's scale, by the size of the model."""
    for row in read("mteb_sts"):
        name = LABELS.get(row[""], row[""])
        if row.get("MB") is None or name.startswith("load_pretrained("):
            continue
        color = ours if name == "skparaphrase" else others
        fill = color if row["measured by"] == "us" else "none"
        point = row["MB"], mean(row[task] for task in ("STS12", "STS13", "STS14"))
        axes.plot(*point, "o", color=color, markerfacecolor=fill)
        write_name(axes, name, point, color=color)
    for fill, label in ((others, "measured by us"), ("none", "published (MTEB)")):
        style = {"color": others, "markerfacecolor": fill, "label": label}
        axes.plot([], [], "o", **style)
    axes.set(xscale="log", xlim=(3.5, 2500), ylim=(66, 80), xlabel="size, MB")
    axes.set_ylabel("Spearman x 100, mean of 3 tasks")
    axes.set_xticks([5, 10, 50, 100, 500, 1000], [5, 10, 50, 100, 500, "1,000"])
    axes.minorticks_off()
    axes.set_title("Similarity of English sentences\n(STS 2012, 2013 and 2014)")
    axes.legend(loc="upper right", labelcolor="linecolor")


def draw_readme(path: Path, text: str = "black", **colors: str) -> None:
    """Write a picture of the README, which has a light and a dark version."""
    letters = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color")
    changes = dict.fromkeys([*letters, "ytick.color"], text)
    with plt.style.context([STYLE, changes]):
        figure, (top, bottom) = plt.subplots(2, 1, figsize=(5.2, 7.2))
        draw_training(top, **colors)
        draw_models(bottom, **colors)
        figure.savefig(file := BytesIO(), transparent=bool(colors))
        plt.close(figure)
    Image.open(file).quantize(64).save(path, optimize=True)  # a third of the size


def draw(folder: Path) -> None:
    """Write the pictures of the README."""
    draw_readme(folder / "results.png")
    draw_readme(folder / "results_dark.png", **DARK)


# Pictures of the pages ---------------------------------------------------------------


def draw_speed(axes: list[plt.Axes]) -> None:
    """Sentences per second, and the time of one."""
    rows = read("throughput")["embed"]["contenders"]
    names = {
        "load_pretrained()": "load_pretrained()",
        'load_pretrained(pooling="mean")': 'the same, pooling="mean"',
        **{name: name for name in ("TfidfVectorizer", "model2vec", "wordllama")},
        "all-MiniLM-L6-v2": "all-MiniLM-L6-v2",
    }
    for ax, column in zip(axes, ("distinct", "one"), strict=True):
        for place, name in enumerate(names):
            color = OURS if name.startswith("load") else OTHERS
            low, middle, high = map(rows[name][column].get, ("min", "median", "max"))
            ax.plot([low, high], [place] * 2, color=color, linewidth=4, alpha=0.3)
            ax.plot(middle, place, "o", color=color)
            value = f"{float(f'{middle:.2g}'):,.0f}"
            at = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center"}
            ax.annotate(value, (middle, place), color=color, fontsize="small", **at)
        ax.set(xscale="log", ylim=(len(names) - 0.5, -0.8))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.margins(x=0.1)
        ax.set_yticks(range(len(names)), names.values())
        ax.grid(axis="x", color="0.9")
        ax.minorticks_off()
    axes[0].set(xlabel="sentences per second", title="Throughput on one core")
    axes[1].set(xlabel="microseconds", title="Latency of a call with one sentence")


def draw_encoders(axes: plt.Axes) -> None:
    """Quality of the trained encoders by their speed."""
    speeds, rows = (
        read("throughput")["encoders"]["contenders"],
        read("wieting_encoders"),
    )
    for name, row in ENCODERS.items():
        point = speeds[name]["distinct"]["median"], rows[row]["with 2015"]
        color = OURS if name == "ParaphraseEncoder" else OTHERS
        axes.plot(*point, "o", color=color)
        write_name(axes, name.partition("(")[0], point, color=color)
    level = rows["pretrained"]["with 2015"]
    axes.axhline(level, color=OURS, linestyle="--", linewidth=1)
    axes.annotate("load_pretrained()", (4e3, level + 0.7), color=OURS, fontsize="small")
    axes.set(xscale="log", xlim=(3e3, 6e6), ylim=(45, 80))
    axes.set_xlabel("captions embedded per second of one core")
    axes.set_ylabel("Pearson x 100, STS 2012 to 2015")
    axes.set_title("Quality and speed of encoders trained on 92,000 pairs")


def make_pictures(app: Any) -> None:
    """Draw the pictures of the pages next to those of the gallery."""
    folder = Path(app.srcdir, "auto_examples", "images")
    folder.mkdir(parents=True, exist_ok=True)
    with plt.style.context(STYLE):
        for name, drawing, rows, height in (
            ("training", draw_training, 1, 3.9),
            ("models", draw_models, 1, 4.2),
            ("encoders", draw_encoders, 1, 4),
            ("speed", draw_speed, 2, 6),
        ):
            figure, axes = plt.subplots(rows, 1, figsize=(5.6, height))
            drawing(axes)
            figure.savefig(folder / f"recorded_{name}.png")
            plt.close(figure)


def use_style(gallery_conf: Any, path: str) -> None:
    """Let the examples look like the other pictures."""
    plt.style.use(STYLE)


def gallery_order(path: str) -> int:
    """The place of an example in the index of the gallery."""
    index = (DOCS.parent / "examples" / "index.rst").read_text("utf-8")
    return index.find(f"   {Path(path).stem}\n")


def setup(app: Any) -> None:
    """Draw the pictures when a build begins."""
    app.connect("builder-inited", make_pictures)


if __name__ == "__main__":
    draw(DOCS / "_static")
