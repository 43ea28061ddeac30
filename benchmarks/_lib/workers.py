"""Functions of joblib workers; in a module, so that workers cache what they read."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from _lib.corpora import corpus_texts
from _lib.timing import N_CPUS, Args


@cache
def _loaded(data: Path, folder: Path, quick: bool) -> tuple[Any, list[str]]:
    """An encoder with a memory-mapped table, and distinct texts."""
    from skparaphrase.encoders import AverageEncoder
    from skparaphrase.vectors import WordVectors

    texts = list(dict.fromkeys(corpus_texts(Args(data=data, quick=quick))))
    encoder = AverageEncoder(WordVectors.load(folder / "vectors"))
    encoder.transform(texts[:2000])
    return encoder, texts


def _embed_part(number: int, *key: Any) -> int:
    encoder, texts = _loaded(*key)
    return len(encoder.transform(texts[number::N_CPUS]))


def call_of_parts(args: Args, backend: str | None) -> Callable[[], int]:
    """A function that embeds all parts, here or in the workers of a joblib backend."""
    from joblib import Parallel, delayed

    key = (args.data, args.folder, args.quick)
    if backend is None:
        _loaded(*key)
        return lambda: sum(_embed_part(number, *key) for number in range(N_CPUS))
    parallel = Parallel(n_jobs=N_CPUS, backend=backend, batch_size=1)
    tasks = [delayed(_embed_part)(number, *key) for number in range(N_CPUS)]
    for _ in range(2):  # loading takes seconds, so that every worker gets a task
        parallel(tasks)
    return lambda: sum(parallel(tasks))
