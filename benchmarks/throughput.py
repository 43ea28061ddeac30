"""Speed and memory of encoding, training, reading and searching, beside its peers.

    python benchmarks/throughput.py --data ../shared --threads 4

Groups (`--only embed,train,read,memory,encoders,lstm,chunks` takes some of them):
sentences encoded a second, pairs trained on a second, MB of vectors read a second, and
the peak memory of a grid search; then, from `_encoder_speed.py`, training and
transforming by every trained encoder, the LSTM beside torch's, and the peak memory of
`transform`. Peers: `pip install gensim model2vec sentence-transformers datasets
accelerate psutil`; those that are not installed are left out, with a line that says so.

Every contender runs in a fresh process in every round, all with the same number of
threads; within a round they follow each other, and every other round goes backwards. A
process loads, makes one call on a slice, then times the best of 3 calls. Ratios are
taken within a round, then medians over rounds (`--rounds 5`): a machine that is busy
for a while slows both sides. `--quick` takes a part of the data, to try the script.

Writes `throughput.json` and `throughput.md` to benchmarks/results (`--out`); groups
that were not run keep what stands there.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from _encoder_speed import ENCODER_GROUPS
from _timing import (
    Args,
    Comparison,
    Contender,
    Found,
    Group,
    Measures,
    Samples,
    best_of,
    main,
    ratio,
)

CORPORA = ("flickr8k", "rewrites")


# Data ------------------------------------------------------------------------------
# Workers import what they measure, and nothing else: imports are part of memory.


def _table(args: Args) -> Any:
    from skparaphrase.vectors import WordVectors

    return WordVectors.read(args.data / "vectors/minilm-words.300d.bin")


def _pairs(args: Args) -> list[tuple[str, str]]:
    from skparaphrase.datasets import read_pairs

    paths = [args.data / f"data/paraphrase/{name}.tsv" for name in CORPORA]
    pairs = [tuple(pair) for path in paths for pair in read_pairs(path).data.tolist()]
    return pairs[:: 4 if args.quick else 1]


def _texts(args: Args) -> list[str]:
    return [text for pair in _pairs(args) for text in pair]


def _scored_pairs(args: Args) -> tuple[Any, Any]:
    import numpy as np

    from skparaphrase.datasets import read_scored_pairs

    paths = sorted((args.data / "data/sts").glob("*.tsv"))[: 4 if args.quick else None]
    read = [read_scored_pairs(path, return_X_y=True) for path in paths]
    return np.vstack([X for X, _ in read]), np.concatenate([y for _, y in read])


# embed -----------------------------------------------------------------------------


def _embed(args: Args, encode: Callable[[list[str]], object]) -> Measures:
    texts = _texts(args)
    distinct = list(dict.fromkeys(texts))
    few = distinct[:1000]
    encode(distinct[:2000])
    one = best_of(lambda: [encode([text]) for text in few])
    return {
        "all": len(texts) / best_of(lambda: encode(texts)),
        "distinct": len(distinct) / best_of(lambda: encode(distinct)),
        "one": 1e6 * one / len(few),
        "n_texts": len(texts),
        "n_distinct": len(distinct),
    }


def _average(args: Args) -> Measures:
    from skparaphrase.encoders import AverageEncoder

    return _embed(args, AverageEncoder(_table(args)).transform)


def _sif(args: Args) -> Measures:
    from skparaphrase.encoders import SIFEncoder

    return _embed(args, SIFEncoder(_table(args)).fit(["any"]).transform)


def _sif_pipeline(vectors: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    from skparaphrase.decomposition import CommonComponentRemoval
    from skparaphrase.encoders import SIFEncoder
    from skparaphrase.pairs import PairSimilarity

    return make_pipeline(
        SIFEncoder(vectors), CommonComponentRemoval(), PairSimilarity()
    )


def _sif_similarities(args: Args, *, refit: bool) -> Measures:
    pairs = _pairs(args)
    pipe = _sif_pipeline(_table(args)).fit(pairs)
    pipe.predict(pairs[:1000])
    call = (lambda: pipe.fit(pairs).predict(pairs)) if refit else None
    return {"all": 2 * len(pairs) / best_of(call or (lambda: pipe.predict(pairs)))}


def _tfidf(args: Args) -> Measures:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return _embed(args, TfidfVectorizer().fit(_texts(args)).transform)


def _word_level(args: Args) -> tuple[Any, Any]:
    """A tokenizer of the table's words, and the table with a row for unknown ones.

    Of the pre-tokenizers for white space and punctuation the fastest. It parts "don't"
    and "well-known", which our tokeniser keeps.
    """
    import numpy as np
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vectors = _table(args)
    vocabulary = {**vectors.index, "[UNK]": len(vectors)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer, np.pad(vectors.matrix, ((0, 1), (0, 0)))


def _model2vec(args: Args, **options: Any) -> Measures:
    from model2vec import StaticModel

    tokenizer, matrix = _word_level(args)
    model = StaticModel(matrix, tokenizer)
    return _embed(args, lambda texts: model.encode(texts, **options))


def _static_embedding(args: Args) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    torch.set_num_threads(args.threads)
    tokenizer, matrix = _word_level(args)
    module = StaticEmbedding(tokenizer, embedding_weights=matrix)
    return SentenceTransformer(modules=[module], device="cpu")


def _sentence_transformers(args: Args) -> Measures:
    model = _static_embedding(args)
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
    text="""Captions and rewrites, both sides of all pairs in order, with their repeats
    ("all") and without ("distinct"); 77,520 vectors of 300 numbers, the same for every
    contender but TfidfVectorizer, which is fitted on the same texts and gives sparse
    counts. Our encoders embed a text that repeats once, the peers as often as it
    comes: "distinct" is what remains without that. "One" is a call with one sentence.
    The peers' tokeniser parts "don't" and "well-known", ours does not, for which one
    text in seven has another vector.""",
    columns={
        "all": "all, sentences/s",
        "distinct": "distinct, sentences/s",
        "one": "one, microseconds",
    },
    contenders={
        "average": Contender("AverageEncoder", _average),
        "tfidf": Contender("TfidfVectorizer", _tfidf),
        "model2vec": Contender("model2vec encode", _model2vec, ("model2vec",)),
        "sif": Contender("SIFEncoder", _sif),
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
        "sif-fit-predict": Contender(
            "SIF + component removal + cosine, fit and predict",
            partial(_sif_similarities, refit=True),
        ),
        "sif-predict": Contender(
            "SIF + component removal + cosine, predict",
            partial(_sif_similarities, refit=False),
        ),
    },
    comparisons=(
        ratio(
            "all: AverageEncoder / TfidfVectorizer", "average", "tfidf", at_least=1.5
        ),
        ratio("all: AverageEncoder / model2vec", "average", "model2vec", at_least=3),
        ratio("all: AverageEncoder / SIFEncoder", "average", "sif", at_most=1.3),
        *(
            ratio(f"distinct: AverageEncoder / {label}", "average", peer, "distinct")
            for label, peer in (
                ("TfidfVectorizer", "tfidf"),
                ("model2vec", "model2vec"),
                ("model2vec(use_multiprocessing=False)", "model2vec-serial"),
                ("StaticEmbedding", "static-embedding"),
            )
        ),
        ratio("one: time of model2vec / AverageEncoder", "model2vec", "average", "one"),
    ),
)


# train -----------------------------------------------------------------------------


def _fit_rates(args: Args, sizes: dict[str, int | None], **parameters: Any) -> Measures:
    """Pairs a second, start and end of `fit` included."""
    import torch

    from skparaphrase.datasets import read_pairs
    from skparaphrase.encoders import ParagramEncoder

    torch.set_num_threads(args.threads)
    vectors, pairs = _table(args), _pairs(args)
    words = args.data / "data/paraphrase/ppdb-lexical.tsv"
    columns = ("word1", "word2")

    def fit(some: Sequence[Any], max_epochs: int = 1) -> None:
        ParagramEncoder(
            vectors,
            batch_size=100,
            max_epochs=max_epochs,
            device="cpu",
            random_state=0,
            **parameters,
        ).fit(some)

    fit(pairs[:500])
    found = {"start": best_of(lambda: fit(pairs[:2], 0))}
    for name, size in sizes.items():
        some = pairs[:size]
        if name == "words":
            some = read_pairs(words, columns=columns).data
        if name == "default":
            found[name] = 10 * len(some) / best_of(lambda some=some: fit(some, 10), 1)
        else:
            found[name] = len(some) / best_of(lambda some=some: fit(some))
    return found


def _paragram(args: Args) -> Measures:
    sizes = {"default": None, "all": None, "some": 5000, "few": 2000, "words": None}
    return _fit_rates(args, sizes)


def _paragram_dense(args: Args) -> Measures:
    return _fit_rates(args, {"few": 2000}, sparse_updates=False)


def _paragram_infonce(args: Args) -> Measures:
    return _fit_rates(
        args,
        {"all": None, "some": 5000},
        loss="infonce",
        optimizer="adam",
        vectors_penalty=0.0,
    )


def _trainer(args: Args) -> Measures:
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import (
        MultipleNegativesRankingLoss,
    )

    model = _static_embedding(args)
    pairs = _pairs(args)[:5000]

    def seconds(some: list[tuple[str, str]]) -> float:
        anchors, positives = zip(*some, strict=True)
        trainer = SentenceTransformerTrainer(
            model=model,
            args=SentenceTransformerTrainingArguments(
                output_dir=str(args.folder),
                per_device_train_batch_size=100,
                num_train_epochs=1,
                save_strategy="no",
                logging_strategy="no",
                report_to="none",
                disable_tqdm=True,
                use_cpu=True,
            ),
            train_dataset=Dataset.from_dict(
                {"anchor": list(anchors), "positive": list(positives)}
            ),
            loss=MultipleNegativesRankingLoss(model),
        )
        return best_of(trainer.train, 1)

    seconds(pairs[:500])
    return {"some": len(pairs) / min(seconds(pairs) for _ in range(3))}


TRAIN = Group(
    title="Training on paraphrases",
    text="""One epoch (the first column: the default of ten) in batches of 100 pairs,
    77,520 vectors of 300 numbers, on the
    CPU; pairs a second of the whole of `fit`, which also copies the table in and out
    ("start": the seconds of a fit without an epoch). With a few thousand pairs that
    start is most of the time. The trainer of sentence-transformers is timed without its
    construction, with its default optimiser (AdamW) and the loss that our "infonce" is;
    no evaluation, saving or report.""",
    columns={
        "default": "captions and rewrites, ten epochs, pairs/s",
        "all": "the same, one epoch, pairs/s",
        "some": "their first 5,000, pairs/s",
        "few": "their first 2,000, pairs/s",
        "words": "PPDB word pairs, pairs/s",
        "start": "start, s",
    },
    contenders={
        "sparse": Contender("ParagramEncoder", _paragram),
        "dense": Contender("ParagramEncoder(sparse_updates=False)", _paragram_dense),
        "infonce": Contender(
            'ParagramEncoder(loss="infonce", optimizer="adam")', _paragram_infonce
        ),
        "trainer": Contender(
            "SentenceTransformerTrainer, MultipleNegativesRankingLoss",
            _trainer,
            ("sentence_transformers", "datasets", "accelerate"),
        ),
    },
    comparisons=(
        ratio(
            "sparse, all / dense, 2,000", "sparse", "dense", "all", "few", at_least=8
        ),
        ratio("sparse, 2,000 / dense, 2,000", "sparse", "dense", "few"),
        Comparison(
            "sparse, ten epochs, pairs/s",
            lambda r: r["sparse"]["default"],
            at_least=30_000,
        ),
        ratio(
            "infonce, 5,000 / SentenceTransformerTrainer, 5,000",
            *("infonce", "trainer", "some"),
        ),
    ),
)


# read ------------------------------------------------------------------------------


def _write_glove(args: Args) -> None:
    """Text files as GloVe's: `glove-20k.txt`, and `glove-200k.txt` unless quick."""
    import numpy as np

    vectors = _table(args)
    rng = np.random.default_rng(0)
    numbers = rng.normal(scale=0.4, size=(20_000, 300)).tolist()
    rows = [" ".join([f"{value:.5g}" for value in row]) for row in numbers]
    for n, size in ((1, "20k"), (10, "200k"))[: 1 if args.quick else 2]:
        with open(args.folder / f"glove-{size}.txt", "w", encoding="utf-8") as file:
            for copy in range(n):
                suffix = f"_{copy}" if copy else ""
                for word, row in zip(vectors.words, rows, strict=False):
                    file.write(f"{word}{suffix} {row}\n")


def _read_rates(
    args: Args, read: Callable[..., object], read_binary: Callable[..., object]
) -> Measures:
    found: Measures = {}
    binary = args.data / "vectors/minilm-words.300d.bin"
    for column, path, call in (
        ("some", args.folder / "glove-20k.txt", read),
        ("all", args.folder / "glove-200k.txt", read),
        ("binary", binary, read_binary),
    ):
        if not path.exists():
            continue
        path.read_bytes()  # into the cache of the system
        call(path, 1000)
        megabytes = path.stat().st_size / 1e6
        n_calls = 3
        if column == "all" and megabytes / found["some"] > 10:
            n_calls = 1  # as long as it takes, one call is as good
            if megabytes / found["some"] > 60:
                continue
        found[column] = megabytes / best_of(lambda c=call, p=path: c(p), n_calls)
    return found


def _read_ours(args: Args) -> Measures:
    from skparaphrase.vectors import WordVectors

    def read(path: Path, limit: int | None = None) -> Any:
        return WordVectors.read(path, limit=limit)

    return _read_rates(args, read, read)


def _read_gensim(args: Args) -> Measures:
    from gensim.models import KeyedVectors

    load = KeyedVectors.load_word2vec_format
    return _read_rates(
        args,
        lambda path, limit=None: load(path, no_header=True, limit=limit),
        lambda path, limit=None: load(path, binary=True, limit=limit),
    )


READ = Group(
    title="Reading vectors",
    text="""A text file as GloVe's (300 numbers of five digits a line; 200,000 lines and
    a file of its first 20,000) and a word2vec binary file of 77,520 words of 300
    numbers. The files are in the cache of the system. gensim reads the long file once a
    round if that takes less than a minute, otherwise not at all.""",
    columns={
        "some": "text, 20,000 lines, MB/s",
        "all": "text, 200,000 lines, MB/s",
        "binary": "binary, MB/s",
    },
    contenders={
        "ours": Contender("WordVectors.read", _read_ours),
        "gensim": Contender(
            "gensim KeyedVectors.load_word2vec_format", _read_gensim, ("gensim",)
        ),
    },
    comparisons=(
        ratio("text, 20,000 lines", "ours", "gensim", "some", at_least=15),
        ratio("text, 200,000 lines", "ours", "gensim", "all", at_least=15),
        ratio("binary", "ours", "gensim", "binary", at_least=4),
    ),
    prepare=_write_glove,
)


# memory ----------------------------------------------------------------------------


def _save_table(args: Args) -> None:
    _table(args).save(args.folder / "vectors")


def _search(args: Args, *, mmap: bool, n_jobs: int) -> Measures:
    from joblib import parallel_config
    from sklearn.model_selection import GridSearchCV

    from skparaphrase.vectors import WordVectors

    one = n_jobs == 1
    grid = {
        "sifencoder__a": [1e-3] if one else [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1],
        "commoncomponentremoval__n_components": [1] if one else [1, 2],
    }
    pairs, gold = _scored_pairs(args)
    pipe = _sif_pipeline(WordVectors.load(args.folder / "vectors", mmap=mmap))
    search = GridSearchCV(pipe, grid, cv=3, n_jobs=n_jobs)
    with parallel_config("loky", inner_max_num_threads=max(args.threads // n_jobs, 1)):
        seconds = best_of(lambda: search.fit(pairs, gold), 1)
    return {"seconds": seconds, "score": search.best_score_}


def _import_all(seconds: float) -> int:
    """Import what a search does, and stay; the number of the process."""
    for name in ("datasets", "decomposition", "encoders", "pairs", "vectors"):
        import_module(f"skparaphrase.{name}")
    import_module("sklearn.model_selection")
    time.sleep(seconds)
    return os.getpid()


def _interpreters(args: Args, *, pool: bool) -> Measures:
    from joblib import Parallel, delayed, parallel_config

    _import_all(0.5)
    if pool:
        # A call outlasts the start of a worker, so that each of them gets one.
        with parallel_config("loky", inner_max_num_threads=max(args.threads // 2, 1)):
            processes = Parallel(n_jobs=2)([delayed(_import_all)(8.0)] * 2)
        if len(set(processes)) != 2:
            raise RuntimeError("Both calls went to one worker.")
    return {}


def _watched(label: str, work: Callable[..., Measures], **options: Any) -> Contender:
    return Contender(label, partial(work, **options), ("psutil",), watched=True)


def _net(label: str, grid: str, fit: str, **target: float) -> Comparison:
    def ratio(found: Found) -> float:
        peaks = {name: measures["peak"] for name, measures in found.items()}
        own = peaks[fit] - peaks["interpreter"]
        return (peaks[grid] - peaks["interpreters"]) / own

    return Comparison(label, ratio, **target)


MEMORY = Group(
    title="Memory of a grid search",
    text="""Peak of the summed proportional set sizes of all processes of a GridSearchCV
    (12 candidates, 3 folds) over SIFEncoder + CommonComponentRemoval + PairSimilarity
    on the pairs of STS 2012 to 2014, in MB (of 10^6 bytes), sampled every 20 ms; a page
    that several processes map counts once. "One fit" is the same search over one
    candidate in one process. Table: 77,520 x 300, 93 MB. "Less interpreters" takes off
    what bare processes with the same imports hold.""",
    columns={"peak": "peak, MB", "shm": "new in /dev/shm, MB", "seconds": "search, s"},
    contenders={
        "interpreter": _watched("one interpreter", _interpreters, pool=False),
        "interpreters": _watched(
            "interpreter with a pool of 2", _interpreters, pool=True
        ),
        "fit": _watched("one fit, vectors mapped", _search, mmap=True, n_jobs=1),
        "grid": _watched("grid, 2 jobs, mapped", _search, mmap=True, n_jobs=2),
        "fit-read": _watched(
            "one fit, vectors in memory", _search, mmap=False, n_jobs=1
        ),
        "grid-read": _watched("grid, 2 jobs, in memory", _search, mmap=False, n_jobs=2),
    },
    comparisons=(
        _net("mapped: grid / one fit, less interpreters", "grid", "fit", at_most=1.5),
        ratio("mapped: grid / one fit", "grid", "fit", "peak"),
        _net("in memory: grid / one fit, less interpreters", "grid-read", "fit-read"),
        ratio("in memory: grid / one fit", "grid-read", "fit-read", "peak"),
    ),
    prepare=_save_table,
)

GROUPS = {"embed": EMBED, "train": TRAIN, "read": READ, "memory": MEMORY}
GROUPS |= ENCODER_GROUPS

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
