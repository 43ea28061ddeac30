"""Speed of pairwise word interaction and of a loop over pairs, on one and four threads.

    python benchmarks/speed/interaction_speed.py --data ../shared --rounds 5

Times training and prediction of `PairwiseInteractionRegressor` on pairs of SICK. It is
compared with the same network in the obvious implementation, one pair at a time with
torch's modules, which gives the same logits from the same parameters (checked here).

All runs with the same number of threads share one process, and alternate in rounds;
ratios are computed within a round, then medians over rounds, so that a machine that is
busy for a while slows both sides. Waiting threads do not spin (OMP_WAIT_POLICY),
because they would delay each other if other processes use the cores; `--threads 1`
leaves out the runs with four. The same is done on a GPU, if there is one.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.datasets import read_scored_pairs
from skparaphrase.interaction import PairwiseInteractionRegressor
from skparaphrase.networks._interaction import WIDTHS
from skparaphrase.supervised._targets import Graded

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.papers import Data, table, write
from _lib.per_pair import DIM, DIM_IN, LIMIT, N_CHANNELS, N_CLASSES, PerPair
from _lib.published import PWIM, printed
from _lib.timing import machine, number, peak_of

EPOCH = 4500  # pairs of SICK's training set
PAPER = "ours, the paper's setting (batch 1, RMSProp)"
LOOP = "a loop over pairs"
BATCHES = {32: "ours, defaults (batch 32, Adam)"} | {
    size: f"ours, batch {size}" for size in (8, 16, 64)
}
TOGETHER, APART = "predict, all in one call", "predict, pair by pair"
WHOLE_GRID = "predict, all in one call, whole grid"
# An epoch, table 9 of He & Lin (2016).
PAPER_SECONDS = printed(f"{PWIM} 9", "This work", "seconds per epoch, one CPU thread")
PARAMETERS = printed(f"{PWIM} 9", "This work", "parameters")
AIMS = {1: 4.0, 4: 7.0}  # times the loop over pairs
AIM_OF_PREDICTION = 6.0

Rates = dict[str, list[float]]  # pairs/s of each round


def main() -> None:
    args = parse_args()
    warnings.filterwarnings("ignore", message=".*distinct sentences have more than")
    data = Data(args)
    sick = Sick(data, args.quick)
    results: dict[str, Any] = {
        "machine": machine(),
        "parameters": sum(p.numel() for p in PerPair().parameters()),
        "memory of predict, MB": peak_of_predict(sick),
        "GFLOP a pair": operations(sick),
        "greatest difference of logits": check_same_logits(sick),
    }
    for n_threads in args.threads:
        torch.set_num_threads(n_threads)
        kinds = contenders(sick, "cpu", n_threads)
        results[f"{n_threads} threads"] = measure(args, kinds)
    if torch.cuda.is_available():
        results["GPU"] = measure(args, contenders(sick, "cuda", 0))
        results["GPU name"] = torch.cuda.get_device_name()
    write(args, "interaction_speed", results, report(args, results))


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--quick", action="store_true", help="fewer pairs, one round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    args.data = args.data.resolve()
    args.seeds = 1
    if args.quick:
        args.rounds = 1
    return args


class Sick:
    """Pairs from the whole training set of SICK, and its test set."""

    def __init__(self, data: Data, quick: bool) -> None:
        self.vectors = data.vectors
        self.pairs, self.scores = self._read(data, "train")
        self.test, _ = self._read(data, "test")
        if quick:
            self.test = self.test[::10]
        self.n_loop = 8 if quick else 40
        self.n_train = 64 if quick else 320
        self.n_apart = 30 if quick else 200

    def _read(self, data: Data, part: str) -> tuple[Any, Any]:
        path = data.root / f"data/sick/{part}.tsv"
        X, y = read_scored_pairs(path, return_X_y=True)
        return np.asarray(X, dtype=object), np.asarray(y)

    def some(self, n_pairs: int) -> tuple[Any, Any]:
        chosen = np.linspace(0, len(self.pairs) - 1, n_pairs).astype(int)
        return self.pairs[chosen], self.scores[chosen]

    def model(self, kind: type[Any] | None = None, **params: Any) -> Any:
        """The paper's model, with the score range of SICK; the defaults besides."""
        kind = kind or PairwiseInteractionRegressor
        given = {"score_range": (1, 5), "random_state": 0, "max_epochs": 1}
        return kind(self.vectors, similarity=None, **given | params)

    def words(self, model: Any, pairs: Any) -> list[tuple[Tensor, Tensor]]:
        """Word vectors of the two sentences of each pair, as in the model."""
        found = model._find_words([text for pair in pairs for text in pair])
        tokens = torch.from_numpy(found.vectors)[torch.from_numpy(found.texts.ids)]
        texts = torch.split(tokens, found.texts.lengths.tolist())
        return list(zip(texts[::2], texts[1::2], strict=True))


# The obvious implementation ---------------------------------------------------------


def train_pair_by_pair(sick: Sick, device: str, n_pairs: int) -> float:
    """Pairs/s of the loop, with the paper's optimizer and given word vectors."""
    pairs, scores = sick.some(n_pairs)
    model = sick.model(max_epochs=0, device="cpu").fit(pairs, scores)
    words = [(a.to(device), b.to(device)) for a, b in sick.words(model, pairs)]
    levels = np.arange(1.0, 6.0)
    targets = torch.from_numpy(Graded(levels).distributions(scores)).float().to(device)
    network = PerPair()
    network.copy_from(model.parameters_)
    network.to(device)
    optimizer = torch.optim.RMSprop(network.parameters(), lr=1e-4, alpha=0.99)

    def epoch(n_steps: int) -> None:
        for (first, second), target in zip(words[:n_steps], targets, strict=False):
            found = network(first, second).log_softmax(1)[0]
            loss = F.kl_div(found, target, reduction="sum") / N_CLASSES
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 50.0)
            optimizer.step()
        loss.item()  # wait for it

    epoch(3)
    return n_pairs / seconds(lambda: epoch(n_pairs))


def check_same_logits(sick: Sick) -> float:
    """Assert that the network of the loop equals ours."""
    pairs, scores = sick.some(40)
    model = sick.model(device="cpu").fit(pairs, scores)
    network = PerPair()
    network.copy_from(model.parameters_)
    with torch.no_grad():
        theirs = torch.cat([network(*words) for words in sick.words(model, pairs)])
    difference = float(np.abs(theirs.numpy() - model._logits(pairs)).max())
    assert difference < 1e-4, difference
    return difference


# Measures --------------------------------------------------------------------------


class WholeGrid(PairwiseInteractionRegressor):
    """Also computes the cells beyond the sentences."""

    def _network(self) -> Any:
        network = super()._network()
        network.grid.register_forward_pre_hook(_pad)
        return network


def _pad(_: nn.Module, inputs: tuple[Tensor, Any]) -> tuple[Tensor, Any]:
    cube, backgrounds = inputs
    height, width = cube.shape[2:]
    return F.pad(cube, (0, LIMIT - width, 0, LIMIT - height)), backgrounds


def contenders(
    sick: Sick, device: str, n_threads: int
) -> dict[str, Callable[[], float]]:
    """Functions that measure pairs/s once, by name."""
    pairs, scores = sick.some(sick.n_train)

    def fit(model: Any) -> float:
        return len(pairs) / seconds(lambda: model.fit(pairs, scores))

    def predict(model: Any, texts: Any) -> float:
        return len(texts) / seconds(lambda: model.predict(texts))

    def predict_apart(model: Any, texts: Any) -> float:
        def call() -> None:
            for i in range(len(texts)):
                model.predict(texts[i : i + 1])

        return len(texts) / seconds(call)

    paper = PairwiseInteractionRegressor.paper(
        "sick", vectors=sick.vectors, max_epochs=1, random_state=0, device=device
    )
    found: dict[str, Callable[[], float]] = {
        LOOP: lambda: train_pair_by_pair(sick, device, sick.n_loop),
        PAPER: lambda: fit(paper),
    }
    for size, name in BATCHES.items():
        model = sick.model(batch_size=size, device=device)
        found[name] = lambda model=model: fit(model)
    if n_threads != 4:
        fitted = sick.model(max_epochs=0, device=device).fit(pairs, scores)
        whole = sick.model(WholeGrid, max_epochs=0, device=device).fit(pairs, scores)
        some = sick.test[:: max(len(sick.test) // sick.n_apart, 1)]
        found[APART] = lambda: predict_apart(fitted, some)
        found[TOGETHER] = lambda: predict(fitted, sick.test)
        found[WHOLE_GRID] = lambda: predict(whole, some)
    return found


def measure(
    args: argparse.Namespace, kinds: Mapping[str, Callable[[], float]]
) -> dict[str, Any]:
    """Run all rounds, after a warm-up round."""
    rates: Rates = {"GEMM": [], **{name: [] for name in kinds}}
    load = os.getloadavg()[0]
    for call in () if args.quick else kinds.values():
        call()
    for i in range(args.rounds):
        rates["GEMM"].append(gemm_rate())
        for name in kinds if i % 2 == 0 else reversed(kinds):
            rates[name].append(kinds[name]())
            print(f"round {i + 1}  {name:45} {rates[name][-1]:8.1f}", flush=True)
    return {"load": [load, os.getloadavg()[0]], "pairs/s": rates}


def gemm_rate() -> float:
    """GFLOP/s of products of 1500 x 1500 matrices in single precision."""
    one, two, out = torch.randn(3, 1500, 1500)
    torch.mm(one, two, out=out)
    times = [seconds(lambda: torch.mm(one, two, out=out)) for _ in range(5)]
    return 2 * 1500**3 / 1e9 / median(times)


def operations(sick: Sick) -> dict[str, float]:
    """GFLOP to train on a pair, from shapes: three times those of the forward pass.

    Word vectors are frozen, so the input of the LSTM has no gradient. The cropped grid
    is counted without the background, which is computed once per step.
    """
    pairs, scores = sick.some(1000)
    model = sick.model(max_epochs=0).fit(pairs, scores)
    lengths = [[min(len(s), LIMIT) for s in pair] for pair in sick.words(model, pairs)]
    memory = np.mean([sum(pair) for pair in lengths]) * 2 * 8 * DIM
    memory *= 2 * DIM_IN + 3 * DIM
    whole = np.mean([_grid_operations((LIMIT, LIMIT)) for _ in lengths])
    corner = np.mean([_grid_operations(pair) for pair in lengths])
    widths = (N_CHANNELS, *WIDTHS[LIMIT][:-1])
    background = 3 * sum(18 * 25 * a * b for a, b in pairwise(widths))
    return {
        "memory": float(memory) / 1e9,
        "whole grid": float(whole) / 1e9,
        "its corner": float(corner) / 1e9,
        "background of a step": background / 1e9,
    }


def _grid_operations(reached: Sequence[int]) -> float:
    """GFLOP of the convolutions for sentences of these lengths."""
    total, size = 0, LIMIT
    for before, width in pairwise((N_CHANNELS, *WIDTHS[LIMIT])):
        reached = [min(size, -(-(n + 1) // 2) * 2) for n in reached]
        total += 3 * 18 * before * width * reached[0] * reached[1]
        reached = [n // 2 for n in reached]
        size //= 2
    return total


def peak_of_predict(sick: Sick) -> dict[str, float]:
    """Peak memory, in MB, of predicting the test set, beyond the memory before."""
    torch.set_num_threads(1)
    pairs, scores = sick.some(64)
    model = sick.model(max_epochs=0, device="cpu").fit(pairs, scores)
    model.predict(sick.test[:8])  # one-time loading
    found = {}
    for n_pairs in (len(sick.test) // 4, len(sick.test)):
        some = sick.test[:n_pairs]
        _, found[str(n_pairs)] = peak_of(lambda some=some: model.predict(some))
    return found


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


# Results ---------------------------------------------------------------------------


def spread(values: Sequence[float]) -> str:
    low, high = number(min(values)), number(max(values))
    return f"{number(median(values))} ({low} to {high})"


def ratios(rates: Rates, first: str, second: str) -> list[float]:
    """Ratios within each round."""
    return [a / b for a, b in zip(rates[first], rates[second], strict=True)]


def report(args: argparse.Namespace, results: Mapping[str, Any]) -> list[str]:
    count = results["GFLOP a pair"]
    needed = {
        "whole grid": count["memory"] + count["whole grid"],
        "corner, batch 32": count["memory"]
        + count["its corner"]
        + count["background of a step"] / 32,
        "corner, batch 1": count["memory"]
        + count["its corner"]
        + count["background of a step"],
    }
    peaks = results["memory of predict, MB"]
    lines = [
        "# Speed of pairwise word interaction",
        "",
        f"`PairwiseInteractionRegressor` on SICK, limit {LIMIT}, made by",
        "`python benchmarks/speed/interaction_speed.py`, which says how: medians over",
        f"{args.rounds} rounds, and their range; ratios within a round. Training is",
        "`fit` of one epoch with all that it does (tokenising, looking up words,",
        "drawing parameters); the loop over pairs has its word vectors at hand, the",
        "network of ours (logits differ by at most",
        f"{results['greatest difference of logits']:.1g}) and the paper's optimiser.",
        f"{results['machine']['processor']}.",
        "",
        f"{results['parameters']:,} parameters (published: {PARAMETERS}). Forward and",
        "backward of a pair: "
        + ", ".join(f"{value:.2f} GFLOP {key}" for key, value in needed.items())
        + f" (the memory: {count['memory']:.2f}; from shapes, mean of 1,000 pairs).",
        "Peak memory of `predict`: "
        + ", ".join(f"{mb:,.0f} MB for {n} pairs" for n, mb in peaks.items())
        + ", besides model and vectors.",
        f"Published (table 9 of the paper): {PAPER_SECONDS} s an epoch.",
    ]
    for n_threads in args.threads:
        found = results[f"{n_threads} threads"]
        lines += [
            "",
            f"## {n_threads} thread{'s' if n_threads > 1 else ''}",
            "",
            *limits(found, needed),
            "",
            *rows(found["pairs/s"], AIMS.get(n_threads)),
        ]
    if "GPU" in results:
        lines += ["", f"## {results['GPU name']}", ""]
        lines += rows(results["GPU"]["pairs/s"], None)
    return lines


def limits(found: Mapping[str, Any], needed: Mapping[str, float]) -> list[str]:
    rate = median(found["pairs/s"]["GEMM"])
    before, after = found["load"]
    return [
        f"GEMM (single precision, 1500): {spread(found['pairs/s']['GEMM'])} GFLOP/s,",
        "with which there are at most "
        + ", ".join(f"{rate / of:,.0f} pairs/s ({key})" for key, of in needed.items())
        + f". Load of the machine {before:.1f} before and {after:.1f} after.",
    ]


def rows(rates: Rates, aim: float | None) -> list[str]:
    """The table of one number of threads, or of the GPU."""
    found: list[list[Any]] = []
    for name in rates:
        if name == "GEMM":
            continue
        training = not name.startswith("predict")
        by = ratios(rates, name, LOOP if training else APART)
        goal = aim if name == BATCHES[32] else None
        if name == TOGETHER and aim is not None:
            goal = AIM_OF_PREDICTION
        says = ""
        if goal is not None:
            says = f"at least {goal:g}: {'yes' if median(by) >= goal else '**no**'}"
        epoch = f"{EPOCH / median(rates[name]):,.0f}" if training else None
        found.append([name, spread(rates[name]), spread(by), says, epoch])
    heads = ["", "pairs/s", "ratio to the loop, or to pair by pair", "aim"]
    return table([*heads, "seconds per epoch of SICK (4,500 pairs)"], found)


if __name__ == "__main__":
    if "OMP_WAIT_POLICY" not in os.environ:  # read when torch is loaded
        os.environ["OMP_WAIT_POLICY"] = "passive"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    main()
