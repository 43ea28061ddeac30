"""Speed of encoding, training and reading, compared with other libraries.

    python benchmarks/speed/throughput.py --data ../shared

Groups (`--only embed,embed-on-one,workers,train,read,encoders,lstm` selects some):
sentences encoded per second, by one process and by workers of joblib, training pairs
per second, and MB of vectors read per second; then training and transforming with every
trained encoder, and the LSTM compared with torch's. Memory is measured in `memory.py`.
Other libraries: `pip install gensim model2vec sentence-transformers datasets accelerate
psutil`; those that are not installed are left out, with a note.

Every contender runs in a fresh process in every round, all with the same number of
threads; the contenders of a round follow each other, and every other round runs
backwards. A process loads its data, makes one call on a slice (but for "first"), then
times the best of some calls. Ratios are computed within a round, then medians over
rounds (`--rounds 5`), so that a machine that is busy for a while slows both sides.
`--quick` uses a part of the data, to test the script.

Writes `throughput.json` and `throughput.md` to benchmarks/results (`--out`); the
results of groups that were not run are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import read_corpora, read_table
from _lib.embedding_speed import EMBEDDING_GROUPS, static_embedding
from _lib.encoder_speed import ENCODER_GROUPS
from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    best_of,
    main,
    ratio,
)

# train -----------------------------------------------------------------------------


def _fit_rates(args: Args, sizes: dict[str, int | None], **parameters: Any) -> Measures:
    """Pairs per second, including the start and end of `fit`."""
    import torch

    from _lib.paper_encoders import paper_encoder
    from skparaphrase.datasets import read_pairs

    torch.set_num_threads(args.threads)
    vectors, pairs = read_table(args), read_corpora(args)
    words = args.data / "data/paraphrase/ppdb-lexical.tsv"
    columns = ("word1", "word2")

    def fit(some: Sequence[Any], max_epochs: int = 1) -> None:
        paper_encoder(
            "ParagramEncoder",
            vectors=vectors,
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
            found[name] = len(some) / best_of(lambda some=some: fit(some), 2)
    return found


def _paragram(args: Args) -> Measures:
    sizes = {"default": None, "all": None, "some": 5000, "few": 2000, "words": None}
    return _fit_rates(args, sizes)


def _paragram_dense(args: Args) -> Measures:
    from skparaphrase.optimizers import Optimizer

    dense = Optimizer("adagrad", sparse=False, max_change=None)
    return _fit_rates(args, {"few": 2000}, optimizer=dense)


def _paragram_infonce(args: Args) -> Measures:
    from _lib.paper_encoders import PLAIN_INFONCE
    from skparaphrase.optimizers import Optimizer

    return _fit_rates(
        args,
        {"all": None, "some": 5000},
        loss=PLAIN_INFONCE,
        optimizer=Optimizer("adam", max_change=None),
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

    model = static_embedding(args)
    pairs = read_corpora(args)[:5000]

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
    return {"some": len(pairs) / min(seconds(pairs) for _ in range(2))}


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
        "dense": Contender("ParagramEncoder, dense updates", _paragram_dense),
        "infonce": Contender(
            'ParagramEncoder(loss=InfoNCELoss(keep=0), optimizer="adam")',
            _paragram_infonce,
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
            at_least=50_000,
        ),
        ratio(
            "infonce, 5,000 / SentenceTransformerTrainer, 5,000",
            *("infonce", "trainer", "some"),
        ),
    ),
)


# read ------------------------------------------------------------------------------


def _write_glove(args: Args) -> None:
    """Files in GloVe's format: `glove-20k.txt`, and `glove-200k.txt` unless quick."""
    import numpy as np

    vectors = read_table(args)
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
        path.read_bytes()  # reads the file into the system's cache
        call(path, 1000)
        megabytes = path.stat().st_size / 1e6
        n_calls = 2
        if column == "all" and megabytes / found["some"] > 10:
            n_calls = 1  # it takes so long that one call is enough
            if megabytes / found["some"] > 60:
                continue
        found[column] = megabytes / best_of(lambda c=call, p=path: c(p), n_calls)
    return found


def _read_ours(args: Args) -> Measures:
    from skparaphrase.vectors import read_word_vectors

    def read(path: Path, limit: int | None = None) -> Any:
        return read_word_vectors(path, limit=limit)

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
        "ours": Contender("read_word_vectors", _read_ours),
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


GROUPS = {**EMBEDDING_GROUPS, "train": TRAIN, "read": READ, **ENCODER_GROUPS}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
