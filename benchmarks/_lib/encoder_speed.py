"""Speed and memory of the trained encoders, for `throughput.py` and `memory.py`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from _lib.corpora import corpus_texts, long_texts, read_corpora, read_table
from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    Samples,
    cpu_of,
    peak_of,
    ratio,
)

# By encoder: pairs per epoch, a transformed text out of how many, and long texts.
# Slow encoders get fewer, so that a measurement takes a second or two.
SIZES = {
    "Paraphrase": (20_000, 1, 40_000),
    "Projection": (20_000, 1, 40_000),
    "DeepAveraging": (20_000, 1, 40_000),
    "RNN": (4000, 2, 8_000),
    "IdentityRNN": (4000, 2, 8_000),
    "LSTM": (1500, 8, 3_000),
    "LSTM-gate": (1500, 8, 3_000),
    "CNN": (4000, 2, 8_000),
    "Charagram": (10_000, 1, 40_000),
    "CharCNN": (3000, 8, 3_000),
    "CharLSTM": (400, 60, 800),
}
N_WORDS = 150  # of a long text
N_TEXTS = 40_000  # captions that are transformed, with their repeats


def _encoder(args: Args, name: str, **params: Any) -> Any:
    """An encoder with its paper's setting and sparse updates, of one epoch."""
    import torch

    from _lib.paper_encoders import paper_encoder

    torch.set_num_threads(args.threads)
    if not name.startswith("Char"):
        params["vectors"] = read_table(args)
    if name.startswith("LSTM"):
        params["output_gate"] = name == "LSTM-gate"
    params = {"max_epochs": 1, "device": "cpu", "random_state": 0, **params}
    return paper_encoder(f"{name.partition('-')[0]}Encoder", **params)


# encoders --------------------------------------------------------------------------


def _rates(args: Args, name: str) -> Measures:
    """Training pairs and transformed texts per second."""
    n_pairs, step, _ = SIZES[name]
    pairs = read_corpora(args, "flickr8k")[:n_pairs]
    trained = _encoder(args, name).fit(pairs[:200])
    found = {"epoch": len(pairs) / cpu_of(lambda: trained.fit(pairs), 2)}
    # The speed of `transform` depends on the number of vectors, not on their values.
    encoder, every = _encoder(args, name, max_epochs=0), read_corpora(args)
    if name == "Charagram":
        seconds = cpu_of(lambda: encoder.fit(every), 2)
        found["vocabulary"] = 2 * len(every) / seconds
    encoder.fit(every)
    found["n_vectors"] = len(encoder.vectors_)
    return found | _transform_rate(args, encoder.transform, step)


def _transform_rate(
    args: Args, transform: Callable[[list[str]], object], step: int
) -> Measures:
    distinct = list(dict.fromkeys(corpus_texts(args)[:N_TEXTS]))[::step]
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


def _sizes(samples: Samples) -> str:
    ours, theirs = (samples[name][0]["n_vectors"] for name in ("Charagram", "counts"))
    return f"{ours:,} n-grams in CharagramEncoder, {theirs:,} in CountVectorizer."


LABELS = {
    name: "LSTMEncoder(output_gate=True)"
    if name == "LSTM-gate"
    else "LSTMEncoder(output_gate=False)"
    if name == "LSTM"
    else f"{name}Encoder"
    for name in SIZES
}

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
        *(
            ratio(
                f"{label}: CharagramEncoder / CountVectorizer",
                *("Charagram", "counts", column),
            )
            for label, column in (
                ("vocabulary", "vocabulary"),
                ("transform", "distinct"),
            )
        ),
        Comparison(
            "CharagramEncoder, one epoch, pairs/s",
            lambda found: found["Charagram"]["epoch"],
            at_least=10_000,
        ),
    ),
    note=_sizes,
    threads=1,
)


# chunks ----------------------------------------------------------------------------


def _peak(args: Args, name: str) -> Measures:
    """Peak memory of `transform` in MB, without texts and vectors."""
    n_texts = SIZES[name][2] // (10 if args.quick else 1)
    encoder = _encoder(args, name, max_epochs=0)
    encoder.fit(read_corpora(args))
    texts = long_texts(args, n_texts, N_WORDS)
    encoder.transform(texts[:8])  # one-time loading
    found: Measures = {"n_texts": n_texts}
    for column, some in (("third", texts[: n_texts // 3]), ("whole", texts)):
        start = time.perf_counter()
        vectors, peak = peak_of(lambda some=some: encoder.transform(some))
        found["seconds"] = time.perf_counter() - start
        found[column] = peak - vectors.nbytes / 1e6
        found["output"] = vectors.nbytes / 1e6
        del vectors
    return found


# One of each kind, because their memory differs by kind.
WATCHED = ("Paraphrase", "RNN", "LSTM", "CNN", "Charagram", "CharLSTM")

CHUNKS = Group(
    title="Memory of transform",
    text=f"""Peak of `transform` of long distinct texts ({N_WORDS} words of captions
    each) in MB (of 10^6 bytes): the resident set at its peak, as the kernel keeps it,
    less that before the call and less the array that is returned. A third of the
    texts first, then all, in one process; texts go through in blocks. All encoders get
    as many texts as they transform in some seconds, fast ones 40,000.""",
    columns={
        "n_texts": "texts",
        "third": "a third of them, MB",
        "whole": "all, MB",
        "output": "their vectors, MB",
        "seconds": "transform of all, s",
    },
    contenders={
        f"peak-{name}": Contender(LABELS[name], partial(_peak, name=name))
        for name in WATCHED
    },
    comparisons=tuple(
        Comparison(
            f"{LABELS[name]}: growth by each further text, bytes",
            lambda found, name=name: (
                1e6
                * (found[f"peak-{name}"]["whole"] - found[f"peak-{name}"]["third"])
                / (2 / 3 * found[f"peak-{name}"]["n_texts"])
            ),
        )
        for name in WATCHED
    ),
)
