"""Training at scale: three million pairs, a vocabulary of millions, large batches.

    python benchmarks/speed/training_at_scale.py --data ../shared
    python benchmarks/speed/training_at_scale.py --only ppdb --epochs 10 --rounds 1
    python benchmarks/speed/training_at_scale.py --only before --before OLDER

Groups (`--only ppdb,vocabulary,batches` selects some): `fit` on as many phrase pairs as
PPDB XL has, with a table of a million words; the time of a step against the size of the
table; pairs per second, and the memory that choosing negatives needs, against the batch
size. All data are generated from a seed. With `--before`, a folder that holds an older
`skparaphrase`, there is one more group: `fit` on captions by that and by this one.

Phrases have two to six words (shares 0.35, 0.35, 0.2, 0.08, 0.02; 3.07 on average), out
of the 37,366 words that PPDB XL has (Wieting et al., 2016), which are anywhere in the
table and drawn with frequency 1 / rank (Zipf). In the second phrase of a pair, half of
the words of the first are replaced. Words are "w0", "w1", and so on, and vectors are
normal.

Every contender runs in a fresh process in every round. Needs Linux, and 7 GB of memory
for the largest vocabulary. `--quick` uses a fiftieth of the pairs and a tenth of the
words.

Writes `training_at_scale.json` and `.md` to benchmarks/results (`--out`); the
results of groups that were not run are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import ctypes
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    main,
    peak_of,
    ratio,
    resident,
)

EPOCHS = "SKPARAPHRASE_BENCHMARK_EPOCHS"  # passes the number to the workers
BEFORE = "SKPARAPHRASE_BENCHMARK_BEFORE"  # and the folder of the older version
N_PAIRS, N_WORDS, N_TYPES, DIM = 3_033_753, 1_000_000, 37_366, 300
LENGTHS = {2: 0.35, 3: 0.35, 4: 0.2, 5: 0.08, 6: 0.02}
VOCABULARIES = {"10k": 10_000, "100k": 100_000, "500k": 500_000} | {
    "1M": 1_000_000,
    "2M": 2_000_000,
}
BATCHES = (100, 1024, 2048, 4096, 8192)


# Data ------------------------------------------------------------------------------


def _phrases(n_pairs: int, n_words: int, n_types: int) -> tuple[Any, Any]:
    """Words of both phrases of each pair, end to end, and the start of each phrase."""
    import numpy as np

    rng = np.random.default_rng(0)
    lengths = np.repeat(rng.choice(list(LENGTHS), n_pairs, p=list(LENGTHS.values())), 2)
    offsets = np.append(0, np.cumsum(lengths))
    cumulative = np.cumsum(1 / np.arange(1, n_types + 1))
    types = rng.choice(n_words, n_types, replace=False).astype(np.int32)

    def words(n: int) -> Any:
        drawn = np.searchsorted(cumulative, rng.random(n) * cumulative[-1])
        return types[drawn]

    ids = words(offsets[-1])
    # The second phrase starts as a copy of the first, which precedes it.
    second = np.repeat(np.arange(2 * n_pairs) % 2 == 1, lengths)
    kept = np.flatnonzero(second & (rng.random(len(ids)) < 0.5))
    ids[kept] = ids[kept - np.repeat(lengths, lengths)[kept]]
    return ids, offsets


def _pairs(n_pairs: int, n_words: int, n_types: int) -> Any:
    """The pairs as strings, shape (n_pairs, 2)."""
    import numpy as np

    ids, offsets = _phrases(n_pairs, n_words, n_types)
    words = [f"w{i}" for i in ids.tolist()]
    bounds = offsets.tolist()
    texts = np.empty(2 * n_pairs, dtype=object)
    for i in range(2 * n_pairs):
        texts[i] = " ".join(words[bounds[i] : bounds[i + 1]])
    return texts.reshape(-1, 2)


def _matrix(n_words: int) -> Any:
    import numpy as np

    return np.random.default_rng(0).standard_normal((n_words, DIM), dtype=np.float32)


def _seconds(n_words: int, batch_size: int, ids: Any, offsets: Any) -> float:
    """Seconds of the second epoch, with the settings of the paper.

    These are AdaGrad, and a penalty towards the initial vectors.
    """
    import numpy as np
    import torch
    from numpy.random import RandomState

    from skparaphrase._threads import limit_torch_threads
    from skparaphrase.encoders import ParagramEncoder
    from skparaphrase.losses import MarginLoss
    from skparaphrase.networks import Average, WordTable
    from skparaphrase.optimizers import Optimizer
    from skparaphrase.text import TokenBatch
    from skparaphrase.training import ParaphraseTrainer
    from skparaphrase.training._loop import train_epoch

    matrix = _matrix(n_words)
    texts = TokenBatch(ids, offsets)
    trainer = ParaphraseTrainer(
        Average(DIM),
        WordTable(matrix, initial=matrix, device=torch.device("cpu")),
        ParagramEncoder(
            batch_size=batch_size, learning_rate=0.05, vectors_penalty=1e-6
        ),
        Optimizer("adagrad", max_change=None),
        RandomState(0),
        loss=MarginLoss(),
        texts=texts,
        examples=np.arange(len(texts)).reshape(-1, 2),
        identities=np.arange(len(texts)),
    )
    with limit_torch_threads():
        train_epoch(trainer, 0, 2)
        start = time.perf_counter()
        train_epoch(trainer, 1, 2)
        return time.perf_counter() - start


# ppdb ------------------------------------------------------------------------------


class Clock:
    """Callback that records when the first epoch began and the last one ended."""

    begin = end = 0.0

    def setup(self, estimator: Any, context: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        if context.task_name == "epoch":
            self.begin = self.begin or time.perf_counter()

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        if context.task_name == "epoch":
            self.end = time.perf_counter()


def _fit(args: Args) -> Measures:
    import torch

    import skparaphrase.networks  # noqa: F401  before memory is measured
    from _lib.paper_encoders import paper_encoder
    from skparaphrase.vectors import WordVectors

    torch.set_num_threads(args.threads)
    part = (50, 10, 10) if args.quick else (1, 1, 1)
    sizes = [n // p for n, p in zip((N_PAIRS, N_WORDS, N_TYPES), part, strict=True)]
    n_epochs = int(os.environ.get(EPOCHS, "1"))
    pairs = _pairs(*sizes)
    vectors = WordVectors([f"w{i}" for i in range(sizes[1])], _matrix(sizes[1]))

    encoder = paper_encoder(
        "ParagramEncoder",
        vectors=vectors,
        max_epochs=n_epochs,
        device="cpu",
        random_state=0,
    )
    clock = Clock()
    ctypes.CDLL(None).malloc_trim(0)
    given = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # resets the peak
    start = time.perf_counter()
    encoder.set_callbacks(clock).fit(pairs)
    whole = time.perf_counter() - start
    n_trained = n_epochs * len(pairs)
    return {
        "rate": n_trained / (clock.end - clock.begin),
        "start": clock.begin - start,
        "whole": whole,
        "all": n_trained / whole,
        "given": given,
        "peak": resident("VmHWM"),
        "table": sizes[1] * DIM * 4 / 1e6,
    }


PPDB = Group(
    title="Three million phrase pairs, a table of a million words",
    text="""ParagramEncoder with the paper's setting: batches of 100, 300 numbers,
    AdaGrad, hardest negatives, a penalty on the distance from the first vectors. The
    start, before the first epoch, reads and numbers the texts and copies the table.
    Memory is the resident set of the whole process, interpreter, texts and given table
    ("before") included.""",
    columns={
        "rate": "pairs/s",
        "all": "pairs/s, start included",
        "start": "start, s",
        "whole": "fit, s",
        "table": "table, MB",
        "given": "before, MB",
        "peak": "peak, MB",
    },
    contenders={"fit": Contender("ParagramEncoder", _fit)},
    comparisons=(
        Comparison("pairs/s", lambda r: r["fit"]["rate"], at_least=50_000),
        Comparison("peak, MB", lambda r: r["fit"]["peak"], at_most=4000),
    ),
    note=lambda samples: f"Epochs: {os.environ.get(EPOCHS, '1')}.",
)


# vocabulary ------------------------------------------------------------------------


def _step(args: Args, *, n_words: int) -> Measures:
    import torch

    torch.set_num_threads(args.threads)
    n_words //= 10 if args.quick else 1
    n_steps = 200 if args.quick else 2000
    # The same words for each table, but further apart in larger ones.
    ids, offsets = _phrases(100 * n_steps, 1000, 1000)
    spread = (ids * (n_words // 1000)).astype(ids.dtype)
    seconds = _seconds(n_words, 100, spread, offsets)
    return {"step": 1e6 * seconds / n_steps, "table": n_words * DIM * 4 / 1e6}


VOCABULARY = Group(
    title="A step against the size of the table",
    text="""Microseconds of a step on the same 2,000 batches of 100 pairs, whose 1,000
    words lie evenly over the table. Here also what remains to grow with it: rows that
    are further apart in memory.""",
    columns={"step": "step, us", "table": "table, MB"},
    contenders={
        name: Contender(f"{size:,} words", partial(_step, n_words=size))
        for name, size in VOCABULARIES.items()
    },
    comparisons=tuple(
        ratio(f"{name} / 10k words", name, "10k", "step", at_most=1.5)
        for name in list(VOCABULARIES)[1:]
    ),
)


# batches ---------------------------------------------------------------------------


def _batch(args: Args, *, batch_size: int) -> Measures:
    import numpy as np
    import torch

    from skparaphrase.losses import choose_negatives
    from skparaphrase.networks import unit_vectors

    torch.set_num_threads(args.threads)
    n_pairs = max(3, (20_000 if args.quick else 200_000) // batch_size) * batch_size
    ids, offsets = _phrases(n_pairs, 100_000, N_TYPES)
    rate = n_pairs / _seconds(100_000, batch_size, ids, offsets)
    unit = unit_vectors(torch.from_numpy(_matrix(2 * batch_size)))

    def mine(**settings: Any) -> float:
        _, peak = peak_of(
            lambda: choose_negatives(
                unit,
                np.arange(len(unit)),
                random_state=np.random.RandomState(0),
                **settings,
            )
        )
        return peak

    mine(how="max", mask_identical=False)
    return {
        "rate": rate,
        "max": mine(how="max", mask_identical=False),
        "mix": mine(how="mix", mask_identical=True),
        "matrix": len(unit) ** 2 * 4 / 1e6,
    }


BATCH = Group(
    title="Large batches",
    text="""Pairs a second of an epoch, a table of 100,000 words, and the memory that
    choosing negatives takes at its peak, beside what the matrix of all cosines of a
    batch would; its arithmetic grows with the batch, for every pair.""",
    columns={
        "rate": "pairs/s",
        "max": '"max", MB',
        "mix": '"mix" with mask_identical, MB',
        "matrix": "whole matrix, MB",
    },
    contenders={
        f"batch-{size}": Contender(
            f"batches of {size:,}", partial(_batch, batch_size=size)
        )
        for size in BATCHES
    },
    comparisons=tuple(
        ratio(f"{size:,} / 100, pairs/s", f"batch-{size}", "batch-100", "rate")
        for size in BATCHES[1:]
    ),
)

# before ----------------------------------------------------------------------------


class EpochClock(Clock):
    """Callback that records the processor's seconds of every epoch."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.begin = time.process_time()

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        if context.task_name == "epoch":
            self.seconds.append(time.process_time() - self.begin)


def _captions(
    args: Args, *, loss: str, batch_size: int, pooling: str = "", before: bool = False
) -> Measures:
    if before:
        sys.path.insert(0, os.environ[BEFORE])
    import numpy as np
    import torch

    from _lib.corpora import read_corpora, read_table
    from _lib.paper_encoders import paper_encoder
    from skparaphrase.encoders import ParagramEncoder

    torch.set_num_threads(args.threads)
    pairs = read_corpora(args)
    order = np.random.default_rng(0).permutation(len(pairs))[:5_000]
    settings: dict[str, Any] = {"max_epochs": 5, "device": "cpu", "random_state": 0}
    settings["batch_size"] = batch_size
    if pooling:
        settings["pooling"] = pooling
    encoder = ParagramEncoder(**settings)
    if loss == "margin":
        settings["vectors"] = read_table(args)
        encoder = paper_encoder("ParagramEncoder", **settings)
    clock = EpochClock()
    encoder.set_callbacks(clock).fit([pairs[i] for i in order])
    return {"rate": len(order) / min(clock.seconds), "loss": encoder.loss_curve_[-1]}


_AFTER: dict[str, tuple[str, str, dict[str, Any]]] = {
    "distinct": ("defaults", "infonce", {}),
    "mean": ('defaults, pooling="mean"', "infonce", {"pooling": "mean"}),
    "margin": ("paper", "margin", {}),
}
_BEFORE = {"infonce": "defaults", "margin": "paper"}
_SIZES = (100, 256)

CAPTIONS = Group(
    title="Before and after",
    text="""Pairs a second of processor time, of the best of five epochs of
    ParagramEncoder.fit on 5,000 pairs of captions and rewrites: its defaults (InfoNCE,
    AdaGrad, a limit of the change) and the setting of its paper with sparse updates
    (margin loss, AdaGrad, a penalty). "Before" is the version without gradients of
    InfoNCE in closed form, whose averages are of all words. It keeps less of the start
    (`keep=0.3` instead of 0.5), so that its losses are lower.""",
    columns={"rate": "pairs/s", "loss": "last loss"},
    contenders={
        **{
            f"{loss}-{size}-before": Contender(
                f"{label}, batches of {size}, before",
                partial(_captions, loss=loss, batch_size=size, before=True),
            )
            for loss, label in _BEFORE.items()
            for size in _SIZES
        },
        **{
            f"{name}-{size}": Contender(
                f"{label}, batches of {size}, after",
                partial(_captions, loss=loss, batch_size=size, **changes),
            )
            for name, (label, loss, changes) in _AFTER.items()
            for size in _SIZES
        },
    },
    comparisons=tuple(
        ratio(
            f"{label}, batches of {size}: after / before",
            *(f"{name}-{size}", f"{loss}-{size}-before", "rate"),
            at_least=2,
        )
        for name, (label, loss, _) in _AFTER.items()
        for size in _SIZES
    ),
)

GROUPS = {"ppdb": PPDB, "vocabulary": VOCABULARY, "batches": BATCH}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--epochs", help="of the group ppdb")
    parser.add_argument("--before", help="folder of an older skparaphrase")
    given, sys.argv[1:] = parser.parse_known_args()
    if given.before:
        os.environ[BEFORE] = given.before
    if BEFORE in os.environ:
        GROUPS["before"] = CAPTIONS
    if given.epochs:
        os.environ[EPOCHS] = given.epochs
    main(Path(__file__), __doc__, GROUPS)
