"""Limits of the machine, and the share of them that averages and PP reach.

    python benchmarks/speed/hardware_limits.py --data ../shared

Groups (`--only memory,arithmetic,text,shares` selects some): bandwidth of copies, of
rows gathered from a table, and of memory that is touched for the first time; matrix
products in float32; splitting texts and looking up words. Then `transform` of
AverageEncoder and `fit` of ParagramEncoder are compared with bounds that are computed
from these rates, measured in the same process just before. Every contender runs in a
fresh process in every round. `--quick` uses less data.

Writes `hardware_limits.json` and `.md` to benchmarks/results (`--out`); the
results of groups that were not run are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import corpus_texts, read_corpora, read_table
from _lib.timing import (
    N_CPUS,
    Args,
    Comparison,
    Contender,
    Found,
    Group,
    Measures,
    best_of,
    main,
)

DIM = 300
ROW = 4 * DIM  # bytes
BATCH = 100  # pairs, the setting of the paper
N_ROWS = 1_000_000  # of the table that rows are gathered from: 1.2 GB
N_GATHERED = 400_000


# Rates -----------------------------------------------------------------------------


def _in_threads(
    call: Callable[[int], object], n_threads: int, n_calls: int = 5
) -> float:
    """Seconds until the calls of all threads have returned."""
    if n_threads == 1:
        return best_of(lambda: call(0), n_calls)
    with ThreadPoolExecutor(n_threads) as pool:
        return best_of(lambda: list(pool.map(call, range(n_threads))), n_calls)


def gather_rate(table: Any, rows: Any, n_threads: int) -> float:
    """Bytes of rows per second, over all threads, in blocks that fit in a cache."""
    import numpy as np

    parts = np.array_split(rows, n_threads)
    out = [np.empty((256, DIM), np.float32) for _ in parts]

    def gather(number: int) -> None:
        part, block = parts[number], out[number]
        for start in range(0, len(part) - 255, 256):
            # "clip" writes into `out` at once, "raise" into a copy of it first
            np.take(table, part[start : start + 256], axis=0, out=block, mode="clip")

    return len(rows) * ROW / _in_threads(gather, n_threads)


def copy_rate(n_threads: int, n_bytes: int) -> float:
    """Bytes copied per second; each is read and written."""
    import numpy as np

    size = n_bytes // 4 // n_threads
    pairs = [np.ones((2, size), np.float32) for _ in range(n_threads)]

    def copy(number: int) -> None:
        np.copyto(pairs[number][0], pairs[number][1])

    return 4 * size * n_threads / _in_threads(copy, n_threads)


def fresh_rate(n_threads: int, n_bytes: int) -> float:
    """Bytes per second of new memory that is written for the first time."""
    import numpy as np

    def fill(_: int) -> None:
        np.empty(n_bytes // 4 // n_threads, np.float32).fill(1)

    return n_bytes / _in_threads(fill, n_threads)


def product_rate(shape: Sequence[int], n_threads: int, n_calls: int) -> float:
    """Operations per second of a product of (n, k) and (k, m) in float32."""
    import torch

    torch.set_num_threads(n_threads)
    n, k, m = shape
    one, two, out = torch.randn(n, k), torch.randn(k, m), torch.empty(n, m)

    def multiply() -> None:
        for _ in range(n_calls):
            torch.mm(one, two, out=out)

    multiply()
    return 2.0 * n * k * m * n_calls / best_of(multiply, 5)


def _memory(args: Args, *, n_threads: int) -> Measures:
    import numpy as np

    shrink = 10 if args.quick else 1
    n_rows, n_gathered = N_ROWS // shrink, N_GATHERED // shrink
    table = np.ones((n_rows, DIM), np.float32)
    rng = np.random.default_rng(0)
    uniform = rng.integers(n_rows, size=n_gathered)
    # Zipf's law with exponent 1 over the whole table, in random order of rows
    zipf = rng.permutation(n_rows)[
        (n_rows ** rng.random(n_gathered)).astype(np.int64) - 1
    ]
    return {
        "copy": copy_rate(n_threads, 800_000_000 // shrink) / 1e9,
        "uniform": gather_rate(table, uniform, n_threads) / 1e9,
        "zipf": gather_rate(table, zipf, n_threads) / 1e9,
        "fresh": fresh_rate(n_threads, 400_000_000 // shrink) / 1e9,
    }


def _arithmetic(args: Args, *, n_threads: int) -> Measures:
    size = 512 if args.quick else 2048
    return {
        "step": product_rate((2 * BATCH, DIM, 2 * BATCH), n_threads, 200) / 1e9,
        "large": product_rate((size, size, size), n_threads, 1) / 1e9,
    }


def _text(args: Args) -> Measures:
    texts = list(dict.fromkeys(corpus_texts(args)))
    index = {word: row for row, word in enumerate(read_table(args).words)}
    joined = " ".join(texts)
    pieces = joined.lower().split()
    return {
        "lower": len(joined) / best_of(joined.lower) / 1e6,
        "split": len(pieces) / best_of(joined.split) / 1e6,
        "one_by_one": len(pieces)
        / best_of(lambda: [text.lower().split() for text in texts])
        / 1e6,
        "look_up": len(pieces) / best_of(lambda: list(map(index.get, pieces))) / 1e6,
    }


def _both(kind: str, work: Callable[..., Measures]) -> dict[str, Contender]:
    return {
        f"{kind}-{n}": Contender(
            f"{n} thread{'s' if n > 1 else ''}", partial(work, n_threads=n)
        )
        for n in sorted({1, N_CPUS})
    }


MEMORY = Group(
    title="Memory",
    text=f"""GB (10^9 bytes) a second. A copy of 400 MB, each byte of which is read and
    written; rows of {DIM} float32 numbers gathered from a table of {N_ROWS:,} rows, the
    rows drawn uniformly or by Zipf's law, into a block that stays in the cache; new
    memory written for the first time, of which the system has to clear each page.""",
    columns={
        "copy": "copy, GB/s",
        "uniform": "rows, uniform, GB/s",
        "zipf": "rows, Zipf, GB/s",
        "fresh": "new memory, GB/s",
    },
    contenders=_both("memory", _memory),
    comparisons=(),
)

ARITHMETIC = Group(
    title="Arithmetic",
    text=f"""Products of matrices in float32 by torch, 10^9 operations a second. "A
    step" is the cosines of a batch of {BATCH} pairs: {2 * BATCH} x {DIM} by {DIM} x
    {2 * BATCH}; "large" is 2,048 x 2,048 by itself.""",
    columns={"step": "a step, GFLOP/s", "large": "large, GFLOP/s"},
    contenders=_both("arithmetic", _arithmetic),
    comparisons=(),
)

TEXT = Group(
    title="Text",
    text="""Distinct captions and rewrites, in Python, one thread: millions of
    characters lower-cased a second, of pieces split at white space a second (all texts
    joined to one, or one after the other and lower-cased), and of those looked up in a
    dict of 77,520 words.""",
    columns={
        "lower": "lower-cased, M characters/s",
        "split": "split, M pieces/s",
        "one_by_one": "lower-cased and split one by one, M pieces/s",
        "look_up": "looked up, M pieces/s",
    },
    contenders={"text": Contender("CPython", _text)},
    comparisons=(),
)


# Shares ----------------------------------------------------------------------------


def _average(args: Args) -> Measures:
    """Sentences per second that each part of the work would allow alone, and ours."""
    import numpy as np

    from skparaphrase.encoders import AverageEncoder
    from skparaphrase.text import WordTokenizer

    vectors = read_table(args)
    encoder = AverageEncoder(vectors)
    texts = list(dict.fromkeys(corpus_texts(args)))
    ids = vectors.encode(texts, WordTokenizer(), known_only=True).ids.astype(np.int64)
    joined = " ".join(texts)
    index = {word: row for row, word in enumerate(vectors.words)}
    pieces = joined.lower().split()
    seconds = {
        "rows": len(ids) * ROW / gather_rate(vectors.matrix, ids, args.threads),
        "output": len(texts) * ROW / fresh_rate(args.threads, len(texts) * ROW),
        "text": best_of(lambda: joined.lower().split())
        + best_of(lambda: list(map(index.get, pieces))),
        "ours": best_of(lambda: encoder.transform(texts)),
    }
    seconds["limit"] = max(seconds["rows"] + seconds["output"], seconds["text"])
    return {name: len(texts) / taken for name, taken in seconds.items()}


def _training(args: Args) -> Measures:
    """Pairs per second that memory and products would allow, and ours."""
    import numpy as np
    import torch

    from _lib.paper_encoders import paper_encoder
    from skparaphrase.text import WordTokenizer

    torch.set_num_threads(args.threads)
    vectors, pairs = read_table(args), read_corpora(args)
    encoder = paper_encoder(
        "ParagramEncoder",
        vectors=vectors,
        batch_size=BATCH,
        max_epochs=3,
        device="cpu",
        random_state=0,
    )
    order = np.random.default_rng(0).permutation(len(pairs))
    texts = [text for i in order for text in pairs[i]]
    found = vectors.encode(texts, WordTokenizer(), known_only=True)
    ids = found.ids.astype(np.int64)
    # A step reads the rows of its words (once: they stay in the cache), and reads and
    # writes their gradients, AdaGrad's sums and the vectors; it reads the initial ones.
    ends = found.offsets[:: 2 * BATCH].tolist()
    steps = [np.unique(ids[a:b]) for a, b in pairwise(ends)]
    touched = np.concatenate(steps)
    n_pairs = len(steps) * BATCH
    rate = gather_rate(vectors.matrix, touched, args.threads)
    memory = 8 * len(touched) * ROW / rate
    # Cosines of all texts of a batch, and their gradients: three products
    flops = 3 * 2 * (2 * BATCH) ** 2 * DIM * len(steps)
    shape = (2 * BATCH, DIM, 2 * BATCH)
    arithmetic = flops / product_rate(shape, args.threads, 200)
    encoder.fit(pairs[:500])
    ours = best_of(lambda: encoder.fit(pairs), 1) / encoder.max_epochs / len(pairs)
    return {
        "rows": n_pairs / memory,
        "products": n_pairs / arithmetic,
        "limit": n_pairs / (memory + arithmetic),
        "ours": 1 / ours,
        "n_rows": len(touched) / n_pairs,
    }


def _share(label: str, worker: str, column: str) -> Comparison:
    def share(found: Found) -> float:
        return found[worker]["ours"] / found[worker][column]

    return Comparison(label, share)


SHARES = Group(
    title="Share of the limit",
    text=f"""What is reached, and what parts of the work would allow if there were
    nothing else, in sentences or pairs a second, from rates of the same process.
    Averages (distinct captions and rewrites): "rows" reads the row of every token,
    "output" touches the memory of the result for the first time, on all threads;
    "text" lower-cases and splits all texts and looks every piece up in a dict, on one
    thread. "Limit" is the slower of the two, text and rows with output; a share above 1
    means that pieces are found with less work than a dict takes. Training
    (batches of {BATCH} pairs, three epochs and all that `fit` does): "rows" reads or
    writes each distinct row of a step eight times (vectors, gradients and AdaGrad's
    sums twice, vectors in the forward pass, initial vectors) at the bandwidth of a
    gather, "products" are the cosines and their gradients, "limit" one after the
    other.""",
    columns={
        "rows": "rows, 1/s",
        "output": "output, 1/s",
        "text": "text, 1/s",
        "products": "products, 1/s",
        "limit": "limit, 1/s",
        "ours": "reached, 1/s",
    },
    contenders={
        "average": Contender("AverageEncoder, transform, sentences", _average),
        "training": Contender("ParagramEncoder, fit, pairs", _training),
    },
    comparisons=(
        _share("AverageEncoder: share of the limit", "average", "limit"),
        _share("AverageEncoder: share of what text allows", "average", "text"),
        _share("ParagramEncoder: share of the limit", "training", "limit"),
        _share("ParagramEncoder: share of what rows allow", "training", "rows"),
    ),
)

GROUPS = {"memory": MEMORY, "arithmetic": ARITHMETIC, "text": TEXT, "shares": SHARES}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
