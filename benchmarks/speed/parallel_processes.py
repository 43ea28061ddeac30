"""Speed-up by several processes: transform, grid search, training.

    python benchmarks/speed/parallel_processes.py --data ../shared

Groups (`--only embed,search,train` selects some): texts embedded per second and a grid
search of 12 candidates, in this process, by joblib's own workers (loky) and by those of
a Dask cluster on this machine; pairs per second that `torchrun` trains on. Every
process has one thread, whatever `--threads` says. Starting workers and their imports
are not timed, but sending them the encoder, texts and results is.

Every contender runs in a fresh process in every round. A process makes one call that is
not timed, then reports the best of 2. For training, it is the best of 4 epochs without
the first. `--quick` uses a quarter of the data. Needs `pip install "dask[distributed]"
psutil`.

Writes `parallel_processes.json` and `.md` to benchmarks/results (`--out`); the
results of groups that were not run are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import corpus_texts, read_corpora, read_table
from _lib.data_parallel import MODELS
from _lib.timing import (
    N_CPUS,
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    best_of,
    main,
    ratio,
)

for name in ("OMP", "OPENBLAS", "MKL"):  # before NumPy is imported
    os.environ[f"{name}_NUM_THREADS"] = "1"

N_BLOCKS = 16  # of texts
COUNTS = sorted({2, N_CPUS})  # of workers
N_TEXTS = {"sif": 100_000, "lstm": 16_000}
N_PAIRS = 12_000  # of the search


# Workers ---------------------------------------------------------------------------


@contextmanager
def _workers(backend: str, n_workers: int, **dask: Any) -> Iterator[None]:
    """Send joblib's tasks to a number of processes of one thread each."""
    from joblib import parallel_config

    if backend == "serial":
        yield
        return
    if backend == "loky":
        with parallel_config("loky", n_jobs=n_workers, inner_max_num_threads=1):
            yield
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=":0",
            memory_limit=None,
        ) as cluster,
        Client(cluster),
        parallel_config("dask", **dask),
    ):
        yield


def _save(args: Args) -> None:
    """A memory-mapped table, and encoders that use it."""
    from _lib.paper_encoders import paper_encoder
    from skparaphrase.encoders import SIFEncoder
    from skparaphrase.vectors import WordVectors

    read_table(args).save(args.folder / "vectors")
    vectors = WordVectors.load(args.folder / "vectors")
    SIFEncoder(vectors).fit(corpus_texts(args)).save(args.folder / "sif")
    pairs = read_corpora(args, "flickr8k")[:100]
    params = {"vectors": vectors, "device": "cpu", "random_state": 0}
    lstm = paper_encoder("LSTMEncoder", max_epochs=0, **params)
    lstm.fit(pairs).save(args.folder / "lstm")


# Transform -------------------------------------------------------------------------


def _embed(args: Args, *, backend: str, n_workers: int) -> Measures:
    import numpy as np
    from joblib import Parallel, delayed

    import skparaphrase

    texts = list(dict.fromkeys(corpus_texts(args)))
    found = {}
    for name, n_texts in N_TEXTS.items():
        encoder = skparaphrase.load(args.folder / name)
        some = texts[: n_texts // (4 if args.quick else 1)]
        blocks = np.array_split(np.array(some, dtype=object), N_BLOCKS)
        call = delayed(type(encoder).transform)
        more = {"scatter": [encoder]} if backend == "dask" else {}
        with _workers(backend, n_workers, **more):

            def embed(call: Any = call, encoder: Any = encoder, b: Any = blocks) -> int:
                return sum(map(len, Parallel()(call(encoder, block) for block in b)))

            embed()
            found[name] = len(some) / best_of(embed, 2)
    return found


# Search ----------------------------------------------------------------------------


def _search(
    args: Args, *, backend: str, n_workers: int, by_path: bool = True
) -> Measures:
    import numpy as np
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    from skparaphrase.decomposition import CommonComponentRemoval
    from skparaphrase.encoders import SIFEncoder
    from skparaphrase.metrics import pearson_scorer
    from skparaphrase.pairs import PairSimilarity
    from skparaphrase.vectors import WordVectors

    vectors = WordVectors.load(args.folder / "vectors", by_path=by_path)
    # Pairs, of which every second consists of a text and the partner of another text.
    pairs = np.array(read_corpora(args, "rewrites"))[
        : N_PAIRS // (4 if args.quick else 1)
    ]
    gold = np.arange(len(pairs)) % 2
    pairs[gold == 0, 1] = np.roll(pairs[gold == 0, 1], 1)
    search = GridSearchCV(
        make_pipeline(SIFEncoder(vectors), CommonComponentRemoval(), PairSimilarity()),
        {
            "sifencoder__a": [1e-2, 1e-3, 1e-4],
            "commoncomponentremoval__n_components": [0, 1, 2, 3],
        },
        scoring=pearson_scorer,
        cv=3,
        refit=False,
    )
    with _workers(backend, n_workers):
        search.fit(pairs, gold)  # so that all workers have finished their imports
        seconds = best_of(lambda: search.fit(pairs, gold), 2)
    return {"all": seconds, "score": search.best_score_}


# Training --------------------------------------------------------------------------


def _train(args: Args, *, n_processes: int) -> Measures:
    script = Path(__file__).parents[1] / "_lib/data_parallel.py"
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    found = {}
    for model in MODELS:
        command = [
            *(sys.executable, *(torchrun if n_processes > 1 else [])),
            *([str(n_processes)] if n_processes > 1 else []),
            *(str(script), model, "--data", str(args.data)),
            *(["--quick"] if args.quick else []),
        ]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
        )
        for name, value in json.loads(done.stdout.splitlines()[-1]).items():
            found[f"{model} {name}"] = value
    return found


# Groups ----------------------------------------------------------------------------

# joblib sends nothing to a single worker.
WORKERS = [("serial", 1), *((b, n) for b in ("loky", "dask") for n in COUNTS)]


def _contenders(prefix: str, work: Callable[..., Measures]) -> dict[str, Contender]:
    return {
        f"{prefix}-{backend}-{n}": Contender(
            "this process" if backend == "serial" else f"{backend}, workers: {n}",
            partial(work, backend=backend, n_workers=n),
            needs=("distributed", "psutil") if backend == "dask" else ("psutil",),
            watched=True,
        )
        for backend, n in WORKERS
    }


def _speed_ups(prefix: str, column: str, what: str) -> tuple[Comparison, ...]:
    """Rates divided by that of one process; for the search, the inverse of seconds."""
    made = []
    for backend, n in WORKERS[1:]:
        names = f"{prefix}-{backend}-{n}", f"{prefix}-serial-1"
        label = f"{what}: {backend}, workers: {n}, by this process"
        if column == "all":
            names = names[::-1]
        made.append(ratio(label, *names, column))
    return tuple(made)


EMBED = Group(
    title="Transform",
    text="""Texts a second, of distinct captions and rewrites in 16 blocks, with 77,520
    word vectors of 300 numbers: SIF and an LSTM of 300. The encoder goes to the workers
    of Dask once (`scatter`), and to those of loky with each block, its table mapped.
    What comes back is 120 MB for SIF. Peak memory is that of all processes.""",
    columns={"sif": "SIF, texts/s", "lstm": "LSTM, texts/s", "peak": "peak, MB"},
    contenders=_contenders("embed", _embed),
    comparisons=(
        *_speed_ups("embed", "sif", "SIF"),
        *_speed_ups("embed", "lstm", "LSTM"),
    ),
    prepare=_save,
)
SEARCH = Group(
    title="Grid search",
    text="""Seconds for 12 candidates (`a` of SIF, removed components) in 3 folds of
    12,000 pairs of rewrites, one table of 93 MB. It is opened by its path
    (`WordVectors.load(folder, by_path=True)`), and once as it is, so that Dask gets its
    bytes with each task.""",
    columns={"all": "s", "score": "best score", "peak": "peak, MB"},
    contenders={
        **_contenders("search", _search),
        "search-bytes": Contender(
            f"dask, workers: {COUNTS[-1]}, vectors not by path",
            partial(_search, backend="dask", n_workers=COUNTS[-1], by_path=False),
            needs=("distributed", "psutil"),
            watched=True,
        ),
    },
    comparisons=(
        *_speed_ups("search", "all", "search"),
        ratio(
            f"dask, workers: {COUNTS[-1]}: bytes by path",
            *("search-bytes", f"search-dask-{COUNTS[-1]}"),
        ),
    ),
    prepare=_save,
)
TRAIN = Group(
    title="Data-parallel training",
    text="""Pairs a second in the best epoch, and the loss of the last one. The batch is
    that of all processes together, so that the loss is that of one process; gloo is
    what they speak. Averages only gather rows of the table, which each process does for
    the whole batch: two messages a step cost more than what is shared.""",
    columns={
        f"{model} {name}": f"{model}, {unit}"
        for model in MODELS
        for name, unit in (("rate", "pairs/s"), ("loss", "loss"))
    },
    contenders={
        f"train-{n}": Contender(f"processes: {n}", partial(_train, n_processes=n))
        for n in (1, *COUNTS)
    },
    comparisons=tuple(
        ratio(
            f"{model}: {n} processes by one", f"train-{n}", "train-1", f"{model} rate"
        )
        for model in MODELS
        for n in COUNTS
    ),
)

if __name__ == "__main__":
    main(Path(__file__), __doc__, {"embed": EMBED, "search": SEARCH, "train": TRAIN})
