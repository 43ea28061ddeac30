"""Peak memory of grid searches over a 1 GB table, of transform, and of small tables.

    python benchmarks/speed/memory.py --data ../shared --threads 4

Groups (`--only pretrained,grid,tables,chunks` selects some): the pretrained encoder; a
grid search by four worker processes over a table of 900,000 vectors of 300 dimensions,
memory-mapped or in memory; tables of float16 and int8 numbers; transform of long texts
by each kind of encoder.
Every contender runs in a fresh process in every round. Needs Linux, psutil, 8 GB of
memory, and 4 GB of disk in the folder of temporary files. `--quick` uses a table of
90,000.

Writes `memory.json` and `memory.md` to benchmarks/results (`--out`); the results of
groups that were not run are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import (
    N_SENTENCES,
    corpus_texts,
    long_texts,
    read_corpora,
    read_table,
    some_sentences,
)
from _lib.timing import (
    PLAIN,
    Args,
    Comparison,
    Contender,
    Found,
    Group,
    Measures,
    best_of,
    main,
    peak_of,
    timed,
)
from _lib.trained import LABELS, SIZES, trained_encoder

N_JOBS = 4
N_WORDS, DIM = 900_000, 300
MB = N_WORDS * DIM * 4 / 1e6  # of the table, float32


# Data ------------------------------------------------------------------------------


def _save_large(args: Args, *dtypes: str) -> None:
    """Real words, then words generated from them, in a folder for each dtype."""
    import numpy as np

    from skparaphrase.vectors import WordVectors, save_word_vectors

    small = read_table(args)
    n_words = N_WORDS // (10 if args.quick else 1)
    made = (f"{word}~{n}" for n in count(1) for word in small.words)
    words = list(islice(chain(small.words, made), n_words))
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((n_words, DIM), dtype=np.float32)
    n_real = min(len(small), n_words)
    matrix[:n_real] = small.matrix[:n_real]
    table = WordVectors(words, matrix)
    for dtype in dtypes:
        save_word_vectors(table.astype(dtype), args.folder / dtype)


# grid ------------------------------------------------------------------------------


def _scored_pairs(args: Args) -> tuple[Any, Any]:
    import numpy as np

    from skparaphrase.datasets import read_pairs

    paths = sorted((args.data / "data/sts").glob("*.tsv"))[: 4 if args.quick else None]
    read = [read_pairs(path, score="score", return_X_y=True) for path in paths]
    return np.vstack([X for X, _ in read]), np.concatenate([y for _, y in read])


def _search(args: Args, *, mmap: bool, n_jobs: int) -> Measures:
    from joblib import parallel_config
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    from skparaphrase.decomposition import CommonComponentRemoval
    from skparaphrase.encoders import SIFEncoder
    from skparaphrase.pairs import PairSimilarity

    one = n_jobs == 1
    grid = {
        "sifencoder__a": [1e-3] if one else [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1],
        "commoncomponentremoval__n_components": [1] if one else [1, 2],
    }
    pairs, gold = _scored_pairs(args)
    vectors = _load(args.folder / "float32", mmap=mmap)
    pipe = make_pipeline(
        SIFEncoder(vectors), CommonComponentRemoval(), PairSimilarity()
    )
    search = GridSearchCV(pipe, grid, cv=3, n_jobs=n_jobs)
    with parallel_config("loky", inner_max_num_threads=max(args.threads // n_jobs, 1)):
        seconds = best_of(lambda: search.fit(pairs, gold), 1)
    return {"seconds": seconds, "score": search.best_score_}


def _load(folder: Path, *, mmap: bool) -> Any:
    """A table, mapped into memory or read."""
    import numpy as np

    import skparaphrase

    vectors = skparaphrase.load(folder)
    if mmap:
        return vectors
    return vectors.replace(np.array(vectors.matrix), scale=vectors.scale)


def _import_all(seconds: float) -> int:
    """Import what a search imports, and wait; returns the process number."""
    for name in ("datasets", "decomposition", "encoders", "pairs", "vectors"):
        import_module(f"skparaphrase.{name}")
    import_module("sklearn.model_selection")
    time.sleep(seconds)
    return os.getpid()


def _interpreters(args: Args, *, pool: bool) -> Measures:
    from joblib import Parallel, delayed, parallel_config

    _import_all(0.5)
    if pool:
        # A call takes longer than starting a worker, so each worker gets one.
        with parallel_config("loky", inner_max_num_threads=1):
            processes = Parallel(N_JOBS)([delayed(_import_all)(6.0)] * N_JOBS)
        if len(set(processes)) != N_JOBS:
            raise RuntimeError("Two calls went to one worker.")
    return {}


def _opened(args: Args) -> Measures:
    """Memory, beyond the interpreter, of a process that only maps the table."""
    import skparaphrase

    vectors, opened = peak_of(lambda: skparaphrase.load(args.folder / "float32"))
    return {"opened": opened, "table": vectors.matrix.nbytes / 1e6}


def _watched(label: str, work: Callable[..., Measures], **options: Any) -> Contender:
    return Contender(label, partial(work, **options), ("psutil",), watched=True)


def _tables(label: str, worker: str, bare: str, **target: float) -> Comparison:
    """Memory of a search beyond bare processes, in units of the table."""

    def tables(found: Found) -> float:
        held = found[worker]["peak"] - found[bare]["peak"]
        return held / found["opened"]["table"]

    return Comparison(label, tables, **target)


GRID = Group(
    title="Grid search over a 1 GB table",
    text=f"""Peak of the summed proportional set sizes of all processes of a
    GridSearchCV (12 candidates, 3 folds) over SIFEncoder + CommonComponentRemoval +
    PairSimilarity on the pairs of STS 2012 to 2014, in MB (of 10^6 bytes), sampled
    every 20 ms; a page that several processes map counts once. Table: {N_WORDS:,} x
    {DIM}, float32, {MB:,.0f} MB, saved and mapped, or read into memory (joblib puts
    a copy for its workers into /dev/shm, beside that of the caller). "One fit" is the
    same search over one candidate in one process. "Tables" is the peak less that of
    bare processes with the same imports, by the size of the table; a mapped page that
    nobody reads is not in memory.""",
    columns={
        "peak": "peak, MB",
        "shm": "new in /dev/shm, MB",
        "opened": "words and index, MB",
        "seconds": "search, s",
    },
    contenders={
        "interpreter": _watched("one interpreter", _interpreters, pool=False),
        "interpreters": _watched(
            f"interpreter with a pool of {N_JOBS}", _interpreters, pool=True
        ),
        "opened": Contender("mapped table, opened", _opened),
        "fit": _watched("one fit, mapped", _search, mmap=True, n_jobs=1),
        "grid": _watched(
            f"grid, {N_JOBS} jobs, mapped", _search, mmap=True, n_jobs=N_JOBS
        ),
        "fit-read": _watched("one fit, in memory", _search, mmap=False, n_jobs=1),
        "grid-read": _watched(
            f"grid, {N_JOBS} jobs, in memory", _search, mmap=False, n_jobs=N_JOBS
        ),
    },
    comparisons=(
        _tables("mapped: tables held by one fit", "fit", "interpreter"),
        _tables("mapped: tables held by the grid", "grid", "interpreters", at_most=1.0),
        _tables("in memory: tables held by one fit", "fit-read", "interpreter"),
        _tables("in memory: tables held by the grid", "grid-read", "interpreters"),
    ),
    prepare=lambda args: _save_large(args, "float32"),
)


# tables ----------------------------------------------------------------------------


def _transform(args: Args, dtype: str) -> Measures:
    """Speed of transform, and MB beyond the table and the returned vectors."""
    from skparaphrase.encoders import AverageEncoder

    vectors = _load(args.folder / dtype, mmap=False)
    encoder = AverageEncoder(vectors)
    distinct = list(dict.fromkeys(corpus_texts(args)))
    encoder.transform(distinct[:8])  # one-time loading
    output, peak = peak_of(lambda: encoder.transform(distinct))
    nbytes = vectors.matrix.nbytes
    if vectors.scale is not None:
        nbytes += vectors.scale.nbytes
    return {
        "table": nbytes / 1e6,
        "output": output.nbytes / 1e6,
        "beside": peak - output.nbytes / 1e6,
        "distinct": len(distinct) / best_of(lambda: encoder.transform(distinct)),
    }


DTYPES = ("float32", "float16", "int8")

TABLES = Group(
    title="Tables of float16 and int8",
    text=f"""AverageEncoder on the distinct captions and rewrites with a table of
    {N_WORDS:,} vectors of {DIM} numbers, stored in three ways and read into memory.
    "Beside" is the resident set at its peak less that before the call and less the
    array that is returned (MB of 10^6 bytes): a copy of the table as float32 would be
    {MB:,.0f}.""",
    columns={
        "table": "table, MB",
        "output": "vectors returned, MB",
        "beside": "beside them, MB",
        "distinct": "distinct, sentences/s",
    },
    contenders={
        dtype: Contender(dtype, partial(_transform, dtype=dtype)) for dtype in DTYPES
    },
    comparisons=(
        *(
            Comparison(
                f"{dtype}: MB beside / MB of a float32 table",
                f"{dtype}.beside / float32.table",
                at_most=0.1,
            )
            for dtype in DTYPES
        ),
        *(
            Comparison(
                f"speed of {dtype} / float32",
                f"{dtype}.distinct / float32.distinct",
            )
            for dtype in DTYPES[1:]
        ),
    ),
    prepare=lambda args: _save_large(args, *DTYPES),
)

# pretrained ------------------------------------------------------------------------


def _pretrained(args: Args) -> Measures:
    """MB of the encoder, and of `transform` excluding the returned vectors."""
    from skparaphrase import load_pretrained

    import_module("skparaphrase.encoders")
    texts = some_sentences(args)
    encoder, loaded = peak_of(load_pretrained)
    found: Measures = {"loaded": loaded}
    for column, some in (("one", texts[:1]), ("third", texts[::3]), ("all", texts)):
        vectors, peak = peak_of(lambda some=some: encoder.transform(some))
        found[column] = peak - vectors.nbytes / 1e6
    return {**found, "output": vectors.nbytes / 1e6, "sum": sum(found.values())}


PRETRAINED = Group(
    title="Memory of load_pretrained()",
    text=f"""What a process needs beyond the interpreter, the imports and
    {N_SENTENCES:,} distinct sentences, in MB (of 10^6 bytes): for the encoder that is
    loaded; and in turn for the first sentence, which includes the index of its words,
    for a third of the sentences, and for all, each at its peak, beyond the memory
    before and without the vectors that are returned.""",
    columns={
        "loaded": "loaded, MB",
        "one": "one sentence, MB",
        "third": "a third, MB",
        "all": "all, MB",
        "sum": "together, MB",
        "output": "vectors returned, MB",
    },
    contenders={
        "pretrained": Contender("load_pretrained()", _pretrained),
        "pretrained-plain": Contender(
            "the same, nothing compiled", _pretrained, environment=PLAIN
        ),
    },
    threads=1,
)

# chunks ----------------------------------------------------------------------------


def _peak(args: Args, name: str) -> Measures:
    """Peak memory of `transform` in MB, excluding texts and vectors."""
    n_texts = SIZES[name][2] // (10 if args.quick else 1)
    encoder = trained_encoder(args, name, max_epochs=0)
    encoder.fit(read_corpora(args))
    texts = long_texts(args, n_texts, N_WORDS_OF_TEXT)
    encoder.transform(texts[:8])  # one-time loading
    found: Measures = {"n_texts": n_texts}
    for column, some in (("third", texts[: n_texts // 3]), ("whole", texts)):
        seconds, (vectors, peak) = timed(
            lambda some=some: peak_of(lambda: encoder.transform(some))
        )
        output = vectors.nbytes / 1e6
        found |= {column: peak - output, "output": output, "seconds": seconds}
        del vectors
    growth = 1e6 * (found["whole"] - found["third"]) / (2 / 3 * n_texts)
    return {**found, "growth": growth}


N_WORDS_OF_TEXT = 150
# One of each kind, because their memory differs by kind.
WATCHED = ("Paraphrase", "RNN", "LSTM", "CNN", "Charagram", "CharLSTM")

CHUNKS = Group(
    title="Memory of transform",
    text=f"""Peak of `transform` of long distinct texts ({N_WORDS_OF_TEXT} words of
    captions each) in MB (of 10^6 bytes): the resident set at its peak, as the kernel
    keeps it, less that before the call and less the array that is returned. A third of
    the texts first, then all, in one process; texts go through in blocks. All encoders
    get as many texts as they transform in some seconds, fast ones 40,000.""",
    columns={
        "n_texts": "texts",
        "third": "a third of them, MB",
        "whole": "all, MB",
        "output": "their vectors, MB",
        "seconds": "transform of all, s",
    },
    contenders={
        f"peak-{name}": Contender(LABELS[name], partial(_peak, name=name))
        for name in WATCHED
    },
    comparisons=tuple(
        Comparison(
            f"{LABELS[name]}: growth by each further text, bytes", f"peak-{name}.growth"
        )
        for name in WATCHED
    ),
)

GROUPS = {"pretrained": PRETRAINED, "grid": GRID, "tables": TABLES, "chunks": CHUNKS}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
