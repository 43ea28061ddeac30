"""The life of a search index: fit, save, load, search, add and remove.

    python benchmarks/speed/index.py --data ../shared --threads 2 --rounds 3

Groups (`--only life,recall` selects some). All contenders get the vectors of
`load_pretrained()` for the same distinct sentences, and, where they take them, the
sentences. Each is saved and loaded in a new process. Other libraries: `pip install
vicinity sentence-transformers faiss-cpu`; those that are not installed are
left out, with a note. Rounds, processes and threads: see `throughput.py`.

Writes `index.json` and `index.md` to benchmarks/results (`--out`).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.exact_search import sentences
from _lib.faiss_index import FaissIndex
from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    main,
    resident,
)

N_TEXTS, N_CHANGED, N_QUERIES, K = 300_000, 1000, 100, 10
EFFORTS = (16, 64, 256)  # candidates that a graph looks at in a search


def _sizes(args: Args) -> tuple[int, int]:
    """Numbers of texts, and of those that are added and removed."""
    part = 30 if args.quick else 1
    return N_TEXTS // part, N_CHANGED // part


def _prepare(args: Args) -> None:
    """Distinct sentences and their unit vectors: texts, those added, and queries."""
    import skparaphrase

    texts = sentences(args)[: sum(_sizes(args)) + N_QUERIES]
    vectors = skparaphrase.load_pretrained().transform(texts)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    np.save(args.folder / "vectors.npy", vectors)
    np.save(args.folder / "queries.npy", vectors[-N_QUERIES:])
    (args.folder / "texts.json").write_text(json.dumps(texts), "utf-8")
    n_texts = _sizes(args)[0]
    cosines = vectors[-N_QUERIES:] @ vectors[:n_texts].T
    np.save(args.folder / "nearest.npy", np.argsort(-cosines, axis=1)[:, :K])


def _parts(args: Args) -> tuple[list[str], Any, list[str], Any]:
    """Texts and vectors to fit, and those to add."""
    n_texts, n_changed = _sizes(args)
    vectors = np.load(args.folder / "vectors.npy")
    texts = json.loads((args.folder / "texts.json").read_text("utf-8"))
    added = slice(n_texts, n_texts + n_changed)
    return (
        texts[:n_texts],
        vectors[:n_texts].copy(),
        texts[added],
        vectors[added].copy(),
    )


def _queries(args: Args) -> Any:
    return np.load(args.folder / "queries.npy")


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _seconds_to_change(call: Callable[[], object]) -> float:
    """The same after touching memory: a virtual machine gets 0.3 GB of it a second.

    Adding and removing copy all vectors, and that would be measured instead.
    """
    np.ones(2**30, dtype=np.uint8)
    return _seconds(call)


def _recall(args: Args, rows: Any) -> float:
    expected = np.load(args.folder / "nearest.npy")
    return float(
        np.mean([len({*a} & {*b}) / K for a, b in zip(rows, expected, strict=True)])
    )


def _in_a_new_process(work: Callable[..., Measures], *given: Any) -> Measures:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


# Ours --------------------------------------------------------------------------------


def _save(search: Any, folder: Path) -> None:
    """Save a search: one with an index of another library as a pickle."""
    if search.neighbors is None:
        search.save(folder)
    else:
        folder.mkdir(exist_ok=True)
        joblib.dump(search, folder / "search.joblib")


def _load(folder: Path) -> Any:
    import skparaphrase

    pickled = folder / "search.joblib"
    return joblib.load(pickled) if pickled.exists() else skparaphrase.load(folder)


def _life(args: Args, index: Any = None) -> Measures:
    from skparaphrase.search import SemanticSearch

    texts, vectors, new_texts, new_vectors = _parts(args)
    search = SemanticSearch(neighbors=index)
    folder = args.folder / f"search-{time.time_ns()}"
    found = {
        "fit": _seconds(lambda: search.fit(texts, vectors=vectors)),
        "save": _seconds(lambda: _save(search, folder)),
        **_in_a_new_process(_loaded, args, folder),
        "add": _seconds_to_change(
            lambda: search.partial_fit(new_texts, vectors=new_vectors)
        ),
    }
    gone = list(range(0, 7 * len(new_texts), 7))
    found["remove"] = _seconds_to_change(lambda: search.remove(gone))
    return found


def _loaded(args: Args, folder: Path) -> Measures:
    """Seconds and memory in MB of a search that is loaded and used."""
    from skparaphrase.search import SemanticSearch

    SemanticSearch().fit(["what is imported and loaded once"]).search("is not counted")
    queries = _queries(args)
    before = resident("VmRSS")
    start = time.perf_counter()
    search = _load(folder)
    loaded = time.perf_counter() - start
    search.search(queries[0], k=K)
    first = time.perf_counter() - start - loaded
    rows = []
    seconds = _seconds(
        lambda: rows.extend(search.search(query, k=K).row[0] for query in queries)
    )
    return {
        "load": loaded,
        "first": first,
        "query": 1e3 * seconds / len(queries),
        "recall": _recall(args, rows),
        "memory": resident("VmRSS") - before,
    }


# Others ------------------------------------------------------------------------------


def _vicinity(args: Args) -> Measures:
    from vicinity import Vicinity

    texts, vectors, new_texts, new_vectors = _parts(args)
    made: list[Any] = []
    folder = args.folder / f"vicinity-{time.time_ns()}"
    return {
        "fit": _seconds(
            lambda: made.append(Vicinity.from_vectors_and_items(vectors, texts))
        ),
        "save": _seconds(lambda: made[0].save(folder)),
        **_in_a_new_process(_vicinity_loaded, args, folder),
        "add": _seconds_to_change(lambda: made[0].insert(new_texts, new_vectors)),
        "remove": _seconds_to_change(
            lambda: made[0].delete(texts[: 7 * len(new_texts) : 7])
        ),
    }


def _vicinity_loaded(args: Args, folder: Path) -> Measures:
    from vicinity import Vicinity

    queries = _queries(args)
    Vicinity.from_vectors_and_items(queries, list(range(len(queries)))).query(queries)
    before = resident("VmRSS")
    start = time.perf_counter()
    index = Vicinity.load(folder)
    loaded = time.perf_counter() - start
    index.query(queries[0], k=K)
    first = time.perf_counter() - start - loaded
    hits: list[Any] = []
    seconds = _seconds(
        lambda: hits.extend(index.query(query, k=K)[0] for query in queries)
    )
    memory = resident("VmRSS") - before
    rows_of = {text: row for row, text in enumerate(_parts(args)[0])}
    rows = [[rows_of[text] for text, _ in some] for some in hits]
    return {
        "load": loaded,
        "first": first,
        "query": 1e3 * seconds / len(queries),
        "recall": _recall(args, rows),
        "memory": memory,
    }


def _semantic_search(args: Args) -> Measures:
    import torch
    from sentence_transformers.util import semantic_search

    torch.set_num_threads(args.threads)
    vectors, queries = _parts(args)[1], _queries(args)
    corpus, asked = torch.from_numpy(vectors), torch.from_numpy(queries)
    rows: list[Any] = []

    def search() -> None:
        for query in asked:
            (hits,) = semantic_search(query[None], corpus, top_k=K)
            rows.append([hit["corpus_id"] for hit in hits])

    semantic_search(asked[:1], corpus, top_k=K)
    seconds = _seconds(search)
    return {"query": 1e3 * seconds / len(queries), "recall": _recall(args, rows)}


# Groups ------------------------------------------------------------------------------

LIFE = Group(
    title="The life of an index",
    text=f"""Of {N_TEXTS:,} texts with vectors of 256 numbers, seconds: to fit from
    vectors, to save, to load in a new process, and for the first query there;
    milliseconds of each of {N_QUERIES} queries, one after the other, and their recall
    of the true {K} nearest; MB that the process has gained after them, with pages of
    mapped files; seconds to add and to remove {N_CHANGED:,} texts.""",
    columns={
        "fit": "fit",
        "save": "save",
        "load": "load",
        "first": "first query",
        "query": "ms a query",
        "recall": "recall",
        "memory": "MB",
        "add": "add",
        "remove": "remove",
    },
    contenders={
        "exact": Contender("SemanticSearch", _life),
        "faiss": Contender(
            "the same, FaissIndex", partial(_life, index=FaissIndex()), ("faiss",)
        ),
        "vicinity": Contender("vicinity, exact", _vicinity, ("vicinity",)),
        "semantic_search": Contender(
            "sentence_transformers semantic_search",
            _semantic_search,
            ("sentence_transformers",),
        ),
    },
    comparisons=(
        *(
            Comparison(
                f"seconds to {step} in {name}",
                lambda found, name=name, step=step: found[name][step],
                at_most=1,
            )
            for name in ("exact", "faiss")
            for step in ("load", "add", "remove")
        ),
    ),
    prepare=_prepare,
)


def _prepare_recall(args: Args) -> None:
    """A search with an index, saved."""
    from skparaphrase.search import SemanticSearch

    _prepare(args)
    texts, vectors, *_ = _parts(args)
    search = SemanticSearch(neighbors=FaissIndex()).fit(texts, vectors=vectors)
    _save(search, args.folder / "faiss")


def _effort(args: Args, effort: int) -> Measures:
    import faiss

    queries = _queries(args)
    search = _load(args.folder / "faiss")
    parameters = f"efSearch={effort}"
    faiss.ParameterSpace().set_index_parameters(search.neighbors_.index_, parameters)
    search.search(queries[0], k=K)
    rows: list[Any] = []
    seconds = _seconds(
        lambda: rows.extend(search.search(query, k=K).row[0] for query in queries)
    )
    return {"query": 1e3 * seconds / len(queries), "recall": _recall(args, rows)}


RECALL = Group(
    title="Recall",
    text=f"""The share of the true {K} nearest of {N_TEXTS:,} texts that a graph finds,
    and milliseconds of a query, by the number of candidates that it looks at
    (`efSearch`).""",
    columns={"recall": "recall", "query": "ms a query"},
    contenders={
        f"faiss{effort}": Contender(
            f"FaissIndex, {effort} candidates",
            partial(_effort, effort=effort),
            ("faiss",),
        )
        for effort in EFFORTS
    },
    comparisons=(),
    prepare=_prepare_recall,
)

GROUPS = {"life": LIFE, "recall": RECALL}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
