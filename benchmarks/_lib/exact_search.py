"""Groups of `speed/search.py` for one query, all pairs and updates."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from _lib.readers import read_sentences
from _lib.timing import Args, Measures, timed

K = 10
N_QUERIES = {1_000: 500, 100_000: 100, 1_000_000: 30}
N_TEXTS = max(N_QUERIES)
DIM = 256
NOISE = 0.002  # standard deviation of the noise of resampled components
N_UPDATES, N_SEARCHED = 200, 10
SAME = 2e-6  # tolerance for rounding errors of scores

Calls = Mapping[str, Callable[[Any], Any]]


class Stored(BaseEstimator):
    """An encoder that returns the rows of a matrix for numbers as texts."""

    def __init__(self, vectors: Any = None) -> None:
        self.vectors = vectors

    def fit(self, X: Any, y: Any = None) -> "Stored":
        return self

    def transform(self, X: Any) -> Any:
        return self.vectors[np.fromiter(map(int, X), np.intp, len(X))]

    def __sklearn_is_fitted__(self) -> bool:
        return True


def sentences(args: Args) -> list[str]:
    """Distinct sentences of all sources, in random order."""
    texts = read_sentences(args.data)
    np.random.default_rng(0).shuffle(texts)
    return texts


def shared(rows: Any, nearest: Any) -> float:
    """The mean share of the rows of queries that are among the nearest."""
    both = zip(rows, nearest, strict=True)
    return float(np.mean([len({*some} & {*best}) / K for some, best in both]))


def prepare(args: Args, n_texts: int = 100_000) -> None:
    """The first sentences, their vectors, and other sentences as queries."""
    import skparaphrase

    texts = sentences(args)
    n_asked = max(N_QUERIES.values())
    texts, asked = texts[:-n_asked][: size_of(args, n_texts)], texts[-n_asked:]
    encoder = skparaphrase.load_pretrained()
    (args.folder / "texts.json").write_text(json.dumps([texts, asked]), "utf-8")
    for name, some in (("sentences", texts), ("sentences-queries", asked)):
        np.save(args.folder / f"{name}.npy", encoder.transform(some))


def prepare_million(args: Args) -> None:
    """Vectors of sentences, resampled with noise, and random ones, of length 1."""
    prepare(args, N_TEXTS)
    rng = np.random.default_rng(0)
    vectors = np.load(args.folder / "sentences.npy")
    n_drawn = size_of(args, N_TEXTS) - len(vectors)
    drawn = vectors[rng.integers(len(vectors), size=max(n_drawn, 0))]
    drawn += NOISE * rng.standard_normal(drawn.shape, np.float32)
    _save(args, "sentences", np.concatenate([vectors, drawn]))
    for name, n in (("random", len(vectors) + len(drawn)), ("random-queries", 500)):
        _save(args, name, rng.standard_normal((n, DIM), np.float32))


def _save(args: Args, name: str, vectors: NDArray[np.float32]) -> None:
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.save(args.folder / f"{name}.npy", vectors)


def size_of(args: Args, n: int) -> int:
    return n // 10 if args.quick else n


def read_vectors(args: Args, n: int, kind: str = "sentences") -> NDArray[np.float32]:
    stored = np.load(args.folder / f"{kind}.npy", mmap_mode="r")
    return np.array(stored[: size_of(args, n)])


def _without_bound() -> Any:
    """A context in which vectors are compared without a bound."""
    from skparaphrase._nearest import Bound

    return patch.object(Bound, "of", lambda vectors: None)


def _in_turn(queries: Any, calls: Calls) -> tuple[Measures, dict[str, list[Any]]]:
    """Median milliseconds per query and results of alternating calls."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    found: dict[str, list[Any]] = {name: [] for name in calls}
    for call in calls.values():  # prepared once
        call(queries[0])
    for i, query in enumerate(queries):
        for name in calls if i % 2 else reversed(calls):
            spent, result = timed(lambda: calls[name](query))  # noqa: B023
            seconds[name].append(spent)
            found[name].append(result)
    return {n: 1e3 * float(np.median(s)) for n, s in seconds.items()}, found


def _check_same(found: Mapping[str, list[Any]]) -> None:
    """All contenders find equally good rows, which may differ if scores are equal."""
    first, *others = (np.array([hit[1] for hit in hits]) for hits in found.values())
    for scores, name in zip(others, [*found][1:], strict=True):
        np.testing.assert_allclose(scores, first, atol=SAME, err_msg=name)


# One query ---------------------------------------------------------------------------


def _searched(search: Any) -> Callable[[Any], Any]:
    def call(query: Any) -> Any:
        hits = search.search(query, k=K)
        return hits.row[0], hits.score[0]

    return call


def _largest(scores: NDArray[np.float32]) -> Any:
    rows = np.argpartition(scores, -K)[-K:]
    rows = rows[np.argsort(-scores[rows])]
    return rows, scores[rows]


def query(args: Args, kind: str, n: int) -> Measures:
    """Milliseconds per query by its vector, in exact searches."""
    import faiss

    from skparaphrase.search import SemanticSearch

    vectors = read_vectors(args, n, kind)
    queries = np.load(args.folder / f"{kind}-queries.npy")[: N_QUERIES[n]]
    search, plain = (SemanticSearch().fit(vectors) for _ in range(2))
    with _without_bound():
        plain.search(queries[0])
    faiss.omp_set_num_threads(args.threads)
    index = faiss.IndexFlatIP(DIM)
    index.add(vectors)
    measures, found = _in_turn(
        queries,
        {
            "ours": _searched(search),
            "plain": _searched(plain),
            "faiss": lambda query: [x[0] for x in index.search(query[None], K)[::-1]],
            "numpy": lambda query: _largest(vectors @ query),
        },
    )
    _check_same(found)
    return measures


def lexical_query(args: Args, n: int) -> Measures:
    """Milliseconds per query by its text, with vectors and words."""
    from sklearn.preprocessing import normalize

    from skparaphrase import load_pretrained
    from skparaphrase.search import SemanticSearch

    texts, queries = json.loads((args.folder / "texts.json").read_text("utf-8"))
    texts, vectors = texts[: size_of(args, n)], read_vectors(args, n)
    both = SemanticSearch(lexical="char_wb").fit(texts, vectors=vectors)
    plain = SemanticSearch(lexical=both.lexical_).fit(texts, vectors=vectors)
    with _without_bound():
        plain.search(queries[0])
    alone = SemanticSearch().fit(texts, vectors=vectors)
    encoder, vectorizer = load_pretrained(), both.lexical_
    words = normalize(vectorizer.transform(texts)).T.tocsr()

    def products(query: str) -> Any:
        scores = (normalize(vectorizer.transform([query])) @ words).toarray()[0]
        scores += vectors @ encoder.transform([query])[0]
        return _largest(scores / 2)

    queries = queries[: N_QUERIES[n]]
    measures, found = _in_turn(
        queries,
        {
            "both": _searched(both),
            "plain": _searched(plain),
            "products": products,
            "vectors": _searched(alone),
        },
    )
    del found["vectors"]
    _check_same(found)
    return measures


# All pairs ---------------------------------------------------------------------------


def _finder(name: str, vectors: Any, **options: Any) -> Callable[[], dict[Any, float]]:
    """A call that compares all texts and returns the pairs and their scores."""
    from skparaphrase import search

    texts = [str(i) for i in range(len(vectors))]
    if name == "NearDuplicates":
        options["must_agree"] = None
    model = getattr(search, name)(Stored(vectors), **options)

    def find() -> Any:
        model.fit(texts)
        if name == "NearDuplicates":
            return model.pairs_, model.cosines_
        pairs = model.mine(texts)
        return pairs.row, pairs.score

    return find


def all_pairs(args: Args, name: str, n: int) -> Measures:
    """Seconds of an exact comparison with and without a bound."""
    options = {"threshold": 0.8, "algorithm": "exact"}
    vectors = read_vectors(args, n)
    _finder(name, vectors[:1000], **options)()
    find = _finder(name, vectors, **options)
    seconds, found = timed(find)
    measures = {"seconds": seconds, "pairs": len(found[0])}
    with _without_bound():
        measures["plain"], plain = timed(find)
    assert _pairs_above(found, 0.8) == _pairs_above(plain, 0.8)
    return measures


def _pairs_above(found: Any, threshold: float) -> set[tuple[int, int]]:
    """Pairs whose score exceeds the threshold by more than rounding errors."""
    rows, scores = found
    return {*map(tuple, rows[scores > threshold + 2 * SAME].tolist())}


def semhash(args: Args, n: int) -> Measures:
    from semhash import SemHash

    class Encoder:
        def __init__(self, vectors: Any) -> None:
            self.vectors = vectors

        def encode(self, texts: Any, **_: Any) -> Any:
            return self.vectors[np.fromiter(map(int, texts), np.intp, len(texts))]

    vectors = read_vectors(args, n)
    texts = [str(i) for i in range(len(vectors))]
    seconds, _ = timed(
        lambda: SemHash.from_records(texts, model=Encoder(vectors)).self_deduplicate(
            threshold=0.8
        )
    )
    return {"seconds": seconds}


def by_clusters(args: Args, name: str, n: int) -> Measures:
    """Seconds of exact comparisons and of clusters, and the share of lost pairs."""
    vectors = read_vectors(args, n)
    exact, clusters = (
        timed(_finder(name, vectors, algorithm=algorithm))
        for algorithm in ("exact", "clusters")
    )
    rows = [{*map(tuple, found[0].tolist())} for _, found in (exact, clusters)]
    return {
        "exact": exact[0],
        "clusters": clusters[0],
        "pairs": len(rows[0]),
        "lost": 100 * len(rows[0] - rows[1]) / len(rows[0]),
    }


# Updates -----------------------------------------------------------------------------


def updates(args: Args, n: int) -> Measures:
    """Milliseconds to add, replace and remove one text, and of the next query."""
    from skparaphrase.search import SemanticSearch

    vectors = read_vectors(args, n)
    texts = [f"text {i}" for i in range(len(vectors))]
    search = SemanticSearch().fit(texts, vectors=vectors)
    query = np.load(args.folder / "sentences-queries.npy")[0]
    search.search(query)
    measures = {"query": 1e3 * timed(lambda: search.search(query))[0]}
    calls: Calls = {
        "replace": lambda i: search.upsert([f"Replaced: {i}."], ids=[4 * i]),
        "add": lambda i: search.partial_fit([f"A new text, {i}."]),
        "remove": lambda i: search.remove(4 * i + 1),
    }
    measures["first"] = 1e3 * timed(lambda: calls["replace"](0))[0]
    spent, searched = [], []
    for name, call in calls.items():
        seconds = []
        for i in range(1, N_UPDATES + 1):
            seconds.append(timed(lambda: call(i))[0])  # noqa: B023
            if i <= N_SEARCHED:
                searched.append(timed(lambda: search.search(query))[0])
        measures[name] = 1e3 * float(np.median(seconds))
        spent += seconds
    measures["mean"] = 1e3 * float(np.mean(spent))
    measures["after"] = 1e3 * float(np.median(searched))
    return measures
