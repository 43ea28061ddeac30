"""The life of a search index: fit, save, load, search, add and remove.

    python benchmarks/speed/index.py --data ../shared --threads 2 --rounds 3

Groups (`--only life,recall` selects some). All contenders get the vectors of
`load_pretrained()` for the same distinct sentences, and the sentences if they accept
them. Each is saved and loaded in a new process. Other libraries: `pip install vicinity
sentence-transformers faiss-cpu`. Libraries that are not installed are left out, with a
note. Rounds, processes and threads: see `throughput.py`.

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

from _lib.exact_search import prepare, read_vectors, shared, size_of
from _lib.faiss_index import FaissIndex
from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    main,
    resident,
    timed,
)

N_TEXTS, N_CHANGED, N_QUERIES, K = 300_000, 1000, 100, 10
EFFORTS = (16, 64, 256)  # candidates of a graph search


def _prepare(args: Args) -> None:
    """Distinct sentences with vectors, to fit and to add, and queries."""
    prepare(args, N_TEXTS + N_CHANGED)
    cosines = _queries(args) @ read_vectors(args, N_TEXTS).T
    np.save(args.folder / "nearest.npy", np.argsort(-cosines, axis=1)[:, :K])


def _parts(args: Args) -> tuple[list[str], Any, list[str], Any]:
    """Texts and vectors to fit, and those to add."""
    texts, _ = json.loads((args.folder / "texts.json").read_text("utf-8"))
    vectors, n_texts = read_vectors(args, N_TEXTS + N_CHANGED), size_of(args, N_TEXTS)
    return texts[:n_texts], vectors[:n_texts], texts[n_texts:], vectors[n_texts:]


def _queries(args: Args) -> Any:
    return np.load(args.folder / "sentences-queries.npy")[:N_QUERIES]


def _seconds_to_change(call: Callable[[], object]) -> float:
    """Seconds after touching memory: a virtual machine gets 0.3 GB of it per second.

    Adding and removing copy all vectors; otherwise, this would be measured instead.
    """
    np.ones(2**30, dtype=np.uint8)
    return timed(call)[0]


def _asked(args: Args, search: Callable[[Any], Any]) -> Measures:
    """Milliseconds per query, and the recall of the rows found."""
    queries = _queries(args)
    seconds, rows = timed(lambda: [search(query) for query in queries])
    nearest = np.load(args.folder / "nearest.npy")
    return {"query": 1e3 * seconds / len(queries), "recall": shared(rows, nearest)}


def _in_a_new_process(work: Callable[..., Measures], *given: Any) -> Measures:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


# Ours --------------------------------------------------------------------------------


def _save(search: Any, folder: Path) -> None:
    """Save a search; with an index of another library, as a pickle."""
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
        "fit": timed(lambda: search.fit(texts, vectors=vectors))[0],
        "save": timed(lambda: _save(search, folder))[0],
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
    before = resident("VmRSS")
    loaded, search = timed(lambda: _load(folder))
    first, _ = timed(lambda: search.search(_queries(args)[0], k=K))
    found = _asked(args, lambda query: search.search(query, k=K).row[0])
    memory = resident("VmRSS") - before
    return {"load": loaded, "first": first, **found, "memory": memory}


# Others ------------------------------------------------------------------------------


def _vicinity(args: Args) -> Measures:
    from vicinity import Vicinity

    texts, vectors, new_texts, new_vectors = _parts(args)
    folder = args.folder / f"vicinity-{time.time_ns()}"
    seconds, index = timed(lambda: Vicinity.from_vectors_and_items(vectors, texts))
    return {
        "fit": seconds,
        "save": timed(lambda: index.save(folder))[0],
        **_in_a_new_process(_vicinity_loaded, args, folder),
        "add": _seconds_to_change(lambda: index.insert(new_texts, new_vectors)),
        "remove": _seconds_to_change(
            lambda: index.delete(texts[: 7 * len(new_texts) : 7])
        ),
    }


def _vicinity_loaded(args: Args, folder: Path) -> Measures:
    from vicinity import Vicinity

    queries = _queries(args)
    Vicinity.from_vectors_and_items(queries, list(range(len(queries)))).query(queries)
    before = resident("VmRSS")
    loaded, index = timed(lambda: Vicinity.load(folder))
    first, _ = timed(lambda: index.query(queries[0], k=K))
    seconds, hits = timed(lambda: [index.query(query, k=K)[0] for query in queries])
    memory = resident("VmRSS") - before
    rows_of = {text: row for row, text in enumerate(_parts(args)[0])}
    rows = [[rows_of[text] for text, _ in some] for some in hits]
    return {
        "load": loaded,
        "first": first,
        "query": 1e3 * seconds / len(queries),
        "recall": shared(rows, np.load(args.folder / "nearest.npy")),
        "memory": memory,
    }


def _semantic_search(args: Args) -> Measures:
    import torch
    from sentence_transformers.util import semantic_search

    torch.set_num_threads(args.threads)
    corpus = torch.from_numpy(_parts(args)[1])

    def search(query: Any) -> list[int]:
        (hits,) = semantic_search(torch.from_numpy(query[None]), corpus, top_k=K)
        return [hit["corpus_id"] for hit in hits]

    search(_queries(args)[0])
    return _asked(args, search)


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
    comparisons=tuple(
        Comparison(f"seconds to {step} in {name}", f"{name}.{step}", at_most=1)
        for name in ("exact", "faiss")
        for step in ("load", "add", "remove")
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

    search = _load(args.folder / "faiss")
    parameters = f"efSearch={effort}"
    faiss.ParameterSpace().set_index_parameters(search.neighbors_.index_, parameters)
    search.search(_queries(args)[0], k=K)
    return _asked(args, lambda query: search.search(query, k=K).row[0])


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
    prepare=_prepare_recall,
)

GROUPS = {"life": LIFE, "recall": RECALL}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
