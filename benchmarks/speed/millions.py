"""Embedding, search and near duplicates of up to two million lines.

    python benchmarks/speed/millions.py --data ../shared --rounds 1 --only k100,k500
    python benchmarks/speed/millions.py --data ../shared --rounds 1 --only m2

The lines are made from the 515,000 sentences of the data pack:

- 80 % are sentences or, once these are used up, splices: the first half of one sentence
  and the second half of another one from the same source.
- 10 % are exact copies of other lines, in capitals and with a second space.
- 10 % are near copies of other lines: one word is missing.

Their order is random. Each step runs in a separate process. CPU seconds are summed over
all threads. The peak memory is measured for the call, excluding the texts (and for the
search, the index). "Longest silence" is the longest time without a change of the
progress bars. "Found" copies are in one group with their original.

Needs Linux, tqdm and the data pack. `--quick` takes a tenth of the lines. Writes
`millions.json` and `millions.md` to benchmarks/results (`--out`).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import lzma
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.timing import Args, Contender, Group, Measures, main, peak_of, timed

SIZES = {"k100": 100_000, "k500": 500_000, "m2": 2_000_000}
N_QUERIES, K = 1000, 10
SHARE = 0.1  # of exact copies, and of near copies


def _prepare(args: Args, *, n_lines: int) -> None:
    """Write the lines, and for each copy the index of its original."""
    rng = np.random.default_rng(0)
    n_lines //= 10 if args.quick else 1
    n_copies = int(SHARE * n_lines)
    sources = [
        [line for line in text.split("\n") if len(line.split()) > 3]
        for path in sorted((args.data / "data/sentences").glob("*.txt.xz"))
        if (text := lzma.open(path, "rt", encoding="utf-8").read())
    ]
    lines = [line for source in sources for line in source]
    rng.shuffle(lines)
    lines = lines[: n_lines - 2 * n_copies]
    while len(lines) < n_lines - 2 * n_copies:
        source = sources[rng.integers(len(sources))]
        first, second = (source[i].split() for i in rng.integers(len(source), size=2))
        lines.append(" ".join(first[: len(first) // 2] + second[len(second) // 2 :]))
    copied = rng.choice(len(lines), 2 * n_copies, replace=False)
    originals = [*range(len(lines)), *copied.tolist()]
    for i, original in enumerate(copied.tolist()):
        words = lines[original].split()
        if i < n_copies:
            lines.append(" ".join(words).upper().replace(" ", "  ", 1))
        else:
            del words[rng.integers(len(words))]
            lines.append(" ".join(words))
    order = rng.permutation(len(lines))
    places = np.argsort(order)
    copies = np.column_stack([places[originals], places])[-2 * n_copies :].tolist()
    (args.folder / "lines.txt").write_text("\n".join(lines[i] for i in order), "utf-8")
    (args.folder / "copies.json").write_text(json.dumps(copies), "utf-8")


class _Terminal:
    """A stderr that is a terminal and records the time of changes."""

    def __init__(self) -> None:
        self.text = ""
        self.times = [time.monotonic()]

    def write(self, text: str) -> None:
        self.text += text
        self.times.append(time.monotonic())

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def _measured(args: Args, call: Callable[[], Any]) -> tuple[Any, Measures]:
    """The result of a call that shows its progress, its seconds and memory."""
    import skparaphrase

    terminal = _Terminal()
    cpu = time.process_time()
    with redirect_stderr(terminal), skparaphrase.show_progress():  # type: ignore[type-var]
        wall, (result, peak) = timed(lambda: peak_of(call))
    seconds = {"cpu": time.process_time() - cpu, "wall": wall}
    times = [*terminal.times, time.monotonic()]
    return result, {**seconds, "peak": peak, "silence": float(np.diff(times).max())}


def _lines(args: Args) -> list[str]:
    return (args.folder / "lines.txt").read_text("utf-8").split("\n")


def _embed(args: Args) -> Measures:
    import skparaphrase

    encoder = skparaphrase.load_pretrained()
    lines = _lines(args)
    return _measured(args, lambda: encoder.transform(lines))[1]


def _search(args: Args) -> Measures:
    from skparaphrase.search import SemanticSearch

    lines = _lines(args)
    search = SemanticSearch().fit(lines)
    queries = lines[:: len(lines) // N_QUERIES][:N_QUERIES]
    return _measured(args, lambda: search.search(queries, k=K))[1]


def _near(args: Args) -> Measures:
    from skparaphrase.search import NearDuplicates

    lines = _lines(args)
    model, measures = _measured(args, lambda: NearDuplicates().fit(lines))
    first, second = np.array(json.loads((args.folder / "copies.json").read_text())).T
    found = model.labels_[first] == model.labels_[second]
    n_copies = len(found) // 2
    return measures | {
        "groups": len(model.representative_indices_),
        "exact": 100 * found[:n_copies].mean(),
        "near": 100 * found[n_copies:].mean(),
    }


def _group(name: str, n_lines: int) -> Group:
    return Group(
        title=f"{n_lines:,} lines",
        text=f"""`load_pretrained().transform`; `SemanticSearch().search` of the {K}
        nearest lines for {N_QUERIES:,} of them; `NearDuplicates().fit`, with its own
        embedding.""",
        columns={
            "cpu": "CPU seconds",
            "wall": "seconds",
            "peak": "peak memory, MB",
            "silence": "longest silence, seconds",
            "groups": "groups",
            "exact": "exact copies found, %",
            "near": "near copies found, %",
        },
        contenders={
            f"{name}-embed": Contender("embed", _embed),
            f"{name}-search": Contender("search", _search),
            f"{name}-near": Contender("near duplicates", _near),
        },
        prepare=partial(_prepare, n_lines=n_lines),
    )


if __name__ == "__main__":
    main(
        Path(__file__),
        __doc__,
        {name: _group(name, n_lines) for name, n_lines in SIZES.items()},
    )
