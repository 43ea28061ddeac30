"""Speed and memory of search, mining and near duplicates, and of other libraries.

    python benchmarks/speed/search.py --data ../shared --threads 1 --rounds 1

Groups (`--only search,query` selects some): search, product, mining, query, lexical,
pairs, updates, clusters. All contenders get the same vectors of `load_pretrained()` for
distinct sentences, so only the comparison of vectors is measured. Other libraries: `pip
install sentence-transformers datasets accelerate semhash faiss-cpu`; those that are not
installed are left out, with a note. Rounds, processes and threads: see `throughput.py`.
A round takes nine minutes on one core, and 4 GB.

The groups "query" to "pairs" end with an error if a bound changes the results.

Writes `search.json` and `search.md` to benchmarks/results (`--out`).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.exact_search import (
    N_QUERIES,
    N_UPDATES,
    NOISE,
    K,
    Stored,
    all_pairs,
    by_clusters,
    lexical_query,
    prepare,
    prepare_million,
    query,
    read_vectors,
    semhash,
    shared,
    updates,
)
from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    best_of,
    main,
    peak_of,
)

N_TEXTS, N_CORPUS, N_ASKED = 20_000, 100_000, 1000
THRESHOLD = 0.7
N_OF_PAIRS = 25_000, 60_000
N_OF_UPDATES = 10_000, 100_000, 1_000_000
N_OF_CLUSTERS = 20_000, 30_000, 45_000, 60_000, 100_000
FINDERS = "NearDuplicates", "ParaphraseMiner"


def _prepare(args: Args) -> None:
    """The texts of all contenders, and the nearest rows of the first ones."""
    prepare(args, N_CORPUS)
    vectors = read_vectors(args, N_TEXTS)
    rows = [
        np.argpartition(vectors[batch] @ vectors.T, -K, axis=1)[:, -K:]
        for batch in gen_batches(len(vectors), 500)
    ]
    np.save(args.folder / "nearest.npy", np.concatenate(rows))


def _numbers(vectors: NDArray[np.float32]) -> list[str]:
    """The texts whose vectors `Stored` returns."""
    return [str(i) for i in range(len(vectors))]


def _measured(args: Args, call: Any) -> tuple[Any, Measures]:
    """The result of a call, its peak memory, and seconds of the better of two."""
    import torch

    torch.set_num_threads(args.threads)
    found, peak = peak_of(call)
    return found, {"peak": peak, "seconds": best_of(call, 2)}


# Search ------------------------------------------------------------------------------


def _agreement(args: Args, rows: Any) -> float:
    return shared(rows, np.load(args.folder / "nearest.npy"))


def _search_ours(args: Args) -> Measures:
    from skparaphrase.search import SemanticSearch

    vectors = read_vectors(args, N_TEXTS)
    texts = _numbers(vectors)
    search = SemanticSearch(Stored(vectors)).fit(texts)
    hits, measures = _measured(args, lambda: search.search(texts, k=K))
    return measures | {"agreement": _agreement(args, hits.row)}


def _search_brute(args: Args) -> Measures:
    from sklearn.neighbors import NearestNeighbors

    vectors = read_vectors(args, N_TEXTS)
    index = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute")
    index.fit(vectors)
    (_, rows), measures = _measured(args, lambda: index.kneighbors(vectors))
    return measures | {"agreement": _agreement(args, rows)}


def _search_transformers(args: Args) -> Measures:
    import torch
    from sentence_transformers.util import semantic_search

    vectors = torch.from_numpy(read_vectors(args, N_TEXTS))
    hits, measures = _measured(args, lambda: semantic_search(vectors, vectors, top_k=K))
    rows = [[hit["corpus_id"] for hit in some] for some in hits]
    return measures | {"agreement": _agreement(args, rows)}


COLUMNS = {"seconds": "seconds", "peak": "peak memory, MB"}
SEARCH = Group(
    title="Search",
    text=f"""The {K} nearest of {N_TEXTS:,} texts for each of them. "Same neighbours":
    the share that are among the first of the sorted cosines.""",
    columns={**COLUMNS, "agreement": "same neighbours"},
    contenders={
        "semantic": Contender("SemanticSearch", _search_ours),
        "brute": Contender("NearestNeighbors, brute, cosine", _search_brute),
        "semantic_search": Contender(
            "sentence_transformers semantic_search",
            _search_transformers,
            ("sentence_transformers",),
        ),
    },
    comparisons=(
        Comparison("time of NearestNeighbors", "brute.seconds / semantic.seconds"),
        Comparison(
            "time of semantic_search", "semantic_search.seconds / semantic.seconds"
        ),
    ),
    prepare=_prepare,
)

# Against the product of matrices ---------------------------------------------------


def _product_ours(args: Args) -> Measures:
    from skparaphrase.search import SemanticSearch

    vectors = read_vectors(args, N_CORPUS)
    texts = _numbers(vectors)
    search = SemanticSearch(Stored(vectors)).fit(texts)
    queries = texts[:: len(texts) // N_ASKED]
    product = vectors[:: len(texts) // N_ASKED]
    found = {"seconds": np.inf, "product": np.inf}
    _, peak = peak_of(lambda: search.search(queries, k=K))
    for _ in range(5):  # in turn, because they are compared
        for name, call in (
            ("product", lambda: product @ vectors.T),
            ("seconds", lambda: search.search(queries, k=K)),
        ):
            found[name] = min(found[name], best_of(call, 1))
    return found | {"peak": peak}


PRODUCT = Group(
    title="Search and the product of matrices",
    text=f"""The {K} nearest of {N_CORPUS:,} texts for {N_ASKED:,} queries, and all
    their cosines by one product of NumPy, which keeps none.""",
    columns={**COLUMNS, "product": "product alone, seconds"},
    contenders={"product": Contender("SemanticSearch", _product_ours)},
    comparisons=(
        Comparison(
            "time of the search / time of the product",
            "product.seconds / product.product",
            at_most=1.2,
        ),
    ),
    prepare=_prepare,
)

# Mining ------------------------------------------------------------------------------


def _mining_ours(args: Args) -> Measures:
    from skparaphrase.search import ParaphraseMiner

    vectors = read_vectors(args, N_TEXTS)
    texts = _numbers(vectors)
    miner = ParaphraseMiner(Stored(vectors), threshold=THRESHOLD).fit(texts)
    pairs, measures = _measured(args, lambda: miner.mine(texts))
    return measures | {"pairs": len(pairs.row)}


def _mining_transformers(args: Args) -> Measures:
    import torch
    from sentence_transformers.util import paraphrase_mining_embeddings

    vectors = torch.from_numpy(read_vectors(args, N_TEXTS))
    pairs, measures = _measured(args, lambda: paraphrase_mining_embeddings(vectors))
    return measures | {"pairs": sum(pair[0] >= THRESHOLD for pair in pairs)}


PAIRS = {"pairs": f"pairs with a cosine of {THRESHOLD} or more"}
MINING = Group(
    title="Mining of paraphrases",
    text=f"""The most similar pairs of {N_TEXTS:,} texts, up to 100 for each text. Ours
    keeps those with a cosine of at least {THRESHOLD}; the other sorts the best 500,000.
    """,
    columns={**COLUMNS, **PAIRS},
    contenders={
        "mining": Contender("ParaphraseMiner", _mining_ours),
        "paraphrase_mining": Contender(
            "sentence_transformers paraphrase_mining",
            _mining_transformers,
            ("sentence_transformers",),
        ),
    },
    comparisons=(
        Comparison(
            "speed / speed of paraphrase_mining",
            "paraphrase_mining.seconds / mining.seconds",
            at_least=1,
        ),
    ),
    prepare=_prepare,
)

# Exact comparisons -------------------------------------------------------------------


QUERY = Group(
    title="One query",
    text=f"""Milliseconds to find the {K} nearest of so many vectors of 256 numbers for
    one vector: medians of {", ".join(map(str, N_QUERIES.values()))} queries, for which
    contenders take turns. Vectors of sentences, of which those beyond 515,000 are drawn
    again with noise of {NOISE} in each number, and random ones. All find the same.""",
    columns={
        "ours": "SemanticSearch",
        "plain": "without a bound",
        "faiss": "faiss IndexFlatIP",
        "numpy": "NumPy, product and argpartition",
    },
    contenders={
        f"{kind}{n}": Contender(
            f"{kind}, {n:,}", partial(query, kind=kind, n=n), ("faiss",)
        )
        for kind in ("sentences", "random")
        for n in N_QUERIES
    },
    comparisons=tuple(
        Comparison(
            f"time of {other} / ours, {kind}, {n:,}",
            f"{kind}{n}.{other} / {kind}{n}.ours",
        )
        for other in ("faiss", "numpy")
        for kind in ("sentences", "random")
        for n in N_QUERIES
    ),
    prepare=prepare_million,
)
LEXICAL = Group(
    title="One query by vectors and words",
    text="""Milliseconds of `SemanticSearch(lexical="char_wb")` for one text, with those
    to embed it and to read its words, among so many sentences: medians of as many
    queries as above. "Products" are a product of vectors, one of sparse vectors, and
    argpartition. All find the same, but for the vectors alone.""",
    columns={
        "both": "vectors and words",
        "plain": "without a bound",
        "products": "products",
        "vectors": "vectors alone",
    },
    contenders={
        f"lexical{n}": Contender(f"{n:,}", partial(lexical_query, n=n))
        for n in (1_000, 100_000)
    },
    comparisons=tuple(
        Comparison(
            f"time of the products / ours, {n:,}",
            f"lexical{n}.products / lexical{n}.both",
        )
        for n in (1_000, 100_000)
    ),
    prepare=prepare,
)

# All pairs, updates -----------------------------------------------------------------

ALL_PAIRS = Group(
    title="All pairs",
    text="""Seconds to find all pairs of so many sentences with a cosine of 0.8 or more,
    with `algorithm="exact"`. A bound changes no pair.""",
    columns={"seconds": "seconds", "plain": "without a bound", "pairs": "pairs"},
    contenders={
        f"{name}, {n:,}": Contender(
            f"{name}, {n:,}", partial(all_pairs, name=name, n=n)
        )
        for n in N_OF_PAIRS
        for name in FINDERS
    }
    | {
        "SemHash": Contender(
            "SemHash, 25,000", partial(semhash, n=25_000), ("semhash",)
        )
    },
    comparisons=(
        Comparison(
            "time of SemHash / NearDuplicates, 25,000",
            "SemHash.seconds / NearDuplicates, 25,000.seconds",
        ),
    ),
    prepare=prepare,
)
UPDATES = Group(
    title="Updates of one text",
    text=f"""Milliseconds to add, to replace and to remove one text of so many, which is
    embedded: medians of {N_UPDATES} of each, and the mean of all, which contains what
    few of them take longer. The first replacement makes a dictionary of ids. One query
    before any update, and the median of those after one.""",
    columns={
        "add": "add",
        "replace": "replace",
        "remove": "remove",
        "mean": "mean",
        "first": "first replacement",
        "query": "query",
        "after": "query after an update",
    },
    contenders={
        f"updates, {n:,}": Contender(f"{n:,}", partial(updates, n=n))
        for n in N_OF_UPDATES
    },
    prepare=prepare_million,
)
CLUSTERS = Group(
    title="All texts or clusters",
    text="""Seconds of `algorithm="exact"` and "clusters" among so many sentences, and
    the share of pairs that clusters lose, with the default thresholds: 0.8 for
    `NearDuplicates`, and 0.7 for `ParaphraseMiner`.""",
    columns={
        "exact": "exact",
        "clusters": "clusters",
        "pairs": "pairs",
        "lost": "lost, %",
    },
    contenders={
        f"{name}{n}": Contender(f"{name}, {n:,}", partial(by_clusters, name=name, n=n))
        for name in FINDERS
        for n in N_OF_CLUSTERS
    },
    comparisons=tuple(
        Comparison(
            f"time of clusters / exact, {name}, {n:,}",
            f"{name}{n}.clusters / {name}{n}.exact",
        )
        for name in FINDERS
        for n in N_OF_CLUSTERS
    ),
    prepare=prepare,
)

GROUPS = {
    "search": SEARCH,
    "product": PRODUCT,
    "mining": MINING,
    "query": QUERY,
    "lexical": LEXICAL,
    "pairs": ALL_PAIRS,
    "updates": UPDATES,
    "clusters": CLUSTERS,
}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
