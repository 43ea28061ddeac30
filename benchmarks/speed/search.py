"""Speed and memory of search, mining and near duplicates, and of other libraries.

    python benchmarks/speed/search.py --data ../shared --threads 2

Groups (`--only search,product,mining,large,duplicates` selects some). All contenders
get the same vectors, those of `load_pretrained()` for distinct sentences, so that only
the comparison of vectors is measured: the seconds of the fastest of some calls, and
the peak memory of a call. Other libraries: `pip install sentence-transformers datasets
accelerate semhash`; those that are not installed are left out, with a note. Rounds,
processes and threads: see `throughput.py`.

Writes `search.json` and `search.md` to benchmarks/results (`--out`).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    best_of,
    main,
    peak_of,
    ratio,
)

N_TEXTS, N_CORPUS, N_QUERIES, N_LARGE = 20_000, 100_000, 1000, 50_000
K, THRESHOLD = 10, 0.7


class Stored(BaseEstimator):
    """An encoder of numbers, as texts, that returns rows of a matrix."""

    def __init__(self, vectors: Any = None) -> None:
        self.vectors = vectors

    def fit(self, X: Any, y: Any = None) -> "Stored":
        return self

    def transform(self, X: Any) -> Any:
        return self.vectors[np.fromiter(map(int, X), np.intp, len(X))]

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _prepare(args: Args) -> None:
    """Unit vectors of distinct sentences, and the nearest rows of the first ones."""
    import skparaphrase

    sentences: dict[str, None] = {}
    for path in sorted((args.data / "data/sentences").glob("*.txt.xz")):
        lines = lzma.open(path, "rt", encoding="utf-8").read().split("\n")
        sentences |= dict.fromkeys(line.strip() for line in lines[:12_000] if line)
    texts = list(sentences)
    np.random.default_rng(0).shuffle(texts)
    vectors = skparaphrase.load_pretrained().transform(texts[: _sizes(args)[1]])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    np.save(args.folder / "vectors.npy", vectors)
    n_texts = _sizes(args)[0]
    rows = [
        np.argsort(-(vectors[i : i + 500] @ vectors[:n_texts].T), axis=1)[:, : K + 1]
        for i in range(0, n_texts, 500)
    ]
    np.save(args.folder / "nearest.npy", np.concatenate(rows))


def _sizes(args: Args) -> tuple[int, int, int]:
    """Numbers of texts, of texts of the corpus, and of texts of the large mining."""
    part = 10 if args.quick else 1
    return N_TEXTS // part, N_CORPUS // part, N_LARGE // part


def _vectors(args: Args, n: int) -> NDArray[np.float32]:
    return np.load(args.folder / "vectors.npy", mmap_mode="r")[:n].copy()


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
    """Share of the nearest rows that are those of sorted cosines."""
    expected = np.load(args.folder / "nearest.npy")[:, :K]
    return float(
        np.mean([len({*a} & {*b}) / K for a, b in zip(rows, expected, strict=True)])
    )


def _search_ours(args: Args) -> Measures:
    from skparaphrase.search import SemanticSearch

    vectors = _vectors(args, _sizes(args)[0])
    texts = _numbers(vectors)
    search = SemanticSearch(Stored(vectors)).fit(texts)
    hits, measures = _measured(args, lambda: search.search(texts, k=K))
    return measures | {"agreement": _agreement(args, hits.row)}


def _search_brute(args: Args) -> Measures:
    from sklearn.neighbors import NearestNeighbors

    vectors = _vectors(args, _sizes(args)[0])
    index = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute")
    index.fit(vectors)
    (_, rows), measures = _measured(args, lambda: index.kneighbors(vectors))
    return measures | {"agreement": _agreement(args, rows)}


def _search_transformers(args: Args) -> Measures:
    import torch
    from sentence_transformers.util import semantic_search

    vectors = torch.from_numpy(_vectors(args, _sizes(args)[0]))
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
        ratio("time of NearestNeighbors", "brute", "semantic", "seconds"),
        ratio("time of semantic_search", "semantic_search", "semantic", "seconds"),
    ),
    prepare=_prepare,
)

# Against the product of matrices ---------------------------------------------------


def _product_ours(args: Args) -> Measures:
    from skparaphrase.search import SemanticSearch

    vectors = _vectors(args, _sizes(args)[1])
    texts = _numbers(vectors)
    search = SemanticSearch(Stored(vectors)).fit(texts)
    queries = texts[:: len(texts) // N_QUERIES]
    product = vectors[:: len(texts) // N_QUERIES]
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
    text=f"""The {K} nearest of {N_CORPUS:,} texts for {N_QUERIES:,} queries, and all
    their cosines by one product of NumPy, which keeps none.""",
    columns={**COLUMNS, "product": "product alone, seconds"},
    contenders={"product": Contender("SemanticSearch", _product_ours)},
    comparisons=(
        Comparison(
            "time of the search / time of the product",
            lambda found: found["product"]["seconds"] / found["product"]["product"],
            at_most=1.2,
        ),
    ),
    prepare=_prepare,
)

# Mining ------------------------------------------------------------------------------


def _mining_ours(args: Args, size: int = 0) -> Measures:
    from skparaphrase.search import ParaphraseMiner

    vectors = _vectors(args, _sizes(args)[size])
    texts = _numbers(vectors)
    miner = ParaphraseMiner(Stored(vectors), threshold=THRESHOLD).fit(texts)
    pairs, measures = _measured(args, lambda: miner.mine(texts))
    return measures | {"pairs": len(pairs.row)}


def _mining_transformers(args: Args) -> Measures:
    import torch
    from sentence_transformers.util import paraphrase_mining_embeddings

    vectors = torch.from_numpy(_vectors(args, _sizes(args)[0]))
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
        ratio(
            "speed / speed of paraphrase_mining",
            "paraphrase_mining",
            "mining",
            "seconds",
            at_least=1,
        ),
    ),
    prepare=_prepare,
)
LARGE = Group(
    title="Mining among more texts",
    text=f"""The same among {N_LARGE:,} texts, whose matrix of cosines would take
    {4 * N_LARGE**2 / 1e6:,.0f} MB.""",
    columns={**COLUMNS, **PAIRS},
    contenders={
        "large": Contender("ParaphraseMiner", lambda args: _mining_ours(args, 2)),
    },
    comparisons=(
        Comparison(
            "peak memory / the whole matrix",
            lambda found: 1e6 * found["large"]["peak"] / (4 * N_LARGE**2),
            at_most=1 / 3,
        ),
    ),
    prepare=_prepare,
)

# Near duplicates -------------------------------------------------------------------


def _duplicates_ours(args: Args) -> Measures:
    from skparaphrase.search import NearDuplicates

    vectors = _vectors(args, _sizes(args)[0])
    texts = _numbers(vectors)
    model = NearDuplicates(Stored(vectors), threshold=THRESHOLD, must_agree=None)
    _, measures = _measured(args, lambda: model.fit(texts))
    return measures | {"groups": len(model.representative_indices_)}


def _duplicates_semhash(args: Args) -> Measures:
    from semhash import SemHash

    class Encoder:
        def __init__(self, vectors: Any) -> None:
            self.vectors = vectors

        def encode(self, texts: Any, **_: Any) -> Any:
            return self.vectors[np.fromiter(map(int, texts), np.intp, len(texts))]

    vectors = _vectors(args, _sizes(args)[0])
    texts = _numbers(vectors)

    def group() -> Any:
        index = SemHash.from_records(texts, model=Encoder(vectors))
        return index.self_deduplicate(threshold=THRESHOLD)

    found, measures = _measured(args, group)
    return measures | {"groups": len(found.selected)}


DUPLICATES = Group(
    title="Near duplicates",
    text=f"""Groups of {N_TEXTS:,} texts with a cosine of at least {THRESHOLD}; the
    other library keeps a text if none that it has kept is near.""",
    columns={**COLUMNS, "groups": "texts kept"},
    contenders={
        "near": Contender("NearDuplicates", _duplicates_ours),
        "semhash": Contender("SemHash", _duplicates_semhash, ("semhash",)),
    },
    comparisons=(ratio("time of SemHash", "semhash", "near", "seconds"),),
    prepare=_prepare,
)

GROUPS = {
    "search": SEARCH,
    "product": PRODUCT,
    "mining": MINING,
    "large": LARGE,
    "duplicates": DUPLICATES,
}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
