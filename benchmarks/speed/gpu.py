"""Training and prediction on a GPU, compared with the CPU.

    python benchmarks/speed/gpu.py --data ../shared

Measures training examples, and embedded texts or scored pairs, per second: every
trained encoder with its own batch size and with 1,024, the supervised models, word
interaction and the tagger. The devices alternate on each model, after a short fit that
builds what is built once; the figures are medians of `--rounds 5`, with their range.
The GPU has finished when a call returns, because results are NumPy arrays. The losses
of the last epochs are reported for both devices, which shows how far they differ.

Without a CUDA device it measures nothing and says so; `--devices cpu` tests the script.
Writes `gpu.json` and `gpu.md` to benchmarks/results (`--out`).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch

from skparaphrase.datasets import read_scored_pairs, read_tagged
from skparaphrase.encoders import CharagramEncoder
from skparaphrase.interaction import PairwiseInteractionRegressor
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.tagging import SequenceTagger

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.corpora import corpus_texts, read_corpora, read_table
from _lib.paper_encoders import paper_encoder
from _lib.timing import best_of, machine, number

# Pairs per epoch, and a transformed text out of how many: a few seconds on a CPU.
ENCODERS = {
    "Paragram": (20_000, 1),
    "Projection": (20_000, 1),
    "DeepAveraging": (20_000, 1),
    "RNN": (8000, 2),
    "IdentityRNN": (8000, 2),
    "LSTM": (4000, 4),
    "Convolutional": (8000, 2),
    "Charagram": (10_000, 1),
    "CharCNN": (3000, 8),
    "CharLSTM": (800, 40),
}
LARGE = 1024


class Task(NamedTuple):
    """A model, its training data, and the data to predict."""

    make: Callable[..., Any]
    fit_on: tuple[Sequence[Any], ...]
    predict: str
    texts: Sequence[Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--quick", action="store_true", help="less data, one round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--devices", nargs="+", default=["cpu", "cuda"])
    parser.add_argument("--only", nargs="+", help="models whose names begin so")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    if "cuda" in args.devices and not torch.cuda.is_available():
        print("No CUDA device was found.")
        return
    warnings.filterwarnings("ignore", message=".*distinct sentences have more than")
    path = args.out / "gpu.json"
    results = {}
    if args.only and path.exists():
        results = json.loads(path.read_text("utf-8"))["results"]
    for name, task in tasks(args):
        if args.only and not name.startswith(tuple(args.only)):
            continue
        results[name] = measure(task, args.devices, 1 if args.quick else args.rounds)
        print(*row(name, results[name]), sep=" | ", flush=True)
    about = {"date": str(date.today()), "quick": args.quick, "machine": machine()}
    if "cuda" in args.devices:
        about["GPU"] = torch.cuda.get_device_name()
    args.out.mkdir(parents=True, exist_ok=True)
    stored = {"about": about, "results": results}
    text = json.dumps(stored, indent=1) + "\n"
    (args.out / "gpu.json").write_text(text, "utf-8")
    (args.out / "gpu.md").write_text(report(about, results), "utf-8")


def tasks(args: argparse.Namespace) -> Iterator[tuple[str, Task]]:
    vectors = read_table(args)
    pairs, texts = read_corpora(args, "flickr8k"), corpus_texts(args)[:40_000]
    part = 10 if args.quick else 1
    for name, (n_pairs, step) in ENCODERS.items():
        own = {} if name.startswith("Char") else {"vectors": vectors}
        for more in ({}, {"batch_size": LARGE}):
            label = f"{name}, batches of {LARGE:,}" if more else name
            yield (
                label,
                Task(
                    maker(partial(paper_encoder, f"{name}Encoder"), **own, **more),
                    (pairs[: n_pairs // part],),
                    "transform",
                    texts[:: step * part],
                ),
            )
    path = args.data / "data/sick/train.tsv"
    X, y = read_scored_pairs(path, return_X_y=True)
    X, y = X[::part], y[::part]
    for label, name in (("averages", "Paragram"), ("an LSTM", "LSTM")):
        encoder = paper_encoder(f"{name}Encoder", vectors=vectors)
        make = maker(SimilarityRegressor, encoder)
        yield f"Similarity above {label}", Task(make, (X, y), "predict", X)
    some = slice(None, None, 8)
    make = maker(PairwiseInteractionRegressor, vectors, similarity=None)
    yield "Word interaction", Task(make, (X[some], y[some]), "predict", X[some])
    sentences, tags = read_tagged(
        args.data / "data/pos/train.tsv", columns=("token", "upos"), return_X_y=True
    )
    n = 4000 // part
    make = maker(SequenceTagger, CharagramEncoder())
    yield "Tagger", Task(make, (sentences[:n], tags[:n]), "predict", sentences[:n])


def maker(Model: Any, *args: Any, **params: Any) -> Callable[..., Any]:
    """Creates models of one epoch, with an encoder for the same device."""

    def make(device: str) -> Any:
        for below in args:
            if hasattr(below, "set_params"):
                below.set_params(device=device)
        return Model(*args, max_epochs=1, random_state=0, device=device, **params)

    return make


def measure(task: Task, devices: Sequence[str], rounds: int) -> dict[str, Any]:
    """Rates by device, with one entry per round, and the last losses."""
    found: dict[str, Any] = {}
    for device in devices:
        task.make(device).fit(*(part[:200] for part in task.fit_on))
        found[device] = {"fit": [], task.predict: []}
    for i in range(rounds):
        for device in devices if i % 2 == 0 else reversed(devices):
            model, rates = task.make(device), found[device]
            seconds = best_of(partial(model.fit, *task.fit_on), 1)
            rates["fit"].append(len(task.fit_on[0]) / seconds)
            call = getattr(model, task.predict)
            call(task.texts[:200])
            seconds = best_of(partial(call, task.texts), 2)
            rates[task.predict].append(len(task.texts) / seconds)
            rates["loss"] = model.loss_curve_[-1]
    return found


def row(name: str, found: Mapping[str, Any]) -> list[str]:
    cells = [name]
    for kind in range(2):
        rates = [list(each.values())[kind] for each in found.values()]
        cells += [spread(each) for each in rates]
        if len(rates) == 2:
            cells.append(spread([b / a for a, b in zip(*rates, strict=True)]))
    return [*cells, *(f"{each['loss']:.5f}" for each in found.values())]


def spread(values: Sequence[float]) -> str:
    shown = number(median(values))
    if len(values) == 1:
        return shown
    return f"{shown} ({number(min(values))} to {number(max(values))})"


def report(about: Mapping[str, Any], results: Mapping[str, Any]) -> str:
    devices = list(next(iter(results.values())))
    columns = [""]
    for kind in ("fit, examples/s", "transform or predict, examples/s"):
        columns += [f"{kind}, {device}" for device in devices]
        columns += ["ratio"] * (len(devices) == 2)
    columns += [f"loss, {device}" for device in devices]
    versions = ", ".join(f"{k} {v}" for k, v in about["machine"]["versions"].items())
    lines = [
        "# CPU and GPU",
        "",
        "Made by `benchmarks/speed/gpu.py`, which says how: medians over rounds with",
        f"their range, ratios within a round. {about['date']}"
        f"{' with --quick' if about['quick'] else ''}. {about.get('GPU', 'No GPU')};",
        f"{about['machine']['processor']}; {versions}.",
        "",
        f"| {' | '.join(columns)} |",
        f"| --- |{' ---: |' * (len(columns) - 1)}",
        *(f"| {' | '.join(row(name, found))} |" for name, found in results.items()),
    ]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
