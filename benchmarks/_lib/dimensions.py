"""Memory and speed of the pretrained encoder and of a search, by dimensions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import multiprocessing
import statistics
import time
from collections.abc import Callable
from random import Random
from typing import Any

from _lib.pages import Row
from _lib.pretrained_tasks import DIMS
from _lib.readers import read_sentences
from _lib.shipped import Material
from _lib.timing import peak_of
from skparaphrase import load_pretrained
from skparaphrase.search import SemanticSearch

N_TEXTS, N_QUERIES, K, N_ROUNDS = 150_000, 100, 10, 3


def memory(data: Material) -> list[Row]:
    """Medians over rounds; each dimension is measured in a new process."""
    n_texts = N_TEXTS // (50 if data.quick else 1)
    sentences = read_sentences(data.root)
    Random(0).shuffle(sentences)
    texts, queries = sentences[:n_texts], sentences[n_texts : n_texts + N_QUERIES]
    rounds: list[dict[int, Row]] = []
    for _ in range(1 if data.quick else N_ROUNDS):
        rounds.append({})
        for dim in DIMS:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                rounds[-1][dim] = pool.apply(_measured, (texts, queries, dim))
    hits = {dim: _hits(texts, queries, dim) for dim in DIMS}
    rows = []
    for dim in DIMS:
        row: Row = {"": f"dim={dim}"}
        for key in rounds[0][dim]:
            row[key] = statistics.median(each[dim][key] for each in rounds)
        pairs = zip(hits[dim], hits[DIMS[0]], strict=True)
        row["same hits, %"] = 100 * statistics.mean(len(a & b) / K for a, b in pairs)
        rows.append(row)
        print(row, flush=True)
    return rows


def _hits(texts: list[str], queries: list[str], dim: int) -> list[set[int]]:
    search = SemanticSearch(load_pretrained(dim=dim)).fit(texts)
    return [set(row) for row in search.search(queries, k=K).row.tolist()]


def _measured(texts: list[str], queries: list[str], dim: int) -> Row:
    encoder, loaded = peak_of(lambda: _used(load_pretrained(dim=dim)))
    search, fitted = peak_of(lambda: SemanticSearch(encoder).fit(texts))
    vectors = encoder.transform(queries)
    search.search(vectors, k=K)
    return {
        "loading, MB": loaded,
        "table, MB": encoder.vectors.matrix.nbytes / 1e6,
        "fit of a search, MB": fitted,
        "its vectors, MB": search.vectors_.nbytes / 1e6,
        "embed, s": _seconds(lambda: encoder.transform(texts)),
        "one query, ms": 1e3
        * statistics.median(
            _seconds(lambda query=query: search.search(query, k=K)) for query in vectors
        ),
    }


def _used(encoder: Any) -> Any:
    encoder.transform(["A cat sleeps."])
    return encoder


def _seconds(call: Callable[[], object]) -> float:
    """CPU time of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started
