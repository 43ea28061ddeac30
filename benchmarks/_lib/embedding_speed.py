"""Speed of averages of word vectors and of other libraries, for `throughput.py`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from _lib.corpora import (
    corpus_texts,
    long_texts,
    read_corpora,
    read_table,
    word_level,
)
from _lib.timing import (
    N_CPUS,
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    Samples,
    best_of,
    ratio,
)

N_LONG, N_WORDS = 1000, 1000  # long texts, and the words of one

# embed -----------------------------------------------------------------------------


def _embed(
    args: Args, encode: Callable[[list[str]], object], *, apart: bool = True
) -> Measures:
    """Texts per second, and microseconds of a call with a single text if possible."""
    texts = corpus_texts(args)
    distinct = list(dict.fromkeys(texts))
    few = distinct[:1000]
    long = long_texts(args, N_LONG // (10 if args.quick else 1), N_WORDS)
    first = best_of(lambda: encode(distinct), 1)
    one = best_of(lambda: [encode([text]) for text in few]) if apart else 0.0
    return {
        "first": len(distinct) / first,
        "distinct": len(distinct) / _seconds(lambda: encode(distinct)),
        "all": len(texts) / _seconds(lambda: encode(texts)),
        "long": len(long) / _seconds(lambda: encode(long)),
        **({"one": 1e6 * one / len(few)} if apart else {}),
        "n_texts": len(texts),
        "n_distinct": len(distinct),
    }


def _seconds(call: Callable[[], object]) -> float:
    """Seconds of the better of two calls, or of one call if it takes long."""
    first = best_of(call, 1)
    return first if first > 2 else min(first, best_of(call, 1))


def _average(args: Args) -> Measures:
    from skparaphrase.encoders import AverageEncoder

    return _embed(args, AverageEncoder(read_table(args)).transform)


def _sif(args: Args) -> Measures:
    from skparaphrase.encoders import SIFEncoder

    return _embed(args, SIFEncoder(read_table(args)).fit(["any"]).transform)


def _pretrained(args: Args) -> Measures:
    from skparaphrase import load_pretrained

    return _embed(args, load_pretrained().transform)


def _sif_and_removal(args: Args, *, refit: bool) -> Measures:
    from sklearn.pipeline import make_pipeline

    from skparaphrase.decomposition import CommonComponentRemoval
    from skparaphrase.encoders import SIFEncoder

    pipe = make_pipeline(SIFEncoder(read_table(args)), CommonComponentRemoval())
    if refit:
        return _embed(args, pipe.fit_transform, apart=False)
    return _embed(args, pipe.fit(["A cat sleeps.", "A dog barks."]).transform)


def _similarities(args: Args) -> Measures:
    from sklearn.pipeline import make_pipeline

    from skparaphrase.decomposition import CommonComponentRemoval
    from skparaphrase.encoders import SIFEncoder
    from skparaphrase.pairs import PairSimilarity

    pairs = read_corpora(args)
    pipe = make_pipeline(
        SIFEncoder(read_table(args)), CommonComponentRemoval(), PairSimilarity()
    ).fit(pairs)
    pipe.predict(pairs[:1000])
    return {"all": 2 * len(pairs) / best_of(lambda: pipe.predict(pairs))}


def _tfidf(args: Args) -> Measures:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return _embed(args, TfidfVectorizer().fit(corpus_texts(args)).transform)


def _model2vec(args: Args, **options: Any) -> Measures:
    from model2vec import StaticModel

    tokenizer, matrix = word_level(read_table(args))
    model = StaticModel(matrix, tokenizer)
    return _embed(args, lambda texts: model.encode(texts, max_length=None, **options))


def static_embedding(args: Args) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    torch.set_num_threads(args.threads)
    tokenizer, matrix = word_level(read_table(args))
    module = StaticEmbedding(tokenizer, embedding_weights=matrix)
    return SentenceTransformer(modules=[module], device="cpu")


def _sentence_transformers(args: Args) -> Measures:
    model = static_embedding(args)
    return _embed(
        args,
        lambda texts: model.encode(
            texts, batch_size=args.batch_size, show_progress_bar=False
        ),
    )


def _share_of_distinct(samples: Samples) -> str:
    first = samples["average"][0]
    share = first["n_distinct"] / first["n_texts"]
    return (
        f"{first['n_texts']:,} texts, of which {first['n_distinct']:,} ({share:.0%}) "
        "are distinct."
    )


EMBED = Group(
    title="Encoding sentences",
    text=f"""Captions and rewrites, both sides of all pairs in order: the texts that
    differ in the first call of a process ("first"), which imports and finds each word
    for the first time, and in the better of two later calls ("again"); then all with
    their repeats, and {N_LONG:,} long texts of {N_WORDS:,} words of captions; 77,520
    vectors of 300 numbers, the same for every contender but load_pretrained(), which
    has its own 60,000 of 256, and TfidfVectorizer, which is fitted on the same texts
    and gives sparse counts. Our encoders embed a text that repeats once, the peers as
    often as it comes. "One" is a call with one sentence. The peers' tokeniser parts
    "don't" and "well-known", ours does not, for which one text in seven has another
    vector. model2vec takes whole texts (max_length=None).""",
    columns={
        "first": "first, sentences/s",
        "distinct": "again, sentences/s",
        "all": "with repeats, sentences/s",
        "long": "long, texts/s",
        "one": "one, microseconds",
    },
    contenders={
        "average": Contender("AverageEncoder", _average),
        "tfidf": Contender("TfidfVectorizer", _tfidf),
        "model2vec": Contender("model2vec encode", _model2vec, ("model2vec",)),
        "sif": Contender("SIFEncoder", _sif),
        "sif-fit": Contender(
            "SIF + component removal, fit_transform",
            partial(_sif_and_removal, refit=True),
        ),
        "sif-transform": Contender(
            "SIF + component removal, transform",
            partial(_sif_and_removal, refit=False),
        ),
        "sif-predict": Contender(
            "SIF + component removal + cosine, predict", _similarities
        ),
        "model2vec-serial": Contender(
            "model2vec encode(use_multiprocessing=False)",
            partial(_model2vec, use_multiprocessing=False),
            ("model2vec",),
        ),
        "static-embedding": Contender(
            "StaticEmbedding of sentence-transformers, its best batch size",
            _sentence_transformers,
            ("sentence_transformers",),
            batch_sizes=(1024, 4096, 16384),
        ),
        "pretrained": Contender("load_pretrained()", _pretrained),
    },
    comparisons=(
        *(
            ratio(f"{name}: {label}", first, second, column, **target)
            for label, first, second, target in (
                (
                    "AverageEncoder / model2vec",
                    *("average", "model2vec", {"at_least": 4}),
                ),
                (
                    "AverageEncoder / StaticEmbedding",
                    *("average", "static-embedding", {"at_least": 5}),
                ),
                (
                    "SIF + removal, fit_transform / model2vec",
                    *("sif-fit", "model2vec", {"at_least": 3}),
                ),
                (
                    "SIF + removal, transform / model2vec",
                    *("sif-transform", "model2vec", {"at_least": 3}),
                ),
                (
                    "AverageEncoder / model2vec(use_multiprocessing=False)",
                    *("average", "model2vec-serial", {}),
                ),
                (
                    "AverageEncoder / TfidfVectorizer",
                    *("average", "tfidf", {"at_least": 1.5}),
                ),
                ("AverageEncoder / SIFEncoder", "average", "sif", {"at_most": 1.3}),
            )
            for column, name, target in (
                ("first", "first", {}),
                ("distinct", "again", {}),
                ("all", "with repeats", target),
                ("long", "long", {}),
            )
        ),
        *(
            Comparison(
                f"one: {label}, microseconds",
                lambda found, name=name: found[name]["one"],
                at_most=50,
            )
            for name, label in (
                ("average", "AverageEncoder"),
                ("sif", "SIFEncoder"),
                ("pretrained", "load_pretrained()"),
            )
        ),
        ratio("one: time of model2vec / AverageEncoder", "model2vec", "average", "one"),
    ),
    note=_share_of_distinct,
)


# workers ---------------------------------------------------------------------------


def _save_table(args: Args) -> None:
    from skparaphrase.vectors import save_word_vectors

    save_word_vectors(read_table(args), args.folder / "vectors")


@cache
def _loaded(data: Path, folder: Path, quick: bool) -> tuple[Any, list[str]]:
    """An encoder with a memory-mapped table, and distinct texts; kept by a worker."""
    import skparaphrase
    from skparaphrase.encoders import AverageEncoder

    texts = list(dict.fromkeys(corpus_texts(Args(data=data, quick=quick))))
    encoder = AverageEncoder(skparaphrase.load(folder / "vectors"))
    encoder.transform(texts[:2000])
    return encoder, texts


def _embed_part(number: int, *key: Any) -> int:
    encoder, texts = _loaded(*key)
    return len(encoder.transform(texts[number::N_CPUS]))


def _parts(args: Args, *, backend: str | None) -> Measures:
    """Seconds for a part by CPU, one after the other or each in a worker of joblib."""
    from joblib import Parallel, delayed

    key = (args.data, args.folder, args.quick)
    parallel = Parallel(n_jobs=N_CPUS if backend else 1, backend=backend, batch_size=1)
    tasks = [delayed(_embed_part)(number, *key) for number in range(N_CPUS)]
    for _ in range(2):  # loading takes seconds, so that every worker gets a task
        parallel(tasks)
    return {"seconds": best_of(lambda: parallel(tasks), 3)}


WORKERS = Group(
    title="Threads in workers",
    text="""AverageEncoder on the distinct captions and rewrites in as many parts as
    there are CPUs: one part after the other in one process with all threads, or a part
    by each worker of joblib, which was started and has read its part before. Seconds of
    all.""",
    columns={"seconds": "seconds"},
    contenders={
        "parts": Contender("one process", partial(_parts, backend=None)),
        "parts-loky": Contender("processes (loky)", partial(_parts, backend="loky")),
        "parts-threading": Contender(
            "threads (threading)", partial(_parts, backend="threading")
        ),
    },
    comparisons=(
        ratio("loky / one process", "parts-loky", "parts", "seconds", at_most=1.1),
        ratio(
            "threading / one process",
            *("parts-threading", "parts", "seconds"),
            at_most=1.1,
        ),
    ),
    prepare=_save_table,
)

_ON_ONE = ("average", "sif", "sif-transform", "pretrained", "model2vec", "tfidf")

EMBED_ON_ONE = Group(
    title="Encoding sentences on one core",
    text="As in the table above, with one thread.",
    columns=EMBED.columns,
    contenders={name: EMBED.contenders[name] for name in _ON_ONE},
    comparisons=tuple(
        ratio(f"{name}: {label} / model2vec", worker, "model2vec", column, **target)
        for worker, label, target in (
            ("average", "AverageEncoder", {"at_least": 5}),
            ("sif-transform", "SIF + removal, transform", {}),
            ("pretrained", "load_pretrained()", {}),
        )
        for column, name, target in (
            ("first", "first", target),
            ("distinct", "again", {}),
            ("all", "with repeats", {}),
            ("long", "long", {}),
        )
    ),
    threads=1,
)

EMBEDDING_GROUPS = {"embed": EMBED, "embed-on-one": EMBED_ON_ONE, "workers": WORKERS}
