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
    Found,
    Group,
    Measures,
    Samples,
    best_of,
    peak_of,
    ratio,
)

# By encoder: pairs per epoch, a transformed text out of how many, and long texts.
# Slow encoders get fewer, so that a measurement takes a second or two.
SIZES = {
    "Paragram": (20_000, 1, 40_000),
    "Projection": (20_000, 1, 40_000),
    "DeepAveraging": (20_000, 1, 40_000),
    "RNN": (4000, 2, 8_000),
    "IdentityRNN": (4000, 2, 8_000),
    "LSTM": (1500, 8, 3_000),
    "LSTM-gate": (1500, 8, 3_000),
    "Convolutional": (4000, 2, 8_000),
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
    texts = corpus_texts(args)[:N_TEXTS]
    fresh = _encoder(args, name, warm_start=False)
    fresh.fit(pairs[:200])
    found = {"fit": len(pairs) / best_of(lambda: fresh.fit(pairs), 1)}
    fresh.set_params(warm_start=True).fit(pairs)  # later fits resume from its state
    found["epoch"] = len(pairs) / best_of(lambda: fresh.fit(pairs), 1)
    if name == "Charagram":
        whole = _encoder(args, name, max_epochs=10)
        found["whole"] = 10 * len(pairs) / best_of(lambda: whole.fit(pairs), 1)
    # The speed of `transform` depends on the number of vectors, not on their values.
    encoder = _encoder(args, name, max_epochs=0).fit(read_corpora(args))
    found["n_vectors"] = len(encoder.vectors_)
    return found | _transform_rates(encoder.transform, texts, step)


def _transform_rates(
    transform: Callable[[list[str]], object], texts: list[str], step: int
) -> Measures:
    distinct = list(dict.fromkeys(texts))[::step]
    transform(distinct[:200])
    n_calls = 3 if step == 1 else 1
    found: Measures = {"n_texts": len(texts), "n_distinct": len(distinct)}
    found["distinct"] = len(distinct) / best_of(lambda: transform(distinct), n_calls)
    if step == 1:
        found["all"] = len(texts) / best_of(lambda: transform(texts), n_calls)
    return found


def _counts(args: Args) -> Measures:
    from sklearn.feature_extraction.text import CountVectorizer

    texts = corpus_texts(args)[:N_TEXTS]
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(2, 4)).fit(texts)
    found = _transform_rates(vectorizer.transform, texts, 1)
    return {**found, "n_vectors": len(vectorizer.vocabulary_)}


def _sizes(samples: Samples) -> str:
    first = {name: rounds[0] for name, rounds in samples.items()}
    counts = first["counts"]
    n_vectors = {
        name: int(first[name]["n_vectors"]) for name in ("Charagram", "counts")
    }
    return (
        f"{counts['n_texts']:,} texts, of which {counts['n_distinct']:,} are distinct; "
        f"{n_vectors['Charagram']:,} n-grams in CharagramEncoder, "
        f"{n_vectors['counts']:,} in CountVectorizer."
    )


def _measure(name: str, column: str) -> Callable[[Found], float]:
    return lambda found: found[name][column]


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
    text="""Training on captions, with the paper's setting of each encoder and its
    batches, but sparse updates, on the CPU: one epoch by a new encoder ("fit", which
    also makes the vocabulary and copies the table in and out), one more epoch of an
    encoder that goes on (`warm_start`, which still encodes the texts), and for
    CharagramEncoder the ten epochs of the paper; of the first pairs, 20,000 or fewer by
    a slow encoder. Then `transform` of captions, of 40,000 in order ("all") and of the
    distinct ones among them, by a slow encoder of some of those. Encoders of words have
    77,520 vectors of 300 numbers, those of characters what the captions (for
    `transform`, captions and rewrites) hold. CountVectorizer(analyzer="char",
    ngram_range=(2, 4)) counts.""",
    columns={
        "fit": "fit of one epoch, pairs/s",
        "epoch": "a further epoch, pairs/s",
        "whole": "fit of ten epochs, pairs/s",
        "all": "transform, all, texts/s",
        "distinct": "transform, distinct, texts/s",
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
                f"{column}: CharagramEncoder / CountVectorizer",
                "Charagram",
                "counts",
                column,
                **target,
            )
            for column, target in (("all", {"at_least": 8}), ("distinct", {}))
        ),
        *(
            Comparison(
                f"CharagramEncoder, {label}, pairs/s",
                _measure("Charagram", column),
                at_least=10_000,
            )
            for column, label in (
                ("epoch", "a further epoch"),
                ("whole", "fit of ten epochs"),
            )
        ),
    ),
    note=_sizes,
)


# lstm ------------------------------------------------------------------------------


def _cells(args: Args) -> Measures:
    """Medians of the forward and backward pass of one batch, measured alternately."""
    from statistics import median

    import numpy as np
    import torch
    from torch.nn.utils.rnn import PackedSequence, pad_sequence

    from skparaphrase.datasets import load_word_vectors
    from skparaphrase.networks import LSTM
    from skparaphrase.networks._cells import Packing
    from skparaphrase.text import WordTokenizer

    torch.set_num_threads(args.threads)
    texts = [text for pair in read_corpora(args, "flickr8k")[:100] for text in pair]
    batch = load_word_vectors().encode(texts, WordTokenizer(), skip_unknown=True)
    dim = 300
    offsets = batch.offsets.astype(np.int64)
    lengths = torch.from_numpy(np.diff(offsets))
    random_state = np.random.RandomState(0)
    rows, row_of = np.unique(batch.ids, return_inverse=True)
    table = torch.from_numpy(0.3 * random_state.randn(len(rows), dim)).float()
    ids = torch.from_numpy(row_of)
    tokens, packing = table[ids], Packing(offsets, torch.device("cpu"))
    packed = tokens[packing.tokens]
    padded = pad_sequence(torch.split(tokens, lengths.tolist()))
    last, column = lengths - 1, torch.arange(len(texts))
    sizes = torch.from_numpy(np.diff(packing.starts))
    weights = torch.randn(len(texts), dim)
    found: dict[str, list[float]] = {}
    for each in (table, tokens, packed, padded):
        each.requires_grad_()

    ours, theirs = LSTM(dim, dim, output_gate=True), torch.nn.LSTM(dim, dim)
    ours.reset(random_state)
    no_output = LSTM(dim, dim, output_gate=False)
    no_output.reset(random_state)
    every = torch.arange(len(tokens))
    calls = {
        "ours": lambda: ours(tokens, every, offsets),
        "packed": lambda: theirs(PackedSequence(packed, sizes))[1][0][0],
        "padded": lambda: theirs(padded)[0][last, column],
        "repeats": lambda: ours(table, ids, offsets),
        "no_output": lambda: no_output(tokens, every, offsets),
    }
    for i in range(4 if args.quick else 34):
        for name, call in calls.items():
            for each in (table, tokens, packed, padded):
                each.grad = None
            for module in (ours, theirs, no_output):
                module.zero_grad()
            start = time.perf_counter()
            (call() * weights).sum().backward()
            seconds = time.perf_counter() - start
            if i >= 3:
                found.setdefault(name, []).append(1000 * seconds)
    return {name: median(values) for name, values in found.items()}


def _by(column: str, second: str) -> Callable[[Found], float]:
    return lambda found: found["cells"][column] / found["cells"][second]


LSTMS = Group(
    title="LSTM with peepholes",
    text="""Forward and backward, input and weights, of 300 numbers in and out on one
    batch of 200 captions, a row for each token; medians of calls in turn in one
    process, in milliseconds. torch.nn.LSTM has no peepholes. "Packed" gets its packed
    sequence ready made, "padded" runs all captions to the length of the longest. With
    repeats: the rows of words that repeat are projected once, as in training.""",
    columns={
        "ours": "ours, output gate",
        "no_output": "ours, no output gate",
        "repeats": "ours, output gate, with repeats",
        "packed": "torch.nn.LSTM, packed",
        "padded": "torch.nn.LSTM, padded",
    },
    contenders={"cells": Contender("forward and backward, ms", _cells)},
    comparisons=tuple(
        Comparison(f"time of ours / torch.nn.LSTM, {name}", _by("ours", name), **target)
        for name, target in (("packed", {"at_most": 1.6}), ("padded", {"at_most": 1.6}))
    ),
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
WATCHED = ("Paragram", "RNN", "LSTM", "Convolutional", "Charagram", "CharLSTM")

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

ENCODER_GROUPS = {"encoders": ENCODERS, "lstm": LSTMS}
